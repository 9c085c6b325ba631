import { Option } from '@commander-js/extra-typings'
import { formatDateTime, secondsOf } from '#lib/base/calendar.ts'
import { inBatches } from '#lib/base/collections.ts'
import { countOf, escapeControls } from '#lib/base/text.ts'
import { csvLine } from '#lib/csv/writer.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Store } from '#lib/table/store.ts'
import type { TableLocation } from '#lib/table/table.ts'
import type { TableOptions } from '../machine/location.ts'
import { escapeLines, printLine } from '../machine/terminal.ts'
import { overTable } from './over-table.ts'

/** A value of a list; `undefined` is blank, and `null` in JSON. */
export type ListedCell = string | number | boolean | undefined

/** A list that a command prints as a table, or as CSV or JSON. */
export interface Listing {
  /**
   * The columns by name, in their order. Numbers are aligned to the right. A time is a moment in ISO 8601 or
   * in Unix seconds: tables and CSV show it as `YYYY-MM-DD HH:MM:SS` in `zone`, JSON in ISO 8601.
   */
  readonly columns: Readonly<Record<string, 'text' | 'number' | 'time'>>
  /** The time zone of the installation, for a list with times. */
  readonly zone?: string | undefined
  readonly rows: Iterable<ListedRow> | AsyncIterable<ListedRow>
  /** The line below a table, such as the number of its rows. */
  readonly summary: (rows: number) => string
  /** The line above a table. */
  readonly title?: string | undefined
  /** The last row of a table, once all rows are read: sums. */
  readonly total?: (() => ListedRow) | undefined
  /** The column of numbers that a terminal shows as bars, too, if the list is short enough to be measured. */
  readonly bar?: string | undefined
}

/** The cells by the names of their columns. */
export type ListedRow = Readonly<Record<string, ListedCell>>

export const LISTING_FORMATS = ['table', 'csv', 'json'] as const

export type ListingFormat = (typeof LISTING_FORMATS)[number]

/** The time zone of an installation, in which lists show their times. */
export const zoneOf = async (store: Store): Promise<string> => (await settingsOf(store)).Timezone

export const listFormat = () =>
  new Option('--format <FORMAT>', 'print a table, CSV or JSON')
    .choices(LISTING_FORMATS)
    .default(LISTING_FORMATS[0])

export const printListing = (
  options: TableOptions,
  format: ListingFormat,
  list: (store: Store, location: TableLocation) => Listing | Promise<Listing>,
): Promise<void> =>
  overTable(options, async (store, location) => {
    for await (const text of listingText(await list(store, location), format)) printText(text)
    return 0
  })

type ColumnKind = Listing['columns'][string]

/** A column of things: its kind, with its cell unless that is the value of its own name. */
type ColumnOf<T, Name> =
  | readonly [kind: ColumnKind, cell: (thing: T) => ListedCell]
  | (Name extends keyof T ? ColumnKind : never)

/** The columns and the rows of things, by columns that say what they show of each. */
export function rowsOfThings<T extends object, Name extends string>(
  things: Iterable<T> | AsyncIterable<T>,
  columns: { readonly [N in Name]: ColumnOf<T, N> },
) {
  const declared = Object.entries<ColumnOf<T, keyof T>>(columns).map(([name, column]) =>
    typeof column === 'string'
      ? { name, kind: column, cell: (thing: T): ListedCell => Object(thing)[name] }
      : { name, kind: column[0], cell: column[1] },
  )
  async function* rows() {
    for await (const thing of things)
      yield Object.fromEntries(declared.map(({ name, cell }) => [name, cell(thing)]))
  }
  return { columns: Object.fromEntries(declared.map(({ name, kind }) => [name, kind])), rows: rows() }
}

/** The same as a list that counts its things by a noun, with times in the zone of the installation. */
export async function listingOf<T extends object, Name extends string>(
  store: Store,
  noun: string,
  things: Iterable<T> | AsyncIterable<T>,
  columns: { readonly [N in Name]: ColumnOf<T, N> },
): Promise<Listing> {
  const listed = rowsOfThings(things, columns)
  const hasTimes = Object.values(listed.columns).includes('time')
  return {
    ...listed,
    summary: (count) => countOf(count, count === 1 ? noun : noun.replace(/(?<=[^aeiou])y$/, 'ie')),
    zone: hasTimes ? await zoneOf(store) : undefined,
  }
}

/** One thing that a command shows: in lines, or as JSON. */
export interface Shown {
  readonly lines: readonly string[]
  readonly json: unknown
}

export const shownFormat = () =>
  new Option('--format <FORMAT>', 'print text or JSON').choices(['text', 'json'] as const).default('text')

/** Prints one thing of the table that a command's options name. */
export const printShown = (
  options: TableOptions,
  format: string,
  show: (store: Store) => Promise<Shown>,
): Promise<void> =>
  overTable(options, async (store) => {
    for (const line of linesOfShown(await show(store), format)) printLine(line)
    return 0
  })

export const linesOfShown = ({ lines, json }: Shown, format: string): readonly string[] =>
  format === 'json' ? [JSON.stringify(json, null, 2)] : lines

/** Prints a piece of a list. Control characters are escaped only at a terminal. */
export const printText = (text: string): void =>
  void process.stdout.write(process.stdout.isTTY ? escapeLines(text) : text)

/** Yields the text of a list piece by piece: of a long list only some rows are in memory at a time. */
export const listingText = (listing: Listing, format: ListingFormat): AsyncGenerator<string> =>
  WRITERS[format](listing)

const WRITERS = { table: tableText, csv: csvText, json: jsonText } as const

/** Columns are as wide as in the first rows. A longer cell later moves the rest of its row. */
const ROWS_MEASURED = 1000

const GAP = '  '

/** One block of rows is held back, because the sums below the last one are known at the end. */
async function* tableText(listing: Listing): AsyncGenerator<string> {
  const { rows, summary, zone, title } = listing
  const blockText = createTable(listing)
  let held: readonly ListedRow[] = []
  let count = 0
  if (title !== undefined) yield `${title}\n`
  for await (const block of inBatches(rows, ROWS_MEASURED)) {
    yield blockText(held)
    held = block
    count += block.length
  }
  yield blockText(held, count)
  yield `${summary(count)}${zone !== undefined && count > 0 ? `; times in ${zone}` : ''}\n`
}

/** Returns the writer of a table, block by block. The last block comes with the number of all rows. */
function createTable(listing: Listing) {
  const { columns, zone, bar } = listing
  const names = Object.keys(columns)
  const shown = shownIn({ columns, zone })
  const cellsOf = (row: ListedRow) => names.map((name) => escapeControls(shown(row, name)))
  const header = names.map((name) => name.replaceAll('_', ' '))
  let widths: number[] | undefined
  return (rows: readonly ListedRow[], count?: number): string => {
    if (rows.length === 0) return ''
    const cells = [...rows, ...sumsOf(listing, count)].map(cellsOf)
    const kinds = Object.values(columns)
    if (widths) return alignedLines(cells, widths, kinds)
    const lines = [header, ...cells]
    const measured = bar === undefined || !count ? lines : withBars(lines, amountsIn(rows, bar))
    widths = widthsOf(measured)
    return alignedLines(measured, widths, kinds)
  }
}

/** The row of sums below several rows. The first column of text says what it is. */
function sumsOf({ columns, total }: Listing, count = 0): ListedRow[] {
  if (!total || count < 2) return []
  const [first = ''] = Object.keys(columns)
  return [{ ...(columns[first] === 'text' && { [first]: 'total' }), ...total() }]
}

const amountsIn = (rows: readonly ListedRow[], column: string): number[] =>
  rows.map((row) => Number(row[column] ?? 0))

const BAR_WIDTH = 20

/** A table's lines, each row with a bar at its end; `amounts` are those of the rows. */
function withBars(lines: readonly string[][], amounts: readonly number[]): string[][] {
  const largest = Math.max(0, ...amounts)
  const barOf = (amount = 0) => '█'.repeat(Math.round((Math.max(0, amount) / largest) * BAR_WIDTH))
  return lines.map((cells, index) => (largest > 0 ? [...cells, barOf(amounts[index - 1])] : [...cells]))
}

export const widthsOf = (lines: readonly (readonly string[])[]): number[] =>
  (lines[0] ?? []).map((_cell, index) => Math.max(...lines.map((cells) => cells[index]?.length ?? 0)))

/** The lines of a table. Columns of numbers are aligned to the right. */
export function alignedLines(
  lines: readonly (readonly string[])[],
  widths: readonly number[],
  kinds: readonly string[] = [],
): string {
  const pads = kinds.map((kind) => (kind === 'number' ? 'padStart' : 'padEnd'))
  const aligned = (cells: readonly string[]) =>
    cells.map((cell, index) => cell[pads[index] ?? 'padEnd'](widths[index] ?? 0)).join(GAP)
  return lines.map((cells) => `${aligned(cells).trimEnd()}\n`).join('')
}

const shownIn =
  ({ columns, zone = 'UTC' }: Pick<Listing, 'columns' | 'zone'>) =>
  (row: ListedRow, name: string): string => {
    const cell = row[name] ?? ''
    if (typeof cell === 'boolean') return cell ? 'yes' : 'no'
    return columns[name] === 'time' ? timeIn(zone, cell) : String(cell)
  }

const timeIn = (zone: string, moment: string | number): string =>
  moment === '' ? '' : formatDateTime(secondsOf(momentOf(moment)), zone)

const momentOf = (cell: string | number): Date => new Date(typeof cell === 'number' ? cell * 1000 : cell)

/** Lines end with a line feed, as terminal tools expect: `diff` compares them with a database's output. */
async function* csvText({ columns, rows, zone }: Listing): AsyncGenerator<string> {
  const names = Object.keys(columns)
  const shown = shownIn({ columns, zone })
  yield csvLine(names, '\n')
  for await (const row of rows)
    yield csvLine(
      names.map((name) => shown(row, name)),
      '\n',
    )
}

/** An array with an object on each line. */
async function* jsonText({ columns, rows }: Listing): AsyncGenerator<string> {
  let before = '['
  for await (const row of rows) {
    const cells = Object.entries(columns).map(([name, kind]) => [name, jsonCell(row[name], kind)])
    yield `${before}\n${JSON.stringify(Object.fromEntries(cells))}`
    before = ','
  }
  yield before === '[' ? '[]\n' : '\n]\n'
}

const jsonCell = (cell: ListedCell, kind: string): ListedCell | null =>
  kind === 'time' && typeof cell === 'number' ? momentOf(cell).toISOString() : (cell ?? null)
