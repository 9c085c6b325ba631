import pMap from 'p-map'
import { isFormerText, TEXTS_SINCE } from '#lib/accounts/account-text.ts'
import { type Done, defineAct } from '#lib/acts/act.ts'
import { countOf } from '#lib/base/text.ts'
import { POSTED_SINCE } from '#lib/billing/journal/posting.ts'
import { COUNTED_SINCE, LEDGER_SINCE } from '#lib/settings/settings.ts'
import { findSettings } from '#lib/settings/stored-settings.ts'
import type { Entity } from '#lib/table/entity.ts'
import type { Item } from '#lib/table/items.ts'
import { type Key, keyIn } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'
import { formatIn, TABLE_FORMAT } from '#lib/table/table-format.ts'
import {
  COUNT_NAMES,
  dropMigration,
  endMigration,
  findMigration,
  type MigrationProgress,
  NOT_BEGUN,
  saveMigration,
} from '../../command-line/migration-progress.ts'
import type { ScannedPage } from '../../command-line/open-table.ts'
import { countLedgers } from './count-ledgers.ts'
import { dateSubscriptions } from './date-subscriptions.ts'
import { FROZEN_SINCE, freezeDocuments } from './freeze-documents.ts'
import {
  doesNothing,
  expectedRepair,
  isOf,
  type NewEntries,
  newEntriesSince,
  type Repair,
  readRow,
  removeIfStale,
  repairRow,
} from './new-entries.ts'
import { postDocuments } from './post-documents.ts'
import { RATED_SINCE, rateDocuments } from './rate-documents.ts'
import { recountDays } from './recount.ts'

export interface Migration {
  /** The pages of the table after a key; all of them without one. */
  readonly pagesFrom: (start: Key | undefined) => AsyncIterable<ScannedPage>
  /** Called after each page. */
  readonly pace: () => Promise<void>
  readonly onProgress: (progress: MigrationProgress) => void
  /** Receives a sentence about each row that cannot be migrated, about what accounts owe, and future days. */
  readonly onNote: (sentence: string) => void
  /** The entities of the table; those of this release by default. */
  readonly of?: readonly Entity[]
}

/** The formats of the table before and after, and what was done. */
export interface Migrated extends MigrationProgress {
  readonly from: number
}

/**
 * Brings a table to this release's format: adds claims, copies and lists that entities declare since the
 * table's format, and the sums of earlier calls to counters. It can be ended at any moment and run again,
 * while others write. The table gets the new stamp if no row had a problem.
 */
export const migrateTable = (migration: Migration) =>
  defineAct({
    summary: 'Bring the table to the format of this release. Run it again if it is interrupted',
    permission: 'settings',
    input: {},
    run: async ({ store }): Promise<Done<Migrated>> => {
      const from = formatIn(await findSettings(store))
      if (from === TABLE_FORMAT) return { answer: { ...NOT_BEGUN, from } }
      return {
        begins: `${deedFrom(from)} (interrupted)`,
        steps: () => migrationSteps(store, from, migration),
      }
    },
  })

const deedFrom = (from: number): string => `migrated the table from format ${from} to ${TABLE_FORMAT}`

async function* migrationSteps(store: Store, from: number, migration: Migration) {
  let progress = await findMigration(store)
  for await (progress of migratedPages({ store, from, dryRun: false }, migration, progress)) {
    if (progress.position) await saveMigration(store, progress)
    yield `${countOf(progress.items, 'item')} read`
  }
  const { problems } = progress
  if (problems > 0) await dropMigration(store)
  else for (const sentence of await endMigration(store, from)) migration.onNote(sentence)
  const end = problems > 0 ? ` but for ${countOf(problems, 'row')}: it keeps its format` : ''
  return { answer: { ...progress, from }, did: deedFrom(from) + end }
}

/** Only looks for pending work, from the first item on. */
export async function countMigration(store: Store, migration: Migration): Promise<Migrated> {
  const from = formatIn(await findSettings(store))
  let progress = NOT_BEGUN
  if (from < TABLE_FORMAT)
    for await (progress of migratedPages({ store, from, dryRun: true }, migration, progress));
  return { ...progress, from }
}

interface MigratedTable {
  readonly store: Store
  /** The format of the table. */
  readonly from: number
  readonly dryRun: boolean
}

/** The progress after each page. */
async function* migratedPages(
  table: MigratedTable,
  migration: Migration,
  begun: MigrationProgress,
): AsyncGenerator<MigrationProgress> {
  const declared = newEntriesSince(table.from, migration.of)
  let progress = begun
  for await (const { items, next } of migration.pagesFrom(begun.position)) {
    const repairs = await migrateItems(table, declared, items)
    for (const { problem, note = problem } of repairs) if (note !== undefined) migration.onNote(note)
    progress = { ...added(progress, repairs, items.length), position: next }
    yield progress
    migration.onProgress(progress)
    await migration.pace()
  }
}

function added(progress: MigrationProgress, repairs: readonly Repair[], items: number): MigrationProgress {
  const sum = (of: (repair: Repair) => number) => repairs.reduce((total, repair) => total + of(repair), 0)
  const counts = COUNT_NAMES.map((name) => [name, progress[name] + sum((repair) => repair[name] ?? 0)])
  return {
    ...progress,
    ...Object.fromEntries(counts),
    items: progress.items + items,
    problems: progress.problems + sum(({ problem }) => (problem === undefined ? 0 : 1)),
  }
}

const CONCURRENT_REPAIRS = 8

/** Looks at all items of a page in two round trips, and repairs those that lack something. */
async function migrateItems(
  { store, from, dryRun }: MigratedTable,
  declared: readonly NewEntries[],
  items: readonly Item[],
): Promise<readonly Repair[]> {
  const recounted = from < COUNTED_SINCE ? await recountDays(store, items, dryRun) : []
  const found = await Promise.all(
    declared.flatMap((one) => [findLacks(store, one, items), findStale(store, one, items)]),
  )
  const wanted = found.flat()
  const repairs = dryRun
    ? wanted.map(({ expected }) => expected)
    : await pMap(wanted, ({ repair }) => repair(), { concurrency: CONCURRENT_REPAIRS })
  const rated = from < RATED_SINCE ? await rateDocuments(store, items, dryRun) : []
  const frozen = from < FROZEN_SINCE ? await freezeDocuments(store, items, dryRun) : []
  const dated = await dateSubscriptions(store, { from, items }, dryRun)
  const former = from < TEXTS_SINCE ? await removeFormerTexts(store, items, dryRun) : []
  const ledgers = from < LEDGER_SINCE ? await countLedgers(store, items, dryRun) : []
  const posted = from < POSTED_SINCE ? await postDocuments(store, items, dryRun) : []
  return [...repairs, ...former, ...recounted, ...rated, ...frozen, ...dated, ...ledgers, ...posted]
}

/** A repair, and what it is expected to do. */
interface WantedRepair {
  readonly expected: Repair
  readonly repair: () => Promise<Repair>
}

async function findLacks(
  store: Store,
  declared: NewEntries,
  items: readonly Item[],
): Promise<readonly WantedRepair[]> {
  const rows = items.filter(declared.isRow).map((item) => ({ item, row: readRow(declared, item) }))
  const stored = (await store.getMany(rows.flatMap(({ row }) => (row ? declared.of(row) : [])))).values()
  return rows.flatMap(({ item, row }) => {
    if (!row) return unreadable(item)
    const found = { item, stored: declared.of(row).map(() => stored.next().value) }
    const expected = expectedRepair(declared, found)
    return doesNothing(expected) ? [] : { expected, repair: () => repairRow(store, declared, found) }
  })
}

function unreadable(item: Item): WantedRepair {
  const { PK, SK } = keyIn(item)
  const problem = `${PK} ${SK} cannot be read: npx tollgate check-data says why.`
  const expected = { problem }
  return { expected, repair: async () => expected }
}

async function findStale(
  store: Store,
  declared: NewEntries,
  items: readonly Item[],
): Promise<readonly WantedRepair[]> {
  const entries = items.filter(declared.isEntry)
  const rows = await store.getMany(entries.map((entry) => declared.entity.key.of(entry)))
  const stale = entries.filter((entry, index) => !isOf(declared, rows[index], entry))
  return stale.map((entry) => ({
    expected: { removed: 1 },
    repair: async () => ({
      removed: (await removeIfStale(store, declared, keyIn(entry))) === 'removed' ? 1 : 0,
    }),
  }))
}

/** No release reads them any more. */
async function removeFormerTexts(store: Store, items: readonly Item[], dryRun: boolean): Promise<Repair[]> {
  const former = items.filter(isFormerText).map(keyIn)
  if (!dryRun)
    await pMap(former, (key) => store.transact([{ remove: key }]), { concurrency: CONCURRENT_REPAIRS })
  return former.map(() => ({ removed: 1 }))
}
