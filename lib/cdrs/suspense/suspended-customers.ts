import pMap from 'p-map'
import type { Period } from '#lib/base/calendar.ts'
import type { PartyHints, Reason } from '../formats/cdr.ts'
import type { MediationContext } from '../mediation.ts'
import { partsOf } from '../pipeline.ts'
import { resolveAccounts } from '../resolve.ts'
import { documentsOf, SUSPENDED_TEXTS_AT_ONCE } from './retry.ts'
import { listSuspended, type SuspendedCdr } from './suspense.ts'

/** The reasons of CDRs that belong to a stored call: they are not calls of their own. */
const OF_STORED_CALLS: readonly string[] = [
  'invoiced',
  'possible_duplicate',
  'already_answered',
  'came_priced',
] satisfies Reason[]

/** Counts a period's suspended calls that would be new, by the customer that they resolve to now. */
export async function suspendedByCustomer(
  mediation: MediationContext,
  { from, till }: Period,
): Promise<ReadonlyMap<number, number>> {
  const counts = new Map<number, number>()
  const isWanted = ({ start = -1, reason }: SuspendedCdr) =>
    from <= start && start <= till && !OF_STORED_CALLS.includes(reason)
  for await (const page of listSuspended(mediation.store, { after: '' })) {
    const parties = await pMap(page.filter(isWanted), (entry) => partiesIn(mediation, entry), {
      concurrency: SUSPENDED_TEXTS_AT_ONCE,
    })
    const owners = await resolveAccounts(mediation, parties.flat())
    for (const owner of owners.values())
      if (owner) counts.set(owner.user_id, (counts.get(owner.user_id) ?? 0) + 1)
  }
  return counts
}

async function partiesIn(mediation: MediationContext, entry: SuspendedCdr): Promise<PartyHints[]> {
  const parts = [...partsOf(mediation, await documentsOf(mediation.store, entry))]
  return parts.flatMap(({ found }) => (found.kind === 'cdr' ? [found.cdr.party] : []))
}
