import type { Actor } from '#lib/domain/accounts/account.ts'
import { actsFor, isOwnCustomerOrSelf, type Owned } from '#lib/domain/accounts/scope.ts'

/** Whose calls are asked for: one account's own, those of an owner's customers and its own, or everyone's. */
export type CallsOf =
  | { readonly kind: 'account'; readonly id: number }
  | { readonly kind: 'owner'; readonly id: number; readonly belongsToItself: boolean }
  | { readonly kind: 'everyone' }

/** Admin and accountant see everyone (wire.md 5.3, user_calls_get). */
const seesEveryone = ({ usertype }: Actor): boolean => usertype === 'admin' || usertype === 'accountant'

/** What a caller sees who names nobody. */
export function allCallsOf(caller: Actor): CallsOf {
  if (seesEveryone(caller)) return { kind: 'everyone' }
  const owner = actsFor(caller)
  if (owner === undefined) return { kind: 'account', id: caller.id }
  return { kind: 'owner', id: owner, belongsToItself: caller.owner_id === caller.id }
}

/**
 * Of one customer's calls, a reseller or partner sees those that count for it: what a former owner bought and sold them for
 * is not the next one's business (wire.md 5.3).
 */
export const ownerOfCallsSeen = (caller: Actor, customer: number | undefined): number | undefined =>
  customer === undefined || customer === caller.id || seesEveryone(caller) ? undefined : actsFor(caller)

export const maySeeCallsOf = (caller: Actor, account: Owned): boolean =>
  seesEveryone(caller) || isOwnCustomerOrSelf(caller, account)

/** Whether a call of this customer, stored under this owner, is among them. */
export function isAmong(
  callsOf: CallsOf,
  { user_id, owner_id }: { user_id: number; owner_id: number },
): boolean {
  if (callsOf.kind === 'everyone') return true
  return user_id === callsOf.id || (callsOf.kind === 'owner' && owner_id === callsOf.id)
}
