import { rm } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { Argument, type Command, Option } from '@commander-js/extra-typings'
import { formatDateTime } from '#lib/base/calendar.ts'
import { isZero } from '#lib/base/money.ts'
import { isRefusal } from '#lib/base/refusal.ts'
import { countOf } from '#lib/base/text.ts'
import { describeCallers } from '#lib/calls/rating/callers-shown.ts'
import { openListFile } from '#lib/csv/list-file.ts'
import type { RefusedRow } from '#lib/csv/writer.ts'
import { importSheetAct } from '#lib/rates/acts/write-rates.ts'
import { isBlocked, priceOf, type Rate } from '#lib/rates/rating.ts'
import { describeReading } from '#lib/rates/sheets/describe-reading.ts'
import { planSheet, type SheetPlan } from '#lib/rates/sheets/import-sheet.ts'
import type { Profile } from '#lib/rates/sheets/profile.ts'
import { refusedCsv } from '#lib/rates/sheets/sheet-rates.ts'
import type { Tariff } from '#lib/rates/tariff.ts'
import { COMPARED_SECONDS, describeChange } from '#lib/rates/tariff-change.ts'
import type { Store } from '#lib/table/store.ts'
import { carryOutAs, collect } from '../../command-line/act-commands.ts'
import { pathArgument } from '../../command-line/arguments.ts'
import { findTariffNamed } from '../../command-line/named.ts'
import { changeByActs, overTable, withTableOptions } from '../../command-line/over-table.ts'
import { createProgress } from '../../command-line/progress.ts'
import { refusedCommand } from '../../command-line/remedies.ts'
import { printLine, type Terminal, terminalChooser, usageError } from '../../machine/terminal.ts'
import { CHECK_USE, DECIMAL_COMMA, DECIMAL_POINT } from '../import/import-options.ts'
import { callUseCheck } from '../report/call-use.ts'
import { retryAfterImport } from '../suspense/suspense.ts'
import { type AnsweredSheet, planAnswered, type SheetRun } from './sheet-answers.ts'

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
    .option('--merge', 'merge the sheet: keep rates that it does not mention')
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
    .option('--with-gaps', 'import even if hours of the week have no price, or two')
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
      const over = action === 'preview' ? overTable : changeByActs
      return over(options, (store) => runRates(store, action, path, options))
    })

/** The options that replace settings of the profile. */
const answersOf = (options: Options): string[] => [
  ...(options.tariff === undefined ? [] : [`tariff=${options.tariff}`]),
  ...(options.replace ? ['mode=replace'] : []),
  ...(options.merge ? ['mode=merge'] : []),
  ...(options.withGaps ? ['gaps=allowed'] : []),
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

const DONE = 0
const REFUSED = 1
const ANSWER_MISSING = 2

/** Previews or imports a rate sheet. Returns the exit code. */
export async function runSheet(store: Store, terminal: Terminal, run: SheetRun): Promise<number> {
  const checkUse = callUseCheck(store, run.checkUse)
  const answered = await planAnswered(terminal, run, async (reading) => {
    const tariff = await tariffOf(store, reading.profile)
    return planSheet({ store, tariff, reading, checkUse, now: run.clock() })
  })
  if (!answered) return ANSWER_MISSING
  const { reading, plan } = answered
  const [first, ...others] = describeReading(reading)
  terminal.say(`${run.path} ${first}`)
  for (const line of others) terminal.say(`  ${line}`)
  describePlan(terminal, plan)
  for (const line of await describeCallers(store, plan.lines, run.clock())) terminal.say(`  ${line}`)
  describeRefused(terminal, plan.rates.refused)
  if (!run.dryRun) await writeRefused(terminal, run.path, plan.rates.refused)
  if (run.dryRun) return plan.rates.refused.length > 0 ? REFUSED : DONE
  return write(terminal, run, answered)
}

function tariffOf(store: Store, { tariff }: Profile): Promise<Tariff> {
  if (tariff === undefined) throw usageError('The tariff of the rate sheet is missing: pass --tariff ID')
  return findTariffNamed(store, String(tariff))
}

async function write(
  terminal: Terminal,
  run: SheetRun,
  { reading: { profile }, plan }: AnsweredSheet,
): Promise<number> {
  const { store, tariff, rates, removals } = plan
  const { onProgress, signal } = run
  const act = importSheetAct(plan, profile, { onProgress, signal })
  const write = async (allowRemovals: boolean) => {
    const permitted = { acceptRejected: yesIf(run.acceptRejected), allowRemovals: yesIf(allowRemovals) }
    const by = { as: undefined, now: run.clock() }
    return (await carryOutAs(store, act, by, permitted)).answer.isWritten
  }
  const asking = async (error: unknown) => {
    const isOfRemovals = isRefusal(error, 'rates_obstacle') && error.values.obstacle === 'removals'
    const isAgreed =
      isOfRemovals && (await terminal.ask?.(`${removals}. Import the sheet?`, ['yes', 'no'])) === 'yes'
    if (isAgreed) return write(true)
    if (!isRefusal(error, 'rates_obstacle')) throw error
    terminal.say(refusedCommand(error).message)
    return undefined
  }
  const outcome = await write(run.allowRemovals).catch(asking)
  if (outcome === undefined) return REFUSED
  terminal.say(`Tariff ${tariff.id} is ${outcome === 'written' ? 'switched' : 'unchanged'}`)
  const retried = await retryAfterImport(store, ['rates'], run.clock())
  if (retried !== undefined) terminal.say(retried)
  return rates.refused.length > 0 ? REFUSED : DONE
}

const yesIf = (isSo: boolean): string | undefined => (isSo ? 'yes' : undefined)

/** Prints what the import would change. */
function describePlan({ say }: Terminal, { tariff, zone, isWhole, rates, ending, ...plan }: SheetPlan): void {
  for (const line of describeSamples(plan.samples, tariff.currency, zone)) say(line)
  for (const line of plan.week) say(line)
  for (const line of describeByOrigin(plan.byOrigin)) say(line)
  const effect = isWhole ? 'replaces' : 'is merged into'
  const ofRanges = rates.ofRanges > 0 ? ` (${rates.ofRanges} of ranges)` : ''
  say(
    `The rate sheet of ${countOf(rates.lines.length, 'rate')}${ofRanges} ${effect} tariff ${tariff.id} (${tariff.name}, ${tariff.currency})`,
  )
  say(`  ${describeChange(plan.change)}`)
  say(`  customers of the tariff: ${plan.customers}`)
  for (const line of plan.warnings) say(`  ${line}`)
  if (ending > 0) say(`  prefixes that end later: ${ending}`)
  if (plan.gaps !== undefined) say('  this needs --with-gaps')
  if (plan.removals !== undefined) say(`  ${plan.removals}: this needs --allow-removals`)
}

const SHOWN_ORIGINS = 20

/** A line for each origin of a prefix, with its price of a minute. */
function describeByOrigin(rates: SheetPlan['byOrigin']): string[] {
  const [first] = rates
  if (!first) return []
  const rows = rates.slice(0, SHOWN_ORIGINS).map((rate) => {
    const fee = isZero(rate.con_fee) ? '' : ` and ${rate.con_fee} a connection`
    const price = isBlocked(rate) ? 'blocked' : `${rate.tariff_rate}${fee}`
    return { callers: rate.origin || 'every caller', price: rate.adds ? `+ ${price}` : price }
  })
  const width = Math.max(...rows.map(({ callers }) => callers.length))
  const more = rates.length > SHOWN_ORIGINS ? [`  … ${rates.length - SHOWN_ORIGINS} more`] : []
  const title = `The rates of ${`${first.prefix} ${first.destination}`.trim()} by origin:`
  return [title, ...rows.map(({ callers, price }) => `  ${callers.padEnd(width)}  ${price}`), ...more]
}

const describeSamples = (samples: SheetPlan['samples'], currency: string, zone: string): string[] =>
  samples.length === 0
    ? []
    : [
        'The first rates as they are stored:',
        ...samples.flatMap(({ rate, present }) => [
          `  ${describeRate(rate, currency, zone)}`,
          ...(present === undefined || isBlocked(present) || isBlocked(rate)
            ? []
            : beforeOf(rate, present, currency)),
        ]),
      ]

/** The present rate, and what calls of some lengths cost by it and by the new one. */
function beforeOf(rate: Rate, present: Rate, currency: string): string[] {
  const [before, after] = [present, rate].map((one) => describeTerms(one, currency))
  if (before === after) return []
  const prices = COMPARED_SECONDS.map(
    (seconds) => `${seconds} s ${priceOf(present, seconds).price} -> ${priceOf(rate, seconds).price}`,
  )
  return [`    before: ${before}; ${prices.join(', ')}`]
}

function describeTerms({ tariff_rate, con_fee, min_time, increment }: Rate, currency: string): string {
  const unit = currency === '' ? '' : ` ${currency}`
  return `${tariff_rate}${unit} a minute, ${con_fee}${unit} a connection, increments ${min_time}/${increment}`
}

function describeRate(rate: Rate, currency: string, zone: string): string {
  const { prefix, destination, effective_from, ends_at, after_end } = rate
  const from =
    effective_from === undefined ? 'at once' : `from ${formatDateTime(effective_from, zone)} (${zone})`
  const until = ends_at === undefined ? '' : ` until ${formatDateTime(ends_at, zone)}, then ${after_end}`
  const terms = isBlocked(rate) ? 'blocked' : describeTerms(rate, currency)
  const callers = rate.origin === '' ? '' : `, ${rate.adds ? 'added for' : 'for'} callers of ${rate.origin}`
  return `${prefix} ${destination}${callers}: ${terms}, ${from}${until}`
}

const SHOWN_REFUSALS = 10

function describeRefused({ say }: Terminal, refused: readonly RefusedRow[]): void {
  if (refused.length === 0) return
  say(`${countOf(refused.length, 'row')} refused:`)
  for (const { line, reason } of refused.slice(0, SHOWN_REFUSALS)) say(`  line ${line}: ${reason}`)
}

/**
 * Writes the refused rows into a file next to the sheet: `carrier.rejected.csv` for `carrier.xlsx`, as an
 * import of a dataset names it. If there are none, removes the file of an earlier run.
 */
async function writeRefused({ say }: Terminal, path: string, refused: readonly RefusedRow[]): Promise<void> {
  const { dir, name } = parse(path)
  const rejected = join(dir, `${name}.rejected.csv`)
  if (refused.length === 0) return rm(rejected, { force: true })
  const file = await openListFile(rejected)
  await file.writeFile(refusedCsv(refused)).finally(() => file.close())
  say(`  all of them: ${rejected}`)
}
