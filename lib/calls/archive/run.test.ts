import { expect, test } from 'vitest'
import { ALL_TIME } from '#lib/base/calendar.ts'
import type { Item } from '#lib/table/items.ts'
import type { Store } from '#lib/table/store.ts'
import { carriedOut, movedTo } from '#test/acts/carry-out.ts'
import { callsListedIn } from '#test/answers/printed.ts'
import { type ArchivedWorld, anArchivedWorld } from '#test/archive/archived-world.ts'
import { importRows } from '#test/datasets/import-rows.ts'
import { callsIn } from '#test/dump.ts'
import { people } from '#test/examples/examples.ts'
import { listedCall } from '#test/examples/listed-calls.ts'
import { newPlaces } from '#test/shards.ts'
import { damageIn } from '#test/soundness.ts'
import { openBalances } from '#tools/commands/balance/balance-opening.ts'
import { method as quickstats } from '../../../functions/calls/quickstats_get.ts'
import { method as userCalls } from '../../../functions/calls/user_calls_get.ts'
import { callStatsKeys, fencesOfDay } from '../counters/call-stats.ts'
import type { ArchiveBucket } from './bucket.ts'
import { latestCopies } from './day-copies.ts'
import { archiveKeys } from './manifest.ts'

const DAY = '2026-03-05'

const on = (day: string, uniqueid: string, rest: Readonly<Record<string, string>> = {}) =>
  listedCall(uniqueid, { calldate: `${day} 09:00:00`, user_price: '0.125', ...rest })

const bob1 = { user_price: '10', user_rate: '0.987', provider_id: '6', provider_price: '0.0000001' }

const calls = [
  on('2026-03-04', 'old-1'),
  on(DAY, 'bob-1', bob1),
  on(DAY, 'bob-2', { hangupcause: '17', disposition: 'BUSY', src: 'a "b",\u00e9' }),
  on(DAY, 'carol-1', {
    user_id: '20',
    device_id: '200',
    user_price: '3.000000000000001',
    reseller_price: '1',
  }),
  on('2026-03-09', 'new-1'),
]

const aMonth = () => anArchivedWorld({ users: people, calls }, { Calls_Keep_Days: '3' })

const inTable = async (world: ArchivedWorld): Promise<unknown[]> =>
  callsIn(await world.dump())
    .map(({ uniqueid }) => uniqueid)
    .sort()

const outcomesOf = async (world: ArchivedWorld) =>
  (await world.archive()).map(({ day, outcome }) => `${day} ${outcome}`)

const later = (world: ArchivedWorld, hours: number) => {
  world.now = new Date(world.now.getTime() + hours * 3_600_000)
}

/** A month whose old calls have left the table. */
async function anArchivedMonth(): Promise<ArchivedWorld> {
  const world = await aMonth()
  await world.archive()
  later(world, 25)
  await world.expire()
  return world
}

const idsIn = async (world: ArchivedWorld, day: string): Promise<string[]> =>
  (await world.archivedCalls(day)).map(({ uniqueid }) => uniqueid)

test('without the setting nothing is read or written', async () => {
  const world = await anArchivedWorld({ users: people, calls })
  const before = await world.dump()
  const { requests } = world.meter.spent

  expect(await world.archive()).toEqual([])

  expect(world.meter.spent.requests - requests).toBe(1)
  expect(await world.dump()).toEqual(before)
})

test('an archived day is the same as in the table, and leaves the table after a day', async () => {
  const world = await aMonth()
  const before = callsIn(await world.dump())
  // A day without calls has counters where balances were opened.
  await world.store.transact(fencesOfDay('2026-03-02', true))

  expect(await outcomesOf(world)).toEqual(['2026-03-04 archived', `${DAY} archived`])

  const byId = (one: { uniqueid?: unknown }, other: { uniqueid?: unknown }) =>
    String(one.uniqueid) < String(other.uniqueid) ? -1 : 1
  expect((await world.archivedCalls(DAY)).sort(byId)).toEqual(
    before.filter(({ day }) => day === DAY).sort(byId),
  )
  await world.expire()
  expect(await inTable(world)).toHaveLength(5)
  later(world, 25)
  await world.expire()
  expect(await inTable(world)).toEqual(['new-1'])
  expect(await damageIn(world)).toEqual([])
})

test('the manifest of a day has the sums of each customer, and its files are by owner', async () => {
  const world = await aMonth()
  await world.archive()

  expect(await world.manifest(DAY)).toMatchObject({
    day: DAY,
    zone: 'UTC',
    version: 1,
    late: 0,
    everyone: { calls: 3, answered: 2, billsec: 122, revenue: '11', self_cost: '0.0000001' },
    owners: { 2: { calls: 1, revenue: '3.000000000000001', self_cost: '1' } },
    customers: {
      10: { calls: 2, answered: 1, billsec: 61, user_price: '10.125', provider_price: '0.0000001' },
      20: { calls: 1, user_price: '3.000000000000001', reseller_price: '1' },
    },
    files: [
      { key: `calls/day=${DAY}/owner=0/calls.parquet`, calls: 2 },
      { key: `calls/day=${DAY}/owner=2/calls.parquet`, calls: 1 },
    ],
  })
})

test('a second run finds nothing to do', async () => {
  const world = await aMonth()
  await world.archive()

  expect(await world.archive()).toEqual([])
})

test('a day whose calls do not equal its counters stays in the table, and so do later ones', async () => {
  const world = await aMonth()
  const { PK, SK } = callStatsKeys.item(callStatsKeys.of({ user: 10 }), '0', '2026-03-04')
  await world.store.update({ PK, SK }, { add: { billsec: 1 } })

  expect(await world.archive()).toEqual([
    {
      day: '2026-03-04',
      outcome: 'refused',
      reasons: ['2026-03-04: the counter billsec of account 10 is 62, but its calls sum up to 61'],
    },
  ])
  later(world, 25)
  await world.expire()
  expect(await inTable(world)).toHaveLength(5)
  expect(await world.manifest('2026-03-04')).toBeUndefined()
})

const KILLED = (): Promise<unknown> => Promise.reject(new Error('killed'))

test.each([
  ['Timezone', (world: ArchivedWorld, wait = KILLED) => movedTo(world, 'Asia/Tokyo', wait)],
  [
    'Balance_From',
    (world: ArchivedWorld, wait = KILLED) => carriedOut(world, openBalances(wait), { day: '2026-03-01' }),
  ],
] as const)('a change of %s that was interrupted ends before anything is archived', async (name, change) => {
  const world = await aMonth()
  await expect(change(world)).rejects.toThrow('killed')

  const reasons = [`${name} is being changed: if that was interrupted, it has to be run again first`]
  expect(await world.archive()).toEqual([{ day: '2026-03-04', outcome: 'refused', reasons }])

  await change(world, () => Promise.resolve())
  expect(await outcomesOf(world)).toEqual(['2026-03-04 archived', `${DAY} archived`])
  await world.given({ calls: [on(DAY, 'bob-1', { ...bob1, user_price: '11' })] })
  await world.archive()
  expect(await idsIn(world, DAY)).toEqual(['bob-1', 'bob-2', 'carol-1'])
  expect(await damageIn(world)).toEqual([])
})

test('a change that begins while a day is being archived keeps its calls in the table', async () => {
  const world = await aMonth()
  const bucket: ArchiveBucket = {
    ...world.bucket,
    write: async (...given) => {
      await movedTo(world, 'Asia/Tokyo', KILLED).catch(() => {})
      return world.bucket.write(...given)
    },
  }

  expect(await world.archive(bucket)).toEqual([{ day: '2026-03-04', outcome: 'elsewhere' }])
  await expect(movedTo(world, 'Asia/Tokyo')).resolves.toBe(0)
  expect(await outcomesOf(world)).toEqual(['2026-03-04 archived', `${DAY} archived`])
})

test('an archived late row changes nothing, and the next run adds a new one to the archive', async () => {
  const world = await anArchivedMonth()
  await world.given({ calls: calls.filter(({ calldate }) => calldate.startsWith(DAY)) })
  expect(await inTable(world)).toEqual(['new-1'])
  expect(await damageIn(world)).toEqual([])

  await world.given({ calls: [on(DAY, 'late-1', { user_price: '7' }), on('2026-03-03', 'late-2')] })
  expect(await damageIn(world)).toEqual([])
  expect(await inTable(world)).toEqual(['late-1', 'late-2', 'new-1'])

  expect(await outcomesOf(world)).toEqual(
    ['2026-03-03 archived', `${DAY} archived`, '2026-03-06 archived'].slice(0, 2),
  )
  expect(await idsIn(world, DAY)).toEqual(['bob-1', 'bob-2', 'late-1', 'carol-1'])
  expect(await world.manifest(DAY)).toMatchObject({
    version: 2,
    late: 1,
    everyone: { calls: 4, revenue: '18' },
  })
  later(world, 25)
  await world.expire()
  expect(await inTable(world)).toEqual(['new-1'])
  expect(await damageIn(world)).toEqual([])
})

test('a correction replaces an archived call in the archive, even under another owner', async () => {
  const world = await anArchivedMonth()
  const moved = on(DAY, 'bob-1', { ...bob1, user_id: '20', device_id: '200' })

  await world.given({ calls: [moved] })
  expect(await damageIn(world)).toEqual([])
  expect(await outcomesOf(world)).toEqual([`${DAY} archived`])

  expect((await world.manifest(DAY))?.files.map(({ calls: count }) => count)).toEqual([1, 2])
  expect((await world.archivedCalls(DAY)).filter(({ uniqueid }) => uniqueid === 'bob-1')).toMatchObject([
    { owner_id: 2, version: 2, user_price: '10' },
  ])
  expect(await damageIn(world)).toEqual([])
  await world.given({ calls: [moved] })
  expect(await outcomesOf(world)).toEqual([])
})

const LIST = { day: DAY, scope: 'everyone', period: ALL_TIME, settings: newPlaces } as const

/** A store whose lists in the index never have what is written from now on. */
async function aLaggingStore(world: ArchivedWorld): Promise<Store> {
  const { store } = world
  const listed = new Map<string, Item[][]>()
  const pages: Store['pages'] = async function* (query) {
    if (query.index !== 'GSI2') return yield* store.pages(query)
    yield* listed.get(JSON.stringify(query)) ?? []
  }
  const remembering: Store['pages'] = async function* (query) {
    const found: Item[][] = []
    listed.set(JSON.stringify(query), found)
    for await (const page of store.pages(query)) {
      found.push(page)
      yield page
    }
  }
  for await (const _ of latestCopies({ ...store, pages: remembering }, LIST, []));
  return { ...store, pages }
}

test('a correction that the list of its day does not have yet is archived by a later run', async () => {
  const world = await anArchivedMonth()
  const lagging = await aLaggingStore(world)
  await world.given({ calls: [on(DAY, 'bob-1', { ...bob1, src: '37060099999' })] })

  expect(await world.archive(world.bucket, lagging)).toMatchObject([
    {
      outcome: 'refused',
      reasons: [`${DAY}: the list of its calls lacks a late change; the next run has it`],
    },
  ])
  expect(await damageIn(world)).toEqual([])
  expect(await outcomesOf(world)).toEqual([`${DAY} archived`])

  expect(await world.archivedCalls(DAY)).toContainEqual(
    expect.objectContaining({ uniqueid: 'bob-1', src: '37060099999', version: 2 }),
  )
  expect(await outcomesOf(world)).toEqual([])
})

test('a run that is killed between the files and the manifest damages no sum', async () => {
  const world = await anArchivedMonth()
  const dying: ArchiveBucket = {
    ...world.bucket,
    write: async (key, ...rest) => {
      if (key === archiveKeys.manifest(DAY)) throw new Error('killed')
      return world.bucket.write(key, ...rest)
    },
  }
  await world.given({ calls: [on(DAY, 'bob-1', { ...bob1, user_price: '11' })] })
  await expect(world.archive(dying)).rejects.toThrow('killed')
  expect(await damageIn(world)).toEqual([])

  await world.given({ calls: [on(DAY, 'bob-2', { user_price: '0.5' })] })
  expect(await damageIn(world)).toEqual([])
  expect(await outcomesOf(world)).toEqual([`${DAY} archived`])
  expect(await damageIn(world)).toEqual([])
})

test('an archived call keeps its day', async () => {
  const world = await aMonth()
  await world.archive()
  const before = await world.dump()

  await expect(world.given({ calls: [on('2026-03-09', 'bob-1')] })).rejects.toThrow(
    `calldate: the stored call of ${DAY} is archived, and keeps its day`,
  )

  expect(await world.dump()).toEqual(before)
})

test('a process without the archive stores nothing of an archived day', async () => {
  const world = await anArchivedMonth()
  const before = await world.dump()

  const store = { ...world.store, archive: undefined }
  const imported = importRows({ store, clock: () => world.now }, { calls: [on(DAY, 'late-1')] })

  await expect(imported).rejects.toMatchObject({ code: 'unknown_archive', values: { day: DAY } })
  expect(await world.dump()).toEqual(before)
})

const period = (from: string, till: string) => ({
  period_start: Date.parse(`${from}T00:00:00Z`) / 1000,
  period_end: Date.parse(`${till}T23:59:59Z`) / 1000,
})

test('user_calls_get tells what is archived, and never shows it, in the table or not', async () => {
  const world = await aMonth()
  const listed = async (params = {}) => {
    const answer = await world.call(userCalls, 'admin', params)
    return [/<error_msg>(.*)<\/error_msg>/.exec(answer)?.[1], ...callsListedIn(answer)]
  }
  const whole = period('2026-03-01', '2026-03-10')
  const all = ['old-1', 'bob-1', 'bob-2', 'carol-1', 'new-1']
  expect(await listed(whole)).toEqual([undefined, ...all])

  await world.archive()
  const notice = 'Calls before 2026-03-07 are archived'
  for (const hours of [0, 25]) {
    later(world, hours)
    await world.expire()
    expect(await listed(whole)).toEqual([notice, 'new-1'])
    expect(await listed(period(DAY, DAY))).toEqual([notice])
    expect(await listed(period('2026-03-07', '2026-03-10'))).toEqual([undefined, 'new-1'])
    expect(await listed({ s_uniqueid: 'bob-1' })).toEqual([notice])
    expect(await listed({ s_uniqueid: 'new-1' })).toEqual([undefined, 'new-1'])
    expect(await listed({ s_uniqueid: 'new-1', ...whole })).toEqual([notice, 'new-1'])
  }
  expect(await world.call(quickstats, 'admin')).toContain('<this_month><calls>4</calls>')
})
