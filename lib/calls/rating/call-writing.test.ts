import { expect, test } from 'vitest'
import { ID_USED, KEPT_CHANGING } from '#lib/base/row-refused.ts'
import { readSettings } from '#lib/settings/settings.ts'
import type { Store } from '#lib/table/store.ts'
import { carolsCall, rate, threeTariffs } from '#test/examples/tariffs.ts'
import { aWorld, type World } from '#test/world.ts'
import { findCalls } from '../call.ts'
import { writeCalls } from './call-writing.ts'
import { type CallVersion, changeCalls } from './change-calls.ts'

/** A record whose digest is that of its own columns. */
const record = (change: Partial<CallVersion['row']> = {}): CallVersion => ({
  row: { ...carolsCall, ...change },
  digest: JSON.stringify(change),
})

const ratedWorld = () =>
  aWorld({
    ...threeTariffs,
    rates: ['1', '2', '3'].map((tariff_id) => rate({ tariff_id, prefix: '44', tariff_rate: tariff_id })),
  })

const write = (store: Store, ...records: readonly CallVersion[]) => writeCalls(store, records, () => false)

const storedIn = async ({ store }: World, source?: string) =>
  (await findCalls(store, [{ uniqueid: 'carols', source }]))[0]

/** A store before whose first writes of Carol's call another writer changes it, `times` times. */
function contended({ store }: World, times: number) {
  let [left, attempts] = [times, 0]
  const transact: Store['transact'] = async (changes) => {
    if (!JSON.stringify(changes).includes('"CALL#carols"')) return store.transact(changes)
    attempts += 1
    if (left > 0) await write(store, record({ duration: 1000 + left }))
    left -= 1
    return store.transact(changes)
  }
  return { store: { ...store, transact }, attempts: () => attempts }
}

test('a call that changes at each of 20 attempts is refused', async () => {
  const world = await ratedWorld()
  await write(world.store, record())
  const { store, attempts } = contended(world, 25)

  expect(await write(store, record({ duration: 90 }))).toEqual([{ refused: KEPT_CHANGING }])
  expect(attempts()).toBe(20)
})

test('calls are decided once, and no calls not at all', async () => {
  const { store } = await ratedWorld()
  const seen: number[] = []
  const decide = async (open: readonly unknown[]) => {
    seen.push(open.length)
    return open.map(() => ({}))
  }

  const table = { store, settings: readSettings({}) }
  await changeCalls(table, [{ identity: carolsCall, input: carolsCall, before: undefined }], decide)
  await changeCalls(table, [], decide)

  expect(seen).toEqual([1])
})

test('a call that is expected to be new is only read if it is not', async () => {
  const [one, other] = [await ratedWorld(), await ratedWorld()]
  const requestsOf = async (world: World, isNew: boolean) => {
    const before = world.meter.spent.requests
    const outcome = await writeCalls(world.store, [record()], () => isNew)
    return { outcome, requests: world.meter.spent.requests - before }
  }
  const [expected, unexpected] = [await requestsOf(one, true), await requestsOf(other, false)]

  expect([expected.outcome, unexpected.outcome]).toEqual([['new'], ['new']])
  expect(expected.requests).toBe(unexpected.requests - 1)
  expect(await writeCalls(one.store, [record({ duration: 90 })], () => true)).toEqual(['changed'])
  expect(await storedIn(one)).toMatchObject({ duration: 90, version: 2 })
})

test('a record with the same digest or the same values changes nothing', async () => {
  const { store } = await ratedWorld()
  const priced = record({ user_price: '7' })

  expect(await write(store, priced)).toEqual(['new'])
  expect(await write(store, priced, priced)).toEqual(['unchanged', 'unchanged'])
  expect(await write(store, { ...record(), digest: priced.digest })).toEqual(['unchanged'])
  expect(await write(store, { ...priced, digest: 'other' })).toEqual(['unchanged'])
  expect(await write(store, record({ user_price: '7', owner_id: 2 }))).toEqual(['unchanged'])
  expect(await write(store, record({ user_price: '7', owner_id: 3 }))).toEqual(['changed'])
})

test('records of one call in a batch count as if they came one by one', async () => {
  const { store } = await ratedWorld()
  const records = [{}, {}, { duration: 90 }, { duration: 90 }, {}].map((change) => record(change))

  expect(await write(store, ...records)).toEqual(['new', 'unchanged', 'changed', 'unchanged', 'changed'])
})

test('a record that cannot be rated is refused, and the one before it is stored', async () => {
  const { store } = await ratedWorld()

  expect(await write(store, record(), record({ dst: '999999' }))).toEqual([
    'new',
    { refused: 'tariff 2 of account 20 has no rate for 999999' },
  ])
})

test('records of a call whose last one is stored already change nothing', async () => {
  const { store } = await ratedWorld()
  await write(store, record())

  expect(await write(store, record({ duration: 90 }), record())).toEqual(['unchanged', 'unchanged'])
})

test('the calls of one id at two switches are two calls', async () => {
  const { store } = await ratedWorld()

  expect(await write(store, record(), record({ source: 'pbx' }))).toEqual(['new', 'new'])
})

test.each([{ calldate: carolsCall.calldate + 1 }, { src: '2' }, { dst: '442079460001' }])(
  'a switch does not overwrite a call with another one of the same id, but %j of an import does',
  async (change) => {
    const world = await ratedWorld()
    const source = 'pbx'
    await write(world.store, record(), record({ source }))

    expect(await write(world.store, record({ ...change, source }))).toEqual([{ refused: ID_USED }])
    expect(await write(world.store, record({ duration: 90, source }), record(change))).toEqual([
      'changed',
      'changed',
    ])
  },
)

test.each([
  ['the customer, its reseller and its provider', { provider_id: 1 }, 'user reseller provider'],
  ['the customer and its reseller', {}, 'user reseller'],
  ['a direct customer', { user_id: 10 }, 'user'],
  ['the customer, whose reseller’s price came with it', { reseller_price: '1' }, 'user'],
  ['nobody: it came with its price', { user_price: '1', provider_id: 1 }, ''],
  ['nobody: it came with its price, though it is internal', { user_price: '1', dst: '112' }, ''],
  ['nobody: it is incoming', { incoming: true }, 'incoming'],
  ['nobody: it came with its price, though it is incoming', { incoming: true, user_price: '1' }, ''],
  ['nobody: it is internal', { dst: '112' }, 'internal'],
])('a call is rated here for %s', async (_case, change, rated) => {
  const world = await ratedWorld()
  await write(world.store, record(change))

  expect(await storedIn(world)).toMatchObject({ rated })
})

test('a call below its cost is noted', async () => {
  const { store, meter } = await ratedWorld()

  await write(store, record({ user_id: 10, provider_id: 1 }), record({ uniqueid: 'other' }))

  expect(meter.noted).toEqual({ calls_stored: 2, below_cost: 1 })
})

test('an answered call without a price is noted with the form of its number', async () => {
  const { store, meter } = await ratedWorld()

  await write(store, record({ dst: '*98' }), record({ uniqueid: 'short', dst: '3001' }))

  expect(meter.noted).toEqual({ calls_stored: 2, unpriced_feature_code: 1, unpriced_short_number: 1 })
})

test('the day of a call is that of the installation’s time zone', async () => {
  const world = await ratedWorld()
  await world.set({ Timezone: 'Europe/Vilnius' })
  await write(world.store, record({ calldate: Date.UTC(2026, 2, 10, 23) / 1000 }))

  expect(await storedIn(world)).toMatchObject({ day: '2026-03-11' })
})
