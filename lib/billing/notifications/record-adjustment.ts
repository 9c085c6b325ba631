import { changesOf } from '#lib/table/entity-changes.ts'
import type { Change } from '#lib/table/requests/changes.ts'
import { retryingRaces } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import { type Adjustment, adjustments } from '../adjustment.ts'
import { type Books, withBookedAmount } from '../booking.ts'
import { newDocumentId } from '../document.ts'
import { watchBalances } from './watched-balances.ts'

/**
 * Writes a row of the journal and books it, with others in one transaction, such as the entry of the log.
 * Throws ConditionFailed when the account has another owner by now.
 */
export const recordAdjustment = (
  store: Store,
  { id: user_id, owner_id }: { readonly id: number; readonly owner_id: number },
  said: Pick<Adjustment, 'amount' | 'date' | 'who' | 'why'>,
  { others = [], ...books }: Books & { readonly others?: readonly Change[] },
): Promise<Adjustment> =>
  retryingRaces(store, async (lostRaces) => {
    const id = newDocumentId(said.date * 1000, lostRaces)
    const row = withBookedAmount({ ...said, id, user_id }, undefined, books)
    await store.transact([...changesOf(adjustments, undefined, { ...row, owner_id }), ...others])
    await watchBalances({ store, settings: books.settings, now: new Date(said.date * 1000) }, [user_id])
    return row
  })
