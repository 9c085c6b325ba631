import { execFile } from 'node:child_process'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { add, ZERO } from '#lib/base/money.ts'
import { addIntake } from '#lib/cdrs/switches/intake-acts.ts'
import { findHolds } from '#lib/control/holds.ts'
import { secretOf } from '#test/acts/carry-out.ts'
import { elementTexts } from '#test/answers/printed.ts'
import { type ServedFolder, serveFolder } from '#test/deployed/server-process.ts'
import {
  callAtOnce,
  configurePrepaidProxy,
  type Outcome,
  secondsOfCalls,
  statusesOfTwins,
  unreliableNetwork,
} from '#test/mediation/prepaid-callers.ts'
import { freeUdpPort, missingPackages, startSippGateway } from '#test/mediation/real-proxy.ts'
import { SECRET_KEY } from '#test/world.ts'
import { openTable } from '#tools/command-line/open-table.ts'
import { findFunctionFile } from '#tools/contracts/function-files.ts'
import { signedParameters } from '#tools/contracts/signed-call.ts'
import { program, root } from '#tools/machine/program.ts'
import { methodUrl, requestOf, sendCall } from '../commands/call/method-call.ts'

/** Each has 4.20 and holds 0.60 a call: seven talk at once. The first calls by the minute, others 12 s. */
const CUSTOMERS = ['minute', 'again', 'killed', 'twice', 'lost', 'both', 'silent'] as const

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
  /** By target: the steady server over a network that spoils events, the same without, the killed one. */
  readonly proxies: Readonly<Record<'spoiled' | 'direct' | 'killed', number>>
}

let field: Field

async function aField(): Promise<Field> {
  const [steady, killed] = await Promise.all([anInstallation(), anInstallation()])
  stops.push(steady.remove, killed.remove)
  const network = await unreliableNetwork(steady.url)
  stops.push(network.stop)
  const [gateway, second] = [await freeUdpPort(), await freeUdpPort()]
  stops.push(startSippGateway(gateway).stop)
  const proxyTo = async ({ secret }: Installation, port: string | number) => {
    const there = `http://proxy1:${secret}@localhost:${port}/`
    const proxy = await configurePrepaidProxy({ there, gateway, second })
    stops.push(proxy.start().stop)
    return proxy.port
  }
  return {
    steady,
    killed,
    proxies: {
      spoiled: await proxyTo(steady, network.port),
      direct: await proxyTo(steady, new URL(steady.url).port),
      killed: await proxyTo(killed, new URL(killed.url).port),
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
  await decided('minute', callBy('minute', proxies.direct, { caller: 'minute', calls: 200 }))
  await setTimeout(DECIDED_MS)
  const lost = callBy('lost', proxies.spoiled, { caller: 'lost', calls: 20 })
  await decided('lost', lost)
  const lostAgain = lost
    .then(() => setTimeout(LOST_AGAIN_MS))
    .then(() => callBy('lost again', proxies.spoiled, { caller: 'lost', calls: 3 }))
  await decided('again', callBy('again', proxies.direct, { caller: 'again', calls: 20, again: 4000 }))
  await decided(
    'both',
    callBy('both', proxies.direct, { caller: 'both', calls: 10 }),
    callBy('both too', proxies.spoiled, { caller: 'both', calls: 10 }),
  )
  await decided('twice', callBy('twice', proxies.spoiled, { caller: 'twice', calls: 20 }))
  await decided('killed', callBy('killed', proxies.killed, { caller: 'killed', calls: 20 }))
  await setTimeout(DECIDED_MS)
  const back = killed.killAndStart()
  await callBy('silent', proxies.killed, { caller: 'silent', calls: 1 })
  await Promise.all([back, lostAgain, ...ended])
}

const PATIENTLY = { timeout: 60_000, interval: 200 }

/** Seven talk, and the others are being refused. */
const DECIDED_MS = 2000

/** From the BYE of a call whose CDR is lost to the end of its hold. */
const LOST_AGAIN_MS = (RING_SECONDS + HOLD_GRACE_SECONDS + 4) * 1000

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
      ['each CDR twice', 'twice', ['twice'], { calls: 20, longest: 12 }],
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

    test('a CDR that never comes holds its money until its time is over', async () => {
      expect(countsOf(outcomes.get('lost') ?? [])).toEqual({ answered: 7, ended: 7, refused: 13 })
      expect(countsOf(outcomes.get('lost again') ?? [])).toEqual({ answered: 2, ended: 2, refused: 1 })
      // Calls 3, 6 and 9 of 9 are lost: the first two holds have ended, the last has not.
      await expect
        .poll(() => booksOf(field.steady, 'lost'), PATIENTLY)
        .toEqual({ balance: '0.6000', charged: '3.6', held: '0.6', open: 1 })
    })

    test('a call that is not decided does not begin before the server is back', async () => {
      const seen = outcomes.get('silent') ?? []

      expect(seen.map(({ what }) => what)).toContain('undecided')
      expect(countsOf(seen)).toEqual({ answered: 1, ended: 1, refused: 0 })
      await expect
        .poll(() => booksOf(field.killed, 'silent'), PATIENTLY)
        .toEqual({ balance: '3.6000', charged: '0.6', held: '0', open: 0 })
    })

    test('a second INVITE of one Call-ID is refused, and a refused call releases its hold', async () => {
      const statuses = await statusesOfTwins(field.proxies.direct, 'silent', '0044207946077')

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
