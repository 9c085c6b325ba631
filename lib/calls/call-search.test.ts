import { expect, test } from 'vitest'
import { ALL_TIME, periodOfDay, secondsOf } from '#lib/base/calendar.ts'
import type { Query } from '#lib/table/requests/query.ts'
import type { Store } from '#lib/table/store.ts'
import { people } from '#test/examples/examples.ts'
import { newPlaces } from '#test/shards.ts'
import { aWorld } from '#test/world.ts'
import { listNewestCalls } from '#tools/commands/report/call-use.ts'
import { listCallDays, listCalls, searchCalls } from './call-search.ts'

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
  const days = await listCallDays(store, ['everyone'], { from: '2026-03-01', till: '2026-03-31' }, newPlaces)
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

/** A store that notes the queries of its lists. */
function noting(store: Store): { readonly asked: Query[]; readonly noted: Store } {
  const asked: Query[] = []
  const pages: Store['pages'] = (query) => {
    asked.push(query)
    return store.pages(query)
  }
  return { asked, noted: { ...store, pages } }
}

test("the first batch reads only the first day's lists, with a small page if the day is long", async () => {
  const { store } = await aWorld({ users: people, calls })
  const days = await listCallDays(store, ['everyone'], { from: '2026-03-01', till: '2026-03-31' }, newPlaces)
  const { asked, noted } = noting(store)
  const long = days.map((one) => ({ ...one, calls: 501 }))
  const batches = listCalls(noted, long, ALL_TIME)

  await batches.next()
  const ofFirst = asked.splice(0)
  expect(ofFirst.filter(({ partition }) => !partition.includes('#2026-03-08#'))).toEqual([])
  expect(new Set(ofFirst.map(({ firstPageSize }) => firstPageSize))).toEqual(new Set([25]))

  for await (const _batch of batches);
  const least = Math.min(...asked.map(({ firstPageSize, pageSize }) => Number(firstPageSize ?? pageSize)))
  expect(least).toBeGreaterThan(25)
})

test('a short first day is read in one page', async () => {
  const { store } = await aWorld({ users: people, calls })
  const days = await listCallDays(store, ['everyone'], { from: '2026-03-01', till: '2026-03-31' }, newPlaces)
  const { asked, noted } = noting(store)

  for await (const _batch of listCalls(noted, days, ALL_TIME));
  const least = Math.min(...asked.map(({ firstPageSize, pageSize }) => Number(firstPageSize ?? pageSize)))
  expect(least).toBeGreaterThan(25)
})

/** 3 calls of customer 10 on 8 March, in pages of one or of all, and what it costs to find them. */
async function dayOfCustomer(pageSize: number | undefined) {
  const { store } = await aWorld({ users: people, calls: calls.slice(0, 9) })
  const pages: Store['pages'] = (query) => store.pages({ ...query, ...(pageSize && { pageSize }) })
  const before = store.meter.spent.requests
  const found = await searchCalls(
    { ...store, pages },
    {
      of: [{ user: 10 }],
      period: periodOfDay('2026-03-08', 'UTC'),
      settings: { ...newPlaces, Timezone: 'UTC' },
    },
  )
  const ids = []
  for await (const batch of found.batches) ids.push(...batch.map(({ uniqueid }) => uniqueid))
  return { ids, total: found.total, requests: store.meter.spent.requests - before }
}

test('a day of a customer is read in one request, without its counters', async () => {
  expect(await dayOfCustomer(undefined)).toEqual({
    ids: ['c-0', 'c-4', 'c-8'],
    total: undefined,
    requests: 1,
  })
})

test('a day of a customer that takes several pages is counted by its counters', async () => {
  expect(await dayOfCustomer(1)).toMatchObject({ ids: ['c-0', 'c-4', 'c-8'], total: 3 })
})

test('days of a customer are one query for each month', async () => {
  const days = ['2026-03-08', '2026-03-09', '2026-03-31', '2026-04-01', '2026-04-02']
  const times = days.flatMap((day) => [`${day} 09:00:00`, `${day} 09:00:01`])
  const [call] = calls
  const { store } = await aWorld({
    users: people,
    calls: times.map((calldate) => ({ ...call, uniqueid: calldate.replace(' ', 'T'), calldate })),
  })
  const { asked, noted } = noting(store)
  const [from, till] = [times[1], times[8]].map((time) => secondsOf(new Date(`${time}Z`)))
  const period = { from: from ?? 0, till: till ?? 0 }

  const settings = { ...newPlaces, Timezone: 'UTC' }
  const found = await searchCalls(noted, { of: [{ user: 10 }], period, settings })
  const ids = []
  for await (const batch of found.batches) ids.push(...batch.map(({ uniqueid }) => uniqueid))

  expect(ids).toEqual(times.slice(1, 9).map((time) => time.replace(' ', 'T')))
  expect(asked).toHaveLength(2)
})
