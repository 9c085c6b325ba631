import { Option } from '@commander-js/extra-typings'
import { csvLine } from '#lib/csv/writer.ts'
import type { Store } from '#lib/store/store.ts'
import type { TableOptions } from '#tools/machine/location.ts'
import { escapeControls, escapeLines } from '#tools/machine/terminal.ts'
import { overTable } from './over-table.ts'

/** A value of a list; `undefined` is blank, and `null` in JSON. */
export type Cell = string | number | boolean | undefined

/** A list that a command prints as a table, or as CSV or JSON. */
export interface Listing {
  /** The columns by name, in their order. Numbers are aligned to the right. */
  readonly columns: Readonly<Record<string, 'text' | 'number'>>
  readonly rows: Iterable<ListedRow> | AsyncIterable<ListedRow>
  /** The line below a table, such as the number of its rows. */
  readonly summary: (rows: number) => string
}

/** The cells by the names of their columns. */
export type ListedRow = Readonly<Record<string, Cell>>

export const FORMATS = ['table', 'csv', 'json'] as const

export type ListFormat = (typeof FORMATS)[number]

/** The option `--format` of a command that prints a list. */
export const listFormat = () =>
  new Option('--format <FORMAT>', 'print a table, CSV or JSON').choices(FORMATS).default(FORMATS[0])

/** Prints a list of the table that a command's options name. */
export const printListing = (
  options: TableOptions,
  format: ListFormat,
  list: (store: Store) => Listing | Promise<Listing>,
): Promise<void> =>
  overTable(options, async (store) => {
    for await (const text of listingText(await list(store), format)) printText(text)
    return 0
  })

/** Prints a piece of a list. Control characters are escaped only at a terminal. */
export const printText = (text: string): void =>
  void process.stdout.write(process.stdout.isTTY ? escapeLines(text) : text)

/** Yields the text of a list piece by piece: of a long list only some rows are in memory at a time. */
export const listingText = (listing: Listing, format: ListFormat): AsyncGenerator<string> =>
  WRITERS[format](listing)

const WRITERS = { table: tableText, csv: csvText, json: jsonText } as const

// Table

/** The widths of the columns are those of the first rows. A longer cell behind them moves the rest of its row. */
const ROWS_MEASURED = 1000

const GAP = '  '

async function* tableText({ columns, rows, summary }: Listing): AsyncGenerator<string> {
  const names = Object.keys(columns)
  const unprinted = [names.map((name) => name.replaceAll('_', ' '))]
  let widths: number[] | undefined
  let count = 0
  for await (const row of rows) {
    unprinted.push(names.map((name) => escapeControls(shownCell(row[name]))))
    count += 1
    if (!widths && count < ROWS_MEASURED) continue
    widths ??= widthsOf(unprinted)
    yield alignedLines(unprinted.splice(0), columns, widths)
  }
  if (count > 0) yield alignedLines(unprinted, columns, widths ?? widthsOf(unprinted))
  yield `${summary(count)}\n`
}

const widthsOf = (lines: readonly string[][]): number[] =>
  (lines[0] ?? []).map((_cell, index) => Math.max(...lines.map((cells) => cells[index]?.length ?? 0)))

function alignedLines(
  lines: readonly string[][],
  columns: Listing['columns'],
  widths: readonly number[],
): string {
  const pads = Object.values(columns).map((kind) => (kind === 'number' ? 'padStart' : 'padEnd'))
  const aligned = (cells: readonly string[]) =>
    cells.map((cell, index) => cell[pads[index] ?? 'padEnd'](widths[index] ?? 0)).join(GAP)
  return lines.map((cells) => `${aligned(cells).trimEnd()}\n`).join('')
}

function shownCell(cell: Cell): string {
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no'
  return String(cell ?? '')
}

// CSV and JSON

/** Lines end with a line feed, as the tools of a terminal expect: `diff` compares them with the output of a database. */
async function* csvText({ columns, rows }: Listing): AsyncGenerator<string> {
  const names = Object.keys(columns)
  yield csvLine(names, '\n')
  for await (const row of rows)
    yield csvLine(
      names.map((name) => shownCell(row[name])),
      '\n',
    )
}

/** An array with an object on each line. */
async function* jsonText({ columns, rows }: Listing): AsyncGenerator<string> {
  const names = Object.keys(columns)
  let before = '['
  for await (const row of rows) {
    yield `${before}\n${JSON.stringify(Object.fromEntries(names.map((name) => [name, row[name] ?? null])))}`
    before = ','
  }
  yield before === '[' ? '[]\n' : '\n]\n'
}
