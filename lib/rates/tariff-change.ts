import type { Seconds } from '#lib/base/calendar.ts'
import { divide, isLessThan, isPositive, type Money, multiply, round, subtract } from '#lib/base/money.ts'
import { NO_ROWS, type RowCounts } from '#lib/base/row-refused.ts'
import { countOf } from '#lib/base/text.ts'
import { changeOf, type LineGroup, mergeByKey } from './lines.ts'
import { prefixOfLine } from './prefix-pages.ts'
import { isBlocked, type Rate, sixtyfoldPrice } from './rating.ts'
import { endOfLine, fromLine, keyOfLine, lineTimes } from './tariff.ts'

const CHANGE_KINDS = ['added', 'removed', 'raised', 'lowered', 'both', 'otherwise', 'unchanged'] as const

type ChangeKind = (typeof CHANGE_KINDS)[number]

/** The difference between two states of a tariff. */
export interface TariffChange {
  /** A rate is known by its prefix, begin, hours and days. */
  readonly rates: Readonly<RowCounts>
  /** Prefixes by their change: a prefix may have several rates. */
  readonly prefixes: Readonly<Record<ChangeKind, number>>
  /** The largest rise in percent; `undefined` if no rate is raised, or only rates of 0. */
  readonly rise: Step | undefined
  /** The largest fall in percent. */
  readonly fall: Step | undefined
  /** Returns whether any rate is in force now, before and after the change. */
  readonly isInForce: { readonly before: boolean; readonly after: boolean }
}

interface Step {
  readonly prefix: string
  /** Without a sign, with one decimal. */
  readonly percent: string
}

export function compareRates(before: Iterable<string>, after: Iterable<string>, now: Seconds): TariffChange {
  const rates = { ...NO_ROWS }
  const prefixes = { added: 0, removed: 0, raised: 0, lowered: 0, both: 0, otherwise: 0, unchanged: 0 }
  const largest = { raised: NO_STEP, lowered: NO_STEP }
  const isInForce = { before: false, after: false }
  for (const group of mergeByKey(before, after, prefixOfLine)) {
    const { kind, percent } = classifyChange(group)
    prefixes[kind] += 1
    for (const rate of mergeByKey(group.before, group.after, keyOfLine)) rates[changeOf(rate)] += 1
    isInForce.before ||= anyInForce(group.before, now)
    isInForce.after ||= anyInForce(group.after, now)
    if ((kind === 'raised' || kind === 'lowered') && isPositive(subtract(percent, largest[kind].percent)))
      largest[kind] = { prefix: group.key, percent }
  }
  return { rates, prefixes, rise: unlessNone(largest.raised), fall: unlessNone(largest.lowered), isInForce }
}

const NO_STEP: Step = { prefix: '', percent: '0' }

const unlessNone = (step: Step): Step | undefined => (step === NO_STEP ? undefined : step)

export const anyInForce = (lines: readonly string[], now: Seconds): boolean =>
  lines.some((line) => lineTimes(line).from <= now && endOfLine(line) > now)

interface GroupChange {
  readonly kind: ChangeKind
  readonly percent: string
}

/** A rise from 0, a blocked or released prefix, and a change other than of the rate have no percentage. */
const NOT_IN_PERCENT = '0'

function classifyChange({ before, after }: LineGroup): GroupChange {
  if (before.length === 0) return { kind: 'added', percent: NOT_IN_PERCENT }
  if (after.length === 0) return { kind: 'removed', percent: NOT_IN_PERCENT }
  if (before.join('\n') === after.join('\n')) return { kind: 'unchanged', percent: NOT_IN_PERCENT }
  const rates = newestRates(before)
  for (const [window, line] of newestRates(after)) {
    const old = rates.get(window)
    if (old === undefined || old === line) continue
    const step = stepFrom(fromLine(old), fromLine(line))
    if (step) return step
  }
  return { kind: 'otherwise', percent: NOT_IN_PERCENT }
}

/** The line of each window of hours and days. Lines are sorted by begin: the latest announced counts. */
const newestRates = (lines: readonly string[]): Map<string, string> =>
  new Map(lines.map((line) => [lineTimes(line).window, line]))

/** The lengths of calls by whose prices rates are compared. */
export const COMPARED_SECONDS = [5, 60, 61] as const

/**
 * Whether calls of any length become more expensive or cheaper. Rates of equal other terms are compared by
 * the price of a minute. Returns `undefined` for equal prices, and for blocked prefixes.
 */
function stepFrom(old: Rate, rate: Rate): GroupChange | undefined {
  if (isBlocked(old) || isBlocked(rate)) return undefined
  const isAlike = TERMS.every((term) => old[term] === rate[term])
  const pairs = isAlike
    ? [[old.tariff_rate, rate.tariff_rate] as const]
    : COMPARED_SECONDS.map(
        (seconds) => [sixtyfoldPrice(old, seconds), sixtyfoldPrice(rate, seconds)] as const,
      )
  const rises = pairs.filter(([before, after]) => isPositive(subtract(after, before)))
  const falls = pairs.filter(([before, after]) => isPositive(subtract(before, after)))
  if (rises.length > 0 && falls.length > 0) return { kind: 'both', percent: NOT_IN_PERCENT }
  const [kind, steps] = rises.length > 0 ? (['raised', rises] as const) : (['lowered', falls] as const)
  if (steps.length === 0) return undefined
  return {
    kind,
    percent: steps.map(percentOf).reduce((one, other) => (isLessThan(one, other) ? other : one)),
  }
}

const TERMS = ['con_fee', 'increment', 'min_time'] as const

function percentOf([before, after]: readonly [Money, Money]): string {
  const step = isLessThan(before, after) ? subtract(after, before) : subtract(before, after)
  return isPositive(before) ? round(divide(multiply(step, 100), before), 1) : NOT_IN_PERCENT
}

/** The reason why an operator must allow the change; `undefined` if it needs no permission. */
export function removalsOf({ prefixes, isInForce }: TariffChange): string | undefined {
  const before = CHANGE_KINDS.reduce((sum, kind) => sum + prefixes[kind], 0) - prefixes.added
  if (isInForce.before && !isInForce.after) return 'no rate would be in force today'
  if (prefixes.removed * PREFIXES_PER_FREE_REMOVAL <= before) return undefined
  return `${prefixes.removed} of ${before} prefixes would be removed, more than a tenth`
}

/** Removing more than one prefix in ten needs permission. */
const PREFIXES_PER_FREE_REMOVAL = 10

/** Describes a change in one line, without the name of the tariff. */
export function describeChange({ rates, prefixes, rise, fall }: TariffChange): string {
  const steps = [
    ...stepsOf('raised', prefixes.raised, rise),
    ...stepsOf('lowered', prefixes.lowered, fall),
    ...stepsOf('more expensive for some lengths of calls and cheaper for others', prefixes.both, undefined),
  ].join(', ')
  return `${describeRates(rates)}, ${rates.unchanged} unchanged${steps && `; ${steps}`}`
}

export const describeRates = ({ new: added, removed, changed }: RowCounts): string =>
  `${countOf(added, 'rate')} added, ${removed} removed, ${changed} changed`

const stepsOf = (kind: string, prefixes: number, step: Step | undefined): string[] =>
  prefixes === 0
    ? []
    : [
        `${prefixes} ${prefixes === 1 ? 'prefix' : 'prefixes'} ${kind}${step ? ` (at most by ${step.percent} %, prefix ${step.prefix})` : ''}`,
      ]
