import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { slices } from '#lib/base/collections.ts'
import { add, ZERO } from '#lib/base/money.ts'
import { addIntake } from '#lib/cdrs/switches/intake-acts.ts'
import { findHolds } from '#lib/control/holds.ts'
import type { FileName } from '#lib/dataset/import/files.ts'
import type { Cells } from '#lib/table/cells/row-source.ts'
import type { TableLocation } from '#lib/table/table.ts'
import { secretOf } from '#test/acts/carry-out.ts'
import { elementTexts } from '#test/answers/printed.ts'
import {
  type ConfiguredProxy,
  changed,
  configureProxy,
  freeUdpPort,
  linesOfPage,
  missingPackages,
  type ProxyPlace,
  runProgram,
  scenarioFile,
  scenarioWords,
  startSippGateway,
} from '#test/mediation/real-proxy.ts'
import { SECRET_KEY } from '#test/world.ts'
import { openTable } from '#tools/command-line/open-table.ts'
import { findFunctionFile } from '#tools/contracts/function-files.ts'
import { signedParameters } from '#tools/contracts/signed-call.ts'
import { dataFilesOf, prepareDataFolder } from '#tools/machine/data-folder.ts'
import { program, root } from '#tools/machine/program.ts'
import { listRunning } from '#tools/machine/running.ts'
import { methodUrl, requestOf, sendCall } from '../commands/call/method-call.ts'
import { freePort } from './engine.ts'

/** `npm start` on a folder of its own. */
interface ServedFolder {
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
async function serveFolder(
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
type ServedRows = Partial<Record<FileName, Iterable<Cells>>>

async function writeDataset(folder: string, rows: ServedRows): Promise<void> {
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

/** Kamailio with the lines of docs/switches.md and docs/call-control.md, and docs/adapters/'s route. */
const configurePrepaidProxy = (place: ProxyPlace): Promise<ConfiguredProxy> =>
  configureProxy(place, async (main, folder) => {
    const [call = '', include = ''] = await linesOfPage('call-control.md')
    const own = `${folder}/kamailio-calls.cfg`
    const route = await readFile(`${root}docs/adapters/kamailio-calls.cfg`, 'utf8')
    await writeFile(own, changed(route, ['http://proxy1:SECRET@localhost:3000/', place.there]), {
      mode: 0o600,
    })
    const [, pstn = ''] = /^route\[PSTN\] \{(.*?)^\}/ms.exec(main) ?? []
    const end = pstn.lastIndexOf('\troute(RELAY);\n')
    const called = `${pstn.slice(0, end)}${changed(pstn.slice(end), ['\troute(RELAY);\n', call])}`
    return `${changed(main, [pstn, called])}${changed(include, ['/etc/kamailio/kamailio-calls.cfg', own])}`
  })

/** The caller's view of a call, with its Unix time. */
interface Outcome {
  readonly what: 'answered' | 'ended' | 'held' | 'refused' | 'undecided'
  readonly callId: string
  readonly at: number
}

interface Callers {
  /** The user that calls, whom the proxy does not ask for a password. */
  readonly caller: string
  /** All of them call in one second. */
  readonly calls: number
  /** Milliseconds between two re-INVITEs of a call. */
  readonly again?: number
}

/** Calls at once that never hang up. Returns when the proxy has refused or ended all of them. */
async function callAtOnce(proxy: number, { caller, calls, again }: Callers): Promise<Outcome[]> {
  const folder = await mkdtemp(join(tmpdir(), 'sipp-'))
  const scenario = await readFile(scenarioFile('prepaid'), 'utf8')
  const file = join(folder, 'prepaid.xml')
  await writeFile(file, again ? changed(scenario, ['timeout="600000"', `timeout="${again}"`]) : scenario)
  const log = join(folder, 'calls.log')
  const said = ['-key', 'caller', caller, '-key', 'number', '0044207946009']
  const pace = ['-m', String(calls), '-r', String(calls), '-l', String(calls), '-timeout', '120']
  const words = [...scenarioWords(file, await freeUdpPort()), ...said, ...pace]
  await runProgram('sipp', [...words, '-trace_logs', '-log_file', log, `127.0.0.1:${proxy}`])
  return outcomesIn(await readFile(log, 'utf8'))
}

const outcomesIn = (log: string): Outcome[] =>
  [...log.matchAll(/^(answered|ended|held|refused|undecided) (\S+) .*\t([\d.]+)$/gm)].map(
    ([, what = '', callId = '', at = '']) => ({ what: what as Outcome['what'], callId, at: Number(at) }),
  )

/** Seconds from the answer to the BYE of the proxy, of each call. */
function secondsOfCalls(outcomes: readonly Outcome[]): number[] {
  const answers = new Map(
    outcomes.flatMap(({ what, callId, at }) => (what === 'answered' ? [[callId, at]] : [])),
  )
  return outcomes.flatMap(({ what, callId, at }) =>
    what === 'ended' ? [at - (answers.get(callId) ?? at)] : [],
  )
}

/** The final statuses of two INVITEs with one Call-ID that a caller sends at the same moment. */
async function statusesOfTwins(proxy: number, caller: string, number: string): Promise<string[]> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const statuses = new Map<string, string>()
  socket.on('message', (message) => {
    const [, status = '', tag = ''] =
      /^SIP\/2\.0 ([2-6]\d\d).*^From:.*tag=(\w+)/ms.exec(String(message)) ?? []
    if (tag !== '') statuses.set(tag, status)
  })
  for (const tag of ['one', 'other']) {
    const lines = [
      `INVITE sip:${number}@127.0.0.1:${proxy} SIP/2.0`,
      `Via: SIP/2.0/UDP 127.0.0.1:${socket.address().port};branch=z9hG4bK-${tag}`,
      `From: <sip:${caller}@127.0.0.1:${proxy}>;tag=${tag}`,
      `To: <sip:${number}@127.0.0.1:${proxy}>`,
      `Call-ID: twins-${socket.address().port}`,
      'CSeq: 1 INVITE',
      `Contact: <sip:${caller}@127.0.0.1:${socket.address().port}>`,
      'Max-Forwards: 70',
      'Content-Length: 0',
    ]
    socket.send(`${lines.join('\r\n')}\r\n\r\n`, proxy, '127.0.0.1')
  }
  while (statuses.size < 2) await once(socket, 'message')
  socket.close()
  return [...statuses.values()]
}

/** Each has 4.20 and holds 0.60 a call: seven talk at once. The first calls by the minute, others 12 s. */
const CUSTOMERS = ['minute', 'again', 'killed', 'both', 'silent'] as const

type Customer = (typeof CUSTOMERS)[number]

const idOf = (customer: Customer): number => 10 + CUSTOMERS.indexOf(customer)

const HOLD_GRACE_SECONDS = 15
const RING_SECONDS = 5

const TARIFFS = [
  { id: '1', name: 'By the minute', tariff_rate: '0.6', increment: '60', reserve_seconds: '60' },
  { id: '2', name: 'By 12 seconds', tariff_rate: '3', increment: '12', reserve_seconds: '12' },
] as const

const tariffOf = (customer: Customer) => TARIFFS[customer === 'minute' ? 0 : 1]

const rows = () => ({
  settings: Object.entries({
    Allow_API: '1',
    API_Secret_Key: SECRET_KEY,
    Devices_Check_Balance: '1',
    Timezone: 'UTC',
    Balance_From: new Date(Date.now() - 86_400_000).toISOString().slice(0, 10),
    Call_Control: '1',
    Ring_Seconds: String(RING_SECONDS),
    Hold_Grace_Seconds: String(HOLD_GRACE_SECONDS),
  }).map(([name, value]) => ({ name, value })),
  users: [
    { id: '0', username: 'admin', password_hash: 'a'.repeat(40), usertype: 'admin', owner_id: '0' },
    ...CUSTOMERS.map((username) => ({
      id: String(idOf(username)),
      username,
      password_hash: 'a'.repeat(40),
      usertype: 'user',
      owner_id: '0',
      balance: '4.2',
      postpaid: '0',
      tariff_id: tariffOf(username).id,
      reserve_seconds: tariffOf(username).reserve_seconds,
    })),
  ],
  tariffs: TARIFFS.map(({ id, name }) => ({ id, name, purpose: 'retail', currency: 'USD', owner_id: '0' })),
  destinations: [{ prefix: '44', direction: 'United Kingdom', destination: 'United Kingdom' }],
  rates: TARIFFS.map(({ id, tariff_rate, increment }) => ({
    tariff_id: id,
    prefix: '44',
    tariff_rate,
    increment,
  })),
  devices: CUSTOMERS.map((name) => ({
    id: String(idOf(name)),
    user_id: String(idOf(name)),
    device_type: 'SIP',
    name,
    extension: String(100 + idOf(name)),
  })),
})

/** A server, and the secret of the switch `proxy1`. */
interface Installation extends ServedFolder {
  readonly secret: string
}

async function anInstallation(): Promise<Installation> {
  const served = await serveFolder(rows())
  const here = { store: openTable(served.location()), now: new Date() }
  return { ...served, secret: await secretOf(here, addIntake, { name: 'proxy1' }) }
}

/** The output of a command, also of one that fails. */
const outputOf = ({ folder }: Installation, ...words: readonly string[]): Promise<string> =>
  promisify(execFile)(process.execPath, [program, ...words, '--data', folder], { cwd: root }).then(
    ({ stdout }) => stdout,
    ({ stdout = '', stderr = '' }) => `${stdout}${stderr}`,
  )

/** The answer of a method to the operator. */
async function answerOf({ url }: Installation, name: string, parameters: Readonly<Record<string, string>>) {
  const { method } = await findFunctionFile(name)
  const params = signedParameters(method, parameters, SECRET_KEY)
  return (await sendCall(requestOf(methodUrl(url, name), params, 'form'))).text()
}

/** The balance of an account, the price of its answered calls, and the amount held for its calls. */
async function booksOf(installation: Installation, customer: Customer) {
  const id = String(idOf(customer))
  const since = String(Math.floor(Date.now() / 1000) - 86_400)
  const listed = await answerOf(installation, 'user_calls_get', {
    u: 'admin',
    s_user: id,
    period_start: since,
  })
  const balance = await answerOf(installation, 'user_balance_get', { u: 'admin', username: customer })
  const [holds] = await findHolds(openTable(installation.location()), [idOf(customer)])
  return {
    balance: elementTexts(balance, 'balance')[0],
    charged: add(ZERO, ...elementTexts(listed, 'user_price').map((price) => add(price))),
    held: holds?.held,
    open: holds?.open,
  }
}

const countsOf = (outcomes: readonly Outcome[]) => ({
  answered: outcomes.filter(({ what }) => what === 'answered').length,
  ended: outcomes.filter(({ what }) => what === 'ended').length,
  refused: outcomes.filter(({ what }) => what === 'refused').length,
})

const stops: (() => unknown)[] = []
const outcomes = new Map<string, Outcome[]>()

interface Field {
  /** Two servers: the second one is killed. */
  readonly steady: Installation
  readonly killed: Installation
  /** Two of the steady server, and one of the killed one. */
  readonly proxies: Readonly<Record<'one' | 'other' | 'killed', number>>
}

let field: Field

async function aField(): Promise<Field> {
  const [steady, killed] = await Promise.all([anInstallation(), anInstallation()])
  stops.push(steady.remove, killed.remove)
  const [gateway, second] = [await freeUdpPort(), await freeUdpPort()]
  stops.push(startSippGateway(gateway).stop)
  const proxyTo = async ({ secret, url }: Installation) => {
    const there = `http://proxy1:${secret}@localhost:${new URL(url).port}/`
    const proxy = await configurePrepaidProxy({ there, gateway, second })
    stops.push(proxy.start().stop)
    return proxy.port
  }
  return {
    steady,
    killed,
    proxies: {
      one: await proxyTo(steady),
      other: await proxyTo(steady),
      killed: await proxyTo(killed),
    },
  }
}

/** A customer's calls all begin at once; the next one's when these are decided: the machine is shared. */
async function callAll({ steady, killed, proxies }: Field): Promise<void> {
  const ended: Promise<unknown>[] = []
  const callBy = async (key: string, proxy: number, callers: Parameters<typeof callAtOnce>[1]) => {
    outcomes.set(key, await callAtOnce(proxy, callers))
  }
  const decided = async (customer: Customer, ...calls: Promise<void>[]) => {
    ended.push(...calls)
    const installation = customer === 'killed' ? killed : steady
    await vi.waitFor(async () => expect((await booksOf(installation, customer)).open).toBe(7), PATIENTLY)
  }
  await decided('minute', callBy('minute', proxies.one, { caller: 'minute', calls: 200 }))
  await setTimeout(DECIDED_MS)
  await decided('again', callBy('again', proxies.one, { caller: 'again', calls: 20, again: 4000 }))
  await decided(
    'both',
    callBy('both', proxies.one, { caller: 'both', calls: 10 }),
    callBy('both too', proxies.other, { caller: 'both', calls: 10 }),
  )
  await decided('killed', callBy('killed', proxies.killed, { caller: 'killed', calls: 20 }))
  await setTimeout(DECIDED_MS)
  const back = killed.killAndStart()
  await callBy('silent', proxies.killed, { caller: 'silent', calls: 1 })
  await Promise.all([back, ...ended])
}

const PATIENTLY = { timeout: 60_000, interval: 200 }

/** Seven talk, and the others are being refused. */
const DECIDED_MS = 2000

const missing = missingPackages().join(', ')

/** The workflow installs them, so there a skipped test counts as failed. */
const mustRun = process.env['TOLLGATE_NEEDS_KAMAILIO'] !== undefined

describe.skipIf(missing !== '' && !mustRun)(
  `prepaid calls through a real proxy${missing && `: not installed: ${missing}`}`,
  () => {
    beforeAll(async () => {
      field = await aField()
      await callAll(field)
    })

    afterAll(async () => {
      for (const stop of stops.reverse()) await stop()
    })

    test.each<[string, Customer, readonly string[], { calls: number; longest: number }]>([
      ['200 INVITEs in a second, money for 7', 'minute', ['minute'], { calls: 200, longest: 60 }],
      ['a re-INVITE each 4 seconds', 'again', ['again'], { calls: 20, longest: 12 }],
      ['two proxies at once', 'both', ['both', 'both too'], { calls: 20, longest: 12 }],
      ['the server killed between authorisation and CDR', 'killed', ['killed'], { calls: 20, longest: 12 }],
    ])(
      '%s: 7 talk, the proxy ends them in time, and the balance is 0',
      async (_what, customer, keys, { calls, longest }) => {
        const seen = keys.flatMap((key) => outcomes.get(key) ?? [])
        const seconds = secondsOfCalls(seen)

        expect(countsOf(seen)).toEqual({ answered: 7, ended: 7, refused: calls - 7 })
        expect(Math.min(...seconds)).toBeGreaterThan(longest - 4)
        expect(Math.max(...seconds)).toBeLessThan(longest)
        const installation = customer === 'killed' ? field.killed : field.steady
        await expect
          .poll(() => booksOf(installation, customer), PATIENTLY)
          .toEqual({ balance: '0.0000', charged: '4.2', held: '0', open: 0 })
      },
    )

    test('a call that is not decided does not begin before the server is back', async () => {
      const seen = outcomes.get('silent') ?? []

      expect(seen.map(({ what }) => what)).toContain('undecided')
      expect(countsOf(seen)).toEqual({ answered: 1, ended: 1, refused: 0 })
      await expect
        .poll(() => booksOf(field.killed, 'silent'), PATIENTLY)
        .toEqual({ balance: '3.6000', charged: '0.6', held: '0', open: 0 })
    })

    test('a second INVITE of one Call-ID is refused, and a refused call releases its hold', async () => {
      const statuses = await statusesOfTwins(field.proxies.one, 'silent', '0044207946077')

      expect(statuses.sort()).toEqual(['482', '486'])
      await expect
        .poll(() => booksOf(field.steady, 'silent'), PATIENTLY)
        .toMatchObject({ balance: '4.2000', open: 0 })
    })

    test('check-data finds nothing', async () => {
      for (const installation of [field.steady, field.killed])
        expect(await outputOf(installation, 'check-data')).toContain('no problems')
    })
  },
)
