import type { Seconds } from '#lib/domain/calendar.ts'
import { keyOfLine } from '#lib/store/rates/rate-line.ts'
import { type PrefixGroup, prefixGroups, timesOf } from './prefix-groups.ts'

/** What a sheet says, and what it is for. */
export interface SheetChange {
  /** Whether the sheet is the whole tariff. */
  readonly isWhole: boolean
  /** The rates, in the order of their lines. */
  readonly lines: Iterable<string>
  /** Prefixes that end, with the moment from which on. */
  readonly ended: ReadonlyMap<string, Seconds>
  readonly now: Seconds
}

/** The rates of a tariff as they are to be, and what has to wait. */
export interface PlannedRates {
  readonly lines: Iterable<string>
  /** After the lines are read: prefixes that stay although the sheet leaves them out or ends them, for it begins later. */
  readonly waiting: { count: number }
}

/**
 * The rates of a tariff after a sheet. A rate of the sheet that begins later leaves today's in force until then, also in
 * a sheet that is the whole tariff; one that a whole tariff leaves out stays until the sheet begins, and one that ends
 * later stays for now, since no rate has an end: the same sheet imported again from that day on removes it.
 */
export function plannedRates(stored: Iterable<string>, change: SheetChange): PlannedRates {
  const waiting = { count: 0 }
  const beginsLater = change.isWhole && !hasAnyInForce(change)
  const plan = function* () {
    for (const group of prefixGroups(stored, change.lines)) {
      const { lines, waits } = plannedGroup(group, { ...change, beginsLater })
      if (waits) waiting.count += 1
      yield* lines
    }
  }
  return { lines: { [Symbol.iterator]: plan }, waiting }
}

function hasAnyInForce({ lines, now }: SheetChange): boolean {
  for (const line of lines) if (timesOf(line).from <= now) return true
  return false
}

interface GroupPlan {
  readonly lines: readonly string[]
  readonly waits: boolean
}

type Circumstances = SheetChange & { readonly beginsLater: boolean }

function plannedGroup({ prefix, before, after }: PrefixGroup, change: Circumstances): GroupPlan {
  if (after.length === 0) return leftOut(prefix, before, change)
  const kept = change.isWhole ? untilTheSheet(before, after, change.now) : besides(before, after, change.now)
  return { lines: [...withoutKeysOf(after, kept), ...after].sort(), waits: false }
}

function leftOut(prefix: string, before: readonly string[], change: Circumstances): GroupPlan {
  const ends = change.ended.get(prefix)
  const stays = ends === undefined ? !change.isWhole || change.beginsLater : ends > change.now
  const isMeantToGo = ends !== undefined || change.isWhole
  return stays ? { lines: before, waits: isMeantToGo && before.length > 0 } : { lines: [], waits: false }
}

/** Beside a whole tariff nothing stays, but what is in force until its rates begin. */
const untilTheSheet = (
  before: readonly string[],
  after: readonly string[],
  now: Seconds,
): readonly string[] =>
  after.some((line) => timesOf(line).from <= now) ? [] : before.filter((line) => timesOf(line).from <= now)

/**
 * Beside a change stays what it does not speak of: other hours and days, what was in force before its rates begin, and
 * what is announced for later. What has begun since then, but was known earlier, is replaced.
 */
function besides(before: readonly string[], after: readonly string[], now: Seconds): readonly string[] {
  const begins = new Map<string, Seconds>()
  for (const line of after) {
    const { from, window } = timesOf(line)
    begins.set(window, Math.min(from, begins.get(window) ?? from))
  }
  return before.filter((line) => {
    const { from, window } = timesOf(line)
    return from > now || from < (begins.get(window) ?? Number.POSITIVE_INFINITY)
  })
}

function withoutKeysOf(after: readonly string[], before: readonly string[]): readonly string[] {
  const keys = new Set(after.map(keyOfLine))
  return before.filter((line) => !keys.has(keyOfLine(line)))
}
