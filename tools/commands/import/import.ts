import { resolve } from 'node:path'
import type { Command } from '@commander-js/extra-typings'
import { NO_ROWS } from '#lib/base/row-refused.ts'
import { countOf } from '#lib/base/text.ts'
import type { ImportOptions } from '#lib/dataset/format/dataset-file.ts'
import { findPath, importPath, type WrittenReport } from '#lib/dataset/import/folder.ts'
import type { Store } from '#lib/table/store.ts'
import type { TableLocation } from '#lib/table/table.ts'
import { carryOutAs } from '../../command-line/act-commands.ts'
import { pathArgument } from '../../command-line/arguments.ts'
import { changeTable, nameInstallation, overTable, withTableOptions } from '../../command-line/over-table.ts'
import { createProgress, type ProgressDisplay } from '../../command-line/progress.ts'
import { demoDataset } from '../../machine/data-folder.ts'
import { chooseLocation, shortPath, type TableOptions } from '../../machine/location.ts'
import { type AskChoice, printLine, terminalChooser, terminalUser } from '../../machine/terminal.ts'
import { bucketAt } from '../archive/archive.ts'
import { filesBesideBooks, hasBooks, importBooks } from '../export/books.ts'
import { callUseCheck } from '../report/call-use.ts'
import { retryAfterImport } from '../suspense/suspense.ts'
import { CHECK_USE, DECIMAL_COMMA, DECIMAL_POINT } from './import-options.ts'

export const declare = (command: Command) =>
  withTableOptions(command)
    .description(
      'A dataset is a folder of CSV or NDJSON files. Without --endpoint and --table the command imports into the local installation \
that npm start runs. Importing the same dataset again changes nothing; run an interrupted import again. Refused rows are \
written to <file>.rejected.csv, except by --dry-run. Suspended CDRs are retried afterwards. If a tariff would lose more than a tenth of its \
prefixes, you are asked at a terminal; otherwise the tariff stays unchanged. Exit code 1: some rows \
were refused, a tariff stays unchanged, or nothing was imported.',
    )
    .argument('<path>', 'a dataset, or a file of one', pathArgument)
    .option('--dry-run', 'check every row and show the changes of each file and tariff, but write nothing')
    .option(
      '--merge',
      'add rates and destinations (default: a file of rates replaces each tariff that it names, and a file of destinations replaces \
the directory)',
    )
    .option(
      '--rename',
      'give stored rows another name (default: a row whose id belongs to a row of another name is refused)',
    )
    .option(
      '--accept-rejected',
      'replace a tariff, the directory of destinations or the products of an invoice even if some of its rows are refused',
    )
    .option(
      '--allow-removals',
      'replace a tariff even if that removes more than a tenth of its prefixes, or leaves no rate in force today',
    )
    .addOption(CHECK_USE)
    .addOption(DECIMAL_COMMA)
    .addOption(DECIMAL_POINT)
    .action((path, { endpoint, table, data, decimalComma, decimalPoint, ...wanted }) =>
      importInto({ endpoint, table, data }, path, {
        ...wanted,
        ...(decimalComma && { comma: 'decimal' }),
        ...(decimalPoint && { comma: 'thousands' }),
      }),
    )

const EVERYTHING_IMPORTED = 0
const ROWS_REFUSED = 1

async function importInto(
  table: TableOptions,
  path: string,
  { checkUse: days, ...wanted }: Omit<ImportOptions, 'checkUse'> & { readonly checkUse?: number },
): Promise<void> {
  const dryRun = wanted.dryRun ?? false
  await findPath(path)
  if (dryRun) await nameInstallation(chooseLocation(table))
  const work = async (store: Store, location: TableLocation) => {
    printLine(`${dryRun ? 'Checking' : 'Importing'} ${shortPath(path)}`)
    const options = { ...wanted, checkUse: callUseCheck(store, days) }
    const reports = await importFolder(path, store, options)
    for (const report of reports) printImportedFile(report, dryRun)
    const refusals = dryRun ? 0 : await addBooks(store, location, path)
    if (!dryRun) await retrySuspended(store, reports)
    return refusals > 0 || reports.some(({ refused, notReplaced }) => refused.size > 0 || notReplaced)
      ? ROWS_REFUSED
      : EVERYTHING_IMPORTED
  }
  return dryRun ? overTable(table, work) : changeTable(table, work, { logsItself: true })
}

/** Adds the books of a dataset, and prints the outcome. Returns the number of refused items. */
export async function addBooks(store: Store, location: TableLocation, path: string): Promise<number> {
  if (!hasBooks(path)) return 0
  const act = importBooks(path, () => bucketAt(location))
  const { added, unchanged, refused } = (await carryOutAs(store, act, { as: undefined, now: new Date() }, {}))
    .answer
  printLine(`books: ${added} new, ${unchanged} unchanged, ${refused.length} refused`)
  for (const sentence of refused.slice(0, SHOWN_REFUSALS)) printLine(`  ${sentence}`)
  return refused.length
}

/**
 * Imports a dataset with a display of its progress. Ctrl-C ends the import after the current batch; a second
 * one ends the process.
 */
export async function importFolder(
  path: string,
  store: Store,
  wanted: ImportOptions,
): Promise<WrittenReport[]> {
  const interrupt = new AbortController()
  const end = () => interrupt.abort()
  process.once('SIGINT', end)
  const progress = createProgress(process.stdout)
  const ask = terminalChooser()
  const options: ImportOptions = {
    ...wanted,
    ...filesBesideBooks(path),
    who: terminalUser(),
    logAs: { who: terminalUser(), file: path },
    onProgress: progress.show,
    signal: interrupt.signal,
    ...(ask && { mayRemove: asking(ask, progress) }),
  }
  try {
    const reports = await importPath({ store, clock: () => new Date() }, path, options)
    return reports.map((report) => withoutDemoWarning(report, path))
  } finally {
    process.off('SIGINT', end)
    progress.stop()
  }
}

const asking =
  (ask: AskChoice, progress: ProgressDisplay) =>
  async (question: string): Promise<boolean> => {
    progress.stop()
    return (await ask(question, ['yes', 'no'])) === 'yes'
  }

const SHOWN_REFUSALS = 3

/** Prints the counts of a file, and why rows were refused. */
export function printImportedFile(
  { source, rows, counts = NO_ROWS, refused, rejectedFile, remarks = [] }: WrittenReport,
  dryRun: boolean,
) {
  const outcome = Object.entries(counts).map(([kind, count]) => `${count} ${kind}`)
  const leftOut = rows - refused.size - counts.new - counts.changed - counts.unchanged
  const others = [`${refused.size} refused`, ...(leftOut > 0 ? [`${leftOut} left out`] : [])]
  const would = dryRun ? 'would be ' : ''
  printLine(`${source.file}: ${countOf(rows, 'row')}, ${would}${[...outcome, ...others].join(', ')}`)
  for (const remark of remarks) printLine(`  ${remark}`)
  const inOrder = [...refused].sort(([one], [other]) => one - other)
  for (const [line, reason] of inOrder.slice(0, SHOWN_REFUSALS)) printLine(`  line ${line}: ${reason}`)
  if (rejectedFile !== undefined) printLine(`  all of them: ${rejectedFile}`)
  else if (refused.size > SHOWN_REFUSALS) printLine('  all of them: the import writes them into a file')
}

/** Retries suspended CDRs that an import may have cured, and prints the result. */
export async function retrySuspended(store: Store, reports: readonly WrittenReport[]): Promise<void> {
  const files = reports.map(({ file }) => file)
  const cured = await retryAfterImport(store, files, new Date())
  if (cured !== undefined) printLine(cured)
}

/** The key of the demo is public: only another dataset is warned of a short one. */
function withoutDemoWarning(report: WrittenReport, path: string): WrittenReport {
  if (!resolve(path).startsWith(demoDataset)) return report
  const remarks = report.remarks?.filter((remark) => !remark.startsWith('API_Secret_Key'))
  return { ...report, ...(remarks && { remarks }) }
}
