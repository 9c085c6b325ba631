import { Argument, type Command, Option } from '@commander-js/extra-typings'
import type { Store } from '#lib/table/store.ts'
import { pathArgument } from '../../command-line/arguments.ts'
import { changeTable, overTable, withTableOptions } from '../../command-line/over-table.ts'
import { createProgress } from '../../command-line/progress.ts'
import { printLine, terminalChooser, terminalUser } from '../../machine/terminal.ts'
import { CHECK_USE, DECIMAL_COMMA, DECIMAL_POINT } from '../import/import-options.ts'
import { collect } from '../ingest/switch-options.ts'
import { runSheet } from './rates-tool.ts'
import type { SheetRun } from './sheet-answers.ts'

const withOptions = (command: Command) =>
  withTableOptions(command)
    .option('--tariff <ID>', 'the tariff (default: that of the profile)')
    .option(
      '--profile <NAME>',
      'the profile of the carrier, which describes its rate sheets: profiles/NAME.json, written by the first import',
    )
    .addOption(
      new Option(
        '--replace',
        'replace the whole tariff: rates that the sheet does not mention are removed',
      ).conflicts('merge'),
    )
    .option('--merge', 'merge the sheet: rates that it does not mention stay')
    .option('--sheet <NAME>', 'the worksheet (default: the first)')
    .addOption(DECIMAL_COMMA)
    .addOption(DECIMAL_POINT)
    .option(
      '--set <KEY=VALUE>',
      'another setting of the profile, such as dates=day-month; repeat the option for each setting',
      collect,
    )
    .option('--accept-rejected', 'import the other rows even if some are refused')
    .option(
      '--allow-removals',
      'import even if that removes more than a tenth of the prefixes, or leaves no rate in force today',
    )
    .addOption(CHECK_USE)

type Options = ReturnType<ReturnType<typeof withOptions>['opts']>

export const declare = (command: Command) =>
  withOptions(command)
    .description(
      'The sheet is CSV or .xlsx. If the sheet leaves a question open, you are asked at a terminal; otherwise the error names the \
options that answer it. docs/rate-sheets.md describes the formats. Refused rows are written to <sheet>.rejected.csv. Exit \
code 1: some rows were refused. Exit code 2: an answer is missing.',
    )
    .addArgument(
      new Argument(
        '<action>',
        'preview shows how the sheet is read and the changes of the tariff; import also makes them',
      ).choices(['preview', 'import'] as const),
    )
    .argument('<sheet>', 'the file of the rate sheet', pathArgument)
    .action((action, path, options) => {
      const over = action === 'preview' ? overTable : changeTable
      return over(options, (store) => runRates(store, action, path, options))
    })

/** The options that stand for settings of the profile. */
const answersOf = (options: Options): string[] => [
  ...(options.tariff === undefined ? [] : [`tariff=${options.tariff}`]),
  ...(options.replace ? ['mode=replace'] : []),
  ...(options.merge ? ['mode=merge'] : []),
  ...(options.sheet === undefined ? [] : [`sheet=${options.sheet}`]),
  ...(options.decimalComma ? ['decimal=comma'] : []),
  ...(options.decimalPoint ? ['decimal=point'] : []),
  ...(options.set ?? []),
]

/** Ctrl-C ends the import before the tariff is switched; a second one ends the process. */
async function runRates(
  store: Store,
  action: 'preview' | 'import',
  path: string,
  options: Options,
): Promise<number> {
  const interrupt = new AbortController()
  process.once('SIGINT', () => interrupt.abort())
  const progress = createProgress(process.stdout)
  const run: SheetRun = {
    path,
    dryRun: action === 'preview',
    profile: options.profile,
    answers: answersOf(options),
    acceptRejected: options.acceptRejected ?? false,
    allowRemovals: options.allowRemovals ?? false,
    checkUse: options.checkUse,
    who: terminalUser(),
    clock: () => new Date(),
    signal: interrupt.signal,
    onProgress: (done) => progress.show({ file: 'rates', phase: 'write', done }),
  }
  try {
    return await runSheet(store, { say: printLine, ask: terminalChooser() }, run)
  } finally {
    progress.stop()
  }
}
