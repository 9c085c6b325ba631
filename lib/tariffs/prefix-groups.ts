import type { Seconds } from '#lib/domain/calendar.ts'
import { prefixOfLine } from '#lib/store/rates/prefix-pages.ts'

/** The lines of one prefix on both sides, each in its order; either side may have none. */
export interface PrefixGroup {
  readonly prefix: string
  readonly before: readonly string[]
  readonly after: readonly string[]
}

/** Two lists of rates in the order of their lines, prefix by prefix. */
export function* prefixGroups(before: Iterable<string>, after: Iterable<string>): Generator<PrefixGroup> {
  const [one, other] = [groupsOf(before), groupsOf(after)]
  for (;;) {
    const prefix = lower(one.prefix(), other.prefix())
    if (prefix === undefined) return
    yield { prefix, before: one.take(prefix), after: other.take(prefix) }
  }
}

const lower = (one: string | undefined, other: string | undefined): string | undefined => {
  if (one === undefined || other === undefined) return one ?? other
  return one < other ? one : other
}

/** The lines of a list, of which the next prefix can be looked at before its lines are taken. */
function groupsOf(lines: Iterable<string>) {
  const rest = lines[Symbol.iterator]()
  let next = rest.next()
  const prefix = (): string | undefined => (next.done ? undefined : prefixOfLine(next.value))
  const take = (wanted: string): string[] => {
    const taken: string[] = []
    while (!next.done && prefixOfLine(next.value) === wanted) {
      taken.push(next.value)
      next = rest.next()
    }
    return taken
  }
  return { prefix, take }
}

/** When a rate begins and which hours and days it is for, read from its line. */
export interface LineTimes {
  /** Unix seconds; 0 for one that has always been in force. */
  readonly from: Seconds
  readonly window: string
}

export function timesOf(line: string): LineTimes {
  const [, effective = '', start, end, daytype] = line.split('\t', 5)
  return { from: Number(effective), window: `${start} ${end} ${daytype}` }
}
