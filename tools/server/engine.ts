import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { relative } from 'node:path'
import { CreateTableCommand } from '@aws-sdk/client-dynamodb'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import pRetry, { AbortError } from 'p-retry'
import { createMeter } from '#lib/table/requests/meter.ts'
import { createStore } from '#lib/table/store.ts'
import { CommandError } from '#tools/machine/terminal.ts'
import { stampNewTable } from '../command-line/table-stamp.ts'
import { findEngineBinary } from './engine-binary.ts'
import { tableDefinition } from './table-definition.ts'

/** A running embedded DynamoDB. `stop` waits until all data is on disk. */
export interface Engine {
  readonly endpoint: string
  readonly process: ChildProcess
  stop(): Promise<void>
}

/** Starts the embedded engine on a free local port. The data is kept in `file`, otherwise in memory. */
export async function startEngine(file?: string): Promise<Engine> {
  const port = String(await freePort())
  const words = ['serve', '--port', port, ...(file ? ['--db-path', file] : [])]
  const engine = spawnPrivately(findEngineBinary(), words)
  engine.once('spawn', () => endWithThisProcess(engine))
  const stop = async () => {
    if (engine.exitCode !== null || engine.signalCode !== null) return
    const ended = once(engine, 'exit')
    engine.kill()
    await ended
  }
  const endpoint = `http://127.0.0.1:${port}`
  await untilItAnswers(engine, endpoint, file)
  return { endpoint, process: engine, stop }
}

/** A separate session: Ctrl-C reaches only the parent, which may still have data to store. */
const DETACHED = { detached: true, windowsHide: true } as const

/** The engine's files contain the secrets of all devices, so only this user may read them. */
function spawnPrivately(binary: string, arguments_: readonly string[]): ChildProcess {
  const usual = process.umask(0o077)
  try {
    return spawn(binary, arguments_, { ...DETACHED, stdio: ['ignore', 'ignore', 'pipe'] })
  } finally {
    process.umask(usual)
  }
}

/**
 * Ends the engine when this process has ended, even by kill -9: a watching process waits until its standard input closes,
 * and then kills the engine.
 */
function endWithThisProcess(engine: ChildProcess): void {
  const watch = spawn(process.execPath, ['--eval', KILL_WHEN_STDIN_CLOSES, String(engine.pid)], {
    ...DETACHED,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  engine.once('exit', () => watch.kill())
}

const KILL_WHEN_STDIN_CLOSES =
  "process.stdin.resume().once('close', () => process.kill(Number(process.argv[1])))"

async function untilItAnswers(engine: ChildProcess, endpoint: string, file?: string): Promise<void> {
  const errorOutput: Buffer[] = []
  engine.stderr?.on('data', (chunk: Buffer) => errorOutput.push(chunk))
  const dead = once(engine, 'exit').then(
    () => {
      throw new CommandError(diagnosis(Buffer.concat(errorOutput).toString(), file))
    },
    ({ message }: Error) => {
      throw new CommandError(diagnosis(message))
    },
  )
  const answers = pRetry(
    async () => {
      if (engine.exitCode !== null) throw new AbortError('gone')
      await fetch(endpoint)
    },
    { retries: 3000, minTimeout: 10, factor: 1, shouldRetry: () => true },
  )
  await Promise.race([answers, dead])
  dead.catch(() => {})
}

/** The last error of the engine, with the remedy if it is known. */
function diagnosis(errorOutput: string, file?: string): string {
  if (file && errorOutput.includes('not a valid SQLite database')) {
    return `${relative(process.cwd(), file)} is damaged, or is not a data file of Tollgate: move it away, or replace the data with npm start -- --fresh.`
  }
  const last = errorOutput
    .trim()
    .split('\n')
    .at(-1)
    ?.replace(/^error:\s*/i, '')
  return `The embedded DynamoDB did not start: ${last || 'it ended at once.'}`
}

/** A local port that is free at the moment. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new CommandError('No free local port was found')
  return address.port
}

/** Creates the table if it does not exist, with the stamp of its format. */
export async function createTable(client: DynamoDBDocumentClient, tableName: string): Promise<void> {
  try {
    await client.send(new CreateTableCommand(tableDefinition(tableName)))
    await stampNewTable(createStore({ client, tableName, meter: createMeter() }))
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'ResourceInUseException') throw error
  }
}
