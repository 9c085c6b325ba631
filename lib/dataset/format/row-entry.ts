import { createHash } from 'node:crypto'
import { paired } from '#lib/base/collections.ts'
import { type ProblemOf, rowRefused } from '#lib/base/row-refused.ts'
import type { Calendar } from '#lib/table/cells/moments.ts'
import { parseGiven } from '#lib/table/cells/row-parser.ts'
import type { Cells, SourceRow } from '#lib/table/cells/row-source.ts'
import type { Store } from '#lib/table/store.ts'
import { nounOf } from '../entities.ts'
import type { ImportContext } from './import-context.ts'
import { columnsWhereZeroIsNone } from './references.ts'
import { type RefusedRows, readUnlessRefused } from './row-batch.ts'
import { keyColumnsOf, type RowColumns, type RowEntry, type RowFormat, rowsOf } from './row-format.ts'

/** Reads rows as entries. Columns that they lack get the defaults of a new row. */
export const readNewEntries = <R>(
  format: RowFormat<R>,
  rows: readonly SourceRow[],
  { calendar }: Pick<ImportContext, 'calendar'>,
  refused: RefusedRows,
): RowEntry<R>[] =>
  readUnlessRefused(rows, (row) => completeEntry(format, readGivenRow(format, row, calendar)), refused)

/** Reads a batch of rows of a file as entries. Columns that a row lacks keep their stored values. */
export async function readEntries<R>(
  declared: RowFormat<R>,
  rows: readonly SourceRow[],
  { newIds, ...context }: ImportContext & { readonly newIds: NewIds },
  refused: RefusedRows,
): Promise<RowEntry<R>[]> {
  const format = context.revision === undefined ? declared : { ...declared, revision: context.revision }
  const given = readUnlessRefused(rows, (row) => readGivenRow(format, row, context.calendar), refused)
  const read = await withIds(format, given, context.store, newIds)
  const early = new Set(read.filter(isReadEarly(format)))
  const earlyRows = Array.from(early, ({ given }) => given as R)
  const storedRow = await format.stored?.(earlyRows, context)
  const complete = (row: GivenRow) => {
    if (!early.has(row)) return completeEntry(format, row, undefined, row.missing)
    const stored = storedRow?.(row.given as R)
    return completeEntry(format, row, stored, stored && row.missing)
  }
  return withoutZeroes(format, readUnlessRefused(read, complete, refused), context)
}

/** Returns whether a row lacks a column that must be known before the row is written. */
const isReadEarly =
  <R>({ columns, checkedColumns }: RowFormat<R>) =>
  ({ missing }: GivenRow): boolean =>
    missing.some((name) => !columns[name]?.blank || (checkedColumns?.includes(name) ?? true))

/** Blanks optional references that say 0 where nothing has the id 0. */
async function withoutZeroes<R>(
  format: RowFormat<R>,
  entries: RowEntry<R>[],
  context: ImportContext,
): Promise<RowEntry<R>[]> {
  const rows = entries.map(({ row }) => row)
  const { optionalReferences = [] } = format
  const columns = await columnsWhereZeroIsNone(context, rows, optionalReferences)
  if (columns.length === 0) return entries
  return entries.map(({ line, cells, kept, row }) =>
    entryOf(format, { line, cells, kept, row: blankZeroes(row, columns) }),
  )
}

const blankZeroes = <R>(row: R, columns: readonly string[]): R => {
  const zeroes = columns.filter((column) => row[column as keyof R] === 0)
  return { ...row, ...Object.fromEntries(zeroes.map((column) => [column, undefined])) }
}

/** The columns that a row has. */
interface GivenRow extends Pick<SourceRow, 'line' | 'cells'> {
  readonly given: Readonly<Record<string, unknown>>
  /** The columns that it lacks. */
  readonly missing: readonly string[]
}

/** Throws refused_row if the row cannot be read. */
function readGivenRow<R>(
  format: RowFormat<R>,
  { line, cells, problem }: SourceRow,
  calendar: Calendar,
): GivenRow {
  if (problem !== undefined) throw rowRefused(problem)
  const { id = '', ...others } = cells
  const takesId = format.names?.find && id.trim() === ''
  const missing = Object.keys(format.columns).filter(
    (name) => !(Object.hasOwn(cells, name) || format.notKept?.includes(name)) && !(takesId && name === 'id'),
  )
  const keys = takesId ? [format.names?.column ?? ''] : keyColumnsOf(format)
  const key = keys.find((name) => missing.includes(name))
  if (key !== undefined) throw rowRefused({ code: 'blank', field: key, values: {} })
  return { line, cells, missing, given: parseGiven(format, takesId ? others : cells, calendar) }
}

/** Gives rows without an id that of the stored row of their name, or a new one. */
async function withIds<R>(
  { names }: RowFormat<R>,
  rows: readonly GivenRow[],
  store: Store,
  newIds: NewIds,
): Promise<readonly GivenRow[]> {
  const unnumbered = rows.filter(({ given }) => names?.find && !Object.hasOwn(given, 'id'))
  if (unnumbered.length === 0) return rows
  const nameOf = ({ given }: GivenRow) => String(given[names?.column ?? ''])
  const found = paired(unnumbered, (await names?.find?.(store, unnumbered.map(nameOf))) ?? [])
  const unknown = unnumbered.filter((row) => found.get(row) === undefined)
  let next = unknown.length > 0 ? await newIds(unknown.map(nameOf)) : 0
  const idOf = (row: GivenRow) => found.get(row) ?? next++
  return rows.map((row) => (found.has(row) ? { ...row, given: { ...row.given, id: idOf(row) } } : row))
}

/** Columns without a stored value get a new row's defaults. Throws refused_row without a default. */
function completeEntry<R>(
  format: RowFormat<R>,
  { line, cells, given, missing }: GivenRow,
  stored?: Partial<R>,
  kept: readonly string[] = [],
): RowEntry<R> {
  const others = missing.map((name) => [name, stored ? stored[name as keyof R] : defaultOf(format, name)])
  const row = { ...Object.fromEntries(others), ...given } as R
  return entryOf(format, { line, cells, row, kept })
}

/** The digest is computed when it is first read: not in the pass that only checks rows. */
function entryOf<R>(format: RowFormat<R>, parts: Omit<RowEntry<R>, 'digest'>): RowEntry<R> {
  let digest: string | undefined
  return {
    ...parts,
    get digest() {
      digest ??= digestOf(format, parts.cells)
      return digest
    },
  }
}

/** The value of a missing column in a new row. Throws refused_row if the column has no default. */
function defaultOf({ columns }: RowColumns, name: string): unknown {
  const blank = columns[name]?.blank
  if (!blank) throw rowRefused(`${name} is missing: a new row needs it`)
  return blank.value
}

/** The entry with the stored values of its kept columns, which may have changed since the entry was read. */
export function withKeptColumns<R>(entry: RowEntry<R>, stored: Partial<R> | undefined): RowEntry<R> {
  if (!stored || entry.kept.length === 0) return entry
  const kept = entry.kept.map((name) => [name, stored[name as keyof R]])
  return { ...entry, row: { ...entry.row, ...Object.fromEntries(kept) } }
}

/**
 * The digest of the cells of a row, in base64url. The order of known columns does not matter. Secret columns
 * are left out, and a revision is included.
 */
function digestOf({ columns, secretColumns = [], revision }: RowColumns, cells: Cells): string {
  const names = new Set([
    ...Object.keys(columns).filter((name) => Object.hasOwn(cells, name)),
    ...Object.keys(cells),
  ])
  const digested = [...names].flatMap((name) => (secretColumns.includes(name) ? [] : [[name, cells[name]]]))
  const text = JSON.stringify(revision === undefined ? digested : [...digested, revision])
  return createHash('sha256').update(text).digest('base64url')
}

/** Returns the first of consecutive ids for new rows of these names. */
export type NewIds = (names: readonly string[]) => Promise<number>

/** Ids of checked rows. They are below 0: no stored row has one, and no counter moves for them. */
export function provisionalIds(): NewIds {
  let first = 0
  return async ({ length }) => {
    first -= length
    return first
  }
}

/** Finds rows with the id of a stored row of another name: an invented id would overwrite it. */
export async function otherNameProblems<R>(
  format: RowFormat<R>,
  entries: readonly RowEntry<R>[],
  context: ImportContext,
): Promise<ProblemOf<RowEntry<R>>> {
  const { names, stored, key, keyColumns: [idColumn = 'id'] = [] } = format
  if (!names) return () => undefined
  const { column, plain = (name) => name } = names
  const named = entries.filter(({ row, kept }) => !kept.includes(column) && Object(row)[idColumn] >= 0)
  const storedRow = await stored?.(rowsOf(named), context)
  return ({ row, kept }) => {
    const [given, held] = [Object(row)[column], Object(storedRow?.(row) ?? {})[column]]
    if (kept.includes(column) || held === undefined || plain(given) === plain(held)) return undefined
    const holder = `${idColumn} ${Object(row)[idColumn]} belongs to the ${key ? nounOf(key) : 'row'} ${held}`
    const advice = names.find ? 'leave the id blank for a new one' : 'choose another id for a new one'
    return `${holder}: ${advice}, or pass --rename`
  }
}
