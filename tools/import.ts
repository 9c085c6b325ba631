import { resolve } from 'node:path'
import type { Command } from '@commander-js/extra-typings'
import type { ImportOptions } from '#lib/dataset/format/dataset-file.ts'
import { importPath, type WrittenReport } from '#lib/dataset/import/folder.ts'
import { NO_ROWS } from '#lib/domain/row-refused.ts'
import type { Store } from '#lib/store/store.ts'
import { CHECK_USE, DECIMAL_COMMA, DECIMAL_POINT } from '#tools/commands/import-options.ts'
import { changeTable, nameInstallation, overTable, withTableOptions } from '#tools/commands/over-table.ts'
import { createProgress, type ProgressDisplay } from '#tools/commands/progress.ts'
import { retryAfterImport } from '#tools/commands/switches/suspense-tool.ts'
import { demoDataset } from '#tools/machine/data-folder.ts'
import { shortPath, type TableOptions } from '#tools/machine/location.ts'
import { type AskChoice, countOf, printLine, terminalChooser, terminalUser } from '#tools/machine/terminal.ts'

export const declare = (command: Command) =>
  withTableOptions(command)
    .description(
      'A dataset is a folder of CSV or NDJSON files. Without --endpoint and --table the command imports into the local installation \
that npm start runs. Importing the same dataset again changes nothing; run an interrupted import again. Refused rows are \
written to <file>.rejected.csv. Suspended CDRs are retried afterwards. If a tariff would lose more than a tenth of its \
prefixes, you are asked at a terminal; otherwise the tariff stays unchanged. Exit code 1: some rows were refused, or a \
tariff stays unchanged. Exit code 2: nothing was imported, or a tariff needs --allow-removals.',
    )
    .argument('<path>', 'a dataset, or a file of one')
    .option('--dry-run', 'check every row and show the changes of each file and tariff, but write nothing')
    .option(
      '--merge',
      'add rates and destinations (default: a file of rates replaces each tariff that it names, and a file of destinations replaces \
the directory)',
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
const NOT_ALLOWED = 2

async function importInto(table: TableOptions, path: string, wanted: ImportOptions): Promise<void> {
  const dryRun = wanted.dryRun ?? false
  const over = dryRun ? overTable : changeTable
  return over(table, async (store, location) => {
    if (dryRun) await nameInstallation(location)
    printLine(`${dryRun ? 'Checking' : 'Importing'} ${shortPath(path)}`)
    const reports = await runImport(path, store, wanted)
    for (const report of reports) summarise(withoutDemoWarning(report, path), dryRun)
    if (!dryRun) await retrySuspended(store, reports)
    return exitCodeOf(reports)
  })
}

/** The key of the demo is public: only another dataset is warned of a short one. */
function withoutDemoWarning(report: WrittenReport, path: string): WrittenReport {
  if (!resolve(path).startsWith(demoDataset)) return report
  const remarks = report.remarks?.filter((remark) => !remark.startsWith('API_Secret_Key'))
  return { ...report, ...(remarks && { remarks }) }
}

async function retrySuspended(store: Store, reports: readonly WrittenReport[]): Promise<void> {
  const files = reports.map(({ file }) => file)
  const cured = await retryAfterImport(store, files, new Date())
  if (cured !== undefined) printLine(cured)
}

function exitCodeOf(reports: readonly WrittenReport[]): number {
  if (reports.some(({ needsPermission }) => needsPermission)) return NOT_ALLOWED
  return reports.some(({ refused, notReplaced }) => refused.size > 0 || notReplaced)
    ? ROWS_REFUSED
    : EVERYTHING_IMPORTED
}

/** Ctrl-C ends the import after the current batch; a second one ends the process. */
async function runImport(path: string, store: Store, wanted: ImportOptions): Promise<WrittenReport[]> {
  const interrupt = new AbortController()
  process.once('SIGINT', () => interrupt.abort())
  const progress = createProgress(process.stdout)
  const ask = terminalChooser()
  const options: ImportOptions = {
    ...wanted,
    who: terminalUser(),
    onProgress: progress.show,
    signal: interrupt.signal,
    ...(ask && { mayRemove: asking(ask, progress) }),
  }
  try {
    return await importPath({ store, clock: () => new Date() }, path, options)
  } finally {
    progress.stop()
  }
}

const asking =
  (ask: AskChoice, progress: ProgressDisplay) =>
  async (question: string): Promise<boolean> => {
    progress.stop()
    return (await ask(question, ['yes', 'no'])) === 'yes'
  }

function summarise(
  { source, rows, counts = NO_ROWS, refused, rejectedFile, remarks = [] }: WrittenReport,
  dryRun: boolean,
) {
  const outcome = Object.entries(counts).map(([kind, count]) => `${count} ${kind}`)
  printLine(
    `${source}: ${countOf(rows, 'row')}, ${dryRun ? 'would be ' : ''}${outcome.join(', ')}, ${refused.size} refused`,
  )
  for (const remark of remarks) printLine(`  ${remark}`)
  if (rejectedFile === undefined) return
  const inOrder = [...refused].sort(([one], [other]) => one - other)
  for (const [line, reason] of inOrder.slice(0, 3)) printLine(`  line ${line}: ${reason}`)
  printLine(`  all of them: ${rejectedFile}`)
}
