import { type Seconds, secondsOf } from '#lib/base/calendar.ts'
import { ZERO } from '#lib/base/money.ts'
import { fileRefused } from '#lib/base/row-refused.ts'
import { isUnknownWord, zoneInHeading } from '#lib/csv/headings.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Store } from '#lib/table/store.ts'
import { originsWith } from '../origins/origin-plan.ts'
import { isOfOrigin } from '../origins/origins.ts'
import { linesOfPrefix, lowerBound, prefixOfLine } from '../prefix-pages.ts'
import { readLines } from '../prefix-versions.ts'
import type { Rate } from '../rating.ts'
import {
  type CallUseCheck,
  type Obstacle,
  obstacleToTariff,
  orRaced,
  type Permission,
  type PlannedLines,
  planTariff,
  type TariffPlan,
} from '../replacement.ts'
import { plannedRates } from '../sheet-plan.ts'
import { findTariff, fromLine, lineTimes, ratesOf, type Tariff, toLine } from '../tariff.ts'
import { completeLines, type OpenColumns, type UnsaidAnswers } from '../unsaid-columns.ts'
import { listSwitches } from '../version-history.ts'
import { type NewLines, replaceLines } from '../version-replacement.ts'
import { weekTable } from '../week.ts'
import { isSameCurrency } from './numbers.ts'
import { billingOf, type Profile } from './profile.ts'
import type { Question } from './question.ts'
import type { SheetReading } from './read-sheet.ts'
import { ratesOfSheet, type SheetRates } from './sheet-rates.ts'

/** A rate sheet without open questions, and its tariff. */
export interface SheetJob {
  readonly store: Store
  readonly tariff: Tariff
  readonly reading: SheetReading
  readonly checkUse?: CallUseCheck | undefined
  readonly now: Date
}

/** The effect of importing a rate sheet. Nothing is written yet. */
export interface SheetPlan extends TariffPlan, Omit<SheetJob, 'reading' | 'checkUse'> {
  /** Whether the sheet is the whole tariff; otherwise it changes some of its rates. */
  readonly isWhole: boolean
  /** The time zone of the installation, and of the dates in the sheet. */
  readonly zone: string
  readonly rates: SheetRates
  readonly before: Iterable<string>
  /** The new rates of the whole tariff. */
  readonly lines: readonly string[]
  /** The lines of the origins with those of the sheet; `undefined` if the sheet lists none. */
  readonly origins: readonly string[] | undefined
  /** The number of prefixes that the sheet ends at a later moment. */
  readonly ending: number
  /** The first rates of the sheet, each with the stored rate that it changes, if there is one. */
  readonly samples: readonly RateSample[]
  /** The week of the first prefix with hours, a line for each run of equal days. */
  readonly week: readonly string[]
  /** All rates of the first prefix of the sheet that has rates of origins; none without such rates. */
  readonly byOrigin: readonly Rate[]
}

interface RateSample {
  readonly rate: Rate
  readonly present: Rate | undefined
}

/**
 * Compares a rate sheet with its tariff. Returns questions if the sheet lacks columns whose values no stored
 * rate has for a new prefix. Throws refused_file if they have different currencies.
 */
export async function planSheet({
  reading,
  checkUse,
  ...job
}: SheetJob): Promise<SheetPlan | readonly Question[]> {
  const { store, tariff } = job
  refuseCurrency(tariff, reading)
  const isWhole = reading.profile.mode === 'replace'
  const settings = await settingsOf(store)
  const { Timezone: zone } = settings
  const now = secondsOf(job.now)
  refuseOtherHours(reading, zone)
  const found = ratesOfSheet(reading, tariff.id, { firstImport: job.now, zone, dialling: settings })
  const before = await readLines(store, ratesOf(tariff.id), tariff.active)
  const { unsaid, profile } = reading
  const answers = answersIn(profile)
  const isComplete = !unsaid.fee && !unsaid.billing && !unsaid.hours
  const { lines: completed, open } = isComplete
    ? { lines: found.lines, open: {} }
    : completeLines(before, found.lines, { unsaid, answers, now })
  const questions = questionsOf(open)
  if (questions.length > 0) return questions
  const rates = { ...found, lines: completed }
  const shown = new Set(found.sample.map(({ prefix }) => prefix))
  const change = { isWhole, now, lines: completed, ended: rates.ended, shown }
  const { lines, ending, present } = plannedRates(before, change)
  const samples = found.sample.map((rate) => sampleOf(rate, completed, present.get(rate.prefix) ?? []))
  const origins = rates.origins.length > 0 ? await originsWith(store, tariff, rates.origins) : undefined
  const compared = { id: tariff.id, before, after: lines, now, origins }
  const effect = await planTariff(store, tariff, compared, checkUse)
  const warnings = [...describeFree(rates), ...effect.warnings]
  return {
    ...job,
    ...effect,
    warnings,
    isWhole,
    zone,
    rates,
    before,
    lines,
    origins,
    ending,
    samples,
    week: weekOf(lines, found.sample, now),
    byOrigin: ratesByOrigin(lines, completed),
  }
}

function ratesByOrigin(lines: readonly string[], ofSheet: readonly string[]): Rate[] {
  const first = ofSheet.find(isOfOrigin)
  return first === undefined ? [] : linesOfPrefix(lines, prefixOfLine(first)).map(fromLine)
}

function weekOf(lines: readonly string[], sample: readonly Rate[], now: Seconds): string[] {
  for (const { prefix } of sample) {
    const table = weekTable(linesOfPrefix(lines, prefix), now)
    if (table.length > 0) return [`The week of ${prefix}:`, ...table.map((line) => `  ${line}`)]
  }
  return []
}

const answersIn = ({ billing_of_new, fee_of_new, hours }: Profile): UnsaidAnswers => ({
  billing: billing_of_new === undefined ? undefined : billingOf(billing_of_new),
  fee: fee_of_new,
  hours,
})

/** Asks once for the values of new prefixes that neither the sheet nor the tariff has. */
function questionsOf({ billing, fee, hours }: OpenColumns): Question[] {
  const questions: Question[] = []
  if (billing) {
    const asks = `Which increments do new prefixes such as ${billing.prefix} have? The sheet has no such column, and the rates of the tariff differ`
    questions.push({ about: 'billing_of_new', asks, choices: billing.known })
  }
  if (fee) {
    const asks = `Which connection fee do new prefixes such as ${fee.prefix} have? The sheet has no such column, and the rates of the tariff differ`
    questions.push({ about: 'fee_of_new', asks, choices: [...new Set([ZERO, ...fee.known])] })
  }
  if (hours) {
    const asks = `${hours.prefix} has rates of ${hours.windows} hours, and the sheet names none: does each of them get its rate, or does a rate of the whole day stand beside them?`
    questions.push({ about: 'hours', asks, choices: ['each', 'whole_day'] })
  }
  return questions
}

/** The rate as it is stored, and the stored one of its hours that it follows. */
function sampleOf(rate: Rate, lines: readonly string[], before: readonly string[]): RateSample {
  const begin = `${toLine(rate).split('\t', 2).join('\t')}\t`
  const first = lowerBound(lines, begin)
  const count = lines.slice(first, first + MAX_WINDOWS).findIndex((one) => !one.startsWith(begin))
  const begun = lines.slice(first, count < 0 ? first + MAX_WINDOWS : first + count)
  const { window } = lineTimes(toLine(rate))
  const line = begun.find((one) => lineTimes(one).window === window) ?? begun[0] ?? toLine(rate)
  const stored = fromLine(line)
  const from = stored.effective_from ?? Number.POSITIVE_INFINITY
  const same = before.filter((one) => lineTimes(one).window === lineTimes(line).window)
  const present = same.filter((one) => lineTimes(one).from < from).at(-1) ?? same.at(-1)
  return { rate: stored, present: present === undefined ? undefined : fromLine(present) }
}

/** Few prefixes have as many rates that begin at one moment. */
const MAX_WINDOWS = 50

/** Hours are those of the installation: hours of another zone would move with the clocks. */
function refuseOtherHours({ profile: { columns = {} } }: SheetReading, zone: string): void {
  for (const heading of [columns.start_time, columns.end_time]) {
    const own = heading === undefined ? undefined : zoneInHeading(heading)
    const named = isUnknownWord(own) ? own.unknown : own
    if (named !== undefined && named !== zone)
      throw fileRefused(
        `The hours of ${JSON.stringify(heading)} are in ${named}, and those of rates in ${zone}: convert them`,
      )
  }
}

/** Some carriers write 0 for destinations that they do not sell. */
const describeFree = ({ free: [first, ...others] }: SheetRates): string[] =>
  first === undefined ? [] : [`rates of 0: ${others.length + 1}; calls to ${first} are free`]

/** The reason why the tariff must not be switched to the planned rates. */
export const obstacleToSheet = (
  { rates: { refused, lines, ended }, removals, gaps }: SheetPlan,
  permission: Permission,
): Promise<Obstacle | undefined> =>
  obstacleToTariff(
    { refused: refused.length, isEmpty: lines.length === 0 && ended.size === 0, removals, gaps },
    permission,
  )

function refuseCurrency({ id, currency }: Tariff, { profile }: SheetReading): void {
  if (profile.currency === undefined || isSameCurrency(profile.currency, currency)) return
  throw fileRefused(
    `The sheet is in ${profile.currency}, tariff ${id} in ${currency}: use a tariff in ${profile.currency}`,
  )
}

/** Switches the tariff to the planned rates. Throws refused_file if it was switched since the comparison. */
export async function importLines(
  { store, tariff, now, lines, origins }: PlannedLines,
  writing: Pick<NewLines, 'who' | 'onProgress' | 'signal'>,
): Promise<'written' | 'unchanged'> {
  const madeFrom = { version: tariff.active?.version }
  const outcome = await orRaced(
    replaceLines(store, ratesOf(tariff.id), { lines, beside: origins, at: now, madeFrom, ...writing }),
  )
  if (outcome === 'raced') throw fileRefused(`${await raceOver(store, tariff)}: import the sheet again`)
  return outcome
}

/** Describes the change of the tariff since the sheet was compared with it. */
async function raceOver(store: Store, { id, active }: Tariff): Promise<string> {
  const now = await findTariff(store, id)
  if (!now) return `Tariff ${id} was deleted`
  if (now.active?.version === active?.version) return `Tariff ${id} is being imported by another command`
  const [last] = (await listSwitches(store, ratesOf(id))).slice(-1)
  const by = last ? `, by ${last.who} at ${last.at}` : ''
  return `Tariff ${id} was switched to version ${now.active?.version} since the sheet was compared with it${by}`
}
