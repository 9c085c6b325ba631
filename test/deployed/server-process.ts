import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { slices } from '#lib/base/collections.ts'
import type { FileName } from '#lib/dataset/import/files.ts'
import type { Cells } from '#lib/table/cells/row-source.ts'
import type { TableLocation } from '#lib/table/table.ts'
import { dataFilesOf, prepareDataFolder } from '#tools/machine/data-folder.ts'
import { program, root } from '#tools/machine/program.ts'
import { listRunning } from '#tools/machine/running.ts'
import { freePort } from '#tools/server/engine.ts'

/** `npm start` on a folder of its own. */
export interface ServedFolder {
  readonly folder: string
  readonly url: string
  /** Its table. It moves when the server is started again. */
  location(): TableLocation
  pid(): number | undefined
  /** Ends the process as a power cut does, and starts it again over the same data. */
  killAndStart(): Promise<void>
  /** Ends it and removes its data. */
  remove(): Promise<void>
}

/** Starts `npm start` on a new folder with these rows. `prepare` may first put a database there. */
export async function serveFolder(
  rows: ServedRows,
  environment: Readonly<Record<string, string>> = {},
  prepare: (folder: string) => Promise<void> = async () => {},
): Promise<ServedFolder> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-served-'))
  await writeDataset(folder, rows)
  await prepare(folder)
  const port = await freePort()
  let server = await startServer(folder, port, environment)
  return {
    folder,
    url: `http://localhost:${port}`,
    location: () => locationAt(port),
    pid: () => server.pid,
    killAndStart: async () => {
      await killServer(server)
      server = await startServer(folder, port, environment)
    },
    remove: async () => {
      await killServer(server)
      const files = dataFilesOf(folder)
      await setTimeout(500)
      await prepareDataFolder(files, true)
      await rm(files.lock, { force: true })
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The rows of a dataset, by its files. */
export type ServedRows = Partial<Record<FileName, Iterable<Cells>>>

export async function writeDataset(folder: string, rows: ServedRows): Promise<void> {
  for (const [name, some] of Object.entries(rows))
    await writeFile(join(folder, `${name}.ndjson`), linesOf(some))
}

function* linesOf(rows: Iterable<Cells>): Generator<string> {
  for (const some of slices(rows, 1000)) yield some.map((row) => `${JSON.stringify(row)}\n`).join('')
}

/** Starts `npm start` on a dataset in a process of its own, and waits until it listens. */
async function startServer(
  folder: string,
  port: number,
  environment: Readonly<Record<string, string>>,
): Promise<ChildProcess> {
  const words = [program, 'start', '--data', folder, '--port', String(port)]
  const env = { ...process.env, ...environment }
  const server = spawn(process.execPath, words, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let printed = ''
  for (const output of [server.stdout, server.stderr])
    output.on('data', (chunk: Buffer) => {
      printed += chunk
    })
  while (!printed.includes('Tollgate listens on')) {
    if (server.exitCode !== null) throw new Error(`The server has ended: ${printed}`)
    await setTimeout(100)
  }
  return server
}

/** Ends the server as a power cut does: with its engine, and with the esbuild that watches the source. */
async function killServer(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const closed = once(server, 'close')
  const children = await readFile(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8')
  server.kill('SIGKILL')
  for (const pid of children.match(/\d+/g) ?? []) process.kill(Number(pid), 'SIGKILL')
  await closed
}

/** The table of the server that listens at a port. */
function locationAt(port: number): TableLocation {
  const running = listRunning(root).find(({ url }) => url.endsWith(`:${port}`))
  if (!running) throw new Error(`No installation listens at port ${port}`)
  return running.location
}
