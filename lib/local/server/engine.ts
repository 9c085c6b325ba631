import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { relative } from 'node:path'
import { CreateTableCommand } from '@aws-sdk/client-dynamodb'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import pRetry, { AbortError } from 'p-retry'
import { tableDefinition } from '#lib/store/table.ts'
import { EngineError, findEngineBinary } from './engine-binary.ts'

/** A running embedded DynamoDB. `stop` waits until everything is on disk. */
export interface Engine {
  readonly endpoint: string
  readonly process: ChildProcess
  stop(): Promise<void>
}

/** Starts the engine on a free local port. `file` keeps the data; without one it lives in memory. */
export async function startEngine(file?: string): Promise<Engine> {
  const binary = findEngineBinary()
  const port = await freePort()
  const arguments_ = ['serve', '--port', String(port), ...(file ? ['--db-path', file] : [])]
  const engine = spawnPrivately(binary, arguments_)
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

/** In a session of its own, so that Ctrl-C reaches only its parent, which still may have something to store. */
const APART = { detached: true, windowsHide: true } as const

/** The files that the engine writes hold every device's secret: nobody else on the machine may read them. */
function spawnPrivately(binary: string, arguments_: readonly string[]): ChildProcess {
  const usual = process.umask(0o077)
  try {
    return spawn(binary, arguments_, { ...APART, stdio: ['ignore', 'ignore', 'pipe'] })
  } finally {
    process.umask(usual)
  }
}

/**
 * Ends the engine when this process has ended, however that came about, kill -9 included: another one waits until its
 * standard input closes.
 */
function endWithThisProcess(engine: ChildProcess): void {
  const watch = spawn(process.execPath, ['--eval', KILLS_AT_THE_END, String(engine.pid)], {
    ...APART,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  engine.once('exit', () => watch.kill())
}

const KILLS_AT_THE_END = "process.stdin.resume().once('close', () => process.kill(Number(process.argv[1])))"

async function untilItAnswers(engine: ChildProcess, endpoint: string, file?: string): Promise<void> {
  const complaint: Buffer[] = []
  engine.stderr?.on('data', (chunk: Buffer) => complaint.push(chunk))
  const dead = once(engine, 'exit').then(
    () => {
      throw new EngineError(diagnosis(Buffer.concat(complaint).toString(), file))
    },
    ({ message }: Error) => {
      throw new EngineError(diagnosis(message))
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

/** The engine's last words, and what can be done about them. */
function diagnosis(complaint: string, file?: string): string {
  if (file && complaint.includes('not a valid SQLite database')) {
    return `${relative(process.cwd(), file)} is damaged or no data file of Tollgate: move it away, or begin anew with npm start -- --fresh.`
  }
  const last = complaint
    .trim()
    .split('\n')
    .at(-1)
    ?.replace(/^error:\s*/i, '')
  return `The embedded DynamoDB did not start: ${last || 'it ended at once.'}`
}

/** A local port that nobody listens on at the moment. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new EngineError('No free local port was found.')
  return address.port
}

/** Creates the table; one that is there stays as it is. */
export async function createTable(client: DynamoDBDocumentClient, tableName: string): Promise<void> {
  try {
    await client.send(new CreateTableCommand(tableDefinition(tableName)))
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'ResourceInUseException') throw error
  }
}
