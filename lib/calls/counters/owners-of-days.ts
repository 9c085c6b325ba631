import type { Day, Days } from '#lib/base/calendar.ts'
import { slices } from '#lib/base/collections.ts'
import type { CallLists } from '#lib/base/shards.ts'
import { type Key, type KeyValues, keyForm, keyReader } from '#lib/table/keys.ts'
import { CHANGES_IN_ONE_TRANSACTION } from '#lib/table/requests/changes.ts'
import type { Store } from '#lib/table/store.ts'
import { type OwnerShard, ownerShardOf, type PlacedCall } from '../call.ts'

/** The partitions of owners that have calls on a day. */
export const ownerOfDayKey = keyForm('STATS#OWNERS', '<day>#<owner>#<shard>')

export const ownerOfDay = (day: Day, { owner_id, shard }: OwnerShard): Key =>
  ownerOfDayKey(day, String(owner_id), String(shard))

/** The partitions of owners that have calls, by the days of a range. */
export async function listOwnersOfDays(
  store: Store,
  days: Days,
): Promise<ReadonlyMap<Day, readonly OwnerShard[]>> {
  const noted = (await store.list(notesOn(days))).flatMap((item) => readOwnerOfDay(item) ?? [])
  const byDay = Map.groupBy(noted, ({ day }) => day)
  return new Map([...byDay].map(([day, found]) => [day, found.map(toOwnerShard)]))
}

const notesOn = ({ from, till }: Days) =>
  ({ partition: ownerOfDayKey.partition(), between: [from, `${till}#~`], eventual: true }) as const

const readOwnerOfDay = keyReader(ownerOfDayKey)

type OwnerNote = KeyValues<typeof ownerOfDayKey>

/** A page of the list of owners has room for some weeks of a small installation. */
const NOTES_IN_ONE_PAGE = 250

/** The same, day by day, the newest first. It is read as far as it is used. */
export async function* newestOwnersOfDays(
  store: Store,
  days: Days,
): AsyncGenerator<readonly [day: Day, shards: readonly OwnerShard[]]> {
  let [current, shards]: [Day, OwnerShard[]] = ['', []]
  for await (const note of newestNotes(store, days)) {
    if (note.day !== current && shards.length > 0) yield [current, shards]
    shards = note.day === current ? [...shards, toOwnerShard(note)] : [toOwnerShard(note)]
    current = note.day
  }
  if (shards.length > 0) yield [current, shards]
}

async function* newestNotes(store: Store, days: Days): AsyncGenerator<OwnerNote> {
  const query = { ...notesOn(days), newestFirst: true, pageSize: NOTES_IN_ONE_PAGE }
  for await (const page of store.pages(query)) yield* page.flatMap((item) => readOwnerOfDay(item) ?? [])
}

const toOwnerShard = ({ owner, shard }: Pick<OwnerNote, 'owner' | 'shard'>): OwnerShard => ({
  owner_id: Number(owner),
  shard: Number(shard),
})

/**
 * Notes the partitions of owners that calls come into, those that are new on their day. This comes before the
 * calls are stored: a note without calls only costs one empty query.
 */
export async function noteOwnersOfDays(
  store: Store,
  calls: readonly PlacedCall[],
  lists: CallLists,
): Promise<void> {
  const noted = calls.map((call) => ownerOfDay(call.day, ownerShardOf(call, lists)))
  const wanted = [...new Map(noted.map((key) => [key.SK, key])).values()]
  const known = await store.getMany(wanted, 'eventual')
  const unknown = wanted.filter((_, index) => known[index] === undefined)
  for (const some of slices(unknown, CHANGES_IN_ONE_TRANSACTION))
    await store.transact(some.map((put) => ({ put })))
}

/** Whether any call was ever stored: from then on the days of the counters depend on the time zone. */
export const hasCalls = async (store: Store): Promise<boolean> =>
  (await store.firstPage({ ...ownerOfDayKey.range(), pageSize: 1 })).length > 0
