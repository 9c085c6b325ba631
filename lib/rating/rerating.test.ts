import { expect, test } from 'vitest'
import { ALL_TIME } from '#lib/domain/calendar.ts'
import type { Call } from '#lib/store/calls/call.ts'
import { listCallDays, listCalls } from '#lib/store/calls/call-search.ts'
import { storeCalls } from '#lib/store/calls/call-storage.ts'
import { tariffKey } from '#lib/store/keys.ts'
import { providerKey } from '#lib/store/rates/provider.ts'
import { versionKeys } from '#lib/store/rates/version-history.ts'
import { people } from '#lib/testing/examples.ts'
import { consume } from '#lib/testing/queue.ts'
import { damageIn } from '#lib/testing/soundness.ts'
import { aMinute, rate, threeTariffs, withTariff } from '#lib/testing/tariffs.ts'
import { aWorld, type World } from '#lib/testing/world.ts'
import { openRerater, type ReratingWish, type Verdict } from './rerating.ts'

const [RETAIL, RICKS, POTOMACS] = [1, 2, 3]

const ratesAt = (price: string, tariffs: readonly number[] = [RETAIL, RICKS, POTOMACS]) =>
  tariffs.map((tariff) => rate({ tariff_id: String(tariff), prefix: '44', tariff_rate: price }))

/** Rates that no call of these tests is rated by. */
const ratesElsewhere = (tariffs: readonly number[]) =>
  tariffs.map((tariff) => rate({ tariff_id: String(tariff), prefix: '49' }))

/** A minute of Carol's: she pays by tariff 2, Rick by tariff 1, and Potomac charges by tariff 3. */
const carols = (columns: Readonly<Record<string, string>> = {}) => ({
  uniqueid: 'carols',
  ...aMinute,
  user_id: '20',
  provider_id: '1',
  ...columns,
})

async function aWorldWith(call: Readonly<Record<string, string>>) {
  const world = await aWorld({ ...threeTariffs, rates: ratesAt('1') })
  await consume(world, { type: 'calls', records: [call] })
  return world
}

async function callsIn({ store }: World): Promise<Call[]> {
  const days = await listCallDays(store, ['everyone'], { from: '2026-03-01', till: '2026-03-31' })
  const calls: Call[] = []
  for await (const page of listCalls(store, days, ALL_TIME)) calls.push(...page)
  return calls
}

/** Re-rates and stores every call of a world; returns the verdict on the only one, and what it holds afterwards. */
async function rerated(world: World, wish: Partial<ReratingWish> = {}) {
  const whole = { with: 'active', includeInvoiced: false, includePriced: false, ...wish } as const
  const damage = await damageIn(world)
  const verdicts = await (await openRerater(world.store, whole))(await callsIn(world))
  const changes = verdicts.flatMap((verdict) => (isChange(verdict) ? [verdict] : []))
  expect(await storeCalls(world.store, changes)).toEqual([])
  expect(await damageIn(world)).toEqual(damage)
  const [call] = await callsIn(world)
  const prices = [call?.user_price, call?.reseller_price, call?.provider_price]
  const [verdict] = verdicts
  return {
    verdict: verdict && isChange(verdict) ? 'changed' : verdict,
    prices,
    rates: [call?.user_rate, call?.provider_rate],
    rated: call?.rated,
  }
}

const isChange = (verdict: Verdict) => typeof verdict === 'object' && 'after' in verdict

const sides = [
  ['customer', RICKS, ['6', '1', '1'], ['6', '1']],
  ['reseller', RETAIL, ['2', '3', '1'], ['2', '1']],
  ['provider', POTOMACS, ['2', '1', '3'], ['2', '3']],
] as const

test.each(sides)(
  'the price of the %s alone is made by its tariff alone',
  async (_side, tariff, prices, rates) => {
    const world = await aWorldWith(carols())
    await world.given({ rates: ratesAt('3') })

    const done = await rerated(world, { tariff })

    expect(done).toEqual({ verdict: 'changed', prices, rates, rated: 'user reseller provider' })
  },
)

test.each(sides)(
  'the price of the %s alone needs no rate of the others',
  async (_side, tariff, prices, rates) => {
    const world = await aWorldWith(carols())
    const others = [RETAIL, RICKS, POTOMACS].filter((other) => other !== tariff)
    await world.given({ rates: [...ratesAt('3', [tariff]), ...ratesElsewhere(others)] })

    const done = await rerated(world, { tariff })

    expect(done).toEqual({ verdict: 'changed', prices, rates, rated: 'user reseller provider' })
  },
)

test.each(sides)('a %s without a rate any more leaves the call as it is', async (_side, tariff) => {
  const world = await aWorldWith(carols())
  await world.given({ rates: ratesElsewhere([tariff]) })

  const done = await rerated(world)

  expect(done).toMatchObject({ verdict: { skipped: 'unknown_rate' }, prices: ['2', '1', '1'] })
})

test('a provider that is gone leaves the price of the customer to its own tariff', async () => {
  const world = await aWorldWith(carols())
  await world.given({ rates: ratesAt('3') })
  await world.store.removeBatch([providerKey(1)])

  const done = await rerated(world, { tariff: RICKS })

  expect(done).toMatchObject({ verdict: 'changed', prices: ['6', '1', '1'] })
})

test('a customer whose tariff was taken away leaves the price of the provider to its own tariff', async () => {
  const world = await aWorldWith(carols())
  await world.given({ rates: ratesAt('3'), users: withTariff(people, { bob: '1', rick: '1' }) })

  const done = await rerated(world, { tariff: POTOMACS })

  expect(done).toMatchObject({ verdict: 'changed', prices: ['2', '1', '3'] })
})

test('prices that came with the call stay, and the others are made', async () => {
  const world = await aWorldWith(carols({ reseller_price: '7', provider_price: '8' }))
  await world.given({ rates: [...ratesAt('3', [RICKS]), ...ratesElsewhere([RETAIL, POTOMACS])] })

  const done = await rerated(world)

  expect(done).toEqual({
    verdict: 'changed',
    prices: ['6', '7', '8'],
    rates: ['6', undefined],
    rated: 'user',
  })
})

test('a call whose customer price came with it keeps that price when the provider’s is made, then and later', async () => {
  const world = await aWorldWith(carols({ user_price: '7' }))
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

test('an internal call stays without rates', async () => {
  const world = await aWorldWith(carols({ dst: '112' }))

  const done = await rerated(world, { includePriced: true })

  expect(done).toMatchObject({ verdict: { skipped: 'internal' }, prices: ['0', undefined, undefined] })
})

test.each(sides)('an unanswered call costs the %s nothing, with or without a rate', async (_side, tariff) => {
  const world = await aWorldWith(carols({ billsec: '0' }))

  expect(await rerated(world, { tariff })).toMatchObject({ verdict: 'same' })
  await world.given({ rates: ratesElsewhere([RETAIL, RICKS, POTOMACS]) })
  expect(await rerated(world, { tariff })).toMatchObject({
    prices: ['0', '0', '0'],
    rated: 'user reseller provider',
  })
})

test('a call older than its tariff is rated by the first version of the tariff', async () => {
  const world = await aWorldWith(carols({ calldate: '2026-03-09 10:00:00' }))
  world.now = new Date('2026-03-12T00:00:00Z')
  await world.given({ rates: ratesAt('3') })
  await rerated(world)

  const done = await rerated(world, { with: 'as-of' })

  expect(done).toMatchObject({ verdict: 'changed', prices: ['2', '1', '1'] })
})

/** Three versions of every tariff, the first of which is deleted. */
async function givenWithoutFirstVersions(world: World): Promise<void> {
  for (const price of ['3', '4']) await world.given({ rates: ratesAt(price) })
  await world.store.removeBatch(
    [RETAIL, RICKS, POTOMACS].map((tariff) => versionKeys.kept(tariffKey(tariff), 1)),
  )
}

test('a call whose version is not kept any more stays as it is', async () => {
  const world = await aWorldWith(carols())
  await givenWithoutFirstVersions(world)

  const done = await rerated(world, { with: 'as-of' })

  expect(done).toMatchObject({ verdict: { skipped: 'version_gone' }, prices: ['2', '1', '1'] })
})

test('an unanswered call costs nothing although its version is not kept any more', async () => {
  const world = await aWorldWith(carols({ billsec: '0', user_price: '7' }))
  await givenWithoutFirstVersions(world)

  const done = await rerated(world, { with: 'as-of', includePriced: true })

  expect(done).toMatchObject({ verdict: 'changed', prices: ['0', '0', '0'] })
})

test('a tariff that never had rates has no rate for any call, whichever version is asked for', async () => {
  const world = await aWorldWith(carols())
  await world.given({
    tariffs: [{ id: '4', name: 'Empty', purpose: 'provider', currency: 'USD', owner_id: '0' }],
    providers: [{ id: '1', name: 'Potomac', tariff_id: '4' }],
  })

  for (const choice of ['active', 'as-of'] as const)
    expect(await rerated(world, { with: choice, tariff: 4 })).toMatchObject({
      verdict: { skipped: 'unknown_rate' },
    })
})
