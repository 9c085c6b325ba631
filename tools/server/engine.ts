import { type ChildProcess, type ForkOptions, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer, type Server } from 'node:net'
import { relative } from 'node:path'
import { CreateTableCommand } from '@aws-sdk/client-dynamodb'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { createMeter } from '#lib/table/requests/meter.ts'
import { createStore } from '#lib/table/store.ts'
import { COMPILED_FOLDER } from '#tools/machine/built-program.ts'
import { extension, root, START_COMMAND } from '#tools/machine/program.ts'
import { CommandError } from '#tools/machine/terminal.ts'
import { stampNewTable } from '../command-line/table-stamp.ts'
import { tableDefinition } from './table-definition.ts'

/** A running embedded DynamoDB. `stop` waits until all data is on disk. */
export interface Engine {
  /** Its URL has an access key, which this start has drawn: no other client is admitted. */
  readonly endpoint: string
  /** The gate, which ends when the engine ends. */
  readonly process: ChildProcess
  /** The process ids of the gate and of the engine. */
  readonly pids: readonly number[]
  stop(): Promise<void>
}

const KEY_BYTES = 16

/** Starts the embedded engine behind a gate on a free local port. Data is in `file`, or in memory. */
export async function startEngine(file?: string): Promise<Engine> {
  const order = { binary: findEngineBinary(), file, key: randomBytes(KEY_BYTES).toString('hex') }
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const endpoint = `http://${order.key}@127.0.0.1:${portOf(server)}`
  try {
    const { gate, isAlone } = (await startGate(true)) ?? (await startGate(false)) ?? noGate()
    const engine = await untilItAnswers(gate, () => gate.send({ ...order, isAlone }, server), file)
    const stop = async () => {
      if (gate.exitCode !== null || gate.signalCode !== null) return
      const ended = once(gate, 'exit')
      gate.disconnect()
      await ended
    }
    return { endpoint, process: gate, pids: [gate.pid, engine].filter((pid) => pid !== undefined), stop }
  } finally {
    server.close()
  }
}

/** A shell that makes a network without other processes, brings up its loopback and becomes the gate. */
const ALONE = ['sh', '-c', 'ip link set lo up && exec "$0" "$@"', process.execPath]

/** A separate session: Ctrl-C reaches only the parent, which may still have data to store. */
const DETACHED: ForkOptions = {
  detached: true,
  stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
}

interface Gate {
  readonly gate: ChildProcess
  readonly isAlone: boolean
}

/** `undefined` if the system does not start it: most Linux users may make a network, but not all. */
async function startGate(isAlone: boolean): Promise<Gate | undefined> {
  if (isAlone && process.platform !== 'linux') return undefined
  const network = process.getuid?.() === 0 ? '-n' : '-rn'
  const through = isAlone ? { execPath: 'unshare', execArgv: [network, ...ALONE] } : { execArgv: [] }
  const env = { ...process.env, NODE_COMPILE_CACHE: COMPILED_FOLDER }
  const gate = fork(`${root}tools/server/engine-gate${extension}`, { ...DETACHED, ...through, env })
  const isRunning = await Promise.race([
    once(gate, 'message').then(() => true),
    once(gate, 'exit').then(() => false),
  ]).catch(() => false)
  return isRunning ? { gate, isAlone } : undefined
}

function noGate(): never {
  throw new CommandError('The embedded DynamoDB did not start: Node cannot start a process')
}

/** Returns the process id of the engine. */
async function untilItAnswers(gate: ChildProcess, begin: () => void, file?: string): Promise<number> {
  const errorOutput: Buffer[] = []
  gate.stderr?.on('data', (chunk: Buffer) => errorOutput.push(chunk))
  const dead = once(gate, 'exit').then(() => {
    throw new CommandError(diagnosis(Buffer.concat(errorOutput).toString(), file))
  })
  const answers = once(gate, 'message')
  begin()
  const [news] = await Promise.race([answers, dead])
  dead.catch(() => {})
  return news.engine
}

/** The last error of the engine, with the remedy if it is known. */
function diagnosis(errorOutput: string, file?: string): string {
  if (file && /not a valid SQLite database|malformed/.test(errorOutput))
    return `${relative(process.cwd(), file)} is damaged, or is not a data file of Tollgate: move it away, or replace the data with ${START_COMMAND} --fresh.`
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
  const port = portOf(server)
  server.close()
  await once(server, 'close')
  return port
}

function portOf(server: Server): number {
  const address = server.address()
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

export interface Machine {
  readonly platform: string
  readonly arch: string
}

/** The machines with a package of the engine. npm installs only the package of its own machine. */
const PUBLISHED_MACHINES = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'win32-x64']

/** The engine's path: DYNOXIDE_BINARY, or this machine's package. Throws CommandError without one. */
export function findEngineBinary(machine: Machine = process): string {
  const named = process.env['DYNOXIDE_BINARY']
  if (named && !existsSync(named))
    throw new CommandError(`There is no embedded DynamoDB at ${named}: ${REMEDY}`)
  const binary = named || packagedBinary(machine)
  if (binary) return binary
  throw new CommandError(`There is no embedded DynamoDB for ${machineName(machine)}: ${remedyFor(machine)}`)
}

const machineName = ({ platform, arch }: Machine): string => `${platform}-${arch}`

const packageOf = (machine: Machine): string => `@dynoxide/${machineName(machine)}`

function packagedBinary(machine: Machine): string | undefined {
  const file = machine.platform === 'win32' ? 'dynoxide.exe' : 'dynoxide'
  try {
    return createRequire(import.meta.url).resolve(`${packageOf(machine)}/${file}`)
  } catch {
    return undefined
  }
}

const REMEDY = 'name its binary in DYNOXIDE_BINARY, or any running DynamoDB in DYNAMODB_ENDPOINT.'

const remedyFor = (machine: Machine): string =>
  PUBLISHED_MACHINES.includes(machineName(machine))
    ? `run npm i --no-save ${packageOf(machine)}@${engineVersion()}.`
    : REMEDY

/** The version that the tests use: package.json declares it for the machines that run them. */
function engineVersion(): string {
  const { optionalDependencies } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
  return String(optionalDependencies['@dynoxide/linux-x64']).replace(/^\^/, '')
}
