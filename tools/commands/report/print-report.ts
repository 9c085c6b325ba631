import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type CommandUnknownOpts, InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { writeXlsxStream } from 'hucre/xlsx'
import { countOf } from '#lib/base/text.ts'
import type { Report, ReportRow } from '#lib/calls/report/report.ts'
import type { Store } from '#lib/table/store.ts'
import type { TableOptions } from '#tools/machine/location.ts'
import { printLine } from '#tools/machine/terminal.ts'
import { pathArgument } from '../../command-line/arguments.ts'
import {
  LISTING_FORMATS,
  type Listing,
  type ListingFormat,
  listingText,
  printText,
} from '../../command-line/listing.ts'
import { overTable } from '../../command-line/over-table.ts'

const REPORT_FORMATS = [...LISTING_FORMATS, 'xlsx'] as const

/** The form of a printed report, and its file; without a file, it is printed. */
interface ReportOutput {
  readonly format: (typeof REPORT_FORMATS)[number]
  readonly out?: string | undefined
}

/** Adds the options that each report has, after its own. */
export const addOutput = (report: CommandUnknownOpts): CommandUnknownOpts =>
  report
    .addOption(
      new Option('--format <FORMAT>', 'a table, CSV, JSON or a workbook')
        .choices(REPORT_FORMATS)
        .default(REPORT_FORMATS[0]),
    )
    .addOption(
      new Option(
        '--out <FILE>',
        'write the report into this file, which is replaced; a workbook needs one',
      ).argParser(pathArgument),
    )

/** An action that prints a report about the table that the options name, while its rows are read. */
export const reportAction =
  <O>(openReport: (store: Store, options: O) => Report | Promise<Report>) =>
  (options: O, command: { optsWithGlobals(): unknown }): Promise<void> => {
    const { format, out, ...others } = options as O & ReportOutput
    if (format === 'xlsx' && out === undefined)
      throw new InvalidArgumentError('A workbook cannot be printed: pass --out FILE.xlsx')
    return overTable(command.optsWithGlobals() as TableOptions, async (store) => {
      const report = await openReport(store, others as O)
      if (out !== undefined) await writeFile(out, reportIn(format, report))
      else for await (const piece of reportIn(format, report)) printText(String(piece))
      return 0
    })
  }

/** The text or the bytes of a report, while its rows are read. */
export const reportIn = (
  format: ReportOutput['format'],
  report: Report,
): AsyncIterable<string | Uint8Array> => (format === 'xlsx' ? workbookOf(report) : textOf(report, format))

const textOf = (report: Report, format: ListingFormat): AsyncIterable<string> => {
  const summary = (rows: number) => describeRows(report, rows)
  const bar = process.stdout.isTTY ? barColumn(report) : undefined
  const listing: Listing = { ...report, summary, bar }
  return listingText(listing, format)
}

/** Bars compare the rows of a report with sums. */
const barColumn = ({ columns, total }: Report): string | undefined =>
  total && ['revenue', 'attempts'].find((name) => Object.hasOwn(columns, name))

async function writeFile(path: string, pieces: AsyncIterable<string | Uint8Array>): Promise<void> {
  const file = await open(path, 'w')
  await pipeline(pieces, file.createWriteStream())
  printLine(`Wrote ${path}`)
}

const describeRows = ({ currency }: Report, rows: number): string =>
  [countOf(rows, 'row'), ...(currency === undefined ? [] : [`amounts in ${currency}`])].join('; ')

const workbookOf = ({ columns, rows }: Report): Readable =>
  Readable.fromWeb(
    writeXlsxStream(cellsOf(rows, columns), {
      name: 'Report',
      columns: Object.keys(columns).map((header) => ({ header })),
      freezePane: { rows: 1 },
    }) as Parameters<typeof Readable.fromWeb>[0],
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
