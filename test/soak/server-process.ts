import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import type { TableLocation } from '#lib/store/table.ts'
import { program, root } from '#tools/machine/location.ts'
import { listRunning } from '#tools/machine/running.ts'

/** Starts `npm start` on a dataset in a process of its own, and waits until it listens. */
export async function startServer(
  folder: string,
  port: number,
  environment: Readonly<Record<string, string>> = {},
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
export async function killServer(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const closed = once(server, 'close')
  const children = await readFile(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8')
  server.kill('SIGKILL')
  for (const pid of children.match(/\d+/g) ?? []) process.kill(Number(pid), 'SIGKILL')
  await closed
}

/** Ends the server as an operator does. */
export async function stopServer(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const closed = once(server, 'close')
  server.kill('SIGTERM')
  await closed
}

/** The table of the server that listens at a port. */
export function locationAt(port: number): TableLocation {
  const running = listRunning(root).find(({ url }) => url.endsWith(`:${port}`))
  if (!running) throw new Error(`No installation listens at port ${port}`)
  return running.location
}
