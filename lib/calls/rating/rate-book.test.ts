import { expect, test } from 'vitest'
import { EVENT_TYPES } from '#lib/alerts/event-types.ts'
import { findInvoices, invoices } from '#lib/billing/invoice.ts'
import { readSettings } from '#lib/settings/settings.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { changesOf } from '#lib/table/entity-changes.ts'
import { accountKey } from '#lib/table/keys.ts'
import type { DumpedItem } from '#test/dump.ts'
import { carolsCall, rate, threeTariffs } from '#test/examples/tariffs.ts'
import { aWorld } from '#test/world.ts'
import { findCalls } from '../call.ts'
import { writeCalls } from './call-writing.ts'
import {
  asOfCallStart,
  asOfCallStartOrNow,
  customerOf,
  invoiceCheck,
  openRateBook,
  watchedAmong,
} from './rate-book.ts'

const seconds = (text: string): number => Date.parse(`${text}Z`) / 1000

const ratesAt = (tariff_rate: string) =>
  ['1', '2'].map((tariff_id) => rate({ tariff_id, prefix: '44', tariff_rate }))

const invoice = { id: '1', user_id: '20', number: 'R-1', issue_date: '2026-03-01', price: '1' }

test.each<[string, object, object, boolean]>([
  ['was issued on its day', { issue_date: '2026-03-10' }, {}, true],
  ['was issued later', { issue_date: '2026-03-11' }, {}, true],
  ['was issued earlier', { issue_date: '2026-03-09' }, {}, false],
  [
    'is for a period that begins on its day',
    { period_from: '2026-03-10', period_till: '2026-03-31' },
    {},
    true,
  ],
  [
    'is for a period that ends on its day',
    { period_from: '2026-03-01', period_till: '2026-03-10' },
    {},
    true,
  ],
  ['is for a later period', { period_from: '2026-03-11', period_till: '2026-03-31' }, {}, false],
  ['is for an earlier period', { period_from: '2026-03-01', period_till: '2026-03-09' }, {}, false],
  ['is the reseller’s', { user_id: '2', issue_date: '2026-03-31' }, {}, true],
  ['is a direct customer’s', { user_id: '10', issue_date: '2026-03-31' }, { user_id: 10 }, true],
  ['is another customer’s', { user_id: '10', issue_date: '2026-03-31' }, {}, false],
  [
    'is the operator’s, of a direct call,',
    { user_id: '0', issue_date: '2026-03-31' },
    { user_id: 10 },
    false,
  ],
])('a call whose invoice %s is invoiced or not', async (_case, columns, change, expected) => {
  const { store, given } = await aWorld({ ...threeTariffs, rates: ratesAt('1') })
  const earlier = { ...invoice, id: '2', number: 'R-2', issue_date: '2026-03-02' }
  await given({
    invoices: [
      { ...invoice, ...columns },
      { ...earlier, user_id: '20' },
    ],
  })
  await writeCalls(store, [{ row: { ...carolsCall, ...change }, digest: '' }], () => false)
  const [call] = await findCalls(store, [carolsCall])

  const isInvoiced = invoiceCheck(store, await settingsOf(store))
  expect(call && (await isInvoiced(call))).toBe(expected)
})

test.each<[string, object, object, boolean]>([
  ['in its period', {}, {}, true],
  ['outside of its period', { period_from: '2026-02-01', period_till: '2026-02-28' }, {}, false],
  ['in its period, after it was credited', { credited_by: 'C-1' }, {}, false],
  ['in its period, with Correct_Invoiced_Days', {}, { Correct_Invoiced_Days: '1' }, false],
])(
  'an invoice that was issued here, on a later day, guards a call %s',
  async (_case, columns, settings, guards) => {
    const world = await aWorld({ ...threeTariffs, rates: ratesAt('1') }, settings)
    const period = { period_from: '2026-03-01', period_till: '2026-03-31' }
    await world.given({ invoices: [{ ...invoice, issue_date: '2026-04-01', ...period }] })
    const [before] = await findInvoices(world.store, [1])
    if (!before) throw new Error('the invoice was not imported')
    await world.store.transact(changesOf(invoices, before, { ...before, month: '2026-03', ...columns }))
    await writeCalls(world.store, [{ row: carolsCall, digest: '' }], () => false)
    const [call] = await findCalls(world.store, [carolsCall])

    const isInvoiced = invoiceCheck(world.store, await settingsOf(world.store))
    expect(call && (await isInvoiced(call))).toBe(guards)
  },
)

test('the rates of a number are read once', async () => {
  const { store, meter } = await aWorld({ ...threeTariffs, rates: ratesAt('1') })
  const book = await openRateBook(store, [])
  const { tariff } = await book.tariff(1)
  const rateOf = async (digits: string) => {
    const before = meter.spent.requests
    const found = await book.rate(tariff, { at: carolsCall.calldate, zone: 'UTC', digits })
    return [found?.tariff_rate, meter.spent.requests > before]
  }

  expect(await rateOf('442')).toEqual(['1', true])
  expect(await rateOf('442')).toEqual(['1', false])
  expect(await rateOf('37')).toContain(undefined)
})

const SHORT = { dst: '442079460001' }

test.each([
  ['a number is looked up among extensions', { dst: '442079460001' }, true],
  ['a number is looked up once', {}, false],
  ['a number whose price came with the call is not', { dst: '442079460001', user_price: '1' }, false],
  ['a number of more digits than an extension has is not', { dst: '4'.repeat(41) }, false],
  ['a word is looked up among devices', { dst: 'carol_desk' }, true],
  ['a word that is longer than a name is not', { dst: 'carol'.repeat(60) }, false],
  ['beside the number of a carrier', { ...SHORT, provider_id: 1, carrier_dst: '1' }, false, 'carrier'],
  ['which a CDR does not tell', { ...SHORT, provider_id: 1 }, true, 'carrier'],
  ['which no provider has', { ...SHORT, carrier_dst: '1' }, true, 'carrier'],
  ['which does not count', { ...SHORT, provider_id: 1, carrier_dst: '1' }, true, 'dialled'],
])('%s', async (_case, change, isLookedUp, Rated_Number = '') => {
  const { store, meter, set } = await aWorld(threeTariffs)
  await set({ Rated_Number })
  await openRateBook(store, [carolsCall])
  const alone = meter.spent.read
  await openRateBook(store, [carolsCall, { ...carolsCall, ...change }])

  expect(meter.spent.read > 2 * alone).toBe(isLookedUp)
})

test('the customers of calls and their owners are read before they are asked for', async () => {
  const { store, meter } = await aWorld(threeTariffs)
  const book = await openRateBook(store, [carolsCall])
  const before = meter.spent.requests

  expect(await customerOf(book, carolsCall, undefined)).toMatchObject({
    account: { id: 20 },
    owner: { id: 2 },
    owner_id: 2,
    direct: false,
  })
  expect(meter.spent.requests).toBe(before)
})

test('a call of an unknown account, or by an unknown tariff, is refused', async () => {
  const { store } = await aWorld(threeTariffs)
  const book = await openRateBook(store, [])

  await expect(customerOf(book, { user_id: 99 }, undefined)).rejects.toThrow(
    'user_id: there is no account 99',
  )
  await expect(book.tariff(99)).rejects.toThrow('there is no tariff 99 to rate by')
})

test('payers are watched for an endpoint that hears of their money: a direct customer alone', async () => {
  const world = await aWorld({
    ...threeTariffs,
    users: threeTariffs.users.map((user) => ({ ...user, alert_at: '50' })),
  })
  const settings = readSettings({ webhooks: { 0: EVENT_TYPES['balance.low'].letter } })
  const book = await openRateBook(world.store, [], settings)
  const carol = await customerOf(book, { user_id: 20 }, undefined)
  const bob = await customerOf(book, { user_id: 10 }, undefined)

  expect(watchedAmong(book, carol)).toEqual([20, 2])
  expect(watchedAmong(book, { ...carol, direct: true })).toEqual([20])
  expect(watchedAmong(book, bob)).toEqual([10])
  expect(watchedAmong({ ...book, settings: readSettings({}) }, carol)).toEqual([])
})

test('a row may name another owner than its account has', async () => {
  const { store } = await aWorld(threeTariffs)
  const book = await openRateBook(store, [])
  const named = (owner_id: number) => customerOf(book, { user_id: 20, owner_id }, undefined)

  expect(await named(0)).toMatchObject({ owner: { id: 0 }, owner_id: 0, direct: true })
  expect(await named(3)).toMatchObject({ owner: { id: 3 }, owner_id: 3, direct: false })
  expect(await named(99)).toMatchObject({ owner: undefined, owner_id: 99, direct: true })
})

test('a correction for another customer has the owner of that customer', async () => {
  const { store } = await aWorld({ ...threeTariffs, rates: ratesAt('1') })
  await writeCalls(store, [{ row: carolsCall, digest: '' }], () => false)
  const [before] = await findCalls(store, [carolsCall])
  const book = await openRateBook(store, [])

  expect(await customerOf(book, { user_id: 10 }, before)).toMatchObject({ owner_id: 0, direct: true })
  expect(await customerOf(book, { user_id: 20 }, before)).toMatchObject({ owner_id: 2, direct: false })
})

test.each([
  ['the log of switches is gone', ['1'], 1],
  ['its log no longer reaches back to the first import', ['1', '2'], undefined],
])('the oldest kept version rates if %s', async (_case, prices, oldest_version) => {
  const world = await aWorld(threeTariffs)
  for (const price of prices) {
    world.now = new Date(world.now.getTime() + 1000)
    await world.given({ rates: ratesAt(price) })
  }
  const isLog = ({ PK, SK }: DumpedItem) => PK === 'TARIFF#1' && SK.startsWith('SWITCH#')
  const [oldest] = (await world.dump()).filter(isLog)
  await world.store.removeBatch(oldest ? [{ PK: oldest.PK, SK: oldest.SK }] : [])
  const book = asOfCallStart(await openRateBook(world.store, []))
  const { tariff } = await book.tariff(1)

  const rate = await book.rate(tariff, { at: carolsCall.calldate, zone: 'UTC', digits: '44' })
  expect(rate?.tariff_rate).toBe('1')
  expect(world.meter.noted.oldest_version).toBe(oldest_version)
})

test('a correction stays a call of the reseller’s customer although the reseller was deleted', async () => {
  const { store } = await aWorld({ ...threeTariffs, rates: ratesAt('1') })
  await writeCalls(store, [{ row: carolsCall, digest: '' }], () => false)
  await store.removeBatch([accountKey(2)])
  const [before] = await findCalls(store, [carolsCall])

  expect(await customerOf(await openRateBook(store, []), carolsCall, before)).toMatchObject({
    owner: undefined,
    owner_id: 2,
    direct: false,
  })
})

test('a number is rated by the version that was in force at its moment', async () => {
  const world = await aWorld(threeTariffs)
  for (const [now, price] of [
    ['2026-03-10T00:00:00', '1'],
    ['2026-03-20T00:00:00', '2'],
    ['2026-03-30T00:00:00', '3'],
  ] as const) {
    world.now = new Date(`${now}Z`)
    await world.given({ rates: ratesAt(price) })
  }
  const book = asOfCallStart(await openRateBook(world.store, []))
  const { tariff } = await book.tariff(1)
  const priceAt = async (moment: string) =>
    (await book.rate(tariff, { at: seconds(moment), zone: 'UTC', digits: '44' }))?.tariff_rate

  expect(await priceAt('2026-03-01T00:00:00')).toBe('1')
  expect(await priceAt('2026-03-19T23:59:59')).toBe('1')
  expect(await priceAt('2026-03-20T00:00:00')).toBe('2')
  expect(await priceAt('2026-03-30T00:00:00')).toBe('3')
})

test('a suspended call is rated by the version of its start, otherwise by the present one', async () => {
  const world = await aWorld(threeTariffs)
  const at = async (moment: string, rates: Readonly<Record<string, string>>) => {
    world.now = new Date(`${moment}Z`)
    const rows = Object.entries(rates).map(([prefix, tariff_rate]) => rate({ prefix, tariff_rate }))
    await world.given({ rates: rows })
  }
  await at('2026-03-10T00:00:00', { 44: '1', 48: '-1' })
  await at('2026-03-20T00:00:00', { 44: '2', 48: '3', 49: '4' })
  const priceOf = async (digits: string) => {
    const book = asOfCallStartOrNow(await openRateBook(world.store, []))
    const { tariff } = await book.tariff(1)
    const call = { at: seconds('2026-03-15T00:00:00'), zone: 'UTC', digits }
    return (await book.rate(tariff, call))?.tariff_rate
  }

  expect([await priceOf('44'), await priceOf('48'), await priceOf('49'), await priceOf('50')]).toEqual([
    '1',
    '3',
    '4',
    undefined,
  ])
})

test('a suspended call waits for a retry if the versions cannot be read', async () => {
  const { store } = await aWorld(threeTariffs)
  const book = await openRateBook(store, [])
  const { tariff } = await book.tariff(1)
  const unreachable = asOfCallStartOrNow({
    ...book,
    history: () => Promise.reject(new Error('DynamoDB cannot be reached')),
  })

  await expect(unreachable.rate(tariff, { at: 0, zone: 'UTC', digits: '44' })).rejects.toThrow(
    'cannot be reached',
  )
})
