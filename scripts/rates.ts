import { Argument, type Command, Option } from '@commander-js/extra-typings'
import { CHECK_USE, DECIMAL_COMMA, DECIMAL_POINT } from '#lib/local/commands/import-options.ts'
import { overTable, withTableOptions } from '#lib/local/commands/over-table.ts'
import { createProgress } from '#lib/local/commands/progress.ts'
import { runSheet } from '#lib/local/commands/rates-tool.ts'
import type { RatesWorld, SheetWish } from '#lib/local/commands/sheet-answers.ts'
import { collect } from '#lib/local/commands/switches/switch-wish.ts'
import { terminalChooser, terminalUser } from '#lib/local/terminal.ts'
import type { Store } from '#lib/store/store.ts'

const withOptions = (command: Command) =>
  withTableOptions(command)
    .option('--tariff <ID>', 'the tariff; a profile may name it')
    .option(
      '--profile <NAME>',
      'how the sheets of this carrier are read: profiles/NAME.json, written the first time',
    )
    .addOption(
      new Option('--replace', 'the sheet is the whole tariff: what it leaves out is removed').conflicts(
        'merge',
      ),
    )
    .option('--merge', 'the sheet holds changes: what it leaves out stays')
    .option('--sheet <NAME>', 'a worksheet other than the first')
    .addOption(DECIMAL_COMMA)
    .addOption(DECIMAL_POINT)
    .option(
      '--set <KEY=VALUE>',
      'any other answer, as in the profile, such as dates=day-month; may be repeated',
      collect,
    )
    .option('--accept-rejected', 'imports the other rows although some were refused')
    .option('--allow-removals', 'removes more than a tenth of the tariff, or leaves no rate in force today')
    .addOption(CHECK_USE)

type Options = ReturnType<ReturnType<typeof withOptions>['opts']>

export const declare = (command: Command) =>
  withOptions(command)
    .description(
      'The sheet is CSV or .xlsx. What cannot be told from the sheet is asked at a terminal; elsewhere it is an error that names \
the answers. docs/rate-sheets.md describes what is understood. Refused rows are written to <sheet>.rejected.csv. Exit code \
1: some rows were refused. Exit code 2: also, an answer is missing.',
    )
    .addArgument(
      new Argument(
        '<action>',
        'preview shows how the sheet is read and what it would change; import also switches the tariff to it',
      ).choices(['preview', 'import'] as const),
    )
    .argument('<sheet>', 'the file')
    .action((action, path, options) => {
      const wish: SheetWish = {
        path,
        dryRun: action === 'preview',
        profile: options.profile,
        answers: answersOf(options),
        acceptRejected: options.acceptRejected ?? false,
        allowRemovals: options.allowRemovals ?? false,
        checkUse: options.checkUse,
      }
      return overTable(options, (store) => run(store, wish))
    })

/** The flags that answer what a profile could say. */
const answersOf = (options: Options): string[] => [
  ...(options.tariff === undefined ? [] : [`tariff=${options.tariff}`]),
  ...(options.replace ? ['mode=replace'] : []),
  ...(options.merge ? ['mode=merge'] : []),
  ...(options.sheet === undefined ? [] : [`sheet=${options.sheet}`]),
  ...(options.decimalComma ? ['decimal=comma'] : []),
  ...(options.decimalPoint ? ['decimal=point'] : []),
  ...(options.set ?? []),
]

/** Ctrl-C ends the import before it is switched; a second one ends the process. */
async function run(store: Store, wish: SheetWish): Promise<number> {
  const interrupt = new AbortController()
  process.once('SIGINT', () => interrupt.abort())
  const progress = createProgress(process.stdout)
  const world: RatesWorld = {
    store,
    clock: () => new Date(),
    who: terminalUser(),
    say: (line) => process.stdout.write(`${line}\n`),
    ask: terminalChooser(),
    signal: interrupt.signal,
    onProgress: (done) => progress.show({ file: 'rates', phase: 'write', done }),
  }
  try {
    return await runSheet(world, wish)
  } finally {
    progress.stop()
  }
}
