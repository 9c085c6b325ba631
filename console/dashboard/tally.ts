import { add, divide, isZero, type Money, multiply, subtract, ZERO } from '#lib/domain/money.ts'
import type { ReadCall } from './call-reader.ts'

export interface Count {
  /** All calls, answered or not. */
  attempts: number
  answered: number
  seconds: number
  revenue: Money
  cost: Money
}

/** The counts of calls by hour, and by the first digits of the dialled number. */
export interface Tally {
  /** By `YYYY-MM-DD HH`. */
  readonly hours: Map<string, Count>
  /** By the first digits. */
  readonly prefixes: Map<string, Count>
  /** The zone of the hours. */
  zone: string
}

/** Long enough to find most destinations of a tariff, and short enough that few numbers differ in it. */
const DIGITS = 7

const nothing = (): Count => ({ attempts: 0, answered: 0, seconds: 0, revenue: ZERO, cost: ZERO })

export const emptyTally = (): Tally => ({ hours: new Map(), prefixes: new Map(), zone: '' })

/** Counts calls in place: there may be hundreds of thousands. */
export function count(tally: Tally, calls: readonly ReadCall[]): void {
  for (const call of calls) {
    tally.zone = call.zone
    merge(within(tally.hours, call.start.slice(0, 13)), countOf(call))
    merge(within(tally.prefixes, call.dst.replaceAll(/\D/g, '').slice(0, DIGITS)), countOf(call))
  }
}

function within(counts: Map<string, Count>, key: string): Count {
  const found = counts.get(key) ?? nothing()
  counts.set(key, found)
  return found
}

/** Seconds and money of answered calls only. */
const countOf = ({ isAnswered, seconds, revenue, cost }: ReadCall): Count =>
  isAnswered ? { attempts: 1, answered: 1, seconds, revenue, cost } : { ...nothing(), attempts: 1 }

function merge(to: Count, { attempts, answered, seconds, revenue, cost }: Count): void {
  to.attempts += attempts
  to.answered += answered
  to.seconds += seconds
  to.revenue = add(to.revenue, revenue)
  to.cost = add(to.cost, cost)
}

/** The sum of all counts. */
export function sumOfCounts(counts: Iterable<Count>): Count {
  const sum = nothing()
  for (const one of counts) merge(sum, one)
  return sum
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

/** The length of a count's period in milliseconds, by the length of its key. */
const SLOT_MS = { hour: 3_600_000, day: 86_400_000 } as const

export type Slot = keyof typeof SLOT_MS

/** The counts in order of time, with an empty one for each hour or day between them that has no calls. */
export function slotsOf(hours: ReadonlyMap<string, Count>, slot: Slot): [string, Count][] {
  const length = slot === 'day' ? 10 : 13
  const counts = regrouped(hours, (hour) => hour.slice(0, length))
  const times = [...counts.keys()].map(timeOf)
  const slots: [string, Count][] = []
  for (let at = Math.min(...times); at <= Math.max(...times); at += SLOT_MS[slot]) {
    const key = new Date(at).toISOString().replace('T', ' ').slice(0, length)
    slots.push([key, counts.get(key) ?? nothing()])
  }
  return slots
}

/** Text of the installation's zone is read as if it were UTC: only its order and its distance count. */
const timeOf = (key: string): number => Date.parse(`${key.slice(0, 10)}T${key.slice(11) || '00'}:00:00Z`)

/** Answered of a hundred attempts; `undefined` without attempts. */
export const asrOf = ({ attempts, answered }: Count): number | undefined =>
  attempts === 0 ? undefined : (100 * answered) / attempts

/** The mean length of answered calls in seconds; `undefined` without any. */
export const acdOf = ({ answered, seconds }: Count): number | undefined =>
  answered === 0 ? undefined : seconds / answered

/** Profit in percent of the revenue; `undefined` without revenue. */
export const marginPercentOf = ({ revenue, cost }: Count): number | undefined =>
  isZero(revenue) ? undefined : Number(divide(multiply(subtract(revenue, cost), 100), revenue))
