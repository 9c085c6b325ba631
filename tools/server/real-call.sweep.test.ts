import { randomUUID } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { expect, inject, onTestFinished, test } from 'vitest'
import { addIntake } from '#lib/cdrs/switches/intake-acts.ts'
import { secretOf } from '#test/acts/carry-out.ts'
import { callsIn, suspenseOf } from '#test/dump.ts'
import { exampleDevices } from '#test/examples/examples.ts'
import { destinations, rate, threeTariffs } from '#test/examples/tariffs.ts'
import { pendingEventsOf } from '#test/mediation/csv-switch.ts'
import {
  configureProxy,
  freeUdpPort,
  missingPackages,
  type RunningProgram,
  runProgram,
  scenarioFile,
  scenarioWords,
  startSippGateway,
} from '#test/mediation/real-proxy.ts'
import { aWorld, SECRET_KEY, type World } from '#test/world.ts'
import { findFunctionFile } from '#tools/contracts/function-files.ts'
import { signedParameters } from '#tools/contracts/signed-call.ts'
import { dataFolder } from '#tools/machine/data-folder.ts'
import { methodUrl, requestOf, sendCall } from '../commands/call/method-call.ts'
import { freePort } from './engine.ts'
import { serveSource } from './source-gateway.ts'

/** The address that a proxy sends its events to, and the secret of its intake `proxy1`. */
interface Destination {
  readonly port: number
  readonly secret: string
}

interface Proxy {
  /** Its log so far. */
  readonly log: { text: string }
  /** Calls for about a second, without a password. The gateway knows the number's last digits. */
  call(caller: string, number: string, options?: CallOptions): Promise<void>
  /** Registers a user's phones, without a password: those at the gateway and at the second one. */
  register(user: string, phones: Readonly<Record<'gateway' | 'second', readonly string[]>>): Promise<void>
  /** Kills the proxy, and starts it again. */
  restart(): Promise<void>
}

interface CallOptions {
  /** The caller's act beside talking. */
  readonly act?: 'hold' | 'refer' | 'cancel' | 'second'
  /** How long it talks. */
  readonly milliseconds?: number
}

/**
 * Kamailio with its own configuration and the lines of docs/switches.md, on loopback, and SIPp as the gateway
 * behind it, during a test. A second SIPp is the voicemail: SIPp has no two branches of one call.
 */
async function aProxy({ port: served, secret }: Destination): Promise<Proxy> {
  const [gateway, second] = [await freeUdpPort(), await freeUdpPort()]
  const there = `http://proxy1:${secret}@localhost:${served}/`
  const { port, start } = await configureProxy({ there, gateway, second })
  const untilTestEnds = (program: RunningProgram) => {
    onTestFinished(program.stop)
    return program
  }
  for (const phone of [gateway, second]) untilTestEnds(startSippGateway(phone))
  let kamailio = untilTestEnds(start())
  const { log } = kamailio
  const restart = async () => {
    await kamailio.stop()
    kamailio = untilTestEnds(start(log))
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
  const phone = scenarioWords(scenarioFile('caller'), await freeUdpPort())
  await runProgram('sipp', [...phone, ...said, '-m', '1', `127.0.0.1:${port}`])
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

const missing = missingPackages().join(', ')

/** The workflow installs them, so there a skipped test counts as failed. */
const mustRun = process.env['TOLLGATE_NEEDS_KAMAILIO'] !== undefined

/** Minutes are billed whole, so that a call costs the same on a busy machine. */
const operator = {
  ...threeTariffs,
  devices: exampleDevices,
  destinations,
  rates: [rate({ prefix: '44', increment: '60' })],
}

/** Serves the table of a world as `npm start` does. */
async function serve({ table }: World, port: number): Promise<string> {
  const folder = `${dataFolder}/functions-${randomUUID()}`
  const environment = { TABLE_NAME: table.tableName, DYNAMODB_ENDPOINT: inject('endpoint') }
  const { url, stop } = await serveSource({ port, folder, environment, print: () => {} })
  onTestFinished(stop)
  return url
}

/** Bob's calls in the answer of user_calls_get. */
async function callsListed(origin: string): Promise<Record<string, string>[]> {
  const { method } = await findFunctionFile('user_calls_get')
  const yesterday = String(Math.floor(Date.now() / 1000) - 86_400)
  const params = signedParameters(method, { u: 'admin', s_user: '10', period_start: yesterday }, SECRET_KEY)
  const answer = await sendCall(requestOf(methodUrl(origin, method.name), params, 'form'))
  const text = await answer.text()
  return [...text.matchAll(/<call>(.*?)<\/call>/gs)].map(([, call = '']) => cellsIn(call))
}

const cellsIn = (row: string): Record<string, string> =>
  Object.fromEntries([...row.matchAll(/<(\w+)>([^<]*)<\/\1>/g)].map(([, name, value]) => [name, value]))

/** Kamailio in front of a served table, and the intake that it sends to. */
async function aServedProxy() {
  const world = await aWorld(operator)
  const secret = await secretOf(world, addIntake, { name: 'proxy1' })
  const port = await freePort()
  await serve(world, port)
  return { world, proxy: await aProxy({ port, secret }) }
}

const patiently = { timeout: 60_000, interval: 200 }

type Served = Awaited<ReturnType<typeof aServedProxy>>

const BOB = 'bobs-phone'
const [ANSWERS, EARLY, RINGS, CROSSES] = ['0044207946009', '0044207946083', '0044207946087', '0044207946088']

/** Two phones of one user ring, the second one answers. */
async function forkInParallel({ proxy }: Served): Promise<void> {
  await proxy.register('front-desk', { gateway: ['desk87'], second: ['mobile'] })
  await proxy.call(BOB, 'front-desk')
}

/**
 * Two phones of one user answer at the same moment: the second one before the proxy's CANCEL has come. The
 * proxy relays both answers, and reports the first one.
 */
async function answerTwice({ proxy }: Served): Promise<void> {
  await proxy.register('front-desk', { gateway: ['desk'], second: ['mobile88'] })
  await proxy.call(BOB, 'front-desk', { act: 'second', milliseconds: 3100 })
}

/** The phone is busy, and the voicemail answers. */
async function forkInSeries({ proxy }: Served): Promise<void> {
  await proxy.register('front-desk', { gateway: ['desk77'], second: [] })
  await proxy.call(BOB, 'front-desk')
}

/** The proxy is killed when its INVITE is reported, and is back before the BYE. */
async function outliveProxy({ world, proxy }: Served): Promise<void> {
  const call = proxy.call(BOB, `${ANSWERS}4`, { milliseconds: 6000 })
  await expect.poll(() => pendingEventsOf(world), patiently).toHaveLength(1)
  await proxy.restart()
  await call
}

const ANSWERED = { disposition: 'ANSWERED' }

/** SIPp ends a call on an unexpected message, which a repeated one may be on a busy machine. */
const ATTEMPTS = { retry: 2 }

test.each<[string, (served: Served) => Promise<void>, object[], readonly [least: number, most: number]]>([
  [
    'early media (183) two seconds before the answer',
    ({ proxy }) => proxy.call(BOB, EARLY),
    [ANSWERED],
    [1, 2],
  ],
  [
    'hold and retrieval (re-INVITE)',
    ({ proxy }) => proxy.call(BOB, `${ANSWERS}1`, { act: 'hold' }),
    [ANSWERED],
    [1, 2],
  ],
  ['a transfer (REFER)', ({ proxy }) => proxy.call(BOB, `${ANSWERS}2`, { act: 'refer' }), [ANSWERED], [1, 2]],
  [
    'CANCEL while it rings',
    ({ proxy }) => proxy.call(BOB, RINGS, { act: 'cancel' }),
    [{ disposition: 'NO ANSWER' }],
    [0, 0],
  ],
  [
    'CANCEL that crosses the answer',
    ({ proxy }) => proxy.call(BOB, CROSSES, { act: 'cancel' }),
    [ANSWERED],
    [1, 2],
  ],
  ['a parallel fork: two phones ring, one answers', forkInParallel, [ANSWERED], [1, 2]],
  ['a parallel fork: both phones answer', answerTwice, [ANSWERED], [3, 4]],
  [
    'a serial fork: the phone is busy, the voicemail answers',
    forkInSeries,
    [ANSWERED, { disposition: 'BUSY' }],
    [1, 2],
  ],
  ['a call that outlives the proxy', outliveProxy, [ANSWERED], [6, 7]],
])('%s: what is billed, and its seconds', ATTEMPTS, async (_what, act, expected, [least, most]) => {
  if (missing !== '' && !mustRun) return
  const served = await aServedProxy()
  const { world } = served
  await setTimeout(1000)

  await act(served)

  const calls = async () => callsIn(await world.dump()).sort((one, other) => other.billsec - one.billsec)
  await expect.poll(calls, patiently).toMatchObject(expected)
  const [call] = await calls()
  expect(call?.billsec).toBeGreaterThanOrEqual(least)
  expect(call?.billsec).toBeLessThanOrEqual(most)
  expect(await suspenseOf(world)).toEqual([])
})

test('real calls over a real proxy are listed and rated, even one during an outage', async ({ skip }) => {
  if (missing !== '' && !mustRun) return skip(`not installed: ${missing}`)
  expect(missing).toBe('')
  const world = await aWorld(operator)
  const secret = await secretOf(world, addIntake, { name: 'proxy1' })
  const port = await freePort()
  const proxy = await aProxy({ port, secret })

  await proxy.call('bobs-phone', '00442079460096')
  await expect.poll(() => proxy.log.text, patiently).toContain('sent again in a second')
  const origin = await serve(world, port)
  await proxy.call('bobs-phone', '00442079460077')
  await proxy.call('nobodys-phone', '00442079460078')

  await expect.poll(() => callsListed(origin), patiently).toHaveLength(2)
  expect(await callsListed(origin)).toMatchObject([
    {
      src: 'bobs-phone',
      dst: '+442079460096',
      disposition: 'ANSWERED',
      user_price: '1.0',
      hangupcause: '16',
    },
    { src: 'bobs-phone', dst: '+442079460077', disposition: 'BUSY', user_price: '0.0', hangupcause: '17' },
  ])
  await expect.poll(() => suspenseOf(world), patiently).toHaveLength(2)
  const [answered] = await suspenseOf(world)
  expect(answered).toMatchObject({
    reason: 'unknown_account',
    detail: 'no account or device is "nobodys-phone" or "127.0.0.1"',
  })
})
