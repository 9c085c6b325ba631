import { once } from 'node:events'
import type { Readable } from 'node:stream'

/** Sends a request whose answer is streamed, and gives the answer to `read`. */
export type Ask = <T>(read: (answer: Readable) => Promise<T>) => Promise<T>

interface FirstByte {
  /** By the clock, in milliseconds. */
  readonly wall: number
  /** Processor of this process, in milliseconds. */
  readonly processor: number
}

const RUNS = 10

/** The times until the first byte of an answer arrives: the least of several runs, each broken off there. */
export async function firstByteOf(ask: Ask): Promise<FirstByte> {
  const least = { wall: Number.POSITIVE_INFINITY, processor: Number.POSITIVE_INFINITY }
  for (let run = 0; run < RUNS; run += 1) {
    const [started, before] = [performance.now(), process.cpuUsage()]
    const untilFirstByte = async (answer: Readable) => {
      await once(answer, 'data')
      const { user, system } = process.cpuUsage(before)
      least.wall = Math.min(least.wall, performance.now() - started)
      least.processor = Math.min(least.processor, (user + system) / 1000)
      answer.destroy()
    }
    await ask(untilFirstByte).catch(ignoreBreak)
  }
  return least
}

function ignoreBreak(error: Error & { code?: string }): void {
  if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
}
