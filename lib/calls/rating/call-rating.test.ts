import { expect, test } from 'vitest'
import { carolsCall, rate, threeTariffs } from '#test/examples/tariffs.ts'
import { aWorld } from '#test/world.ts'
import type { CallRow } from '../call.ts'
import { explainCall, findParty, freeReasonIn, ratePayers } from './call-rating.ts'
import { customerOf, openRateBook } from './rate-book.ts'

/** She calls through Potomac. Half a euro is worth a dollar. */
const carols: CallRow = { ...carolsCall, dst: '+442079460000', provider_id: 1 }

const rates = (prices: readonly string[]) =>
  prices.map((tariff_rate, index) => rate({ tariff_id: String(index + 1), prefix: '44', tariff_rate }))

const explained = async (prices: readonly string[], change: Partial<CallRow> = {}) => {
  const { store, meter } = await aWorld({ ...threeTariffs, rates: rates(prices) })
  return { ...(await explainCall(store, { ...carols, ...change })), meter }
}

test('an explained call tells customer, reseller and provider lookups, and its prices', async () => {
  const call = await explained(['1', '2', '3'])

  expect(call).toMatchObject({
    number: { digits: '442079460000' },
    free: undefined,
    customer: { account: { id: 20 }, owner: { id: 2 }, owner_id: 2, direct: false },
    rated: {
      user_rate: '4',
      user_price: '4',
      reseller_price: '1',
      provider_rate: '3',
      provider_price: '3',
    },
  })
  expect(
    call.lookups.map(({ payer, tariff, exchangeRate, rate }) => [
      payer,
      tariff.id,
      exchangeRate,
      rate?.tariff_rate,
    ]),
  ).toEqual([
    ['user', 2, '0.5', '2'],
    ['reseller', 1, '1', '1'],
    ['provider', 3, '1', '3'],
  ])
})

test('a lookup without a rate ends an explained call', async () => {
  const call = await explained(['1'])

  expect(call.lookups).toMatchObject([{ tariff: { id: 2 }, rate: undefined }])
  expect(call.rated).toBe('tariff 2 of account 20 has no rate for +442079460000')
})

test('a call of 0 seconds is free without a tariff, and its other lookups keep their payers', async () => {
  const world = await aWorld({ ...threeTariffs, rates: rates(['1', '2', '3']) })
  world.now = new Date('2026-01-01T00:00:00Z')
  await world.given({ users: [{ id: '20', tariff_id: '' }] })

  const call = await explainCall(world.store, { ...carols, billsec: 0 })

  expect(call.lookups.map(({ payer, tariff }) => [payer, tariff.id])).toEqual([
    ['reseller', 1],
    ['provider', 3],
  ])
})

test('an explained internal call has no lookups and costs nothing', async () => {
  const call = await explained(['1', '2', '3'], { dst: '112' })

  expect(call).toMatchObject({ free: 'internal', lookups: [], rated: { user_price: '0' } })
})

test("an extension like a phone number does not make a provider's calls to that number free", async () => {
  const { store } = await aWorld({
    ...threeTariffs,
    rates: rates(['1', '2', '3']),
    devices: [{ id: '1', user_id: '20', name: 'desk', extension: '442079460000' }],
  })
  const free = async (change: Partial<CallRow>) =>
    (await explainCall(store, { ...carols, dst: '442079460000', ...change })).free

  expect(await free({})).toBeUndefined()
  expect(await free({ provider_id: undefined })).toBe('internal')
  expect(await free({ dst: '112' })).toBe('internal')
})

test.each([
  ['3001', 'short_number'],
  ['*98', 'feature_code'],
])('a call to %s is free: %s', async (dst, free) => {
  expect(await explained(['1', '2', '3'], { dst })).toMatchObject({ free, rated: { user_price: '0' } })
})

test('a call to a short number is free for an account without a tariff, too', async () => {
  const world = await aWorld({ ...threeTariffs, rates: rates(['1', '2', '3']) })
  await world.given({ users: [{ id: '20', tariff_id: '' }] })

  expect((await explainCall(world.store, { ...carols, dst: '3001' })).free).toBe('short_number')
})

test.each([
  ['internal', 'internal'],
  ['short_number', 'short_number'],
  ['user reseller', undefined],
  ['', undefined],
])('a stored call that is rated as %j is free for the reason %s', (rated, reason) => {
  expect(freeReasonIn({ rated })).toBe(reason)
})

test.each([
  ['a short number', '1188', '11', 'short_number'],
  ['a feature code', '*1188', '1188', 'feature_code'],
])('a rate does not rate %s such as %s by its prefix %s', async (_what, dst, prefix, free) => {
  const { store } = await aWorld({ ...threeTariffs, rates: [rate({ tariff_id: '2', prefix })] })
  expect((await explainCall(store, { ...carols, dst })).free).toBe(free)
})

test('a device named like a phone number does not make calls to that number free', async () => {
  const { store } = await aWorld({
    ...threeTariffs,
    rates: rates(['1', '2', '3']),
    devices: [{ id: '1', user_id: '20', name: '442079460000', extension: '20011' }],
  })
  const call = await explainCall(store, { ...carols, dst: '442079460000', provider_id: undefined })
  expect([call.free, call.lookups[0]?.rate?.prefix]).toEqual([undefined, '44'])
})

test('a rate with the whole short number as its prefix rates it', async () => {
  const { store } = await aWorld({ ...threeTariffs, rates: [rate({ tariff_id: '2', prefix: '1188' })] })
  const call = await explainCall(store, { ...carols, dst: '1188', billsec: 60 })
  expect([call.free, call.lookups[0]?.rate?.prefix]).toEqual([undefined, '1188'])
})

test.each([
  ['442079460000#', 1],
  ['#442079460000', 1],
])('%s is a number if a provider terminated it', async (dst, provider_id) => {
  expect(await explained(['1', '2', '3'], { dst, provider_id })).toMatchObject({ free: undefined })
  expect(await explained(['1', '2', '3'], { dst, provider_id: undefined })).toMatchObject({
    free: 'feature_code',
  })
})

test.each([
  ['44207946#', undefined],
  ['4420794#', 'feature_code'],
])('a number as long as Shortest_Rated_Number, with a mark, is a number: %s', async (dst, free) => {
  const { store, given } = await aWorld({ ...threeTariffs, rates: rates(['1', '2', '3']) })
  await given({ settings: [{ name: 'Shortest_Rated_Number', value: '8' }] })

  expect((await explainCall(store, { ...carols, dst })).free).toBe(free)
})

test('a number with a mark is a feature code if the provider’s price came with the call', async () => {
  expect(await explained(['1', '2', '3'], { dst: '442079460000#', provider_price: '1' })).toMatchObject({
    free: 'feature_code',
  })
})

test('a text without a number that names a device is internal', async () => {
  const { store } = await aWorld({
    ...threeTariffs,
    devices: [{ id: '1', user_id: '20', name: 'carol_desk', extension: '20011', device_type: 'SIP' }],
  })
  expect(await explainCall(store, { ...carols, dst: 'carol_desk' })).toMatchObject({ free: 'internal' })
})

test('a call to an extension is internal, too', async () => {
  const { store } = await aWorld({
    ...threeTariffs,
    rates: rates(['1', '2', '3']),
    devices: [{ id: '1', user_id: '20', name: 'phone', extension: '2001', device_type: 'SIP' }],
  })

  expect(await explainCall(store, { ...carols, dst: '2001' })).toMatchObject({
    free: 'internal',
    rated: { user_price: '0' },
  })
})

test.each([
  [['1', '-1', '3'], 'tariff 2 of account 20 blocks the prefix 44'],
  [['-1', '2', '3'], 'tariff 1 of account 2 blocks the prefix 44'],
])('a call that a tariff blocks, with the rates %j, is not rated', async (prices, reason) => {
  expect((await explained(prices)).rated).toBe(reason)
})

test.each([
  ['blocks the number', ['1', '2', '-1'], { provider_blocked: 1 }],
  ['has no rate for the number', ['1', '2'], { provider_unrated: 1 }],
])('a provider that %s charges nothing and is noted', async (_case, prices, noted) => {
  const { rated, meter } = await explained(prices)

  expect(rated).toMatchObject({ user_price: '4' })
  expect(rated).toMatchObject({ provider_rate: undefined, provider_price: undefined })
  expect(meter.noted).toEqual(noted)
})

test.each([
  ['of the rate', '999999999999999', { billsec: 1 }],
  ['of the price', '400000000000000', { billsec: 360 }],
])('a call is not rated if the digits %s do not fit', async (_case, price, change) => {
  expect((await explained(['1', price, '3'], change)).rated).toBe(
    'the rate of prefix 44 makes a price with too many digits',
  )
})

test('a provider’s tariff is named by its provider, and one without a tariff charges nothing', async () => {
  const { store } = await aWorld({
    ...threeTariffs,
    providers: [...threeTariffs.providers, { id: '2', name: 'Priceless' }],
  })
  const book = await openRateBook(store, [])
  const customer = await customerOf(book, carols, undefined)
  const partyOf = (provider_id: number) => findParty(book, { ...carols, provider_id }, customer, 'provider')

  expect([await partyOf(1), await partyOf(2)]).toEqual([{ name: 'provider 1', tariff_id: 3 }, undefined])
})

test('an unanswered call is not rated as free if its tariff cannot be read', async () => {
  const { store } = await aWorld(threeTariffs)
  const book = await openRateBook(store, [carols])
  const unreachable = { ...book, tariff: () => Promise.reject(new Error('DynamoDB cannot be reached')) }
  const customer = await customerOf(book, carols, undefined)

  await expect(ratePayers(unreachable, { ...carols, billsec: 0 }, customer, ['user'])).rejects.toThrow(
    'cannot be reached',
  )
})
