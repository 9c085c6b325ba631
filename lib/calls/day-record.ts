import pMap from 'p-map'
import * as v from 'valibot'
import type { Seconds } from '#lib/base/calendar.ts'
import { kindAfter, kindOfRow, type RowKind } from '#lib/base/row-refused.ts'
import { readMany } from '#lib/table/entity.ts'
import type { Item } from '#lib/table/items.ts'
import { isSameKey, type Key, momentText } from '#lib/table/keys.ts'
import { absent, CHANGES_IN_ONE_TRANSACTION, type Change, combined, is } from '#lib/table/requests/changes.ts'
import { ConditionFailed, retryingRaces } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import { ROW } from '#lib/table/table.ts'
import { dayListKeys, dayOfUtc } from './day-list.ts'

/** A record of something that happened at a moment, with the lists that show it. */
export interface DayRecord {
  /** The key of its id. A record that is delivered again has the same key. */
  readonly key: Key
  readonly digest: string
  readonly at: Seconds
  /** Orders the records of one second. */
  readonly place: string
  readonly lists: readonly string[]
  /** The packed row, as the lists show it. */
  readonly row: string
}

const keptSchema = v.object({
  digest: v.string(),
  at: v.number(),
  place: v.string(),
  lists: v.array(v.string()),
  /** Goes up with every change. A write names the version that was read. */
  version: v.number(),
})

/** The item under a record's id. It has the values that remove the record from its lists. */
type Kept = Readonly<v.InferOutput<typeof keptSchema>>

export const readKept = (item: Item): Kept => v.parse(keptSchema, item)

export function findKept(store: Store, records: readonly Pick<DayRecord, 'key'>[]) {
  const keys = records.map(({ key }) => key)
  return readMany(store, keys, readKept)
}

/** A record, and its state as it was read. */
interface Replacement {
  readonly index: number
  readonly before: Kept | undefined
  readonly after: DayRecord
}

type Listed = Pick<DayRecord, 'at' | 'place' | 'lists'>

export const listKeysOf = ({ at, place, lists }: Listed): Key[] =>
  lists.map((list) => dayListKeys.record(list, dayOfUtc(at), momentText(at), place))

const TRANSACTIONS_AT_ONCE = 4

/**
 * Stores each record once, however often it is delivered. A record that has changed replaces the stored one.
 * The transaction that stores a record also counts it. As many records as fit share a transaction.
 */
export async function storeDayRecords(store: Store, records: readonly DayRecord[]): Promise<RowKind[]> {
  const outcomes: RowKind[] = records.map(() => 'unchanged')
  const [first, repeated] = firstOfEach(await findReplacements(store, records))
  const alone: Replacement[] = []

  await pMap(
    inTransactions(first.filter(isChange)),
    async (transaction) => {
      if (!(await replaceTogether(store, transaction))) return void alone.push(...transaction)
      for (const { index, before } of transaction) outcomes[index] = kindAfter(before)
    },
    { concurrency: TRANSACTIONS_AT_ONCE },
  )
  for (const { after, index } of [...alone, ...repeated]) {
    outcomes[index] = await storeAlone(store, after)
  }
  return outcomes
}

/** Returns the kinds that `storeDayRecords` would return, and stores nothing. */
export async function kindsOfDayRecords(store: Store, records: readonly DayRecord[]): Promise<RowKind[]> {
  const replacements = await findReplacements(store, records)
  return replacements.map(({ before, after }) => kindOfRow(before, after.digest))
}

/** A record that is stored as it comes gets the stored digest: an export writes its cells in another way. */
async function findReplacements(store: Store, records: readonly DayRecord[]): Promise<Replacement[]> {
  const kept = await findKept(store, records)
  const replacements = records.map((after, index) => ({ index: index, before: kept[index], after }))
  const rows = await listedRows(store, replacements)
  return replacements.map((replacement) => {
    const { before, after } = replacement
    const isStored = before && rows.get(before) === after.row && isListedAs(before, after)
    return isStored ? { ...replacement, after: { ...after, digest: before.digest } } : replacement
  })
}

/** The packed rows of stored records that come with another digest, from the first list of each. */
async function listedRows(store: Store, replacements: readonly Replacement[]): Promise<Map<Kept, unknown>> {
  const listed = replacements.filter(isChange).flatMap(({ before }) => {
    const [key] = before ? listKeysOf(before) : []
    return before && key ? [{ before, key }] : []
  })
  const items = await store.getMany(listed.map(({ key }) => key))
  return new Map(listed.map(({ before }, index) => [before, items[index]?.[ROW]]))
}

const isListedAs = (one: Listed, other: Listed): boolean =>
  one.at === other.at &&
  one.place === other.place &&
  JSON.stringify([...one.lists].sort()) === JSON.stringify([...other.lists].sort())

const isChange = ({ before, after }: Replacement): boolean => before?.digest !== after.digest

/** The first delivery of each record, and the repeated ones, which are stored after it. */
function firstOfEach(replacements: readonly Replacement[]): [Replacement[], Replacement[]] {
  const seen = new Map<string, Replacement>()
  for (const replacement of replacements) {
    const { PK } = replacement.after.key
    if (!seen.has(PK)) seen.set(PK, replacement)
  }
  const first = [...seen.values()]
  return [first, replacements.filter((replacement) => !first.includes(replacement))]
}

function inTransactions(replacements: readonly Replacement[]): Replacement[][] {
  const transactions: Replacement[][] = []
  for (const replacement of replacements) {
    const last = transactions.at(-1)
    if (last && changesOf([...last, replacement]).length <= CHANGES_IN_ONE_TRANSACTION) last.push(replacement)
    else transactions.push([replacement])
  }
  return transactions
}

/** Returns false if a record has changed meanwhile, or the transaction is too large. */
async function replaceTogether(store: Store, replacements: readonly Replacement[]): Promise<boolean> {
  try {
    await store.transact(changesOf(replacements))
    return true
  } catch (error) {
    if (error instanceof ConditionFailed) return false
    if (error instanceof Error && error.name === 'ValidationException') return false
    throw error
  }
}

const storeAlone = (store: Store, record: DayRecord): Promise<RowKind> =>
  retryingRaces(store, async () => {
    const replacements = (await findReplacements(store, [record])).filter(isChange)
    if (replacements.length === 0) return 'unchanged'
    await store.transact(changesOf(replacements))
    return kindAfter(replacements[0]?.before)
  })
const changesOf = (replacements: readonly Replacement[]): Change[] => [
  ...replacements.flatMap(itemChanges),
  ...countChanges(replacements),
]

function itemChanges({ before, after: { key, row, ...after } }: Replacement): Change[] {
  const version = (before?.version ?? 0) + 1
  const keys = listKeysOf(after)
  const left = before ? listKeysOf(before).filter((was) => !keys.some((now) => isSameKey(was, now))) : []
  return [
    { put: { ...key, ...after, version }, when: before ? { version: is(before.version) } : { PK: absent } },
    ...keys.map((listKey): Change => ({ put: { ...listKey, [ROW]: row } })),
    ...left.map((listKey): Change => ({ remove: listKey })),
  ]
}

/** One change for each list and day, for any number of records. */
function countChanges(replacements: readonly Replacement[]): Change[] {
  const counts = replacements.flatMap(({ before, after }) => [
    ...(before ? countsOf(before, -1) : []),
    ...countsOf(after, 1),
  ])
  return combined(counts).filter((change) => 'update' in change && change.to.add?.['records'] !== 0)
}

const countsOf = ({ at, lists }: Listed, by: number): Change[] =>
  lists.map((list) => ({ update: dayListKeys.counter(list, dayOfUtc(at)), to: { add: { records: by } } }))
