import { expect, test } from 'vitest'
import type { Scope } from '#lib/base/scope.ts'
import { listDaysOfCalls } from '#lib/calls/counters/call-stats.ts'
import { people } from '#test/examples/examples.ts'
import { mishaps } from '#test/faults/faulty-endpoint.ts'
import { aWatchedTable } from '#test/faults/watched-table.ts'
import { consume } from '#test/queue/queue.ts'
import { aWorld, type World } from '#test/world.ts'

const call = {
  uniqueid: '1773140400.7',
  calldate: '2026-03-10 11:00:00',
  src: '37000001',
  dst: '12025550199',
  disposition: 'ANSWERED',
  duration: 70,
  billsec: 61,
  hangupcause: 16,
  user_id: 20,
  user_price: '0.10',
  reseller_price: '0.07',
  provider_price: '0.0500001',
}

const aWorldOfPeople = () => aWorld({ users: people })

const countersOf = async (world: World, scope: Scope) => {
  const [day] = await listDaysOfCalls(world.store, scope, { from: '2026-01-01', till: '2026-12-31' })
  return day?.tally
}

test('a call is stored and counted for its customer, the owner and everyone', async () => {
  const world = await aWorldOfPeople()

  expect(await consume(world, { type: 'call', ...call })).toEqual({ batchItemFailures: [] })

  const counted = { calls: 1, answered: 1, billsec: 61 }
  expect(await countersOf(world, { user: 20 })).toEqual({
    ...counted,
    revenue: '0',
    self_cost: '0',
  })
  expect(await countersOf(world, { owner: 2 })).toEqual({
    ...counted,
    revenue: '0.1',
    self_cost: '0.07',
  })
  expect(await countersOf(world, 'everyone')).toEqual({
    ...counted,
    revenue: '0.07',
    self_cost: '0.0500001',
  })
})

test.each([
  ["admin's", 10, 8],
  ["a reseller's", 20, 10],
])('a call of %s customer that comes alone costs few write units', async (_owner, user_id, units) => {
  const world = await aWorldOfPeople()
  await consume(world, { type: 'call', ...call, user_id, uniqueid: 'first-of-its-day' })

  await consume(world, { type: 'call', ...call, user_id })

  expect(world.log.at(-1)).toMatchObject({ outcome: 'ingested', write_units: units })
})

test.each([
  ["admin's", 10, 10],
  ["a reseller's, whose reseller pays as well,", 20, 14],
])(
  'with balances, a call of %s customer that comes alone costs two units more for each payer',
  async (_owner, user_id, units) => {
    const world = await aWorldOfPeople()
    await world.set({ Balance_From: '2026-03-01' })
    await consume(world, { type: 'call', ...call, user_id, uniqueid: 'first-of-its-day' })

    await consume(world, { type: 'call', ...call, user_id })

    expect(world.log.at(-1)).toMatchObject({ outcome: 'ingested', write_units: units })
  },
)

test('with balances, 100 calls of one customer in a message cost at most 6.2 units each', async () => {
  const world = await aWorldOfPeople()
  await world.set({ Balance_From: '2026-03-01' })
  const records = Array.from({ length: 100 }, (_, n) => ({ ...call, uniqueid: `call-${n}` }))

  await consume(world, { type: 'calls', records })

  expect(world.log.at(-1)).toMatchObject({ outcome: 'ingested' })
  expect(Number(world.log.at(-1)?.['write_units']) / records.length).toBeLessThanOrEqual(6.2)
})

test('a repeated record, alone or in a batch, is counted once', async () => {
  const world = await aWorldOfPeople()
  await consume(world, { type: 'call', ...call }, { type: 'calls', records: [call, call] })
  const before = await world.dump()

  await consume(world, { type: 'calls', records: [call] })

  expect(await world.dump()).toEqual(before)
  expect(await countersOf(world, 'everyone')).toMatchObject({ calls: 1 })
})

test('a corrected record replaces the call and corrects the counters', async () => {
  const world = await aWorldOfPeople()
  await consume(world, { type: 'call', ...call })

  await consume(world, { type: 'call', ...call, user_id: 10, user_price: '0.3', reseller_price: '' })

  expect(await countersOf(world, { user: 20 })).toMatchObject({
    calls: 0,
    answered: 0,
    billsec: 0,
  })
  expect(await countersOf(world, { owner: 2 })).toMatchObject({ revenue: '0', self_cost: '0' })
  expect(await countersOf(world, { user: 10 })).toMatchObject({ calls: 1 })
  expect(await countersOf(world, 'everyone')).toMatchObject({ calls: 1, revenue: '0.3' })
})

test.each([
  ['no JSON', 'nonsense', 'is not JSON'],
  ['no object', '[1]', 'is not a JSON object'],
  ['no type', { ...call }, 'has no type'],
  ['an unknown type', { type: 'constructor' }, 'has the type "constructor", which is unknown'],
  ['no records', { type: 'calls' }, 'has no records'],
  ['a nested record', { type: 'calls', records: [[call]] }, 'holds a record that is not a flat JSON object'],
  ['an unknown column', { type: 'call', ...call, colour: 'red' }, 'unknown column "colour"'],
  ['an unknown customer', { type: 'call', ...call, user_id: 999 }, 'user_id: there is no account 999'],
  ['a price of too many digits', { type: 'call', ...call, user_price: '1'.repeat(16) }, 'user_price takes'],
  [
    'a unique id of too many characters',
    { type: 'call', ...call, uniqueid: 'x'.repeat(151) },
    'uniqueid takes',
  ],
  ['negative seconds', { type: 'call', ...call, billsec: -1 }, 'billsec takes'],
])('a message with %s fails alone, and the log has the reason', async (_case, body, reason) => {
  const world = await aWorldOfPeople()

  expect(await consume(world, body, { type: 'call', ...call, uniqueid: 'other' })).toEqual({
    batchItemFailures: [{ itemIdentifier: 'm1' }],
  })

  expect(world.log[0]).toMatchObject({ outcome: 'refused', message: 'm1' })
  expect(world.log[0]?.['reason']).toContain(reason)
  expect(await countersOf(world, 'everyone')).toMatchObject({ calls: 1 })
})

test('one refused record does not keep the others of its batch from being stored', async () => {
  const world = await aWorldOfPeople()

  const answer = await consume(world, {
    type: 'calls',
    records: [
      { ...call, user_id: 999 },
      { ...call, uniqueid: 'other' },
    ],
  })

  expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'm1' }] })
  expect(await countersOf(world, 'everyone')).toMatchObject({ calls: 1 })
})

test('records fail, and are not refused, if the table does not answer', async () => {
  const world = await aWorldOfPeople()
  const table = await aWatchedTable(world)
  table.fail(({ operation }) => (operation === 'TransactWriteItems' ? mishaps.throttled() : undefined))

  const answer = await consume(table.connect().world, { type: 'call', ...call })

  expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'm1' }] })
  expect(world.log[0]).toMatchObject({ outcome: 'failed', message: 'm1' })
})
