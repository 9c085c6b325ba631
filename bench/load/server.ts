import { readFileSync } from 'node:fs'
import type { TableLocation } from '#lib/store/table.ts'
import { serveFolder } from '#test/soak/server-process.ts'
import { startEngine } from '#tools/server/engine.ts'

/** The resident memory of a process in MB, and the processor time that it has used in seconds. */
export interface Usage {
  readonly memory: number
  readonly processor: number
}

/** `npm start` on a dataset, and its engine. */
export interface LoadedServer {
  readonly url: string
  readonly location: TableLocation
  usage(): { readonly server: Usage; readonly engine: Usage }
  /** Ends it and removes its data. */
  remove(): Promise<void>
}

/**
 * Starts `npm start` on a folder that `fill` writes a dataset into. Its engine keeps the data in memory: a million calls are
 * written many times as fast there as into a file.
 */
export async function serveDataset(fill: (folder: string) => Promise<void>): Promise<LoadedServer> {
  const engine = await startEngine()
  const { url, location, pid, remove } = await serveFolder(fill, { DYNAMODB_ENDPOINT: engine.endpoint })
  return {
    url,
    location,
    usage: () => ({ server: usageOf(pid()), engine: usageOf(engine.process.pid) }),
    remove: async () => {
      await remove()
      await engine.stop()
    },
  }
}

/** Linux counts processor time in hundredths of a second. */
const TICKS_OF_A_SECOND = 100

/** What a running process has used so far. */
export function usageOf(pid = 0): Usage {
  const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  // The name of the process, in brackets, may hold blanks; user and system time are the 12th and 13th word after it.
  const words = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  const ticks = Number(words[11]) + Number(words[12])
  return { memory: Number(kilobytes) / 1000, processor: ticks / TICKS_OF_A_SECOND }
}
