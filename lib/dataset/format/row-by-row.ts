import pMap from 'p-map'
import { paired, slices } from '#lib/base/collections.ts'
import { isRefusal } from '#lib/base/refusal.ts'
import {
  allProblems,
  isStoredRow,
  KEPT_CHANGING,
  kindAfter,
  kindOfRow,
  type ProblemOf,
  problemsIn,
  type RowOutcome,
  rowRefused,
} from '#lib/base/row-refused.ts'
import { CHANGES_IN_ONE_TRANSACTION, type Change } from '#lib/table/requests/changes.ts'
import { ConditionFailed, retryingRaces } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import type { ImportContext } from './import-context.ts'
import { withKeptColumns } from './row-entry.ts'
import { type RowChange, type RowEntry, type RowFormat, rowsOf } from './row-format.ts'

/** Writes rows in one transaction each. `Found` is what the table holds for a row. */
export interface RowWriter<R, Found> {
  /** Rows of one lane are written one after another, because they change the same items. */
  lane(row: R): number
  /** Looks up what the table holds for the rows of a batch. */
  find(rows: readonly R[], context: ImportContext): Promise<(row: R) => Found>
  /** The stored columns of a row, and its digest; `undefined` for a new row. */
  columnsIn(found: Found, row: R): (Partial<R> & { readonly digest?: unknown }) | undefined
  /** Whether all of a row is stored. The default compares its columns; rows with more need their own. */
  isStored?(entry: RowEntry<R>, found: Found): boolean
  /** Throws refused_row for a row that the stored one does not admit. A dry run asks it, too. */
  admit?(entry: RowEntry<R>, found: Found): void
  /** Creates many new rows in few transactions. The rows that it does not return are written one by one. */
  create?(entries: readonly RowEntry<R>[], context: ImportContext): Promise<ReadonlySet<RowEntry<R>>>
  /** New rows change no item of each other: this number is created in one transaction, if it fits into it. */
  readonly createdTogether?: number
  /** The changes that put a row in place of the found one; `undefined` if stored. Throws refused_row. */
  changes(entry: RowEntry<R>, found: Found, context: ImportContext): Promise<RowChange | undefined>
  /** Writes otherwise than in a transaction. */
  commit?(store: Store, changes: readonly Change[]): Promise<unknown>
  /** The reason why a condition keeps failing, if the row has it. */
  obstacle?(row: R, context: ImportContext): Promise<ReturnType<ProblemOf<R>>>
}

export const byId =
  <Id, Found>(find: (store: Store, ids: readonly Id[]) => Promise<readonly (Found | undefined)[]>) =>
  async (rows: readonly { readonly id: Id }[], { store }: ImportContext) => {
    const ids = rows.map(({ id }) => id)
    const found = paired(ids, await find(store, ids))
    return ({ id }: { readonly id: Id }): Found | undefined => found.get(id)
  }

const MAX_PARALLEL_LANES = 16

/** The part of a format that finds, compares and writes rows in one transaction each. */
export const rowByRow = <R extends object, Found>(
  writer: RowWriter<R, Found>,
): Required<Pick<RowFormat<R>, 'stored' | 'compare' | 'write' | 'changeOf'>> => ({
  changeOf: async (entry, context, lostRaces) => {
    const found = await (lostRaces === 0 ? findRow : findAgain)(writer, entry.row, context)
    return (await changeOfRow(writer, entry, found, context)).change
  },
  stored: async (rows, context) => {
    const foundFor = await writer.find(rows, context)
    return (row) => writer.columnsIn(foundFor(row), row)
  },
  compare: async (entries, context) => {
    const foundFor = await writer.find(rowsOf(entries), context)
    return entries.map((entry) => outcomeOfEntry(writer, entry, foundFor(entry.row)))
  },
  write: async (entries, context) => {
    const foundFor = await writer.find(rowsOf(entries), context)
    const isNew = ({ row }: RowEntry<R>) => writer.columnsIn(foundFor(row), row) === undefined
    const fresh = entries.filter(isNew)
    const created = await (writer.create?.(fresh, context) ??
      createTogether(writer, fresh, foundFor, context))
    const outcomes = new Map<RowEntry<R>, RowOutcome>([...created].map((entry) => [entry, 'new']))
    const writeLane = async (lane: readonly RowEntry<R>[]) => {
      for (const entry of lane)
        outcomes.set(entry, await writeRow(writer, entry, foundFor(entry.row), context).catch(refusalIn))
    }
    const left = entries.filter((entry) => !created.has(entry))
    const lanes = Map.groupBy(left, ({ row }) => writer.lane(row)).values()
    await pMap(lanes, writeLane, { concurrency: MAX_PARALLEL_LANES })
    return outcomes
  },
})

/** The rows of a transaction that fails are not created, nor those whose change is refused. */
async function createTogether<R extends object, Found>(
  writer: RowWriter<R, Found>,
  entries: readonly RowEntry<R>[],
  foundFor: (row: R) => Found,
  context: ImportContext,
): Promise<ReadonlySet<RowEntry<R>>> {
  const { createdTogether = 0 } = writer
  if (createdTogether === 0) return new Set()
  const createGroup = async (group: readonly RowEntry<R>[]) => {
    const changing = group.map((entry) => changeOfRow(writer, entry, foundFor(entry.row), context))
    const changes = (await Promise.all(changing)).flatMap(({ change }) => change ?? [])
    const all = changes.flatMap((one) => one.changes)
    if (all.length > CHANGES_IN_ONE_TRANSACTION) return []
    await context.store.transact(all)
    for (const { afterwards } of changes) await afterwards?.()
    return group
  }
  const groups = [...slices(entries, createdTogether)]
  const created = await pMap(groups, (group) => createGroup(group).catch(noneOfRefused), {
    concurrency: MAX_PARALLEL_LANES,
  })
  return new Set(created.flat())
}

const noneOfRefused = (error: unknown): [] => {
  refusalIn(error)
  return []
}

/** A row that is stored is unchanged even if its cells are written in another way, as an export does. */
function outcomeOfEntry<R extends object, Found>(
  writer: RowWriter<R, Found>,
  entry: RowEntry<R>,
  found: Found,
): RowOutcome {
  const stored = writer.columnsIn(found, entry.row)
  const kind = kindOfRow(stored, entry.digest)
  const whole = withKeptColumns(entry, stored)
  if (kind === 'unchanged' || (kind === 'changed' && isStored(writer, whole, found))) return 'unchanged'
  try {
    writer.admit?.(whole, found)
    return kind
  } catch (error) {
    return { refused: problemsIn(error) }
  }
}

const isStored = <R extends object, Found>(
  writer: RowWriter<R, Found>,
  entry: RowEntry<R>,
  found: Found,
): boolean => writer.isStored?.(entry, found) ?? isStoredRow(entry.row, writer.columnsIn(found, entry.row))

/** Reads the items again and repeats the write while the API, or another lane, changes the same items. */
const writeRow = <R extends object, Found>(
  writer: RowWriter<R, Found>,
  entry: RowEntry<R>,
  firstFound: Found,
  context: ImportContext,
): Promise<RowOutcome> =>
  retryingRaces(context.store, async (triedBefore) => {
    const found = triedBefore === 0 ? firstFound : await findAgain(writer, entry.row, context)
    const { change, stored } = await changeOfRow(writer, entry, found, context)
    if (!change) return 'unchanged'
    await (writer.commit ?? transact)(context.store, change.changes)
    await change.afterwards?.()
    return kindAfter(stored)
  })

const transact = (store: Store, changes: readonly Change[]): Promise<void> => store.transact(changes)

/** Columns that the row does not have keep their stored values. */
async function changeOfRow<R extends object, Found>(
  writer: RowWriter<R, Found>,
  entry: RowEntry<R>,
  found: Found,
  context: ImportContext,
) {
  const stored = writer.columnsIn(found, entry.row)
  const whole = withKeptColumns(entry, stored)
  const isUnchanged = isStored(writer, whole, found)
  return { stored, change: isUnchanged ? undefined : await writer.changes(whole, found, context) }
}

const findRow = async <R, Found>(writer: RowWriter<R, Found>, row: R, context: ImportContext) =>
  (await writer.find([row], context))(row)

/** Throws refused_row if the row shows why its condition failed. */
async function findAgain<R, Found>(
  writer: RowWriter<R, Found>,
  row: R,
  context: ImportContext,
): Promise<Found> {
  const problems = allProblems(await writer.obstacle?.(row, context))
  if (problems.length > 0) throw rowRefused(...problems)
  return findRow(writer, row, context)
}

/** DynamoDB refuses an item above 400 KB with a ValidationException: that row alone is at fault. */
export function refusalIn(error: unknown): RowOutcome {
  if (isRefusal(error, 'refused_row')) return { refused: error.values.problems }
  if (error instanceof ConditionFailed) return { refused: KEPT_CHANGING }
  if (error instanceof Error && error.name === 'ValidationException') return { refused: error.message }
  throw error
}
