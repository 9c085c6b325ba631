import { countAccountsWithTariff } from '#lib/accounts/account.ts'
import type { Seconds } from '#lib/base/calendar.ts'
import { fileRefused } from '#lib/base/row-refused.ts'
import { ConditionFailed } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import { describeOriginGaps, originProblem } from './origins/origins.ts'
import { linesBeside } from './prefix-versions.ts'
import { describeBelowCost } from './sold-below-cost.ts'
import { fromLine, ratesOf, type Tariff } from './tariff.ts'
import { compareRates, removalsOf, type TariffChange } from './tariff-change.ts'
import { type WeekProblems, weekProblems } from './week.ts'

// The one way to replace a tariff, for rates.csv, rate sheets and bucket files: plan, check, write.

/** The effect of new rates on a tariff. Nothing is written yet. */
export interface TariffPlan {
  readonly change: TariffChange
  /** The reason why an operator must allow the change; `undefined` if it needs no permission. */
  readonly removals: string | undefined
  readonly customers: number
  /** The hours of the week that the new rates leave without a price, or price twice; `undefined` for none. */
  readonly gaps: string | undefined
  /** Warnings of prefixes sold below cost, without a rate for an origin, of hours, that lose their rate. */
  readonly warnings: readonly string[]
}

/** The lines of a tariff that a plan would store. */
export interface PlannedLines {
  readonly store: Store
  readonly tariff: Tariff
  readonly now: Date
  readonly lines: readonly string[]
  /** The lines of the origins; `undefined` if they stay. */
  readonly origins: readonly string[] | undefined
}

/** The rates of a tariff before and after a change, as sorted lines. */
export interface ComparedRates {
  readonly id: number
  readonly before: Iterable<string>
  readonly after: readonly string[]
  readonly now: Seconds
  /** The origins that rates may have, as lines; by default those of the active version. */
  readonly origins?: Iterable<string> | undefined
}

/** Describes for an operator the recent calls that new rates would leave without a rate. */
export type CallUseCheck = (rates: ComparedRates) => Promise<readonly string[]>

/** Compares new rates with those of a tariff, which the table may not have yet. */
export async function planTariff(
  store: Store,
  tariff: Tariff | undefined,
  rates: ComparedRates,
  checkUse?: CallUseCheck,
): Promise<TariffPlan> {
  const { after: lines, now } = rates
  const origins = rates.origins ?? (tariff ? await linesBeside(store, ratesOf(tariff.id), tariff.active) : [])
  const problem = originProblem(lines, fromLine, origins)
  if (problem !== undefined) throw fileRefused(`Tariff ${rates.id}: ${problem}`)
  const change = compareRates(rates.before, lines, now)
  const customers = tariff ? await countAccountsWithTariff(store, tariff, now) : 0
  const belowCost = tariff ? await describeBelowCost(store, { tariff, lines, origins }, now) : []
  const use = (await checkUse?.(rates)) ?? []
  const { problems, falls } = newWeekProblems(rates)
  const ofOrigins = describeOriginGaps(lines, fromLine)
  const warnings = [
    ...belowCost,
    ...ofOrigins,
    ...[...problems, ...falls].map((one) => `warning: ${one}`),
    ...use,
  ]
  const gaps = problems.length > 0 ? problems.slice(0, MAX_PROBLEMS).join('; ') : undefined
  return { change, removals: removalsOf(change), gaps, customers, warnings }
}

const MAX_PROBLEMS = 3

/** The gaps and overlaps of hours that a tariff did not have before. */
function newWeekProblems({ before, after, now }: ComparedRates) {
  const [old, found] = [before, after].map((lines) => weekProblems(lines, now))
  const added = (kind: keyof WeekProblems) => found?.[kind].filter((one) => !old?.[kind].includes(one)) ?? []
  return { problems: [...added('gaps'), ...added('overlaps')], falls: added('falls') }
}

/** Rows were refused, no row is left, or the operator has not allowed the removals or the gaps. */
export type Obstacle = 'refused rows' | 'no rows' | 'removals' | 'gaps'

/** The facts that decide whether a stored list, such as the rates of a tariff, may be replaced. */
export interface Replacement {
  readonly refused: number
  /** Returns whether no row is left. */
  readonly isEmpty: boolean
  /** As in TariffPlan; `undefined` as long as the rows are not compared with the stored list. */
  readonly removals?: string | undefined
}

export interface Permission {
  /** Replaces a tariff even if hours of the week are left without a price, or are priced twice. */
  readonly withGaps?: boolean | undefined
  /** Replaces a list even if some of its rows were refused. */
  readonly acceptRejected?: boolean | undefined
  /** Replaces a tariff even if that removes more than a tenth of it, or leaves no rate in force today. */
  readonly allowRemovals?: boolean | undefined
  /** Asks the operator to allow such removals. Without it, they are not allowed. */
  readonly mayRemove?: ((removals: string) => Promise<boolean>) | undefined
}

/** The reason why a sheet must not change a tariff: that of other lists, or its hours. */
export const obstacleToTariff = async (
  replacement: Replacement & { readonly gaps: string | undefined },
  permission: Permission,
): Promise<Obstacle | undefined> => {
  const found = await obstacleTo(replacement, permission)
  return found ?? (replacement.gaps !== undefined && !permission.withGaps ? 'gaps' : undefined)
}

/** The reason why a list must not be replaced. A tariff without its refused rows would rate calls wrongly. */
export async function obstacleTo(
  { refused, isEmpty, removals }: Replacement,
  { acceptRejected, allowRemovals, mayRemove }: Permission,
): Promise<Exclude<Obstacle, 'gaps'> | undefined> {
  if (refused > 0 && !acceptRejected) return 'refused rows'
  if (isEmpty) return 'no rows'
  if (removals === undefined || allowRemovals) return undefined
  return (await mayRemove?.(removals)) ? undefined : 'removals'
}

/** The outcome of replacing a list; `raced` if another process has changed the list since it was read. */
export const orRaced = (
  replacing: Promise<'written' | 'unchanged'>,
): Promise<'written' | 'unchanged' | 'raced'> =>
  replacing.catch((error: unknown) => {
    if (error instanceof ConditionFailed) return 'raced'
    throw error
  })
