import type { Seconds } from '#lib/domain/calendar.ts'
import { divide, isPositive, type Money, multiply, round, subtract } from '#lib/domain/money.ts'
import { type LineGroup, mergeByKey } from '#lib/store/rates/lines.ts'
import { prefixOfLine } from '#lib/store/rates/prefix-pages.ts'
import { fromLine, lineTimes } from '#lib/store/rates/rate-line.ts'

const KINDS = ['added', 'removed', 'raised', 'lowered', 'otherwise', 'unchanged'] as const

type Kind = (typeof KINDS)[number]

/** The difference between two states of a tariff, counted in prefixes. */
export interface TariffChange {
  readonly counts: Readonly<Record<Kind, number>>
  /** The largest, in percent of the rate before; `undefined` when none is raised, or only from 0. */
  readonly rise: Step | undefined
  readonly fall: Step | undefined
  /** Whether any rate is in force at that moment, before and after. */
  readonly isInForce: { readonly before: boolean; readonly after: boolean }
}

export interface Step {
  readonly prefix: string
  /** Without a sign, rounded to one decimal. */
  readonly percent: string
}

/** Compares two lists of rates, each in the order of its lines. */
export function compareRates(before: Iterable<string>, after: Iterable<string>, now: Seconds): TariffChange {
  const counts = { added: 0, removed: 0, raised: 0, lowered: 0, otherwise: 0, unchanged: 0 }
  const largest = { raised: NO_STEP, lowered: NO_STEP }
  const isInForce = { before: false, after: false }
  for (const group of mergeByKey(before, after, prefixOfLine)) {
    const { kind, percent } = changeOf(group)
    counts[kind] += 1
    isInForce.before ||= anyInForce(group.before, now)
    isInForce.after ||= anyInForce(group.after, now)
    if ((kind === 'raised' || kind === 'lowered') && isPositive(subtract(percent, largest[kind].percent)))
      largest[kind] = { prefix: group.key, percent }
  }
  return { counts, rise: given(largest.raised), fall: given(largest.lowered), isInForce }
}

const NO_STEP: Step = { prefix: '', percent: '0' }

const given = (step: Step): Step | undefined => (step === NO_STEP ? undefined : step)

const anyInForce = (lines: readonly string[], now: Seconds): boolean =>
  lines.some((line) => lineTimes(line).from <= now)

interface GroupChange {
  readonly kind: Kind
  readonly percent: string
}

const NOT_IN_PERCENT = '0'

function changeOf({ before, after }: LineGroup): GroupChange {
  if (before.length === 0) return { kind: 'added', percent: NOT_IN_PERCENT }
  if (after.length === 0) return { kind: 'removed', percent: NOT_IN_PERCENT }
  if (before.join('\n') === after.join('\n')) return { kind: 'unchanged', percent: NOT_IN_PERCENT }
  const rates = newestRates(before)
  for (const [window, rate] of newestRates(after)) {
    const old = rates.get(window)
    if (old !== undefined && old !== rate) return stepFrom(old, rate)
  }
  return { kind: 'otherwise', percent: NOT_IN_PERCENT }
}

/** By hours and days; of rates that follow one another, the last one that is announced. */
const newestRates = (lines: readonly string[]): Map<string, Money> =>
  new Map(lines.map((line) => [lineTimes(line).window, fromLine(line).tariff_rate]))

function stepFrom(old: Money, rate: Money): GroupChange {
  const isRise = isPositive(subtract(rate, old))
  const step = isRise ? subtract(rate, old) : subtract(old, rate)
  const percent = isPositive(old) ? round(divide(multiply(step, 100), old), 1) : NOT_IN_PERCENT
  return { kind: isRise ? 'raised' : 'lowered', percent }
}

/** The reason why an operator must allow the change; `undefined` when it needs no permission. */
export function removalsOf({ counts, isInForce }: TariffChange): string | undefined {
  const prefixes = KINDS.reduce((sum, kind) => sum + counts[kind], 0) - counts.added
  if (isInForce.before && !isInForce.after) return 'no rate would be in force today'
  if (counts.removed * MOST_REMOVED <= prefixes) return undefined
  return `${counts.removed} of ${prefixes} prefixes would be removed, more than a tenth`
}

/** More than one prefix in ten needs permission. */
const MOST_REMOVED = 10

/** In one line, without the tariff's name. */
export function describeChange({ counts, rise, fall }: TariffChange): string {
  return [
    `${counts.added} added`,
    `${counts.removed} removed`,
    `${counts.raised} raised${largest(rise)}`,
    `${counts.lowered} lowered${largest(fall)}`,
    `${counts.otherwise} changed otherwise`,
    `${counts.unchanged} unchanged`,
  ].join(', ')
}

const largest = (step: Step | undefined): string =>
  step ? ` (at most by ${step.percent} %, prefix ${step.prefix})` : ''
