import type { Seconds } from '#lib/domain/calendar.ts'
import { divide, isPositive, type Money, multiply, round, subtract } from '#lib/domain/money.ts'
import { BLOCKED_RATE } from '#lib/domain/rates/rating.ts'
import { type LineGroup, mergeByKey } from '#lib/store/rates/lines.ts'
import { prefixOfLine } from '#lib/store/rates/prefix-pages.ts'
import { fromLine, lineTimes } from '#lib/store/rates/rate-line.ts'

const CHANGE_KINDS = ['added', 'removed', 'raised', 'lowered', 'otherwise', 'unchanged'] as const

type ChangeKind = (typeof CHANGE_KINDS)[number]

/** The difference between two states of a tariff, counted in prefixes. */
export interface TariffChange {
  readonly counts: Readonly<Record<ChangeKind, number>>
  /** The largest rise in percent; `undefined` if no rate is raised, or only rates of 0. */
  readonly rise: Step | undefined
  /** The largest fall in percent. */
  readonly fall: Step | undefined
  /** Tells whether any rate is in force now, before and after the change. */
  readonly isInForce: { readonly before: boolean; readonly after: boolean }
}

export interface Step {
  readonly prefix: string
  /** Without a sign, with one decimal. */
  readonly percent: string
}

/** Compares two sorted lists of rates. */
export function compareRates(before: Iterable<string>, after: Iterable<string>, now: Seconds): TariffChange {
  const counts = { added: 0, removed: 0, raised: 0, lowered: 0, otherwise: 0, unchanged: 0 }
  const largest = { raised: NO_STEP, lowered: NO_STEP }
  const isInForce = { before: false, after: false }
  for (const group of mergeByKey(before, after, prefixOfLine)) {
    const { kind, percent } = classifyChange(group)
    counts[kind] += 1
    isInForce.before ||= anyInForce(group.before, now)
    isInForce.after ||= anyInForce(group.after, now)
    if ((kind === 'raised' || kind === 'lowered') && isPositive(subtract(percent, largest[kind].percent)))
      largest[kind] = { prefix: group.key, percent }
  }
  return { counts, rise: unlessNone(largest.raised), fall: unlessNone(largest.lowered), isInForce }
}

const NO_STEP: Step = { prefix: '', percent: '0' }

const unlessNone = (step: Step): Step | undefined => (step === NO_STEP ? undefined : step)

const anyInForce = (lines: readonly string[], now: Seconds): boolean =>
  lines.some((line) => lineTimes(line).from <= now)

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
  for (const [window, rate] of newestRates(after)) {
    const old = rates.get(window)
    const isStep = old !== undefined && old !== rate && old !== BLOCKED_RATE && rate !== BLOCKED_RATE
    if (isStep) return stepFrom(old, rate)
  }
  return { kind: 'otherwise', percent: NOT_IN_PERCENT }
}

/** The rate of each window of hours and days. Lines are sorted by begin, so the latest announced rate counts. */
const newestRates = (lines: readonly string[]): Map<string, Money> =>
  new Map(lines.map((line) => [lineTimes(line).window, fromLine(line).tariff_rate]))

function stepFrom(old: Money, rate: Money): GroupChange {
  const isRise = isPositive(subtract(rate, old))
  const step = isRise ? subtract(rate, old) : subtract(old, rate)
  const percent = isPositive(old) ? round(divide(multiply(step, 100), old), 1) : NOT_IN_PERCENT
  return { kind: isRise ? 'raised' : 'lowered', percent }
}

/** The reason why an operator must allow the change; `undefined` if it needs no permission. */
export function removalsOf({ counts, isInForce }: TariffChange): string | undefined {
  const prefixes = CHANGE_KINDS.reduce((sum, kind) => sum + counts[kind], 0) - counts.added
  if (isInForce.before && !isInForce.after) return 'no rate would be in force today'
  if (counts.removed * PREFIXES_PER_FREE_REMOVAL <= prefixes) return undefined
  return `${counts.removed} of ${prefixes} prefixes would be removed, more than a tenth`
}

/** Removing more than one prefix in ten needs permission. */
const PREFIXES_PER_FREE_REMOVAL = 10

/** Describes a change in one line, without the name of the tariff. */
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
