import type { Day } from '#lib/base/calendar.ts'
import { ascending } from '#lib/base/collections.ts'
import { add, isPositive, isZero, type Money, subtract, ZERO } from '#lib/base/money.ts'

/** Answered calls and their seconds, and the price of all calls in the default currency. */
export interface CallSums {
  readonly calls: number
  readonly seconds: number
  readonly amount: Money
}

export const ZERO_CALLS: CallSums = { calls: 0, seconds: 0, amount: ZERO }

/** The calls that an account makes itself, and those of its customers, which it pays at its own price. */
export const TRAFFIC = ['own', 'resold'] as const

export type TrafficKind = (typeof TRAFFIC)[number]

type ByDay<T> = Readonly<Record<Day, T>>

export type ByTraffic<T> = Readonly<Record<TrafficKind, T>>

/** The part of a month that one document bills. */
export interface OpenPart {
  readonly calls: ByTraffic<ByDay<CallSums>>
  /** The amounts of charges by id, in the default currency. */
  readonly charges: Readonly<Record<string, Money>>
  /** The amount added to the calls to reach the minimum; negative if some of it was taken back. */
  readonly minimum: Money
}

/** The part of a month that a document has billed. */
export interface BilledPart extends OpenPart {
  readonly number: string
}

export interface BilledMonth {
  /** Keyed by the id of the document. */
  readonly parts: Readonly<Record<string, BilledPart>>
  /** Each day's counter `changes` when its calls were read. A day with another one is read again. */
  readonly seen: ByTraffic<ByDay<number>>
  /** The minimum that was applied to the calls of the month; 0 for none. */
  readonly minimum: Money
  /** Invoices of the month that were credited whole: their payments count for the next one. */
  readonly credited: readonly number[]
}

export const NOTHING_BILLED: BilledMonth = {
  parts: {},
  seen: { own: {}, resold: {} },
  minimum: ZERO,
  credited: [],
}

export const joinedCalls = (one: CallSums, other: CallSums): CallSums => ({
  calls: one.calls + other.calls,
  seconds: one.seconds + other.seconds,
  amount: add(one.amount, other.amount),
})

export const lessSums = (one: CallSums, other: CallSums): CallSums => ({
  calls: one.calls - other.calls,
  seconds: one.seconds - other.seconds,
  amount: subtract(one.amount, other.amount),
})

export const hasNoCalls = ({ calls, seconds, amount }: CallSums): boolean =>
  calls === 0 && seconds === 0 && isZero(amount)

export const sumOfCalls = (sums: Iterable<CallSums>): CallSums => [...sums].reduce(joinedCalls, ZERO_CALLS)

export const sumOfPart = ({ calls }: OpenPart): CallSums =>
  sumOfCalls(TRAFFIC.flatMap((traffic) => Object.values(calls[traffic])))

export const chargesBilled = ({ parts }: BilledMonth): ReadonlySet<string> =>
  new Set(Object.values(parts).flatMap(({ charges }) => Object.keys(charges)))

export type CallsNow = ByTraffic<ByDay<CallSums>>

/** The calls of these days less their billed parts. Days without a difference are left out. */
function differences(now: CallsNow, { parts }: BilledMonth): OpenPart['calls'] {
  const ofTraffic = (traffic: TrafficKind): ByDay<CallSums> =>
    Object.fromEntries(
      Object.entries(now[traffic])
        .sort(([one], [other]) => ascending(one, other))
        .map(([day, sums]) => {
          const billed = Object.values(parts).map(({ calls }) => calls[traffic][day] ?? ZERO_CALLS)
          return [day, lessSums(sums, sumOfCalls(billed))] as const
        })
        .filter(([, sums]) => !hasNoCalls(sums)),
    )
  return { own: ofTraffic('own'), resold: ofTraffic('resold') }
}

export function shortOf(minimum: Money, amount: Money): Money {
  const missing = subtract(minimum, amount)
  return isPositive(missing) && isPositive(minimum) ? missing : ZERO
}

/**
 * The unbilled part of a month: its present amounts, less the billed ones. `now` has the calls of the days
 * that were read, which are those that changed; `charges` are those that no document has billed.
 */
export function openPart(
  billed: BilledMonth,
  now: CallsNow,
  charges: OpenPart['charges'],
  minimum: Money,
): OpenPart {
  const calls = differences(now, billed)
  const parts = Object.values(billed.parts)
  const before = sumOfCalls(parts.map(sumOfPart))
  const difference = sumOfCalls(TRAFFIC.flatMap((traffic) => Object.values(calls[traffic])))
  const missing = shortOf(minimum, add(before.amount, difference.amount))
  return { calls, charges, minimum: subtract(missing, add(...parts.map((part) => part.minimum))) }
}

/** The amount that the balance was charged for a part: calls and charges, without the minimum. */
export const chargedFor = (part: OpenPart): Money =>
  add(sumOfPart(part).amount, ...Object.values(part.charges))

export const isEmptyPart = (part: OpenPart): boolean =>
  TRAFFIC.every((traffic) => Object.keys(part.calls[traffic]).length === 0) &&
  Object.keys(part.charges).length === 0 &&
  isZero(part.minimum)

/** The month after a document has billed a part of it. */
export const withPart = (
  billed: BilledMonth,
  document: { readonly id: number; readonly number: string },
  part: OpenPart,
  { seen, minimum }: Pick<BilledMonth, 'seen' | 'minimum'>,
): BilledMonth => ({
  ...billed,
  parts: isEmptyPart(part)
    ? billed.parts
    : { ...billed.parts, [document.id]: { ...part, number: document.number } },
  seen: {
    own: { ...billed.seen.own, ...seen.own },
    resold: { ...billed.seen.resold, ...seen.resold },
  },
  minimum,
})

/** The month after a document was credited whole: its days are read again. */
export function withoutPart(billed: BilledMonth, documentId: number): BilledMonth {
  const { [documentId]: part, ...parts } = billed.parts
  const unread = (traffic: TrafficKind) =>
    Object.fromEntries(
      Object.entries(billed.seen[traffic]).filter(([day]) => !(part && day in part.calls[traffic])),
    )
  return { ...billed, parts, seen: { own: unread('own'), resold: unread('resold') } }
}
