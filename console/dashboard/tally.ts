import type { ReadCall } from './call-reader.ts'

export interface Count {
  calls: number
  answered: number
  seconds: number
}

/** What is counted of calls: all of them, by hour, and by what the dialled number begins with. */
export interface Tally {
  readonly all: Count
  /** By `YYYY-MM-DD HH`. */
  readonly hours: Map<string, Count>
  /** By the first digits. */
  readonly prefixes: Map<string, Count>
}

/** Long enough to find most destinations of a tariff, and short enough that few numbers differ in it. */
const DIGITS = 7

const nothing = (): Count => ({ calls: 0, answered: 0, seconds: 0 })

export const emptyTally = (): Tally => ({ all: nothing(), hours: new Map(), prefixes: new Map() })

/** Counts calls in place: there may be hundreds of thousands. */
export function count(tally: Tally, calls: readonly ReadCall[]): void {
  for (const call of calls) {
    add(tally.all, call)
    add(within(tally.hours, call.start.slice(0, 13)), call)
    add(within(tally.prefixes, call.dst.replaceAll(/\D/g, '').slice(0, DIGITS)), call)
  }
}

function within(counts: Map<string, Count>, key: string): Count {
  const found = counts.get(key) ?? nothing()
  counts.set(key, found)
  return found
}

function add(to: Count, { isAnswered, seconds }: ReadCall): void {
  to.calls += 1
  if (!isAnswered) return
  to.answered += 1
  to.seconds += seconds
}

function merge(to: Count, { calls, answered, seconds }: Count): void {
  to.calls += calls
  to.answered += answered
  to.seconds += seconds
}

/** The same counts under other keys: of hours their day, of prefixes their destination. */
export function regrouped(
  counts: ReadonlyMap<string, Count>,
  keyOf: (key: string) => string,
): Map<string, Count> {
  const groups = new Map<string, Count>()
  for (const [key, one] of counts) merge(within(groups, keyOf(key)), one)
  return groups
}

/** Answer-seizure ratio: answered calls of a hundred. */
export const answerSeizureRatio = ({ calls, answered }: Count): string =>
  calls === 0 ? '–' : `${((100 * answered) / calls).toFixed(1)} %`

/** Average length of an answered call, minutes and seconds. */
export function averageLength({ answered, seconds }: Count): string {
  if (answered === 0) return '–'
  const average = Math.round(seconds / answered)
  return `${Math.floor(average / 60)}:${String(average % 60).padStart(2, '0')}`
}
