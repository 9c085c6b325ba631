import { missingReference, RowRefused } from '#lib/domain/row-refused.ts'
import type { Account } from '#lib/store/accounts/account.ts'
import type { Call, CallRow } from '#lib/store/calls/call.ts'
import type { RateBook } from './rate-book.ts'

/** The customer of a call, under the owner for whom the call counts. */
export interface Customer {
  readonly account: Account
  /** It is missing when the account was deleted from outside of this service. */
  readonly owner: Account | undefined
  readonly owner_id: number
  /** Whether nobody stands between the customer and admin: then there is no reseller's price. */
  readonly direct: boolean
}

/**
 * Whose customer a call counts for. A call that is corrected stays with the owner at the time it was first stored, and
 * is priced as that one's (wire.md 7.1). Throws RowRefused when the customer does not exist.
 */
export async function customerOf(
  { accounts }: RateBook,
  { user_id }: CallRow,
  before: Call | undefined,
): Promise<Customer> {
  const account = (await accounts([user_id])).get(user_id)
  if (!account) throw new RowRefused(missingReference('user_id', 'account', user_id))
  const isCorrection = before?.user_id === user_id
  const { owner_id } = isCorrection ? before : account
  const owner = (await accounts([owner_id])).get(owner_id)
  return { account, owner, owner_id, direct: isCorrection ? before.direct : isDirect(owner) }
}

const isDirect = (owner: Account | undefined): boolean => owner === undefined || owner.usertype === 'admin'
