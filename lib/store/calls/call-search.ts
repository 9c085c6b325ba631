import type { Scope } from '#lib/domain/accounts/scope.ts'
import { dayOf, type Period, periodOfDay } from '#lib/domain/calendar.ts'
import { isWithin } from '#lib/domain/calls/call-scope.ts'
import type { Store } from '#lib/store/store.ts'
import { type Call, listCallsWithId } from './call.ts'
import { listCallDays, listCalls } from './call-list.ts'
import type { Days } from './call-stats.ts'

/** Calls in time order, batch by batch. */
export interface FoundCalls {
  readonly batches: AsyncIterable<Call[]>
  /** How many there are, where the counters tell: when the period ends with whole days. */
  readonly total: number | undefined
}

export interface WantedCalls {
  /** They have no call in common. */
  readonly of: readonly Scope[]
  readonly period: Period
  readonly zone: string
}

/** Only days that have calls are asked; the calls themselves are read when somebody takes them. One round trip until then. */
export async function searchCalls(store: Store, { of, period, zone }: WantedCalls): Promise<FoundCalls> {
  if (period.from > period.till) return { batches: inOneBatch([]), total: 0 }
  const days = await listCallDays(store, of, daysOf(period, zone))
  const [first, last] = [days.at(0), days.at(-1)]
  const whole =
    (!first || periodOfDay(first.day, zone).from >= period.from) &&
    (!last || periodOfDay(last.day, zone).till <= period.till)
  const total = days.reduce((sum, { calls }) => sum + calls, 0)
  return { batches: listCalls(store, days, period), total: whole ? total : undefined }
}

/** The calls with this unique id, those that are wanted; of any period, where none is given. */
export async function searchCall(
  store: Store,
  uniqueid: string,
  { of, period }: { readonly of: readonly Scope[]; readonly period: Period | undefined },
): Promise<FoundCalls> {
  const isWanted = (call: Call): boolean =>
    of.some((scope) => isWithin(scope, call)) && (!period || isDuring(period, call))
  const found = await listCallsWithId(store, uniqueid)
  return { batches: inOneBatch(found.filter(isWanted)), total: undefined }
}

const isDuring = ({ from, till }: Period, { calldate }: Call): boolean => from <= calldate && calldate <= till

const daysOf = ({ from, till }: Period, zone: string): Days => ({
  from: dayOf(from, zone),
  till: dayOf(till, zone),
})

async function* inOneBatch(calls: Call[]): AsyncGenerator<Call[]> {
  if (calls.length > 0) yield calls
}
