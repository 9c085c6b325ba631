import type { Seconds } from '#lib/base/calendar.ts'
import { type LineGroup, mergeByKey } from './lines.ts'
import { prefixOfLine } from './prefix-pages.ts'
import { keyOfLine, lineTimes, lineUntil } from './tariff.ts'
import { anyInForce } from './tariff-change.ts'

interface SheetChange {
  /** True if the sheet is the whole tariff. */
  readonly isWhole: boolean
  /** The rates, sorted. */
  readonly lines: readonly string[]
  /** Prefixes that end, each with the moment of its end. */
  readonly ended: ReadonlyMap<string, Seconds>
  readonly now: Seconds
  /** The prefixes whose stored rates a preview shows. */
  readonly shown?: ReadonlySet<string>
}

/**
 * Plans a tariff's rates after a rate sheet. A present rate stays in force until its later successor begins.
 * Rates that end later, or that a whole tariff of a later day leaves out, end on that day. `ending` counts
 * the prefixes that the sheet ends at a later moment.
 */
export function plannedRates(stored: Iterable<string>, change: SheetChange) {
  const begin = beginOfSheet(change)
  const planned: string[] = []
  const present = new Map<string, readonly string[]>()
  let ending = 0
  for (const group of mergeByKey(stored, change.lines, prefixOfLine)) {
    if (change.shown?.has(group.key)) present.set(group.key, group.before)
    const ends = endOfPrefix(group, change, begin)
    const lines = plannedGroup(group, change, ends)
    planned.push(...lines)
    if (ends !== undefined && ends > change.now && lines.length > 0) ending += 1
  }
  return { lines: planned, ending, present }
}

/** A whole tariff without a rate for today begins with its first rate. */
function beginOfSheet({ isWhole, lines, now }: SheetChange): Seconds {
  if (!isWhole || lines.length === 0 || anyInForce(lines, now)) return now
  return lines.reduce((first, line) => Math.min(first, lineTimes(line).from), Number.POSITIVE_INFINITY)
}

/** The end of a prefix that the sheet ends or, being whole, leaves out. */
const endOfPrefix = (
  { key, after }: LineGroup,
  { ended, isWhole }: SheetChange,
  begin: Seconds,
): Seconds | undefined => ended.get(key) ?? (isWhole && after.length === 0 ? begin : undefined)

function plannedGroup(
  { before, after }: LineGroup,
  { isWhole, now }: SheetChange,
  ends = Number.POSITIVE_INFINITY,
): readonly string[] {
  if (after.length === 0) return linesUntil(before, ends, now)
  const kept = isWhole ? keptUntilBegin(before, after, now) : keptBesides(before, after, now)
  const lines = [...withoutKeysOf(after, linesUntil(kept, ends, now)), ...after]
  return lines
    .map((line) => (ends > now && lineTimes(line).from < ends ? lineUntil(line, ends) : line))
    .sort()
}

/** No line begins after the end. */
const linesUntil = (lines: readonly string[], ends: Seconds, now: Seconds): readonly string[] => {
  if (ends === Number.POSITIVE_INFINITY) return lines
  return ends > now
    ? lines.filter((line) => lineTimes(line).from < ends).map((line) => lineUntil(line, ends))
    : []
}

/** A whole tariff keeps only the rates in force now, until its own rates begin. */
function keptUntilBegin(
  before: readonly string[],
  after: readonly string[],
  now: Seconds,
): readonly string[] {
  if (anyInForce(after, now)) return []
  const windows = new Set(after.map((line) => lineTimes(line).window))
  const begin = Math.min(...after.map((line) => lineTimes(line).from))
  return before
    .filter((line) => lineTimes(line).from <= now)
    .map((line) => (windows.has(lineTimes(line).window) ? line : lineUntil(line, begin)))
}

/**
 * A partial sheet keeps the rates of other hours and days, rates that begin before its own, and announced
 * rates. It replaces stored rates that begin between its own rates and now.
 */
function keptBesides(before: readonly string[], after: readonly string[], now: Seconds): readonly string[] {
  const begins = new Map<string, Seconds>()
  for (const line of after) {
    const { from, window } = lineTimes(line)
    begins.set(window, Math.min(from, begins.get(window) ?? from))
  }
  return before.filter((line) => {
    const { from, window } = lineTimes(line)
    return from > now || from < (begins.get(window) ?? Number.POSITIVE_INFINITY)
  })
}

function withoutKeysOf(after: readonly string[], before: readonly string[]): readonly string[] {
  const keys = new Set(after.map(keyOfLine))
  return before.filter((line) => !keys.has(keyOfLine(line)))
}
