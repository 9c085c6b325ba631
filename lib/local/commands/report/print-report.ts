import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { writeXlsxStream } from 'hucre/xlsx'
import {
  FORMATS,
  type ListFormat,
  type Listing,
  listingText,
  printText,
} from '#lib/local/commands/listing.ts'
import { overTable } from '#lib/local/commands/over-table.ts'
import type { TableOptions } from '#lib/local/location.ts'
import { countOf, printLine } from '#lib/local/terminal.ts'
import type { Report, ReportRow } from '#lib/report/report.ts'
import type { Store } from '#lib/store/store.ts'

const REPORT_FORMATS = [...FORMATS, 'xlsx'] as const

/** The form of a printed report, and the file that gets it; without a file, it is printed. */
export interface ReportOutput {
  readonly format: (typeof REPORT_FORMATS)[number]
  readonly out?: string | undefined
}

export const reportFormat = () =>
  new Option('--format <FORMAT>', 'a table, CSV, JSON or a workbook')
    .choices(REPORT_FORMATS)
    .default(REPORT_FORMATS[0])

export const reportFile = () =>
  new Option('--out <FILE>', 'write the report into this file, which is replaced; a workbook needs one')

/** Prints a report about the table that a command's options name, while its rows are read. */
export function printReport(
  options: TableOptions,
  { format, out }: ReportOutput,
  open: (store: Store) => Report | Promise<Report>,
): Promise<void> {
  if (format === 'xlsx' && out === undefined)
    throw new InvalidArgumentError('A workbook cannot be printed: pass --out FILE.xlsx')
  return overTable(options, async (store) => {
    const report = await open(store)
    if (format === 'xlsx') await writeWorkbook(report, String(out))
    else await writeText({ ...report, summary: (rows) => describeTotal(report, rows) }, format, out)
    if (out !== undefined) printLine(`Wrote ${out}`)
    return 0
  })
}

async function writeText(listing: Listing, format: ListFormat, out: string | undefined): Promise<void> {
  const text = listingText(listing, format)
  if (out === undefined) for await (const piece of text) printText(piece)
  else await pipeline(text, createWriteStream(out))
}

/** The number of rows, and the totals of a report that has any. */
function describeTotal({ total, currency }: Report, rows: number): string {
  const sums = Object.entries(total?.() ?? {}).map(([name, sum]) => `${name.replaceAll('_', ' ')} ${sum}`)
  const unit = currency === undefined ? '' : ` (${currency})`
  return [countOf(rows, 'row'), ...(sums.length > 0 ? [`total: ${sums.join(', ')}${unit}`] : [])].join('; ')
}

const writeWorkbook = ({ columns, rows }: Report, path: string): Promise<void> =>
  pipeline(
    Readable.fromWeb(
      writeXlsxStream(cellsOf(rows, columns), {
        name: 'Report',
        columns: Object.keys(columns).map((header) => ({ header })),
        freezePane: { rows: 1 },
      }) as Parameters<typeof Readable.fromWeb>[0],
    ),
    createWriteStream(path),
  )

/** Amounts become numbers of a spreadsheet, which has no decimals: it shows 15 digits. */
async function* cellsOf(rows: AsyncIterable<ReportRow>, columns: Report['columns']) {
  const kinds = Object.entries(columns)
  for await (const row of rows)
    yield kinds.map(([name, kind]) => {
      const cell = row[name]
      return kind === 'number' && cell !== undefined ? Number(cell) : (cell ?? null)
    })
}
