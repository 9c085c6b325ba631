import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { isSameText } from '#lib/base/digest.ts'

/*
 * A process of its own, which starts the engine and passes connections on to it. The engine checks neither
 * credentials nor origins, so the gate does. It ends the engine when it loses its parent, even by kill -9.
 * A shell ends the engine when the gate is killed.
 */

/** The message of the parent, together with the listening server. */
export interface GateOrder {
  readonly binary: string
  /** The file with the data; missing for data in memory. */
  readonly file?: string | undefined
  readonly key: string
  /** The gate is in a network of its own, which no other process of the machine reaches. */
  readonly isAlone: boolean
}

/** The messages of the gate: first that it runs, then that the engine answers. */
export type GateNews = 'running' | { readonly engine: number | undefined }

process.once('message', (order: GateOrder, server: Server) => void openGate(order, server))
process.send?.('running')

async function openGate(order: GateOrder, server: Server): Promise<void> {
  const { host, port } = await placeOf(order)
  const engine = spawnPrivately(order, host, port)
  engine.once('error', ({ message }) => {
    process.stderr.write(`${message}\n`)
    process.exit(1)
  })
  const watch = spawn('sh', ['-c', 'read -r _; kill "$0"', String(engine.pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  watch.once('error', () => {})
  engine.once('exit', (code) => {
    watch.kill()
    process.exit(code ?? 1)
  })
  process.once('disconnect', () => engine.kill())
  const toEngine = () => connect({ host, port, noDelay: true })
  await untilItAnswers(toEngine)
  server.on('connection', (client) => admit(client, order.key, toEngine))
  process.send?.({ engine: engine.pid })
}

/** Without its own network, a random address hides the engine from web pages, if the system has several. */
async function placeOf({ isAlone }: GateOrder): Promise<{ readonly host: string; readonly port: number }> {
  if (isAlone) return { host: '127.0.0.1', port: 8000 }
  const host = process.platform === 'darwin' ? '127.0.0.1' : `127.${drawn()}.${drawn()}.${drawn()}`
  const probe = createServer().listen(0, host)
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  return { host, port: address && typeof address === 'object' ? address.port : 0 }
}

const drawn = (): number => randomInt(1, 255)

/** The engine's files contain the secrets of all devices, so only this user may read them. */
function spawnPrivately({ binary, file }: GateOrder, host: string, port: number): ChildProcess {
  process.umask(0o077)
  const data = file === undefined ? [] : ['--db-path', file]
  return spawn(binary, ['serve', '--host', host, '--port', String(port), ...data], {
    stdio: ['ignore', 'ignore', 'inherit'],
    windowsHide: true,
  })
}

async function untilItAnswers(toEngine: () => Socket): Promise<void> {
  const socket = toEngine()
  const isOpen = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  if (isOpen) return
  await setTimeout(10)
  return untilItAnswers(toEngine)
}

/** The time for a connection's first request head, which has at most this many bytes. */
const HEAD_MS = 5000
const MAX_HEAD_BYTES = 16_384

const END_OF_HEAD = '\r\n\r\n'

/** The refusal that DynamoDB gives an unknown access key. */
const REFUSAL = JSON.stringify({
  __type: 'com.amazon.coral.service#UnrecognizedClientException',
  message: 'The security token included in the request is invalid.',
})

const REFUSED = `HTTP/1.1 400 Bad Request\r\nContent-Type: application/x-amz-json-1.0\r\nContent-Length: ${REFUSAL.length}\r\nConnection: close${END_OF_HEAD}${REFUSAL}`

/** Reads the head of the first request. A connection belongs to the client that proved itself with it. */
function admit(client: Socket, key: string, toEngine: () => Socket): void {
  let head = Buffer.alloc(0)
  client.setNoDelay(true)
  client.setTimeout(HEAD_MS, () => client.destroy())
  client.on('error', () => client.destroy())
  const read = (chunk: Buffer) => {
    head = Buffer.concat([head, chunk])
    const end = head.indexOf(END_OF_HEAD)
    if (end < 0 && head.length < MAX_HEAD_BYTES) return
    client.off('data', read).setTimeout(0)
    if (isAdmitted(head.subarray(0, Math.max(0, end)).toString('latin1'), key)) join(client, toEngine(), head)
    else client.end(REFUSED)
  }
  client.on('data', read)
}

/** A request of a web page always has an origin. */
function isAdmitted(head: string, key: string): boolean {
  const [, sent = ''] = /^authorization:[^\r\n]*?Credential=(\w+)\//im.exec(head) ?? []
  return isSameText(sent, key) && !/^origin\s*:/im.test(head)
}

function join(client: Socket, engine: Socket, first: Buffer): void {
  engine.on('error', () => client.destroy())
  engine.on('close', () => client.destroy())
  client.on('close', () => engine.destroy())
  engine.write(first)
  client.pipe(engine)
  engine.pipe(client)
}
