import * as v from 'valibot'
import { expect, test } from 'vitest'
import { limitColumns } from '#lib/accounts/limits.ts'
import { readEvent } from '#lib/alerts/event.ts'
import { anEndpoint } from '#test/acts/endpoints.ts'
import { aControlledWorld, aSwitch, prepaidBob } from '#test/control/switch.ts'
import { people } from '#test/examples/examples.ts'
import { rate } from '#test/examples/tariffs.ts'
import { consume } from '#test/queue/queue.ts'
import { aWorld, pass, type World } from '#test/world.ts'
import { countryOf } from './country-hours.ts'

// Three patterns. Wangiri: one ring from abroad, and some of those called call back (Mobileum, "Why winging it
// with Wangiri won't work": Sierra Leone). IRSF by night: hundreds of minutes to Cambodia at 6.25 a minute,
// 25,000 in all (asterisk-users, January 2015). A stolen PBX: hundreds of calls to Mali within 14 minutes
// (Humbug Labs, October 2010), after single calls to test numbers of many countries (Sahin and Francillon,
// "Understanding and Detecting International Revenue Share Fraud", NDSS 2021).

const WATCHED = { Fraud_Hour_Amount: '20', New_Country_Rate: '0.5' }

async function watched(settings = WATCHED, bob: Readonly<Record<string, string>> = {}): Promise<World> {
  const users = people.map((user) => (user['id'] === '10' ? { ...user, ...bob } : user))
  const world = await aWorld({ users }, settings)
  await anEndpoint(world, { events: ['fraud.suspected'] })
  return world
}

const ids = Array.from({ length: 5000 }, (_, index) => index).values()

interface Called {
  readonly at: string
  readonly dst: string
  readonly minutes: number
  readonly rate: number
  readonly user?: number
}

const message = ({ at, dst, minutes, rate: user_rate, user: user_id = 10 }: Called) => ({
  type: 'call',
  uniqueid: `country-${ids.next().value}`,
  calldate: at,
  src: '1001',
  dst,
  disposition: 'ANSWERED',
  billsec: minutes * 60,
  duration: minutes * 60,
  user_id,
  user_rate: String(user_rate),
  user_price: (minutes * user_rate).toFixed(2),
})

/** Stores calls when the last one has ended, as a switch sends them. */
async function call(world: World, ...calls: readonly Called[]): Promise<void> {
  const ends = calls.map(
    ({ at, minutes }) => new Date(`${at.replace(' ', 'T')}Z`).getTime() + minutes * 60_000,
  )
  world.now = new Date(Math.max(...ends))
  await consume(world, ...calls.map(message))
}

/** The alerts, in words. */
const told = async (world: World): Promise<string[]> =>
  (await world.dump())
    .filter(({ PK }) => PK === 'OUTBOX')
    .map((item) => JSON.parse(readEvent(item).body).data)
    .map(({ account, country, why, rate: dear, minutes, amount, usual }) =>
      [account, country, why, dear ?? [minutes, amount, usual].join('/')].join(' '),
    )
    .sort()

const sixDays = (hour: string, called: Omit<Called, 'at'>): Called[] =>
  ['04', '05', '06', '07', '08', '09'].map((day) => ({ ...called, at: `2026-03-${day} ${hour}:00:00` }))

test('Wangiri: each customer who calls back a country that it never called is told, and not one who does', async () => {
  const world = await watched()
  const back = { dst: '23276000001', minutes: 3, rate: 1.2 }
  for (const usual of sixDays('10', { ...back, user: 20 })) await call(world, usual)
  const before = await told(world)

  for (const user of [10, 11, 20]) await call(world, { ...back, user, at: '2026-03-10 09:10:00' })
  await call(world, { ...back, at: '2026-03-10 09:30:00' })

  expect(before).toEqual(['20 232 new_country 1.2'])
  expect(await told(world)).toEqual([
    '10 232 new_country 1.2',
    '11 232 new_country 1.2',
    '20 232 new_country 1.2',
  ])
})

test('IRSF by night: a customer who knows the country is told within the hour, and each hour that it goes on', async () => {
  const world = await watched({ ...WATCHED, New_Country_Rate: '' })
  for (const usual of sixDays('10', { dst: '85512000001', minutes: 2, rate: 6.25 })) await call(world, usual)
  expect(await told(world)).toEqual([])

  const attack = (at: string): Called => ({ at, dst: '85518000009', minutes: 9, rate: 6.25 })
  await call(world, attack('2026-03-10 02:01:00'))
  expect(await told(world)).toEqual(['10 855 hour 9/56.25/12.5'])
  await call(world, ...['02:10', '02:20', '02:30'].map((at) => attack(`2026-03-10 ${at}:00`)))
  await call(world, ...['03:00', '03:10'].map((at) => attack(`2026-03-10 ${at}:00`)))

  expect(await told(world)).toEqual(['10 855 hour 18/112.5/12.5', '10 855 hour 9/56.25/12.5'])
  expect(world.log.reduce((sum, { fraud_suspected = 0 }) => sum + Number(fraud_suspected), 0)).toBe(2)
})

test('a stolen PBX: its test calls are told country by country, then the hour in which it is used', async () => {
  const world = await watched()
  for (const usual of sixDays('10', { dst: '37060000001', minutes: 30, rate: 0.1 })) await call(world, usual)

  await call(world, { at: '2026-03-07 23:50:00', dst: '22366000001', minutes: 0.5, rate: 0.8 })
  await call(world, { at: '2026-03-07 23:52:00', dst: '25261000001', minutes: 0.5, rate: 0.9 })
  await call(world, { at: '2026-03-07 23:54:00', dst: '18765550100', minutes: 0.5, rate: 0.6 })
  const tested = await told(world)
  const burst = Array.from({ length: 60 }, (_, n) => n)
  await call(
    world,
    ...burst.map((n) => ({
      at: `2026-03-08 01:${String(n % 14).padStart(2, '0')}:00`,
      dst: `2236600${1000 + n}`,
      minutes: 1,
      rate: 0.8,
    })),
  )

  expect(tested).toEqual(['10 1876 new_country 0.6', '10 223 new_country 0.8', '10 252 new_country 0.9'])
  expect(await told(world)).toContain('10 223 hour 60/48/0.4')
  expect(await told(world)).toHaveLength(4)
})

test('what is usual is not told: a busy hour like those of the week, cheap calls, known countries, old calls', async () => {
  const world = await watched(WATCHED, { known_countries: '252, 1876' })
  for (const usual of sixDays('10', { dst: '37060000001', minutes: 100, rate: 0.1 })) await call(world, usual)

  await call(world, { at: '2026-03-10 10:00:00', dst: '37060000002', minutes: 390, rate: 0.1 })
  await call(world, { at: '2026-03-10 09:00:00', dst: '18765550100', minutes: 5, rate: 3 })
  await call(world, { at: '2026-03-10 09:00:00', dst: '25261000001', minutes: 5, rate: 3 })
  await call(world, { at: '2026-03-10 09:00:00', dst: '22366000001', minutes: 5, rate: 0.5 })
  world.now = new Date('2026-03-12T12:00:00Z')
  await consume(world, message({ at: '2026-03-10 11:00:00', dst: '23276000001', minutes: 90, rate: 3 }))

  expect(await told(world)).toEqual([])
})

test('an hour that was told becomes usual on the second day after it', async () => {
  const world = await watched({ ...WATCHED, New_Country_Rate: '' })
  const campaign = (day: string): Called => ({
    at: `2026-03-${day} 10:00:00`,
    dst: '37060000001',
    minutes: 300,
    rate: 0.1,
  })

  for (const day of ['05', '06', '07', '08']) await call(world, campaign(day))

  expect(await told(world)).toEqual(Array(2).fill('10 370 hour 300/30/0'))
})

test('calls that two functions store at one moment are summed up together and told once', async () => {
  const world = await watched()
  const calls = Array.from({ length: 6 }, (_, n) =>
    message({ at: '2026-03-10 11:00:00', dst: `85512000${100 + n}`, minutes: 1, rate: 6.25 }),
  )

  await Promise.all(calls.map((one) => consume(world, one)))

  const found = await told(world)
  expect(found.filter((one) => one.includes(' hour '))).toHaveLength(1)
  expect(found.length).toBeLessThanOrEqual(2)
})

test.each([
  ['442079460000', '44'],
  ['12125550100', '1212'],
  ['18765550100', '1876'],
  ['85512000001', '855'],
  ['76001234567', '7'],
])('the country of %s is %s', (digits, country) => {
  expect(countryOf(digits)).toBe(country)
})

/** The units of a batch of two calls to a country. */
async function costOf(world: World) {
  const one = { at: '2026-03-10 11:00:00', dst: '37060000001', minutes: 1, rate: 0.1 }
  await call(world, one)
  await call(world, one, one)
  const { read_units, write_units } = world.log.at(-1) ?? {}
  return { read: Number(read_units), write: Number(write_units) }
}

test('a batch costs nothing more if nothing is watched, otherwise one unit for each customer and country', async () => {
  const plain = await costOf(await aWorld({ users: people }))

  expect(await costOf(await watched({ Fraud_Hour_Amount: '', New_Country_Rate: '' }))).toEqual(plain)
  expect(await costOf(await watched())).toEqual({ read: plain.read, write: plain.write + 1 })
})

const braked = { New_Country_Rate: '0.5', New_Country_Brake: '1' }

const SOMALIA = '25261000001'

async function aBrakedSwitch(settings: object, bob: Readonly<Record<string, string>> = {}) {
  const given = prepaidBob('100', bob)
  const rates = [...(given.rates ?? []), rate({ prefix: '252', tariff_rate: '0.9', increment: '1' })]
  const world = await aControlledWorld({ ...given, rates }, settings)
  return { world, ...(await aSwitch(world)) }
}

const refusal = { allow: false, reason: 'new_country', hangupcause: null, sip: 403 }

test('the brake refuses a first call to a dear country, until the account names it or has called it', async () => {
  const { world, authorize, ended } = await aBrakedSwitch(braked)

  expect(await authorize({ call: 'a', dst: SOMALIA })).toEqual(refusal)
  expect(await authorize({ call: 'b' })).toMatchObject({ allow: true })
  await ended('c', 60, { dst: SOMALIA })
  pass(world, 2)
  expect(await authorize({ call: 'd', dst: SOMALIA })).toMatchObject({ allow: true })
})

test.each([
  ['without the brake', { New_Country_Rate: '0.5' }, {}],
  ['without a rate', { New_Country_Brake: '1' }, {}],
  ['at that rate', { ...braked, New_Country_Rate: '0.9' }, {}],
  ['named by the account', braked, { known_countries: '44,252' }],
  ['of an account that may call any', braked, { known_countries: 'any' }],
])('a first call to a country %s is allowed', async (_case, settings, bob) => {
  const { authorize } = await aBrakedSwitch(settings, bob)

  expect(await authorize({ call: 'a', dst: SOMALIA })).toMatchObject({ allow: true })
})

test('the brake also holds for an account without limits, and reads one item for a dear call alone', async () => {
  const bob = { postpaid: '1', credit: '-1' }
  const { world, authorize } = await aBrakedSwitch(braked, bob)
  const units = async (dst: string) => {
    await authorize({ call: dst, dst })
    return Number(world.log.at(-1)?.['read_units'])
  }

  const cheap = await units('442079460000')
  expect(await authorize({ call: 'a', dst: SOMALIA })).toEqual(refusal)
  expect((await units(SOMALIA)) - cheap).toBeLessThanOrEqual(1)
})

test.each(['1', '0252', 'SO', '252;1876', '252,,44', '18765'])('known_countries refuses %j', (list) => {
  expect(v.is(limitColumns.known_countries.schema, list)).toBe(false)
})
