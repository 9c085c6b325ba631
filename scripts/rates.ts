import { misunderstood, runCommand, type Values } from '#lib/local/commands/command.ts'
import { createProgress } from '#lib/local/commands/progress.ts'
import { runSheet } from '#lib/local/commands/rates-tool.ts'
import type { RatesWorld, SheetWish } from '#lib/local/commands/sheet-answers.ts'
import { overTable, TABLE_OPTIONS } from '#lib/local/commands/table-command.ts'
import { checkedUse } from '#lib/local/terminal/checked-use.ts'
import { chooser } from '#lib/local/terminal/choice.ts'
import { whoIsHere } from '#lib/local/terminal/who.ts'
import type { Store } from '#lib/store/store.ts'

const HELP = `Imports the rate sheet of a carrier, CSV or .xlsx, into a tariff.

  npm run rates -- preview | import <sheet> --tariff ID [--profile NAME] [--replace | --merge]
                   [--sheet NAME] [--decimal-comma | --decimal-point] [--set KEY=VALUE ...]
                   [--accept-rejected] [--allow-removals] [--check-use [DAYS]] [--endpoint URL] [--table NAME]

  preview            shows how the sheet is read, and what it would change; writes nothing
  import             shows the same, and switches the tariff to it
  --tariff ID        the tariff; a profile may name it
  --profile NAME     how the sheets of this carrier are read: profiles/NAME.json, written the first time
  --replace          the sheet is the whole tariff: what it leaves out is removed
  --merge            the sheet holds changes: what it leaves out stays
  --sheet NAME       a worksheet other than the first
  --decimal-comma, --decimal-point   what 1,234 means
  --set KEY=VALUE    any other answer, as it would stand in the profile: --set dates=day-month
  --accept-rejected  imports the other rows although some were refused
  --allow-removals   removes more than a tenth of the tariff, or leaves no rate in force today
  --check-use [DAYS]   also say which prefixes that were called in the last days (30) would be left without a rate: it
                     reads calls, the newest days first, at most 200,000
  --endpoint URL     a DynamoDB that is not AWS's own (or DYNAMODB_ENDPOINT)
  --table NAME       the table (or TABLE_NAME)

What cannot be told from the sheet is asked at a terminal; elsewhere it is an error that names the answers.
docs/rate-sheets.md describes what is understood. Refused rows are written to <sheet>.rejected.csv.
Exit code: 0 done, 1 some rows were refused, 2 not possible without an answer, not reachable or not understood.
`

const OPTIONS = {
  ...TABLE_OPTIONS,
  tariff: { type: 'string' },
  profile: { type: 'string' },
  replace: { type: 'boolean' },
  merge: { type: 'boolean' },
  sheet: { type: 'string' },
  'decimal-comma': { type: 'boolean' },
  'decimal-point': { type: 'boolean' },
  set: { type: 'string', multiple: true },
  'accept-rejected': { type: 'boolean', default: false },
  'allow-removals': { type: 'boolean', default: false },
  'check-use': { type: 'boolean', default: false },
} as const

type Given = Values<typeof OPTIONS>

/** The flags that answer what a profile could say. */
const answersOf = (values: Given): string[] => [
  ...(values.tariff === undefined ? [] : [`tariff=${values.tariff}`]),
  ...(values.replace ? ['mode=replace'] : []),
  ...(values.merge ? ['mode=merge'] : []),
  ...(values.sheet === undefined ? [] : [`sheet=${values.sheet}`]),
  ...(values['decimal-comma'] ? ['decimal=comma'] : []),
  ...(values['decimal-point'] ? ['decimal=point'] : []),
  ...(values.set ?? []),
]

async function importSheet(values: Given, words: readonly string[]): Promise<number> {
  const { days, others } = checkedUse(values['check-use'], words)
  const [verb = '', path = '', ...more] = others
  if (!['preview', 'import'].includes(verb) || path === '' || more.length > 0 || contradict(values))
    return misunderstood(HELP)
  const wish: SheetWish = {
    path,
    dryRun: verb === 'preview',
    profile: values.profile,
    answers: answersOf(values),
    acceptRejected: values['accept-rejected'],
    allowRemovals: values['allow-removals'],
    checkUse: days,
  }
  return overTable(values, (store) => run(store, wish))
}

const contradict = (values: Given): boolean =>
  Boolean((values.replace && values.merge) || (values['decimal-comma'] && values['decimal-point']))

/** Ctrl-C ends the import before it is switched; a second one ends the process. */
async function run(store: Store, wish: SheetWish): Promise<number> {
  const interrupt = new AbortController()
  process.once('SIGINT', () => interrupt.abort())
  const progress = createProgress(process.stdout)
  const world: RatesWorld = {
    store,
    clock: () => new Date(),
    who: whoIsHere(),
    say: (line) => process.stdout.write(`${line}\n`),
    ask: chooser(),
    signal: interrupt.signal,
    onProgress: (done) => progress.show({ file: 'rates', phase: 'write', done }),
  }
  try {
    return await runSheet(world, wish)
  } finally {
    progress.stop()
  }
}

await runCommand({
  help: HELP,
  options: OPTIONS,
  words: [2, 3],
  run: importSheet,
})
