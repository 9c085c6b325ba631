import type { RateBook } from '#lib/calls/rating/rate-book.ts'
import { holdName } from '#lib/control/holds.ts'
import { isLimited } from '#lib/control/limited.ts'
import type { EndedCall } from '#lib/control/settle.ts'
import { isAnswered } from './cdr-version.ts'
import type { CdrCall, CdrDecision } from './decide-cdrs.ts'
import { isStoredOutcome } from './mediation.ts'

/**
 * The answered call that a decision stores or finds, for each payer with a limit: their holds are released
 * once it is charged. Rating has read the account of a new call; only a duplicate's is read here.
 */
export async function endedCallsOf(
  { settings, accounts }: RateBook,
  { before }: CdrCall,
  { change, outcomes }: CdrDecision,
): Promise<EndedCall[]> {
  const stored = change?.after ?? before
  if (!settings.Call_Control || !stored || !isAnswered(stored)) return []
  if (![...outcomes.values()].some(isStoredOutcome)) return []
  const { user_id, owner_id, direct, calldate, duration, billsec } = stored
  const payers = direct ? [user_id] : [user_id, owner_id]
  const known = await accounts(payers)
  return payers
    .filter((id) => {
      const account = known.get(id)
      return account && isLimited(account, settings)
    })
    .map((accountId) => ({ accountId, name: holdName(stored), end: calldate + duration, billsec }))
}
