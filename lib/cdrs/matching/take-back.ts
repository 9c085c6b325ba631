import pMap from 'p-map'
import type { CallIdentity } from '#lib/base/call-identity.ts'
import { paired } from '#lib/base/collections.ts'
import { findCalls } from '#lib/calls/call.ts'
import { removeRepeatedCall } from '#lib/calls/call-storage.ts'
import { isArchivedDay } from '#lib/calls/retention.ts'
import type { MediationContext } from '../mediation.ts'

// Two consumers that mediate CDRs of one call at once both store a call. So each looks again after its
// writes: the one that looks last sees both calls, and takes one of them back.

const CALLS_AT_ONCE = 4

/**
 * Takes calls back, and returns those that are gone. The next invoice credits one that was billed. One on an
 * archived day stays.
 */
export async function takeBack(
  { store, settings }: MediationContext,
  repeated: readonly { readonly call: CallIdentity; readonly kept: CallIdentity }[],
): Promise<ReadonlySet<CallIdentity>> {
  if (repeated.length === 0) return new Set()
  const identities = repeated.map(({ call }) => call)
  const calls = await findCalls(store, identities)
  const taken = await pMap(
    paired(repeated, calls),
    async ([{ call, kept }, stored]) => {
      if (!stored) return []
      if (isArchivedDay(stored.day, settings)) {
        store.meter.note('repeat_kept', 1)
        return []
      }
      return (await removeRepeatedCall({ store, settings }, stored, kept)) ? [call] : []
    },
    { concurrency: CALLS_AT_ONCE },
  )
  return new Set(taken.flat())
}
