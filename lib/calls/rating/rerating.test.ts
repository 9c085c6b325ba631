import { expect, test } from 'vitest'
import { storeCalls } from '#lib/calls/call-storage.ts'
import type { CallChange } from '#lib/calls/counted-change.ts'
import { providerKey } from '#lib/rates/provider.ts'
import { versionKeys } from '#lib/rates/version-history.ts'
import { readSettings } from '#lib/settings/settings.ts'
import { accountKey, tariffKey } from '#lib/table/keys.ts'
import { createClient } from '#lib/table/requests/client.ts'
import { searchedCalls } from '#test/dump.ts'
import { people } from '#test/examples/examples.ts'
import { aMinute, rate, threeTariffs, withTariff } from '#test/examples/tariffs.ts'
import { faultyEndpoint } from '#test/faults/faulty-endpoint.ts'
import { consume } from '#test/queue/queue.ts'
import { newPlaces, newShards } from '#test/shards.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld, type World, withClient } from '#test/world.ts'
import { openRerater, type ReratingOptions, storeRerated, type Verdict } from './rerating.ts'

const [RETAIL, RICKS, POTOMACS] = [1, 2, 3]

const ratesAt = (price: string, tariffs: readonly number[] = [RETAIL, RICKS, POTOMACS]) =>
  tariffs.map((tariff) => rate({ tariff_id: String(tariff), prefix: '44', tariff_rate: price }))

/** Rates for another prefix, which rate no call of these tests. */
const ratesElsewhere = (tariffs: readonly number[]) =>
  tariffs.map((tariff) => rate({ tariff_id: String(tariff), prefix: '49' }))

/** A world with a one-minute call: tariff 2 charges Carol, tariff 1 Rick, and tariff 3 is Potomac's. */
async function aWorldWithCall(columns: Readonly<Record<string, string>> = {}) {
  const world = await aWorld({ ...threeTariffs, rates: ratesAt('1') })
  const call = { uniqueid: 'carols', ...aMinute, user_id: '20', provider_id: '1', ...columns }
  await consume(world, { type: 'calls', records: [call] })
  return world
}

const ACTIVE = { with: 'active', includeInvoiced: false, includePriced: false } as const

/** Re-rates and stores a world's only call. Returns the verdict, and the call's columns afterwards. */
async function rerated(world: World, options: Partial<ReratingOptions> = {}) {
  const damage = await damageIn(world)
  const rerate = await openRerater(world.store, { ...ACTIVE, ...options })
  const [verdict] = await rerate(await searchedCalls(world))
  const change = isChange(verdict) && verdict
  expect(
    await storeCalls(
      { store: world.store, settings: { ...readSettings({}), ...newPlaces, shards: newShards } },
      change ? [change] : [],
    ),
  ).toEqual([])
  expect(await damageIn(world)).toEqual(damage)
  const [call] = await searchedCalls(world)
  return {
    verdict: change ? 'changed' : verdict,
    prices: [call?.user_price, call?.reseller_price, call?.provider_price],
    rates: [call?.user_rate, call?.provider_rate],
    rated: call?.rated,
  }
}

const isChange = (verdict?: Verdict) => typeof verdict === 'object' && 'after' in verdict

const sides = [
  ['customer', RICKS, ['6', '1', '1'], ['6', '1']],
  ['reseller', RETAIL, ['2', '3', '1'], ['2', '1']],
  ['provider', POTOMACS, ['2', '1', '3'], ['2', '3']],
] as const

test.each(sides)(
  'with one tariff, only the price of the %s is re-rated',
  async (_side, tariff, prices, rates) => {
    const world = await aWorldWithCall()
    await world.given({ rates: ratesAt('3') })

    const done = await rerated(world, { tariff })

    expect(done).toEqual({ verdict: 'changed', prices, rates, rated: 'user reseller provider' })
  },
)

test.each(sides)(
  'with one tariff, the price of the %s needs no rates of other tariffs',
  async (_side, tariff, prices, rates) => {
    const world = await aWorldWithCall()
    const others = [RETAIL, RICKS, POTOMACS].filter((other) => other !== tariff)
    await world.given({ rates: [...ratesAt('3', [tariff]), ...ratesElsewhere(others)] })

    const done = await rerated(world, { tariff })

    expect(done).toEqual({ verdict: 'changed', prices, rates, rated: 'user reseller provider' })
  },
)

test.each(sides)('a call without a rate for the %s stays unchanged', async (_side, tariff) => {
  const world = await aWorldWithCall()
  await world.given({ rates: ratesElsewhere([tariff]) })

  const done = await rerated(world)

  expect(done).toMatchObject({ verdict: { skipped: 'unknown_rate' }, prices: ['2', '1', '1'] })
})

test.each([
  ['customer', RICKS],
  ['reseller', RETAIL],
])('a call whose prefix the %s’s tariff blocks stays unchanged', async (_side, tariff) => {
  const world = await aWorldWithCall()
  await world.given({ rates: [...ratesAt('-1', [tariff]), ...ratesAt('3', [POTOMACS])] })

  const done = await rerated(world)

  expect(done).toMatchObject({ verdict: { skipped: 'blocked_destination' }, prices: ['2', '1', '1'] })
})

test('the price of a provider that blocks the prefix stays unchanged', async () => {
  const world = await aWorldWithCall()
  await world.given({ rates: [...ratesAt('-1', [POTOMACS]), ...ratesAt('3', [RICKS])] })

  const done = await rerated(world)

  expect(done).toMatchObject({ verdict: 'changed', prices: ['6', '1', '1'], rates: ['6', '1'] })
})

test.each([
  ['provider was deleted', providerKey(1), { tariff: RICKS }, '1'],
  ['reseller was deleted, whose price is kept', accountKey(2), {}, '3'],
])('the price of the customer is re-rated although the %s', async (_case, key, options, providerPrice) => {
  const world = await aWorldWithCall()
  await world.given({ rates: ratesAt('3') })
  await world.store.removeBatch([key])

  const done = await rerated(world, options)

  expect(done).toMatchObject({ verdict: 'changed', prices: ['6', '1', providerPrice] })
})

test('the price of the provider is re-rated although the customer has no tariff now', async () => {
  const world = await aWorldWithCall()
  await world.given({ rates: ratesAt('3'), users: withTariff(people, { bob: '1', rick: '1' }) })

  const done = await rerated(world, { tariff: POTOMACS })

  expect(done).toMatchObject({ verdict: 'changed', prices: ['2', '1', '3'] })
})

test('with one tariff, a direct customer has no reseller whose price it makes', async () => {
  const world = await aWorldWithCall({ user_id: '10' })
  await world.given({ rates: ratesAt('3') })

  expect(await rerated(world, { tariff: RETAIL })).toMatchObject({
    verdict: 'changed',
    prices: ['3', undefined, '1'],
  })
})

test.each([{ provider: 2 }, { tariff: 4 }, { provider: 1, tariff: 4 }])(
  'with %j, a call of another provider or tariff is not selected',
  async (options) => {
    const world = await aWorldWithCall()
    await world.given({ rates: ratesAt('3') })

    expect(await rerated(world, options)).toMatchObject({
      verdict: { skipped: 'not_selected' },
      prices: ['2', '1', '1'],
    })
  },
)

test('an invoiced call is skipped unless it is asked for', async () => {
  const world = await aWorldWithCall()
  const invoice = { id: '1', user_id: '20', number: 'R-1', issue_date: '2026-03-31', price: '2' }
  await world.given({ rates: ratesAt('3'), invoices: [invoice] })

  expect(await rerated(world)).toMatchObject({ verdict: { skipped: 'invoiced' }, prices: ['2', '1', '1'] })
  expect(await rerated(world, { includeInvoiced: true })).toMatchObject({
    verdict: 'changed',
    prices: ['6', '3', '3'],
  })
})

test('a re-rated call has the next version, so that a change meanwhile is noticed', async () => {
  const world = await aWorldWithCall()
  await world.given({ rates: ratesAt('3') })

  await rerated(world)

  expect(await searchedCalls(world)).toMatchObject([{ version: 2 }])
})

test('a tariff that cannot be read is an error, not a missing rate', async () => {
  const world = await aWorldWithCall()
  const { origin } = await faultyEndpoint(({ input }) =>
    input.includes(`"TARIFF#${RICKS}"`) ? { refusal: 'AccessDeniedException' } : undefined,
  )
  const client = createClient({ endpoint: origin, tableName: world.table.tableName })
  const rerate = await openRerater(withClient(world, client).store, ACTIVE)

  await expect(rerate(await searchedCalls(world))).rejects.toMatchObject({ name: 'AccessDeniedException' })
})

test('only payers whose prices were made count as rated', async () => {
  const world = await aWorldWithCall({ user_id: '10', user_price: '7' })

  expect(await rerated(world, { includePriced: true })).toMatchObject({
    verdict: 'changed',
    prices: ['1', undefined, '1'],
    rated: 'user provider',
  })
})

test('prices that came with the call are kept, and the others are re-rated', async () => {
  const world = await aWorldWithCall({ reseller_price: '7', provider_price: '8' })
  await world.given({ rates: [...ratesAt('3', [RICKS]), ...ratesElsewhere([RETAIL, POTOMACS])] })

  expect(await rerated(world)).toEqual({
    verdict: 'changed',
    prices: ['6', '7', '8'],
    rates: ['6', undefined],
    rated: 'user',
  })
})

test("a customer price that came with the call survives repeated re-rating of the provider's", async () => {
  const world = await aWorldWithCall({ user_price: '7' })
  await world.given({ rates: [...ratesAt('3', [POTOMACS]), ...ratesElsewhere([RETAIL, RICKS])] })

  expect(await rerated(world, { tariff: POTOMACS })).toMatchObject({ verdict: { skipped: 'came_priced' } })
  expect(await rerated(world, { tariff: POTOMACS, includePriced: true })).toMatchObject({
    verdict: 'changed',
    prices: ['7', undefined, '3'],
    rated: 'provider',
  })
  await world.given({ rates: ratesAt('4', [POTOMACS]) })
  expect(await rerated(world, { provider: 1 })).toMatchObject({
    verdict: 'changed',
    prices: ['7', undefined, '4'],
    rated: 'provider',
  })
})

test.each([
  ['incoming', { incoming: '1', user_price: '0.5' }, '0.5'],
  ['internal', { dst: '112' }, '0'],
])('an %s call is skipped, even where its price may be replaced', async (skipped, columns, price) => {
  const world = await aWorldWithCall(columns)

  expect(await rerated(world, { includePriced: true })).toMatchObject({
    verdict: { skipped },
    prices: [price, undefined, undefined],
  })
})

test.each(sides)('an unanswered call costs the %s nothing, with or without a rate', async (_side, tariff) => {
  const world = await aWorldWithCall({ billsec: '0' })

  expect(await rerated(world, { tariff })).toMatchObject({ verdict: 'same' })
  await world.given({ rates: ratesElsewhere([RETAIL, RICKS, POTOMACS]) })
  expect(await rerated(world, { tariff })).toMatchObject({
    prices: ['0', '0', '0'],
    rated: 'user reseller provider',
  })
})

test('a call older than its tariff is rated by the first version of the tariff', async () => {
  const world = await aWorldWithCall({ calldate: '2026-03-09 10:00:00' })
  world.now = new Date('2026-03-12T00:00:00Z')
  await world.given({ rates: ratesAt('3') })
  await rerated(world)

  const done = await rerated(world, { with: 'as-of' })

  expect(done).toMatchObject({ verdict: 'changed', prices: ['2', '1', '1'] })
})

test.each([
  ['an answered call is rated by the oldest that are', {}, { verdict: 'changed', prices: ['6', '3', '3'] }],
  [
    'an unanswered call costs nothing',
    { billsec: '0', user_price: '7' },
    { verdict: 'changed', prices: ['0', '0', '0'] },
  ],
])('%s if the versions of its tariffs are no longer kept', async (_case, columns, expected) => {
  const world = await aWorldWithCall(columns)
  for (const price of ['3', '4']) {
    world.now = new Date(world.now.getTime() + 1000)
    await world.given({ rates: ratesAt(price) })
  }
  await world.store.removeBatch(
    [RETAIL, RICKS, POTOMACS].map((tariff) => versionKeys.kept(tariffKey(tariff).PK, 1)),
  )

  const done = await rerated(world, { with: 'as-of', includePriced: true })

  expect(done).toMatchObject(expected)
  expect(world.meter.noted).toMatchObject({ oldest_version: 3 })
})

test('a tariff without rates rates no call, neither by its active version nor as of the call', async () => {
  const world = await aWorldWithCall()
  await world.given({
    tariffs: [{ id: '4', name: 'Empty', purpose: 'provider', currency: 'USD', owner_id: '0' }],
    providers: [{ id: '1', name: 'Potomac', tariff_id: '4' }],
  })

  for (const choice of ['active', 'as-of'] as const)
    expect(await rerated(world, { with: choice, tariff: 4 })).toMatchObject({
      verdict: { skipped: 'unknown_rate' },
    })
})

test('a planned change is made; a call that another writer changed is re-rated first, or left', async () => {
  const world = await aWorldWithCall()
  await world.given({ rates: ratesAt('3') })
  const rerate = await openRerater(world.store, ACTIVE)
  const planned = async () => (await rerate(await searchedCalls(world))).filter(isChange) as CallChange[]
  const [plan, later] = [await planned(), await planned()]
  const lengthen = (billsec: string) =>
    consume(world, { type: 'calls', records: [{ uniqueid: 'carols', ...aMinute, user_id: '20', billsec }] })

  await lengthen('120')
  expect(await storeRerated(world.store, rerate, plan)).toEqual([])
  await world.given({ rates: ratesAt('5') })
  const [change] = await storeRerated(world.store, await openRerater(world.store, ACTIVE), later)

  expect(change).toMatchObject({ before: { user_price: '12' }, after: { billsec: 120, user_price: '20' } })
  expect(await searchedCalls(world)).toMatchObject([{ user_price: '20' }])
})
