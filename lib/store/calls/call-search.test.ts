import { expect, test } from 'vitest'
import { ALL_TIME } from '#lib/domain/calendar.ts'
import { people } from '#lib/testing/examples/examples.ts'
import { aWorld } from '#lib/testing/world.ts'
import { listCallDays, listCalls, listNewestCalls } from './call-search.ts'

/** Calls of four customers of four owners, alternating over two days. */
const calls = Array.from({ length: 60 }, (_, n) => ({
  uniqueid: `c-${n}`,
  calldate: `2026-03-0${8 + (n % 2)} 09:00:${String(n).padStart(2, '0')}`,
  user_id: ['10', '20', '30', '40'][n % 4] ?? '',
  dst: '442079460000',
  billsec: '60',
  user_price: '1',
}))

test('calls of all owners are listed by time, and the newest first', async () => {
  const { store } = await aWorld({ users: people, calls })
  const days = await listCallDays(store, ['everyone'], { from: '2026-03-01', till: '2026-03-31' })
  const timesOf = async (batches: ReturnType<typeof listNewestCalls>) => {
    const times = []
    for await (const batch of batches) times.push(...batch.map(({ calldate }) => calldate))
    return times
  }

  const ascending = await timesOf(listCalls(store, days, ALL_TIME))
  expect(ascending).toHaveLength(60)
  expect(ascending).toEqual(ascending.toSorted((one, other) => one - other))
  expect(await timesOf(listNewestCalls(store, days))).toEqual(ascending.toReversed())
})
