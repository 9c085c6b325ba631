import type { Actor } from '#lib/domain/accounts/account.ts'
import {
  actsFor,
  isOwnCustomerOrSelf,
  kindOf,
  type Owned,
  type Scope,
  seesEveryone,
  widestScope,
} from '#lib/domain/accounts/scope.ts'

/** The scopes of a caller who names nobody, which have no call in common: an owner's own calls count for its owner. */
export function allCallsOf(caller: Actor): Scope[] {
  const scope = widestScope(caller)
  return kindOf(scope) === 'owner' ? [scope, { user: caller.id }] : [scope]
}

/**
 * A reseller or partner sees those of one customer's calls that count for it: what a former owner bought and sold them for
 * is not the next one's business (wire.md 5.3).
 */
export const ownerOfCallsSeen = (caller: Actor, customer: number | undefined): number | undefined =>
  customer === undefined || customer === caller.id || seesEveryone(caller) ? undefined : actsFor(caller)

export const maySeeCallsOf = (caller: Actor, account: Owned): boolean =>
  seesEveryone(caller) || isOwnCustomerOrSelf(caller, account)

/** Whether a call of this customer, stored under this owner, is in the scope. */
export function isWithin(
  scope: Scope,
  { user_id, owner_id }: { readonly user_id: number; readonly owner_id: number },
): boolean {
  if (scope === 'everyone') return true
  return 'user' in scope ? user_id === scope.user : owner_id === scope.owner
}
