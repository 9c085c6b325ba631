import { expect, test } from 'vitest'
import { totalOf } from '#lib/base/balance.ts'
import { findBalance } from '#lib/billing/balance.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { importRefusals } from '#test/datasets/import-rows.ts'
import { people } from '#test/examples/examples.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld, type World } from '#test/world.ts'
import type { Charge } from './charge.ts'
import { listCharges } from './charge.ts'
import { chargeAccount, chargeEveryone, chargeRunKey, dueChargesOf } from './charge-run.ts'

const currencies = [
  { name: 'USD', exchange_rate: '1' },
  { name: 'EUR', exchange_rate: '0.8' },
]

const services = [
  { id: '1', owner_id: '0', name: 'Line', type: 'periodic_fee', period: 'monthly', price: '10' },
  { id: '2', owner_id: '0', name: 'Set-up', type: 'one_time_fee', price: '25' },
  {
    id: '3',
    owner_id: '0',
    name: 'Insurance',
    type: 'periodic_fee',
    period: 'daily',
    price: '0.5',
    currency: 'EUR',
  },
  { id: '4', owner_id: '0', name: 'Flat 500', type: 'flat_rate', period: 'monthly', price: '25' },
  { id: '5', owner_id: '2', name: "Rick's line", type: 'periodic_fee', period: 'month', price: '4.5' },
]

/** Bob, 10, is postpaid; Carol, 20, who is Rick's customer, is prepaid. */
const users = people.map((user) => (user['id'] === '20' ? { ...user, postpaid: '0' } : user))

const bobs = (service: string, cells: Readonly<Record<string, string>> = {}) => ({
  id: `1${service}`,
  user_id: '10',
  service_id: service,
  from: '2026-05-27 00:00:00',
  ...cells,
})

const carols = (cells: Readonly<Record<string, string>> = {}) => ({
  id: '20',
  user_id: '20',
  service_id: '5',
  from: '2026-01-01 00:00:00',
  ...cells,
})

type Rows = readonly Readonly<Record<string, string>>[]

const aWorldWith = async (subscriptions: Rows, settings: Readonly<Record<string, string>> = {}) =>
  aWorld(
    { currencies, users, services, subscriptions },
    { Balance_From: '2026-05-01', Charges_From: '2026-05-01', ...settings },
  )

async function runAt(world: World, moment: string, dryRun = false) {
  const settings = await settingsOf(world.store)
  const found = await Array.fromAsync(
    chargeEveryone({ store: world.store, settings, now: new Date(moment) }, dryRun),
  )
  return {
    charges: found.flatMap(({ charges }) => charges),
    problems: found.flatMap(({ uncharged, refused }) => [...uncharged, ...refused]),
  }
}

const storedOf = async (world: World, user: number): Promise<Charge[]> =>
  (await Array.fromAsync(listCharges(world.store, { user }))).flat()

const told = ({ date, from, till, net, amount }: Pick<Charge, 'date' | 'from' | 'till' | 'net' | 'amount'>) =>
  `${date}: ${from.slice(5)}..${till.slice(5)} ${net} = ${amount}`

const feesOf = async ({ store }: World, user: number) => (await findBalance(store, user))?.balance.fees

test("the worked example's month: a line from 27 May and a fee cost 26.612903 at its end", async () => {
  const world = await aWorldWith([bobs('1'), bobs('2')])

  expect((await runAt(world, '2026-05-31T12:00:00Z')).charges.map(told)).toEqual([
    '2026-05-27: 05-27..05-27 25 = 25',
  ])
  expect((await runAt(world, '2026-06-01T00:10:00Z')).charges.map(told)).toEqual([
    '2026-05-31: 05-27..05-31 1.612903 = 1.612903',
  ])
  expect(await feesOf(world, 10)).toBe('26.612903')
  const { balance } = (await findBalance(world.store, 10)) ?? {}
  expect(balance && totalOf(balance)).toBe('-26.612903')
  expect(await damageIn(world)).toEqual([])
})

test('a run each day of a month makes one charge, and hourly runs no other (ASTPP #245)', async () => {
  const world = await aWorldWith([carols()])
  for (let day = 1; day <= 31; day += 1)
    await runAt(world, `2026-05-${String(day).padStart(2, '0')}T13:00:00Z`)
  await runAt(world, '2026-05-31T14:00:00Z')

  expect((await storedOf(world, 20)).map(told)).toEqual(['2026-05-01: 05-01..05-31 4.5 = 4.5'])
  expect(await feesOf(world, 20)).toBe('4.5')
})

test("a reseller's customer pays the reseller's fee (ASTPP #338), and its quantity counts", async () => {
  const world = await aWorldWith([carols({ quantity: '3' })])
  const { charges } = await runAt(world, '2026-05-01T01:00:00Z')

  expect(charges).toMatchObject([
    { user_id: 20, quantity: 3, price: '4.5', net: '13.5', memo: "Rick's line" },
  ])
  expect(await feesOf(world, 2)).toBe('0')
})

test('the rest of a period returns when a subscription ends, and is charged if it resumes', async () => {
  const world = await aWorldWith([carols()])
  await runAt(world, '2026-05-01T01:00:00Z')
  await world.given({ subscriptions: [carols({ till: '2026-05-10 23:59:59' })] })
  await runAt(world, '2026-05-20T01:00:00Z')
  await world.given({ subscriptions: [carols({ till: '2026-05-15 23:59:59' })] })
  await runAt(world, '2026-05-21T01:00:00Z')

  expect((await storedOf(world, 20)).map(told)).toEqual([
    '2026-05-01: 05-01..05-31 4.5 = 4.5',
    '2026-05-20: 05-11..05-31 -3.048387 = -3.048387',
    '2026-05-11: 05-11..05-15 0.725806 = 0.725806',
  ])
  expect(await damageIn(world)).toEqual([])
})

test('a later price changes later periods, for those who pay before and afterwards', async () => {
  const world = await aWorldWith([carols(), bobs('1', { from: '2026-05-01 00:00:00' })])
  await runAt(world, '2026-05-01T01:00:00Z')
  await world.given({ services: services.map((one) => ({ ...one, price: '100' })) })
  await runAt(world, '2026-06-01T01:00:00Z')
  await runAt(world, '2026-07-01T01:00:00Z')

  expect((await storedOf(world, 10)).map(({ net }) => net)).toEqual(['10', '100'])
  expect((await storedOf(world, 20)).map(({ net }) => net)).toEqual(['4.5', '100', '100'])
})

test('another service or quantity counts from the next period on', async () => {
  const since = { from: '2026-05-01 00:00:00' }
  const world = await aWorldWith([bobs('1', since), carols()])
  await runAt(world, '2026-05-01T01:00:00Z')
  await world.given({
    services: [{ ...services[0], id: '6', name: 'Trunk', price: '40' }],
    subscriptions: [{ ...bobs('1', since), service_id: '6', quantity: '2' }],
  })
  await runAt(world, '2026-06-01T01:00:00Z')
  await runAt(world, '2026-07-01T01:00:00Z')

  const told = ({ service_id, memo, quantity, net }: Charge) => [service_id, memo, quantity, net]
  expect((await storedOf(world, 10)).map(told)).toEqual([
    [1, 'Line', 1, '10'],
    [6, 'Trunk', 2, '80'],
  ])
})

test('a period that was free at its start stays free, for those who pay before and afterwards', async () => {
  const priced = (price: string) => services.map((one) => ({ ...one, price }))
  const world = await aWorldWith([carols(), bobs('1', { from: '2026-05-01 00:00:00' })])
  await world.given({ services: priced('0') })
  await runAt(world, '2026-05-01T01:00:00Z')
  await world.given({ services: priced('100') })
  const { write } = world.meter.spent
  await runAt(world, '2026-05-10T01:00:00Z')
  await runAt(world, '2026-05-10T02:00:00Z')
  // Only the first run of a day is noted.
  expect(world.meter.spent.write - write).toBe(1)
  await runAt(world, '2026-06-01T01:00:00Z')
  await runAt(world, '2026-07-01T01:00:00Z')

  const told = (some: readonly Charge[]) => some.map(({ from, net }) => [from, net])
  expect(told(await storedOf(world, 10))).toEqual([['2026-06-01', '100']])
  expect(told(await storedOf(world, 20))).toEqual([
    ['2026-06-01', '100'],
    ['2026-07-01', '100'],
  ])
})

test('a fee in another currency is converted at the rate of its day, and waits for a rate', async () => {
  const world = await aWorldWith([bobs('3', { from: '2026-05-01 00:00:00', till: '2026-05-02 10:00:00' })])
  await runAt(world, '2026-05-02T01:00:00Z')
  await world.given({ currencies: [{ name: 'EUR', exchange_rate: '0.5' }] })
  await runAt(world, '2026-05-03T01:00:00Z')
  await runAt(world, '2026-05-04T01:00:00Z')

  expect((await storedOf(world, 10)).map(told)).toEqual([
    '2026-05-01: 05-01..05-01 0.5 = 0.625',
    '2026-05-02: 05-02..05-02 0.5 = 1',
  ])
  await world.store.transact([{ remove: { PK: 'CURRENCY#EUR', SK: 'CURRENCY' } }])
  await world.given({ subscriptions: [bobs('3', { from: '2026-05-01 00:00:00', till: '' })] })
  expect(await runAt(world, '2026-05-04T02:00:00Z')).toEqual({
    charges: [],
    problems: ['subscription 13: EUR has no exchange rate'],
  })
})

test('what nothing charges is named, and what is over is not', async () => {
  const world = await aWorldWith([
    bobs('4', { id: '31', from: '2026-05-01 00:00:00' }),
    bobs('4', { id: '32', from: '2026-01-01 00:00:00', till: '2026-04-30 00:00:00' }),
  ])
  expect((await runAt(world, '2026-05-02T00:00:00Z')).problems).toEqual([
    'subscription 31: Flat 500 is never charged (it is flat_rate monthly): choose how in service 4',
  ])
})

test('off, nothing is written; nor by a dry run or the due charges of an account', async () => {
  const off = await aWorldWith([carols()], { Charges_From: '' })
  const before = await off.dump()
  expect(await runAt(off, '2026-05-02T00:00:00Z')).toEqual({ charges: [], problems: [] })
  expect(await off.dump()).toEqual(before)

  const on = await aWorldWith([carols()])
  const unchanged = await on.dump()
  const dry = await runAt(on, '2026-05-02T00:00:00Z', true)
  const run = { store: on.store, settings: await settingsOf(on.store), now: new Date('2026-05-02T00:00:00Z') }
  expect((await dueChargesOf(run, 20)).charges).toEqual(dry.charges)
  expect(await on.dump()).toEqual(unchanged)
  expect((await chargeAccount(run, 20)).charges).toEqual(dry.charges)
  expect((await runAt(on, '2026-05-02T00:00:00Z')).charges).toEqual([])
})

test('days before Charges_From cost nothing, and a run that was off catches up', async () => {
  const world = await aWorldWith([carols()], { Charges_From: '2026-05-16' })
  await runAt(world, '2026-09-01T00:00:00Z')

  expect((await storedOf(world, 20)).map(({ from, net }) => `${from} ${net}`)).toEqual([
    '2026-05-16 2.322581',
    '2026-06-01 4.5',
    '2026-07-01 4.5',
    '2026-08-01 4.5',
    '2026-09-01 4.5',
  ])
  expect(await world.store.get(chargeRunKey)).toMatchObject({ day: '2026-09-01' })
})

test.each(['01', '03', '05'])(
  'a run on any day of month %s charges this month (IvozProvider #943)',
  async (month) => {
    const world = await aWorldWith([carols()], {
      Balance_From: '2026-01-01',
      Charges_From: `2026-${month}-01`,
    })
    const first = `2026-${month}-01`
    for (const day of ['29', '30', '31']) await runAt(world, `2026-${month}-${day}T23:59:59Z`)

    expect((await storedOf(world, 20)).map(({ from, date }) => [from, date])).toEqual([[first, first]])
  },
)

test.each([
  ['Pacific/Auckland', '2026-04-30T12:00:00Z'],
  ['Asia/Kolkata', '2026-04-30T18:30:00Z'],
  ['Europe/Berlin', '2026-04-30T22:00:00Z'],
  ['America/New_York', '2026-05-01T04:00:00Z'],
  ['Pacific/Honolulu', '2026-05-01T10:00:00Z'],
])('in %s May begins at %s', async (Timezone, begin) => {
  const world = await aWorldWith([carols()], { Timezone })
  const start = new Date(begin).getTime()

  expect((await runAt(world, new Date(start - 1000).toISOString())).charges).toEqual([])
  expect((await runAt(world, begin)).charges).toMatchObject([{ from: '2026-05-01', till: '2026-05-31' }])
})

test('a day of a clock change is one day', async () => {
  const world = await aWorldWith([bobs('3', { from: '2026-03-28 00:00:00', till: '2026-03-30 00:00:00' })], {
    Timezone: 'Europe/Berlin',
    Balance_From: '2026-03-01',
    Charges_From: '2026-03-01',
  })
  await runAt(world, '2026-03-30T22:00:00Z')

  expect((await storedOf(world, 10)).map(({ from, net }) => `${from} ${net}`)).toEqual([
    '2026-03-28 0.5',
    '2026-03-29 0.5',
    '2026-03-30 0.5',
  ])
})

test('a subscription stays with its account, which has paid for it', async () => {
  const world = await aWorldWith([bobs('1')])
  await runAt(world, '2026-06-01T06:00:00Z')

  expect(await importRefusals(world, { subscriptions: [{ ...bobs('1'), user_id: '20' }] })).toEqual([
    'subscription 11 is one of account 10: end it there with till, and add another one for account 20',
  ])
  await world.given({ subscriptions: [{ ...bobs('1'), till: '2026-06-10 23:59:59' }] })
})
