import { rm } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { formatDateTime } from '#lib/base/calendar.ts'
import { openListFile } from '#lib/csv/list-file.ts'
import type { RefusedRow } from '#lib/csv/writer.ts'
import { isBlocked, type Rate } from '#lib/rates/rating.ts'
import type { Obstacle } from '#lib/rates/replacement.ts'
import { describeReading } from '#lib/rates/sheets/describe-reading.ts'
import { importLines, obstacleToSheet, planSheet, type SheetPlan } from '#lib/rates/sheets/import-sheet.ts'
import type { Profile } from '#lib/rates/sheets/profile.ts'
import { refusedCsv } from '#lib/rates/sheets/sheet-rates.ts'
import type { Tariff } from '#lib/rates/tariff.ts'
import { describeChange } from '#lib/rates/tariff-change.ts'
import type { Store } from '#lib/table/store.ts'
import { findTariffNamed } from '../../command-line/named.ts'
import { CommandError, countOf, type Terminal, UsageError } from '../../machine/terminal.ts'
import { callUseCheck } from '../report/call-use.ts'
import { retryAfterImport } from '../suspense/suspense-tool.ts'
import { readAnswered, type SheetRun } from './sheet-answers.ts'

const DONE = 0
const REFUSED = 1
const ANSWER_MISSING = 2

/** Previews or imports a rate sheet. Returns the exit code. */
export async function runSheet(store: Store, terminal: Terminal, run: SheetRun): Promise<number> {
  const reading = await readAnswered(terminal, run)
  if (!reading) return ANSWER_MISSING
  const tariff = await tariffOf(store, reading.profile)
  const checkUse = callUseCheck(store, run.checkUse)
  const plan = await planSheet({ store, tariff, reading, checkUse, now: run.clock() })
  const [first, ...others] = describeReading(reading)
  terminal.say(`${run.path} ${first}`)
  for (const line of others) terminal.say(`  ${line}`)
  describePlan(terminal, plan)
  describeRefused(terminal, plan.rates.refused)
  if (!run.dryRun) await writeRefused(terminal, run.path, plan.rates.refused)
  if (run.dryRun) return plan.rates.refused.length > 0 ? REFUSED : DONE
  return write(terminal, run, plan)
}

function tariffOf(store: Store, { tariff }: Profile): Promise<Tariff> {
  if (tariff === undefined) throw new UsageError('The tariff of the rate sheet is missing: pass --tariff ID')
  return findTariffNamed(store, String(tariff))
}

async function write(terminal: Terminal, run: SheetRun, plan: SheetPlan): Promise<number> {
  const { store, tariff, rates } = plan
  const mayRemove = async (removals: string) =>
    (await terminal.ask?.(`${removals}. Import the sheet?`, ['yes', 'no'])) === 'yes'
  const obstacle = await obstacleToSheet(plan, { ...run, mayRemove })
  if (obstacle !== undefined) return leaveTariff(terminal, tariff, obstacle)
  const { who, onProgress, signal } = run
  const outcome = await importLines(plan, { who, onProgress, signal })
  terminal.say(`Tariff ${tariff.id} is ${outcome === 'written' ? 'switched' : 'unchanged'}`)
  const retried = await retryAfterImport(store, ['rates'], run.clock())
  if (retried !== undefined) terminal.say(retried)
  return rates.refused.length > 0 ? REFUSED : DONE
}

/** Tells how to remove an obstacle. Returns the exit code. */
function leaveTariff({ say }: Terminal, { id }: Tariff, obstacle: Obstacle): number {
  if (obstacle === 'no rows')
    throw new CommandError(`The rate sheet holds no rates: tariff ${id} is not switched`)
  say(`Tariff ${id} is not switched: pass ${REMEDIES[obstacle]}`)
  return REFUSED
}

const REMEDIES = {
  'refused rows': '--accept-rejected to import the other rows',
  removals: '--allow-removals to override this check',
} as const

/** Prints what the import would change. */
function describePlan({ say }: Terminal, { tariff, zone, isWhole, rates, ending, ...plan }: SheetPlan): void {
  for (const line of describeSample(rates.sample, tariff.currency, zone)) say(line)
  const effect = isWhole ? 'replaces' : 'is merged into'
  const ofRanges = rates.ofRanges > 0 ? ` (${rates.ofRanges} of ranges)` : ''
  say(
    `The rate sheet of ${countOf(rates.lines.length, 'rate')}${ofRanges} ${effect} tariff ${tariff.id} (${tariff.name}, ${tariff.currency})`,
  )
  say(`  ${describeChange(plan.change)}`)
  say(`  customers of the tariff: ${plan.customers}`)
  for (const line of plan.warnings) say(`  ${line}`)
  if (ending > 0) say(`  prefixes that end later: ${ending}`)
  if (plan.removals !== undefined) say(`  ${plan.removals}: this needs --allow-removals`)
}

const describeSample = (rates: readonly Rate[], currency: string, zone: string): string[] =>
  rates.length === 0
    ? []
    : [
        'The first rates as they are stored:',
        ...rates.map((rate) => `  ${describeRate(rate, currency, zone)}`),
      ]

function describeRate(
  { prefix, destination, tariff_rate, con_fee, ...rate }: Rate,
  currency: string,
  zone: string,
): string {
  const unit = currency === '' ? '' : ` ${currency}`
  const from =
    rate.effective_from === undefined
      ? 'at once'
      : `from ${formatDateTime(rate.effective_from, zone)} (${zone})`
  const until =
    rate.ends_at === undefined ? '' : ` until ${formatDateTime(rate.ends_at, zone)}, then ${rate.after_end}`
  const billing = `increments ${rate.min_time}/${rate.increment}`
  if (isBlocked({ tariff_rate })) return `${prefix} ${destination}: blocked, ${from}${until}`
  return `${prefix} ${destination}: ${tariff_rate}${unit} a minute, ${con_fee}${unit} a connection, ${billing}, ${from}${until}`
}

const SHOWN_REFUSALS = 10

function describeRefused({ say }: Terminal, refused: readonly RefusedRow[]): void {
  if (refused.length === 0) return
  say(`${countOf(refused.length, 'row')} refused:`)
  for (const { line, reason } of refused.slice(0, SHOWN_REFUSALS)) say(`  line ${line}: ${reason}`)
}

/**
 * Writes the refused rows into a file beside the sheet: `carrier.rejected.csv` for `carrier.xlsx`, as an
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
