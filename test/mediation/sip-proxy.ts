import { execFile, spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { root } from '#tools/machine/location.ts'

const run = promisify(execFile)

/** Debian puts Kamailio where only root looks. */
const environment = { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin` }

/** The first program that a real call needs and that is not installed. */
export async function missingProgram(): Promise<string | undefined> {
  for (const program of ['kamailio', 'sipp']) {
    const code = await run(program, ['-v'], { env: environment }).catch(
      (error: NodeJS.ErrnoException) => error.code,
    )
    if (code === 'ENOENT') return program
  }
  return undefined
}

/** The address that a proxy sends its events to, and the secret of its intake `proxy1`. */
interface Destination {
  readonly port: number
  readonly secret: string
}

interface Proxy {
  /** Its log so far. */
  readonly log: { text: string }
  /** A call of somebody, whom the proxy does not ask for a password, for about a second. The gateway knows the number's last digits. */
  call(caller: string, number: string, options?: CallOptions): Promise<void>
  /** Registers phones of a user, whom the proxy does not ask for a password: those at the gateway, and those at the second one. */
  register(user: string, phones: Readonly<Record<'gateway' | 'second', readonly string[]>>): Promise<void>
  /** Kills the proxy, and starts it again. */
  restart(): Promise<void>
}

interface CallOptions {
  /** What the caller does beside talking. */
  readonly act?: 'hold' | 'refer' | 'cancel' | 'second'
  /** How long it talks. */
  readonly milliseconds?: number
}

/**
 * Kamailio with the configuration that comes with it and the lines of docs/switches.md, on loopback, and SIPp as the
 * gateway behind it, all for the length of a test. A second SIPp is the voicemail: SIPp cannot have two branches of one call.
 */
export async function aProxy(destination: Destination): Promise<Proxy> {
  const folder = await mkdtemp(join(tmpdir(), 'kamailio-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const [port, gateway, second] = [await freeUdpPort(), await freeUdpPort(), await freeUdpPort()]
  await writeConfiguration(folder, { gateway, second }, destination)
  await startGateway(gateway)
  await startGateway(second)
  const words = [
    '-f',
    `${folder}/kamailio.cfg`,
    '-A',
    'WITH_PSTN',
    '-A',
    'WITH_VOICEMAIL',
    '-Y',
    folder,
    '-n',
    '1',
    '-E',
  ]
  words.push('-l', `udp:127.0.0.1:${port}`)
  await run('kamailio', ['-c', ...words], { env: environment })
  const log = { text: '' }
  let stop = started('kamailio', ['-DD', ...words], log)
  const restart = async () => {
    await stop()
    stop = started('kamailio', ['-DD', ...words], log)
  }
  return {
    log,
    restart,
    register: (user, phones) => {
      const contacts = [
        ...phones.gateway.map((name) => `<sip:${name}@127.0.0.1:${gateway}>`),
        ...phones.second.map((name) => `<sip:${name}@127.0.0.1:${second}>`),
      ]
      return registerAt(port, user, contacts)
    },
    call: (caller, number, options = {}) => callThrough(port, [caller, number], options),
  }
}

async function callThrough(
  port: number,
  [caller, number]: readonly [caller: string, number: string],
  { act, milliseconds = 1100 }: CallOptions,
): Promise<void> {
  const said = ['-key', 'caller', caller, '-key', 'number', number, '-d', String(milliseconds)]
  if (act) said.push('-set', act, '1')
  const own = String(await freeUdpPort())
  await run('sipp', [...scenario('caller', own), ...said, '-m', '1', `127.0.0.1:${port}`])
}

async function registerAt(port: number, user: string, contacts: readonly string[]): Promise<void> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const lines = [
    `REGISTER sip:127.0.0.1:${port} SIP/2.0`,
    `Via: SIP/2.0/UDP 127.0.0.1:${socket.address().port};branch=z9hG4bK-${user}`,
    `From: <sip:${user}@127.0.0.1:${port}>;tag=${user}`,
    `To: <sip:${user}@127.0.0.1:${port}>`,
    `Call-ID: register-${user}`,
    'CSeq: 1 REGISTER',
    ...contacts.map((contact) => `Contact: ${contact}`),
    'Expires: 600',
    'Max-Forwards: 70',
    'Content-Length: 0',
  ]
  const answered = once(socket, 'message')
  socket.send(`${lines.join('\r\n')}\r\n\r\n`, port, '127.0.0.1')
  const [answer] = await answered
  socket.close()
  if (!String(answer).startsWith('SIP/2.0 200')) throw new Error(`The proxy answers ${answer}`)
}

async function startGateway(port: number): Promise<void> {
  started('sipp', [...scenario('called', String(port)), '127.0.0.1'], { text: '' })
}

const scenario = (name: string, port: string): string[] => [
  ...['-sf', `${root}test/mediation/sip-${name}.xml`, '-nostdin'],
  ...['-i', '127.0.0.1', '-p', port, '-bind_local', '-ci', '127.0.0.1'],
]

/** Ends with the test, together with every process that it has started itself. Returns what ends it earlier. */
function started(program: string, words: string[], log: Proxy['log']): () => Promise<void> {
  const child = spawn(program, words, {
    env: environment,
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  })
  child.stderr.on('data', (chunk: Buffer) => {
    log.text += chunk
  })
  const stop = async () => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    process.kill(-child.pid, 'SIGKILL')
    await once(child, 'exit')
  }
  onTestFinished(stop)
  return stop
}

async function freeUdpPort(): Promise<number> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const { port } = socket.address() as AddressInfo
  socket.close()
  await once(socket, 'close')
  return port
}

/** The blocks of the page that an operator writes into each file, in its order. */
async function linesOfPage(): Promise<string[]> {
  const page = await readFile(`${root}docs/switches.md`, 'utf8')
  return [...page.matchAll(/^```\n# [^\n]*\/etc\/kamailio\/[^\n]*\n(.+?)```/gms)].map(
    ([, lines = '']) => lines,
  )
}

async function writeConfiguration(
  folder: string,
  { gateway, second }: { readonly gateway: number; readonly second: number },
  { port, secret }: Destination,
) {
  const [tollgate = '', flags = '', include = ''] = await linesOfPage()
  const own = `${folder}/tollgate.cfg`
  const there = `http://proxy1:${secret}@localhost:${port}/`
  await writeFile(own, changed(tollgate, ['http://proxy1:SECRET@localhost:3000/', there]), { mode: 0o600 })
  const accounted = flags.split('\n')[0] ?? ''
  const stock = changed(
    await readFile('/etc/kamailio/kamailio.cfg', 'utf8'),
    [`${accounted}\n`, flags],
    ['pstn.gw_ip = ""', 'pstn.gw_ip = "127.0.0.1"'],
    ['pstn.gw_port = ""', `pstn.gw_port = "${gateway}"`],
    ['voicemail.srv_ip = ""', 'voicemail.srv_ip = "127.0.0.1"'],
    ['voicemail.srv_port = "5060"', `voicemail.srv_port = "${second}"`],
  )
  const last = changed(include, ['/etc/kamailio/tollgate.cfg', own])
  await writeFile(`${folder}/kamailio.cfg`, `${stock}${last}`)
}

/** Throws where there is nothing to change: what runs has to be what is documented. */
const changed = (text: string, ...changes: readonly (readonly [from: string, to: string])[]): string =>
  changes.reduce((before, [from, to]) => {
    if (!before.includes(from)) throw new Error(`There is no ${JSON.stringify(from)}`)
    return before.replace(from, () => to)
  }, text)
