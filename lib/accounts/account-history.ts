import * as v from 'valibot'
import type { Seconds } from '#lib/base/calendar.ts'
import type { Money } from '#lib/base/money.ts'
import { rowRefused } from '#lib/base/row-refused.ts'
import type { Column } from '#lib/table/columns.ts'

// A call is rated, and a month is taxed, by its account's values at that time. The item holds the history.

/** The columns of an account that have a history. */
export interface DatedValues {
  readonly tariff_id: number | undefined
  readonly vat_percent: Money | undefined
  readonly currency: string
  readonly owner_id: number
}

export type DatedColumn = keyof DatedValues

export const DATED_COLUMNS = ['tariff_id', 'vat_percent', 'currency', 'owner_id'] as const

/** A value and the moment from which it holds. A missing value is none. The first one holds from 0 on. */
const entrySchema = v.union([v.tuple([v.number(), v.union([v.number(), v.string()])]), v.tuple([v.number()])])

type HistoryEntry = v.InferOutput<typeof entrySchema>

/** The entries of each column that has ever changed, by moment. A moment may be ahead. */
export type AccountHistory = Readonly<Partial<Record<DatedColumn, readonly HistoryEntry[]>>>

const historySchema = v.pipe(
  v.record(v.picklist(DATED_COLUMNS), v.array(entrySchema)),
  v.transform((history): AccountHistory => history),
)

/** Missing for an account that never changed. It is a column of no dataset. */
export const historyColumn: Column<AccountHistory | undefined> = {
  describes: 'moments and values',
  schema: v.optional(historySchema),
  fromCell: (cell) => cell,
  blank: { value: undefined },
  isLater: true,
}

interface WithHistory {
  readonly history?: AccountHistory | undefined
}

/** The value that an account has at a moment, past or future. */
export const valueAt = <N extends DatedColumn>(
  { history, ...present }: Pick<DatedValues, N> & WithHistory,
  column: N,
  at: Seconds,
): DatedValues[N] => {
  const entries = history?.[column]
  return entries ? valueIn(entries, at) : (present as Pick<DatedValues, N>)[column]
}

const valueIn = <N extends DatedColumn>(entries: readonly HistoryEntry[], at: Seconds): DatedValues[N] =>
  entries.findLast(([from]) => from <= at)?.[1] as DatedValues[N]

/** The account with the values of a moment: the stored ones may be older than a change that is due by now. */
export const asOf = <A extends Partial<DatedValues> & WithHistory>(account: A, at: Seconds): A => {
  const { history } = account
  if (!history) return account
  const values = Object.entries(history).map(([column, entries]) => [column, valueIn(entries, at)])
  return { ...account, ...Object.fromEntries(values) }
}

/** The most changes that the history of an account holds, so that its item stays one read unit. */
export const MOST_CHANGES = 100

/** When the values of a row come into force: now, or from a moment on, past or future, for some columns. */
export interface ChangeMoment {
  readonly now: Seconds
  readonly dated?: { readonly from: Seconds; readonly columns: readonly DatedColumn[] } | undefined
}

/**
 * The history after a change, and the values that then hold now. A tariff that an account without one is
 * given at once holds since it had none. Throws refused_row for the 101st change.
 */
export function changedValues(
  before: DatedValues & WithHistory,
  after: DatedValues,
  { now, dated }: ChangeMoment,
): DatedValues & WithHistory {
  const entriesOf = (column: DatedColumn): readonly HistoryEntry[] => {
    const entries = before.history?.[column] ?? [entry(0, before[column])]
    if (dated && !dated.columns.includes(column)) return entries
    const at = dated?.from ?? now
    const value = after[column]
    const present = valueIn(entries, at)
    if (present === value) return entries
    const isFirstTariff = !dated && column === 'tariff_id' && present === undefined
    return withEntry(entries, isFirstTariff ? momentOf(entries, at) : at, value)
  }
  const all = DATED_COLUMNS.map((column) => [column, entriesOf(column)] as const)
  const changed = all.filter(([, entries]) => entries.length > 1)
  const changes = changed.reduce((sum, [, entries]) => sum + entries.length - 1, 0)
  if (changes > MOST_CHANGES)
    throw rowRefused(
      `the history of the account is full with ${MOST_CHANGES} changes: correct one of them with its own day, or add another account`,
    )
  const values = Object.fromEntries(all.map(([column, entries]) => [column, valueIn(entries, now)]))
  const history = changed.length === 0 ? undefined : Object.fromEntries(changed)
  return { ...(values as unknown as DatedValues), history }
}

const entry = (from: Seconds, value: number | string | undefined): HistoryEntry =>
  value === undefined ? [from] : [from, value]

const momentOf = (entries: readonly HistoryEntry[], at: Seconds): Seconds =>
  entries.findLast(([from]) => from <= at)?.[0] ?? 0

/** An entry that repeats the value before it is left out. */
const withEntry = (
  entries: readonly HistoryEntry[],
  at: Seconds,
  value: number | string | undefined,
): readonly HistoryEntry[] =>
  [...entries.filter(([from]) => from !== at), entry(at, value)]
    .sort(([one], [other]) => one - other)
    .filter(([, own], index, sorted) => index === 0 || sorted[index - 1]?.[1] !== own)

/** A value of a column, and the moment from which it holds. */
export interface DatedChange {
  readonly column: DatedColumn
  readonly from: Seconds
  readonly value: number | string | undefined
}

/** All that an account's history holds, by column and moment. The first value of a column is from 0. */
export const listHistory = ({ history = {} }: WithHistory): DatedChange[] =>
  DATED_COLUMNS.flatMap((column) => (history[column] ?? []).map(([from, value]) => ({ column, from, value })))
