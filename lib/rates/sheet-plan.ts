import type { Seconds } from '#lib/base/calendar.ts'
import { type LineGroup, mergeByKey } from './lines.ts'
import { prefixOfLine } from './prefix-pages.ts'
import { keyOfLine, lineTimes } from './rate-line.ts'
import { anyInForce } from './tariff-change.ts'

/** The change that a rate sheet asks for. */
export interface SheetChange {
  /** True if the sheet is the whole tariff. */
  readonly isWhole: boolean
  /** The rates, sorted. */
  readonly lines: readonly string[]
  /** Prefixes that end, each with the moment of its end. */
  readonly ended: ReadonlyMap<string, Seconds>
  readonly now: Seconds
}

/** The new rates of a tariff. */
export interface PlannedRates {
  readonly lines: readonly string[]
  /** The number of prefixes that the sheet removes at a later moment, and that are kept until then. */
  readonly waiting: number
}

/**
 * Plans the rates of a tariff after a rate sheet. If a rate of the sheet begins later, the present rate stays in force until
 * then. Rates that a whole tariff leaves out stay until the sheet begins. A prefix that ends later is kept, because a stored
 * rate has no end. Another import of the same sheet on or after that day removes it.
 */
export function plannedRates(stored: Iterable<string>, change: SheetChange): PlannedRates {
  const beginsLater = change.isWhole && !anyInForce(change.lines, change.now)
  const planned: string[] = []
  let waiting = 0
  for (const group of mergeByKey(stored, change.lines, prefixOfLine)) {
    const { lines, waits } = plannedGroup(group, { ...change, beginsLater })
    planned.push(...lines)
    if (waits) waiting += 1
  }
  return { lines: planned, waiting }
}

interface GroupPlan {
  readonly lines: readonly string[]
  readonly waits: boolean
}

type PlannedChange = SheetChange & { readonly beginsLater: boolean }

function plannedGroup({ key: prefix, before, after }: LineGroup, change: PlannedChange): GroupPlan {
  if (after.length === 0) return planWithoutRates(prefix, before, change)
  const kept = change.isWhole
    ? keptUntilBegin(before, after, change.now)
    : keptBesides(before, after, change.now)
  return { lines: [...withoutKeysOf(after, kept), ...after].sort(), waits: false }
}

function planWithoutRates(prefix: string, before: readonly string[], change: PlannedChange): GroupPlan {
  const ends = change.ended.get(prefix)
  const stays = ends === undefined ? !change.isWhole || change.beginsLater : ends > change.now
  const isToBeRemoved = ends !== undefined || change.isWhole
  return stays ? { lines: before, waits: isToBeRemoved && before.length > 0 } : { lines: [], waits: false }
}

/** A whole tariff keeps only the rates in force now, until its own rates begin. */
const keptUntilBegin = (
  before: readonly string[],
  after: readonly string[],
  now: Seconds,
): readonly string[] => (anyInForce(after, now) ? [] : before.filter((line) => lineTimes(line).from <= now))

/**
 * A partial sheet keeps the rates of other hours and days, rates that begin before its own, and announced rates. It replaces
 * stored rates that begin between its own rates and now.
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
