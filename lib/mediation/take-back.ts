import pMap from 'p-map'
import type { CallIdentity } from '#lib/domain/calls/call-identity.ts'
import { isArchivedDay } from '#lib/domain/calls/retention.ts'
import { openRateBook } from '#lib/rating/rate-book.ts'
import { findCalls } from '#lib/store/calls/call.ts'
import { removeRepeatedCall } from '#lib/store/calls/call-removal.ts'
import type { Mediation } from './mediation.ts'

// CDRs of one call that two consumers mediate at the same moment do not see each other's calls, and both are stored. So a
// consumer looks once more behind its writes: the one that looks last sees both calls, and takes one of them back.

/** A stored call that repeats another stored call. */
export interface RepeatedCall {
  readonly call: CallIdentity
  readonly standing: CallIdentity
}

const CALLS_AT_ONCE = 4

/** Takes calls back, and tells for each one whether it is gone. A call that was invoiced or archived stays. */
export async function takeBack(
  { store, settings }: Mediation,
  repeated: readonly RepeatedCall[],
): Promise<boolean[]> {
  if (repeated.length === 0) return []
  const calls = await findCalls(
    store,
    repeated.map(({ call }) => call),
  )
  const { isInvoiced } = await openRateBook(store, [], settings)
  return pMap(
    repeated,
    async ({ standing }, index) => {
      const call = calls[index]
      if (!call || isArchivedDay(call.day, settings) || (await isInvoiced(call))) return false
      return removeRepeatedCall({ store, settings }, call, standing)
    },
    { concurrency: CALLS_AT_ONCE },
  )
}
