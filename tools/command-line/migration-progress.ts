import * as v from 'valibot'
import { addDays } from '#lib/base/calendar.ts'
import { BY_MONTH_FROM } from '#lib/base/shards.ts'
import { daysWithCalls } from '#lib/calls/counters/call-stats.ts'
import { firstFreeDay } from '#lib/calls/setting-change.ts'
import { COUNTED_FROM, COUNTED_SINCE } from '#lib/settings/settings.ts'
import { settingsKey, settingsOf } from '#lib/settings/stored-settings.ts'
import type { Item } from '#lib/table/items.ts'
import { keyForm } from '#lib/table/keys.ts'
import { is } from '#lib/table/requests/changes.ts'
import type { Store } from '#lib/table/store.ts'
import { formatIn, RELEASE, TABLE_FORMAT } from '#lib/table/table-format.ts'

/** The progress of a migration that has not ended. */
export const migrationKey = keyForm('MIGRATION', 'MIGRATION')()

/** What a migration counts, in the words of its outcome. */
export const MIGRATION_COUNTS = {
  /** Also entries that were replaced. */
  added: 'entries added',
  listed: 'rows listed',
  removed: 'outdated entries removed',
  /** Their counters got the sums of earlier calls. */
  recounted: 'days of customers recounted',
  rated: 'documents with their exchange rate',
  frozen: 'with what they are printed from',
  /** Their days no longer depend on the zone. */
  dated: 'subscriptions with days',
  ledgers: 'payments and accounts of the ledger',
  posted: 'documents with their entries of the journal',
} as const

export type MigrationCount = keyof typeof MIGRATION_COUNTS

export const COUNT_NAMES = Object.keys(MIGRATION_COUNTS) as MigrationCount[]

const count = v.optional(v.number(), 0)

const progressSchema = v.object({
  /** The format that the table has at the end. */
  to: v.number(),
  /** The key of the last item that was looked at; without it, the migration begins. */
  position: v.optional(v.object({ PK: v.string(), SK: v.string() })),
  /** Items that were looked at. */
  items: count,
  ...v.entriesFromList(COUNT_NAMES, count),
  /** Rows that could not be migrated. */
  problems: count,
})

export type MigrationProgress = Readonly<v.InferOutput<typeof progressSchema>>

export const NOT_BEGUN: MigrationProgress = v.parse(progressSchema, { to: TABLE_FORMAT })

/** The stored progress, unless it is of a migration to another format. */
export async function findMigration(store: Store): Promise<MigrationProgress> {
  const found = await store.get(migrationKey)
  return found?.['to'] === TABLE_FORMAT ? v.parse(progressSchema, found) : NOT_BEGUN
}

export const saveMigration = (store: Store, progress: MigrationProgress): Promise<void> =>
  store.transact([{ put: { ...migrationKey, ...progress } }])

/** Forgets the progress, so that the next run begins at the first item. */
export const dropMigration = (store: Store): Promise<void> => store.transact([{ remove: migrationKey }])

/**
 * Stamps the table with the format of this release. Counters have the further sums from the first day that is
 * not archived on, and calls are listed by month from the first day on that no writer stores calls of yet.
 * Throws ConditionFailed if the table does not have the format `from`. Returns the lines for the operator.
 */
export async function endMigration(store: Store, from: number): Promise<string[]> {
  const { archivedBefore, Timezone, byMonthFrom } = await settingsOf(store)
  const isByDay = byMonthFrom === '~'
  const earliest = firstFreeDay(Timezone)
  const future = isByDay ? (await daysWithCalls(store, earliest)).at(-1) : undefined
  const monthly = future === undefined ? earliest : addDays(future, 1)
  const set = {
    ...newStamp,
    ...(from < COUNTED_SINCE && { [COUNTED_FROM]: archivedBefore }),
    ...(isByDay && { [BY_MONTH_FROM]: monthly }),
  }
  await store.transact([
    { update: settingsKey, to: { set }, when: { table_format: is(from) } },
    { remove: migrationKey },
  ])
  if (future === undefined) return []
  return [`Calls are listed by month from ${monthly} on, because there are calls of ${future}, a future day`]
}

/** The stamp of a table: attributes of the item of settings, which every request reads anyway. */
export const newStamp: Item = { table_format: TABLE_FORMAT, table_release: RELEASE }

/** A sentence about a table of an earlier format, which works, but without what its migration adds. */
export const migrationNotice = (settings: Item): string | undefined =>
  formatIn(settings) < TABLE_FORMAT
    ? `The table has format ${formatIn(settings)}, and Tollgate ${RELEASE} writes format ${TABLE_FORMAT}: run npx tollgate migrate`
    : undefined
