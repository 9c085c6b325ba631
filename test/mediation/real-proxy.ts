import { execFile, spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '#tools/machine/program.ts'

/** Debian puts Kamailio where only root looks. */
const environment = { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin` }

/** Runs a program to its end. Throws unless it ends with 0. */
export const runProgram = async (program: string, words: readonly string[]): Promise<string> =>
  (await promisify(execFile)(program, words, { env: environment })).stdout

/** Debian's packages, and a program or module of Kamailio of each. */
const PACKAGES: Readonly<Record<string, string>> = {
  kamailio: 'kamailio',
  'kamailio-extra-modules': 'acc_json.so',
  'kamailio-utils-modules': 'http_client.so',
  'sip-tester': 'sipp',
}

/** The packages that a real call needs and that are not installed. */
export function missingPackages(): string[] {
  const programs = environment.PATH.split(':')
  const modules = existsSync('/usr/lib')
    ? readdirSync('/usr/lib').map((name) => `/usr/lib/${name}/kamailio/modules`)
    : []
  return Object.keys(PACKAGES).filter(
    (name) => ![...programs, ...modules].some((folder) => existsSync(`${folder}/${PACKAGES[name]}`)),
  )
}

/** A program that runs, together with every process that it has started itself. */
export interface RunningProgram {
  readonly log: { text: string }
  stop(): Promise<void>
}

export function startProgram(program: string, words: readonly string[], log = { text: '' }): RunningProgram {
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
  return { log, stop }
}

export async function freeUdpPort(): Promise<number> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const { port } = socket.address() as AddressInfo
  socket.close()
  await once(socket, 'close')
  return port
}

/** The words of SIPp for a scenario at a port. */
export const scenarioWords = (file: string, port: number): string[] => [
  ...['-sf', file, '-nostdin'],
  ...['-i', '127.0.0.1', '-p', String(port), '-bind_local', '-ci', '127.0.0.1'],
]

export const scenarioFile = (name: string): string => `${root}test/mediation/sip-${name}.xml`

/** SIPp as a gateway that answers. */
export const startSippGateway = (port: number): RunningProgram =>
  startProgram('sipp', [...scenarioWords(scenarioFile('called'), port), '127.0.0.1'])

/** The blocks of a page that an operator writes into each file of Kamailio, in its order. */
export async function linesOfPage(page: string): Promise<string[]> {
  const text = await readFile(`${root}docs/${page}`, 'utf8')
  return [...text.matchAll(/^```\n# [^\n]*\/etc\/kamailio\/[^\n]*\n(.+?)```/gms)].map(
    ([, lines = '']) => lines,
  )
}

/** Throws where there is nothing to change: what runs has to be what is documented. */
export const changed = (text: string, ...changes: readonly (readonly [from: string, to: string])[]): string =>
  changes.reduce((before, [from, to]) => {
    if (!before.includes(from)) throw new Error(`There is no ${JSON.stringify(from)}`)
    return before.replace(from, () => to)
  }, text)

/** A proxy that is configured and does not run yet. */
export interface ConfiguredProxy {
  readonly port: number
  start(log?: { text: string }): RunningProgram
}

/** A proxy's target with name and secret, and the ports of its gateway and voicemail. */
export interface ProxyPlace {
  readonly there: string
  readonly gateway: number
  readonly second: number
}

/**
 * Kamailio with the configuration that comes with it, docs/adapters/kamailio-cdrs.cfg and the lines of
 * docs/switches.md, on loopback. `change` writes further files into the folder, and returns the main one.
 */
export async function configureProxy(
  { there, gateway, second }: ProxyPlace,
  change: (main: string, folder: string) => Promise<string> = async (main) => main,
): Promise<ConfiguredProxy> {
  const folder = await mkdtemp(join(tmpdir(), 'kamailio-'))
  const tollgate = await readFile(`${root}docs/adapters/kamailio-cdrs.cfg`, 'utf8')
  const [flags = '', include = ''] = await linesOfPage('switches.md')
  const own = `${folder}/tollgate.cfg`
  await writeFile(own, changed(tollgate, ['http://proxy1:SECRET@localhost:3000/', there]), { mode: 0o600 })
  const stock = changed(
    await readFile('/etc/kamailio/kamailio.cfg', 'utf8'),
    [`${flags.split('\n')[0]}\n`, flags],
    ['pstn.gw_ip = ""', 'pstn.gw_ip = "127.0.0.1"'],
    ['pstn.gw_port = ""', `pstn.gw_port = "${gateway}"`],
    ['voicemail.srv_ip = ""', 'voicemail.srv_ip = "127.0.0.1"'],
    ['voicemail.srv_port = "5060"', `voicemail.srv_port = "${second}"`],
  )
  const main = `${stock}${changed(include, ['/etc/kamailio/tollgate.cfg', own])}`
  await writeFile(`${folder}/kamailio.cfg`, await change(main, folder))
  const port = await freeUdpPort()
  const words = [
    ...['-f', `${folder}/kamailio.cfg`, '-A', 'WITH_PSTN', '-A', 'WITH_VOICEMAIL'],
    ...['-Y', folder, '-n', '1', '-E', '-l', `udp:127.0.0.1:${port}`],
  ]
  await runProgram('kamailio', ['-c', ...words])
  return { port, start: (log) => startProgram('kamailio', ['-DD', ...words], log) }
}
