import { expect, test } from 'vitest'
import { ALL_TIME } from '#lib/domain/calendar.ts'
import type { Query } from '#lib/store/requests/query.ts'
import type { Store } from '#lib/store/store.ts'
import { people } from '#test/examples/examples.ts'
import { aWorld } from '#test/world.ts'
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

test('only the lists of the first day are asked for the first batch, with a small page', async () => {
  const { store } = await aWorld({ users: people, calls })
  const days = await listCallDays(store, ['everyone'], { from: '2026-03-01', till: '2026-03-31' })
  const asked: Query[] = []
  const pages: Store['pages'] = (query) => {
    asked.push(query)
    return store.pages(query)
  }
  const batches = listCalls({ ...store, pages }, days, ALL_TIME)

  await batches.next()
  const first = asked.splice(0)
  expect(first.filter(({ partition }) => !partition.includes('#2026-03-08#'))).toEqual([])
  expect(new Set(first.map(({ firstPageSize }) => firstPageSize))).toEqual(new Set([25]))

  for await (const _batch of batches);
  const least = Math.min(...asked.map(({ firstPageSize, pageSize }) => Number(firstPageSize ?? pageSize)))
  expect(least).toBeGreaterThan(25)
})
