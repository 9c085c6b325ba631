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
  const engine = spawn('sh', ['-c', ENDS_WITH_ITS_PARENT, binary, ...arguments_], {
    stdio: ['pipe', 'ignore', 'pipe'],
    detached: true,
  })
  const stop = async () => {
    if (engine.exitCode !== null || engine.signalCode !== null) return
    const ended = once(engine, 'exit')
    engine.stdin.end()
    await ended
  }
  const endpoint = `http://127.0.0.1:${port}`
  await untilItAnswers(engine, endpoint, file)
  return { endpoint, process: engine, stop }
}

/**
 * Runs the engine until standard input closes, which happens however the parent ends, kill -9 included. In a session
 * of its own, so that Ctrl-C reaches only the parent, which still may have something to store. The files it writes hold
 * every device's secret: nobody else on the machine may read them.
 */
const ENDS_WITH_ITS_PARENT = `
  umask 077
  exec 3<&0
  "$0" "$@" 3<&- &
  engine=$!
  { read -r _ <&3; kill $engine; } 2>/dev/null &
  watch=$!
  wait $engine
  code=$?
  kill $watch 2>/dev/null
  exit $code
`

async function untilItAnswers(engine: ChildProcess, endpoint: string, file?: string): Promise<void> {
  const complaint: Buffer[] = []
  engine.stderr?.on('data', (chunk: Buffer) => complaint.push(chunk))
  const dead = once(engine, 'exit').then(() => {
    throw new EngineError(diagnosis(Buffer.concat(complaint).toString(), file))
  })
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
