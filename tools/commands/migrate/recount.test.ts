import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Scope } from '#lib/base/scope.ts'
import { moveArchivedBefore } from '#lib/calls/archived-day.ts'
import { listDaysOfCalls } from '#lib/calls/counters/call-stats.ts'
import { type FurtherSums, NO_FURTHER } from '#lib/calls/counters/statistics.ts'
import { hasFurtherSums } from '#lib/calls/retention.ts'
import { COUNTED_FROM } from '#lib/settings/settings.ts'
import { settingsKey, settingsOf } from '#lib/settings/stored-settings.ts'
import { keyIn } from '#lib/table/keys.ts'
import { people } from '#test/examples/examples.ts'
import { migrated, toMigrate } from '#test/releases/migrated.ts'
import { damageIn } from '#test/soundness.ts'
import { runs } from '#test/sweep.ts'
import { aWorld, type World } from '#test/world.ts'

type Cells = Readonly<Record<string, string>>

const DAY = '2026-03-09'

const call = (uniqueid: string, cells: Cells = {}): Cells => ({
  uniqueid,
  calldate: `${DAY} 10:00:00`,
  dst: '442079460000',
  disposition: 'ANSWERED',
  billsec: '60',
  hangupcause: '16',
  user_id: '10',
  user_price: '0.1',
  provider_price: '0.04',
  provider_id: '1',
  ...cells,
})

const given = { users: people, providers: [{ id: '1', name: 'Potomac' }] }

/** Takes from the table what releases before the further sums did not write. */
async function asBefore({ store, dump }: World): Promise<void> {
  const removed = Object.fromEntries(Object.keys(NO_FURTHER).map((name) => [name, undefined]))
  for (const item of await dump())
    if (item.PK.startsWith('STATS#') && item.SK.startsWith('DAY#'))
      await store.update(keyIn(item), { set: removed })
  await store.update(settingsKey, { set: { table_format: 1, table_release: '1.0.0' } })
}

async function migrate(world: World, run = migrated) {
  const problems: string[] = []
  const { recounted } = await run(world, { onNote: (sentence) => problems.push(sentence) })
  return { recounted, problems }
}

const furtherOf = async ({ store }: World, scope: Scope, day = DAY): Promise<FurtherSums | undefined> =>
  (await listDaysOfCalls(store, scope, { from: day, till: day }))[0]?.further

const sums = (changed: Partial<FurtherSums>) => ({ ...NO_FURTHER, ...changed })

test('counters have what every call of a customer costs, and how often they changed', async () => {
  const world = await aWorld({
    ...given,
    calls: [
      call('a'),
      call('b', { hangupcause: '127', user_price: '0.05', provider_price: '' }),
      call('c', { user_id: '20', user_price: '0.3', reseller_price: '0.2', provider_price: '' }),
      call('d', {
        disposition: 'BUSY',
        hangupcause: '17',
        billsec: '0',
        user_price: '0',
        provider_price: '0',
      }),
      call('e', { user_price: '0.01', provider_price: '0.04' }),
    ],
  })
  await world.given({ calls: [call('a', { billsec: '120', user_price: '0.2' })] })

  expect(await furtherOf(world, { user: 10 })).toEqual(
    sums({
      charged: '0.26',
      changes: 5,
      connected: 3,
      seconds: 240,
      earned: '0.26',
      cost: '0.08',
      below_cost: 1,
    }),
  )
  expect(await furtherOf(world, { user: 20 })).toEqual(
    sums({
      charged: '0.3',
      changes: 1,
      connected: 1,
      seconds: 60,
      earned: '0.2',
      unknown_cost: 1,
      unknown_cost_revenue: '0.2',
    }),
  )
  expect(await furtherOf(world, { owner: 2 })).toEqual(sums({ charged: '0.2', changes: 1 }))
  expect(await furtherOf(world, 'everyone')).toEqual(
    sums({ unknown_cost: 1, unknown_cost_revenue: '0.2', below_cost: 1 }),
  )
  expect(await damageIn(world)).toEqual([])
})

const withoutChanges = (further: FurtherSums | undefined) => further && { ...further, changes: 0 }

const SCOPES: readonly Scope[] = [{ user: 10 }, { user: 20 }, { owner: 2 }, 'everyone']

const mixedCalls = [
  call('a'),
  call('b', { user_id: '20', user_price: '0.3', reseller_price: '0.2', provider_price: '' }),
  call('c', { disposition: 'BUSY', hangupcause: '17', billsec: '0', user_price: '0.003' }),
]

test('the migration adds what earlier releases did not count, once', async () => {
  const world = await aWorld({ ...given, calls: mixedCalls })
  const before = await Promise.all(SCOPES.map((scope) => furtherOf(world, scope)))
  await asBefore(world)
  expect(await damageIn(world)).toEqual([])
  expect(hasFurtherSums(DAY, await settingsOf(world.store))).toBe(false)

  expect(await migrate(world, toMigrate)).toEqual({ recounted: 2, problems: [] })
  expect(await migrate(world)).toEqual({ recounted: 2, problems: [] })

  const after = await Promise.all(SCOPES.map((scope) => furtherOf(world, scope)))
  expect(after).toEqual(before.map(withoutChanges))
  expect(hasFurtherSums(DAY, await settingsOf(world.store))).toBe(true)
  await world.store.update(settingsKey, { set: { table_format: 1 } })
  expect(await migrate(world)).toEqual({ recounted: 0, problems: [] })
  expect(await damageIn(world)).toEqual([])
})

const drawnCell = fc.constantFrom('0', '0.01', '0.2', '')

const drawnCall = fc.record({
  id: fc.integer({ min: 1, max: 6 }),
  customer: fc.constantFrom('10', '20'),
  minute: fc.constantFrom('23:10:00', '23:50:00'),
  day: fc.constantFrom('2026-03-08', DAY),
  billsec: fc.constantFrom('0', '60', '61'),
  hangupcause: fc.constantFrom('16', '17'),
  price: fc.constantFrom('0', '0.01', '0.2'),
  cost: drawnCell,
})

const rowOf = ({ id, customer, minute, day, billsec, hangupcause, price, cost }: DrawnCall): Cells => ({
  ...call(`c-${id}`, { billsec, hangupcause, user_id: customer, user_price: price, provider_price: cost }),
  calldate: `${day} ${minute}`,
  disposition: billsec === '0' ? 'NO ANSWER' : 'ANSWERED',
  ...(customer === '20' && { reseller_price: price }),
})

type DrawnCall = typeof drawnCall extends fc.Arbitrary<infer T> ? T : never

test('calls that come, change and move before, during and after a migration are counted', async () => {
  const some = fc.array(drawnCall, { maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(some, some, some, some, async (earlier, deployed, meanwhile, later) => {
      const world = await aWorld(given)
      const store = async (calls: readonly DrawnCall[]) => {
        for (const one of calls) await world.given({ calls: [rowOf(one)] })
      }
      await store(earlier)
      await asBefore(world)
      await store(deployed)
      let reads = 0
      const getMany: World['store']['getMany'] = async (keys, consistency) => {
        const found = await world.store.getMany(keys, consistency)
        if (keys.some(({ PK }) => PK.startsWith('STATS#USER#'))) {
          const came = meanwhile[reads]
          reads += 1
          if (came) await world.given({ calls: [rowOf(came)] })
        }
        return found
      }
      expect((await migrate({ ...world, store: { ...world.store, getMany } })).problems).toEqual([])
      await store(later)

      expect(await damageIn(world)).toEqual([])
    }),
    { numRuns: runs(4, 80) },
  )
})

test("a day that changes at every attempt keeps the table's format; the next run counts it", async () => {
  const world = await aWorld({ ...given, calls: mixedCalls })
  await asBefore(world)
  let came = 0
  const pages: World['store']['list'] = async (query) => {
    const found = await world.store.list(query)
    came += 1
    if (query.partition.startsWith('CALLS#USER#10')) await world.given({ calls: [call(`late-${came}`)] })
    return found
  }

  const { recounted, problems } = await migrate({ ...world, store: { ...world.store, list: pages } })
  expect(recounted).toBe(1)
  // A late call may be counted in a part that the scan has yet to come to: then the day is told of twice.
  expect([...new Set(problems)]).toEqual([
    expect.stringContaining('The calls of account 10 on 2026-03-09 kept changing'),
  ])
  expect(hasFurtherSums(DAY, await settingsOf(world.store))).toBe(false)
  expect(await migrate(world)).toEqual({ recounted: 1, problems: [] })
  expect(await damageIn(world)).toEqual([])
})

test('archived days are left as they are, and readers know', async () => {
  const world = await aWorld({
    ...given,
    calls: [...mixedCalls, call('next', { calldate: '2026-03-10 09:00:00' })],
  })
  await asBefore(world)
  await moveArchivedBefore(world.store, '2026-03-10')

  expect(await migrate(world)).toEqual({ recounted: 1, problems: [] })

  expect(await world.store.get(settingsKey)).toMatchObject({ [COUNTED_FROM]: '2026-03-10' })
  const settings = await settingsOf(world.store)
  expect([hasFurtherSums(DAY, settings), hasFurtherSums('2026-03-10', settings)]).toEqual([false, true])
  expect((await furtherOf(world, { user: 10 }, '2026-03-10'))?.charged).toBe('0.1')
})

test("a new call's sums cost no unit, and a correction of no sum writes no counter", async () => {
  const world = await aWorld(given)
  const unitsOf = async (cells: Cells) => {
    const before = world.meter.spent.write
    await world.given({ calls: [call('a', cells)] })
    return world.meter.spent.write - before
  }
  await world.given({ calls: [call('first')] })
  const counters = 2 * 2
  const aCall = 2 * 3

  expect(await unitsOf({})).toBeLessThanOrEqual(aCall + counters)
  expect(await unitsOf({ dst: '442079460001' })).toBeLessThanOrEqual(aCall)
  expect((await furtherOf(world, { user: 10 }))?.changes).toBe(2)
})
