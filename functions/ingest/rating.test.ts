import { expect, test } from 'vitest'
import { findCalls } from '#lib/calls/call.ts'
import { tariffKey } from '#lib/table/keys.ts'
import type { DatasetRows } from '#test/datasets/import-rows.ts'
import { people } from '#test/examples/examples.ts'
import { consume } from '#test/queue/queue.ts'
import { aWorld, type World } from '#test/world.ts'

const tariffOf: Readonly<Record<string, string>> = { bob: '1', rick: '2', carol: '3', dave: '3' }

const tariff = (id: string, currency = '') => ({ id, name: `tariff ${id}`, currency, owner_id: '0' })

const rate = (tariff_id: string, prefix: string, tariff_rate: string, rest = {}) => ({
  tariff_id,
  direction: 'Somewhere',
  destination: `Somewhere ${prefix}`,
  prefix,
  tariff_rate,
  con_fee: '0',
  increment: '1',
  min_time: '0',
  start_time: '00:00:00',
  end_time: '23:59:59',
  daytype: 'everyday',
  ...rest,
})

const operator: DatasetRows = {
  users: people.map((person) => ({ ...person, tariff_id: tariffOf[person.username] ?? '' })),
  currencies: [{ name: 'EUR', exchange_rate: '0.8' }],
  tariffs: [tariff('1'), tariff('2'), tariff('3', 'EUR'), tariff('4'), tariff('5')],
  rates: [
    rate('1', '1202', '0.06', { con_fee: '0.1', increment: '60', min_time: '60' }),
    rate('1', '1202555', '0.1234567'),
    rate('1', '44', '0.1', { start_time: '08:00:00', end_time: '19:59:59' }),
    rate('1', '44', '0.01', { start_time: '20:00:00', end_time: '07:59:59' }),
    rate('2', '1', '0.03'),
    rate('3', '1', '0.04', { con_fee: '0.004' }),
    rate('4', '1', '0.02'),
    rate('5', '1', '1'),
  ],
  providers: [
    { id: '7', name: 'Priced', tariff_id: '4' },
    { id: '8', name: 'Not priced' },
  ],
}

const call = {
  type: 'call',
  uniqueid: 'x',
  calldate: '2026-03-10 11:00:00',
  dst: '+1 (202) 444',
  billsec: 61,
  hangupcause: 16,
  user_id: 10,
}

async function anOperator(): Promise<World> {
  const world = await aWorld(operator)
  await world.store.update(tariffKey(5), { set: { currency: 'XYZ' } })
  return world
}

async function arrives(world: World, record: object) {
  await consume(world, { ...call, ...record })
  const [stored] = await findCalls(world.store, [{ uniqueid: 'x' }])
  return stored
}

test.each([
  ['connection fee, increment, minimum time', {}, { user_rate: '0.06', user_price: '0.22' }],
  [
    'the longest prefix, rounded once',
    { dst: '12025550100' },
    { user_rate: '0.1234567', user_price: '0.125514' },
  ],
  ['the minimum time', { billsec: 1 }, { user_price: '0.16' }],
  ['a number with the international prefix', { dst: '00442012' }, { user_rate: '0.1' }],
  ['a number with a plus', { dst: '+442012' }, { user_rate: '0.1' }],
  ['nothing talked', { billsec: 0 }, { user_rate: '0.06', user_price: '0' }],
  ['nothing talked, nowhere', { billsec: 0, dst: '999' }, { user_rate: undefined, user_price: '0' }],
  [
    'the window of the start, by day',
    { dst: '442012', calldate: '2026-03-10 19:59:59', billsec: 60 },
    { user_price: '0.1' },
  ],
  [
    'the window of the start, by night',
    { dst: '442012', calldate: '2026-03-09 20:00:00', billsec: 60 },
    { user_price: '0.01' },
  ],
  ['no reseller for a direct customer', {}, { reseller_price: undefined, direct: true }],
  [
    'a provider with a tariff',
    { provider_id: 7, billsec: 60 },
    { provider_rate: '0.02', provider_price: '0.02' },
  ],
  ['a provider without one', { provider_id: 8 }, { provider_rate: undefined, provider_price: undefined }],
  ['a provider whose price came along', { provider_id: 7, provider_price: '9' }, { provider_price: '9' }],
  [
    "a reseller's customer, in another currency",
    { user_id: 20, billsec: 60 },
    { user_rate: '0.05', user_price: '0.055', reseller_price: '0.03', direct: false },
  ],
  ["an owner's price that came along", { user_id: 20, reseller_price: '7' }, { reseller_price: '7' }],
  [
    'a call that was rated elsewhere',
    { user_price: '5', provider_id: 7 },
    { user_price: '5', user_rate: undefined, provider_price: undefined },
  ],
  [
    'an incoming call',
    { incoming: 1, provider_id: 7 },
    { incoming: true, user_price: '0', user_rate: undefined, provider_price: undefined, rated: 'incoming' },
  ],
])('rated: %s', async (_case, record, expected) => {
  const stored: Readonly<Record<string, unknown>> = { ...(await arrives(await anOperator(), record)) }

  expect(stored).toHaveProperty('user_price')
  expect(Object.fromEntries(Object.keys(expected).map((name) => [name, stored[name]]))).toEqual(expected)
})

test('a number with the national prefix is rated in its country', async () => {
  const world = await anOperator()
  const prefixes = { National_Prefix: '0', Country_Code: '44' }
  await world.given({ settings: Object.entries(prefixes).map(([name, value]) => ({ name, value })) })

  expect(await arrives(world, { dst: '0207946' })).toMatchObject({ user_rate: '0.1', dst: '0207946' })
})

test.each([
  ['an extension', '2001'],
  ['an emergency number', '112'],
])('a call to %s is internal and costs nothing in any tariff', async (_case, dst) => {
  const world = await anOperator()
  await world.given({
    devices: [{ id: '1', user_id: '10', name: 'phone', extension: '2001', device_type: 'SIP' }],
  })

  const stored = await arrives(world, { dst, provider_id: 7, user_id: 40 })
  expect(stored).toMatchObject({ dst, user_price: '0' })
  expect([stored?.user_rate, stored?.reseller_price, stored?.provider_price]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})

test.each([
  ['no rate', { dst: '37060000000' }, 'tariff 1 of account 10 has no rate for 37060000000'],
  ['a blank number', { dst: '' }, 'tariff 1 of account 10 has no rate for a blank dst'],
  ['no tariff', { user_id: 40 }, 'account 40 has no tariff to rate by'],
  ['no tariff of the owner', { user_id: 30, dst: '1' }, 'account 3 has no tariff to rate by'],
  ['no such provider', { provider_id: 77 }, 'provider_id: there is no provider 77'],
])('%s is rejected with its reason, and nothing is stored', async (_case, record, reason) => {
  const world = await anOperator()

  expect(await arrives(world, record)).toBeUndefined()
  expect(world.log[0]).toMatchObject({ outcome: 'refused', message: 'm1', reason })
})

test('the last record of a call in a batch that can be rated counts', async () => {
  const world = await anOperator()
  const records = [{ billsec: 1 }, { billsec: 2 }, { dst: '37060000000' }]
  const { batchItemFailures } = await consume(world, ...records.map((record) => ({ ...call, ...record })))
  expect(batchItemFailures).toEqual([{ itemIdentifier: 'm3' }])
  expect(await findCalls(world.store, [{ uniqueid: 'x' }])).toMatchObject([{ billsec: 2, version: 1 }])
})

test('an unknown currency and a missing tariff also reject a record', async () => {
  const world = await anOperator()
  const bob = people.find(({ username }) => username === 'bob')
  const { now } = world
  world.now = new Date('2026-03-01T00:00:00Z')
  await world.given({ users: [{ ...bob, tariff_id: '5' }] as NonNullable<DatasetRows['users']> })
  world.now = now
  expect(await arrives(world, {})).toBeUndefined()
  expect(world.log[0]?.['reason']).toBe('there is no currency XYZ, in which tariff 5 charges')
})

test('a stored call keeps its rating when its tariff changes', async () => {
  const world = await anOperator()
  await arrives(world, {})
  await world.given({ rates: [rate('1', '1', '99')] })

  expect(await arrives(world, {})).toMatchObject({ user_price: '0.22', version: 1 })
  expect(await arrives(world, { duration: 90 })).toMatchObject({ user_price: '100.65', version: 2 })
})

test.each([
  ['no tariff', { user_id: 40 }],
  ['no tariff of the owner', { user_id: 30 }],
  ['no rate', { dst: '37060000000' }],
])('a call without billed seconds costs nothing, with %s', async (_case, record) => {
  const stored = await arrives(await anOperator(), { ...record, billsec: 0, hangupcause: 17 })

  expect(stored).toMatchObject({ user_price: '0' })
})

test("a correction is rated for the stored call's owner, even if the customer has a new one", async () => {
  const world = await anOperator()
  expect(await arrives(world, { user_id: 20 })).toMatchObject({ owner_id: 2, reseller_price: '0.0305' })
  const carol = operator.users?.filter(({ username }) => username === 'carol') ?? []
  await world.given({ users: carol.map((user) => ({ ...user, owner_id: '0' })) })

  expect(await arrives(world, { user_id: 20, duration: 90 })).toMatchObject({
    owner_id: 2,
    direct: false,
    reseller_price: '0.0305',
    version: 2,
  })
})

test('a correction of a direct call has no reseller price either', async () => {
  const world = await anOperator()
  expect(await arrives(world, {})).toMatchObject({ owner_id: 0, direct: true })
  const bob = operator.users?.filter(({ username }) => username === 'bob') ?? []
  await world.given({ users: bob.map((user) => ({ ...user, owner_id: '2' })) })

  const corrected = await arrives(world, { duration: 90 })

  expect(corrected).toMatchObject({ owner_id: 0, direct: true, version: 2 })
  expect(corrected?.reseller_price).toBeUndefined()
})

test('of two records of one call only the one that cannot be rated fails', async () => {
  const world = await anOperator()

  const answer = await consume(world, { ...call, duration: 5 }, { ...call, dst: '99912345' })

  expect(answer.batchItemFailures).toEqual([{ itemIdentifier: 'm2' }])
  expect(await findCalls(world.store, [{ uniqueid: 'x' }])).toMatchObject([
    { duration: 5, user_price: '0.22' },
  ])
})
