import { createHash } from 'node:crypto'
import type { Calendar } from '#lib/dataset/cells/moments.ts'
import type { Cells, SourceRow } from '#lib/dataset/cells/source.ts'
import { RowRefused, reasonIn } from '#lib/domain/row-refused.ts'
import type { ImportWorld } from './import-world.ts'
import { keyColumnsOf } from './key-columns.ts'
import { zeroesForNone } from './references.ts'
import type { RowColumns, RowEntry, RowFormat } from './row-format.ts'
import { parseGiven } from './row-parser.ts'

/** The row as an entry, or why it cannot be read. Columns that it does not have are as a new row has them. */
export function readEntry<R>(format: RowFormat<R>, row: SourceRow, calendar: Calendar): RowEntry<R> | string {
  const given = readGiven(format, row, calendar)
  return typeof given === 'string' ? given : completed(format, given, undefined)
}

/** The same for a batch of rows of a file. Columns that a row does not have keep what is stored. */
export async function readEntries<R>(
  format: RowFormat<R>,
  rows: readonly SourceRow[],
  world: ImportWorld,
): Promise<(RowEntry<R> | string)[]> {
  const read = rows.map((row) => readGiven(format, row, world.calendar))
  const partial = read.filter((one) => typeof one !== 'string').filter(({ missing }) => missing.length > 0)
  const stored = await format.stored?.(
    partial.map(({ given }) => given as R),
    world,
  )
  const storedOf = new Map(partial.map((one, position) => [one, stored?.[position]]))
  const entries = read.map((one) =>
    typeof one === 'string' ? one : completed(format, one, storedOf.get(one)),
  )
  return withoutZeroes(format, entries, world)
}

async function withoutZeroes<R>(
  { optionalReferences }: RowFormat<R>,
  entries: readonly (RowEntry<R> | string)[],
  world: ImportWorld,
): Promise<(RowEntry<R> | string)[]> {
  const rows = entries.flatMap((entry) => (typeof entry === 'string' ? [] : [entry.row]))
  const columns = optionalReferences ? await zeroesForNone(world, rows, optionalReferences) : []
  if (columns.length === 0) return [...entries]
  return entries.map((entry) =>
    typeof entry === 'string' ? entry : { ...entry, row: none(entry.row, columns) },
  )
}

const none = <R>(row: R, columns: readonly string[]): R => {
  const zeroes = columns.filter((column) => row[column as keyof R] === 0)
  return { ...row, ...Object.fromEntries(zeroes.map((column) => [column, undefined])) }
}

/** A row as far as it goes. */
interface GivenRow extends Pick<SourceRow, 'line' | 'cells'> {
  readonly given: Readonly<Record<string, unknown>>
  /** Columns that it does not have. */
  readonly missing: readonly string[]
}

function readGiven<R>(
  format: RowFormat<R>,
  { line, cells, problem }: SourceRow,
  calendar: Calendar,
): GivenRow | string {
  if (problem !== undefined) return problem
  const missing = Object.keys(format.columns).filter((name) => !Object.hasOwn(cells, name))
  const key = keyColumnsOf(format).find((name) => missing.includes(name))
  if (key !== undefined) return `${key} must not be blank`
  try {
    return { line, cells, missing, given: parseGiven(format, cells, calendar) }
  } catch (error) {
    return reasonIn(error)
  }
}

function completed<R>(
  format: RowFormat<R>,
  { line, cells, given, missing }: GivenRow,
  stored: Partial<R> | undefined,
): RowEntry<R> | string {
  try {
    const others = missing.map((name) => [name, stored ? stored[name as keyof R] : blankOf(format, name)])
    const row = { ...Object.fromEntries(others), ...given } as R
    return { line, cells, row, kept: stored ? missing : [], digest: digestOf(format, cells) }
  } catch (error) {
    return reasonIn(error)
  }
}

/** What a column of a new row holds that the file does not have. Throws RowRefused where it must hold something. */
function blankOf({ columns }: RowColumns, name: string): unknown {
  const blank = columns[name]?.blank
  if (!blank) throw new RowRefused(`${name} is missing, and nothing is stored that could be kept`)
  return blank.value
}

/** The entry with the kept columns as they are stored now. */
export function keeping<R>(entry: RowEntry<R>, stored: Partial<R> | undefined): RowEntry<R> {
  if (!stored || entry.kept.length === 0) return entry
  const kept = entry.kept.map((name) => [name, stored[name as keyof R]])
  return { ...entry, row: { ...entry.row, ...Object.fromEntries(kept) } }
}

/** The digest of a source row: the same for the same cells, whatever the order of the known columns. */
function digestOf({ columns, secretColumns = [], revision }: RowColumns, cells: Cells): string {
  const names = new Set([
    ...Object.keys(columns).filter((name) => Object.hasOwn(cells, name)),
    ...Object.keys(cells),
  ])
  const said = [...names].flatMap((name) => (secretColumns.includes(name) ? [] : [[name, cells[name]]]))
  const text = JSON.stringify(revision === undefined ? said : [...said, revision])
  return createHash('sha256').update(text).digest('base64url')
}
