import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { CreateTableCommand, type DynamoDBClient, ResourceInUseException } from '@aws-sdk/client-dynamodb'
import pRetry, { AbortError } from 'p-retry'
import { tableDefinition } from '#lib/store/table.ts'

/** A running embedded DynamoDB. `stop` waits until everything is on disk. */
export interface Engine {
  readonly endpoint: string
  readonly process: ChildProcess
  stop(): Promise<void>
}

const BINARIES = ['@dynoxide/linux-x64/dynoxide']

/** The engine's binary from its package; DYNOXIDE_BINARY names another one. */
export function findEngineBinary(): string | undefined {
  const named = process.env['DYNOXIDE_BINARY']
  if (named) return named
  const require = createRequire(import.meta.url)
  return BINARIES.flatMap((path) => {
    try {
      return [require.resolve(path)]
    } catch {
      return []
    }
  })[0]
}

/** Why the engine does not run, in one sentence with the way out. */
export class EngineError extends Error {}

/** Starts the engine on a free local port. `file` keeps the data; without one it lives in memory. */
export async function startEngine(file?: string): Promise<Engine> {
  const binary = findEngineBinary()
  if (!binary) {
    throw new EngineError(
      `There is no embedded DynamoDB for ${process.platform}-${process.arch}: ` +
        'name its binary in DYNOXIDE_BINARY, or any running DynamoDB in DYNAMODB_ENDPOINT.',
    )
  }
  const port = await freePort()
  const engine = spawn(binary, ['serve', '--port', String(port), ...(file ? ['--db-path', file] : [])], {
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  })
  const stop = async () => {
    if (engine.exitCode !== null || engine.signalCode !== null) return
    const ended = once(engine, 'exit')
    engine.kill('SIGTERM')
    await ended
  }
  const endpoint = `http://127.0.0.1:${port}`
  await untilItAnswers(engine, endpoint)
  return { endpoint, process: engine, stop }
}

async function untilItAnswers(engine: ChildProcess, endpoint: string): Promise<void> {
  const complaint: Buffer[] = []
  engine.stderr?.on('data', (chunk: Buffer) => complaint.push(chunk))
  const dead = once(engine, 'exit').then(() => {
    throw new EngineError(
      Buffer.concat(complaint).toString().trim() || 'The embedded DynamoDB ended at once.',
    )
  })
  const answers = pRetry(
    async () => {
      if (engine.exitCode !== null) throw new AbortError('gone')
      await fetch(endpoint)
    },
    { retries: 200, minTimeout: 10, factor: 1, shouldRetry: () => true },
  )
  await Promise.race([answers, dead])
  dead.catch(() => {})
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new EngineError('No free local port was found.')
  return address.port
}

/** Creates the table; one that is there stays as it is. */
export async function createTable(client: Pick<DynamoDBClient, 'send'>, tableName: string): Promise<void> {
  try {
    await client.send(new CreateTableCommand(tableDefinition(tableName)))
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error
  }
}
