import type { Command } from '@commander-js/extra-typings'
import type { ImportOptions } from '#lib/dataset/format/dataset-file.ts'
import { findPath } from '#lib/dataset/import/folder.ts'
import { pathArgument } from '../../command-line/arguments.ts'
import { changeTable, nameInstallation, overTable, withTableOptions } from '../../command-line/over-table.ts'
import { chooseLocation, shortPath, type TableOptions } from '../../machine/location.ts'
import { printLine } from '../../machine/terminal.ts'
import { callUseCheck } from '../report/call-use.ts'
import { CHECK_USE, DECIMAL_COMMA, DECIMAL_POINT } from './import-options.ts'
import { importFolder, printImportedFile, retrySuspended } from './import-tool.ts'

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
  const over = dryRun ? overTable : changeTable
  return over(table, async (store) => {
    printLine(`${dryRun ? 'Checking' : 'Importing'} ${shortPath(path)}`)
    const options = { ...wanted, checkUse: callUseCheck(store, days) }
    const reports = await importFolder(path, store, options)
    for (const report of reports) printImportedFile(report, dryRun)
    if (!dryRun) await retrySuspended(store, reports)
    return reports.some(({ refused, notReplaced }) => refused.size > 0 || notReplaced)
      ? ROWS_REFUSED
      : EVERYTHING_IMPORTED
  })
}
