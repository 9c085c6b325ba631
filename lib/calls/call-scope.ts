import type { Actor } from '#lib/base/account-types.ts'
import { actsFor, type Scope, scopeKindOf, seesEveryone, widestScope } from '#lib/base/scope.ts'

/** The scopes of a caller who names no account. They are disjoint: an owner's calls count for its owner. */
export function callScopesOf(caller: Actor): Scope[] {
  const scope = widestScope(caller)
  return scopeKindOf(scope) === 'owner' ? [scope, { user: caller.id }] : [scope]
}

/**
 * The owner that a named customer's calls must be stored under for the caller to see them; `undefined` for no
 * limit. A reseller or partner must not see the prices of a customer's former owner (wire.md 5.3).
 */
export const requiredCallOwner = (caller: Actor, customer: number | undefined): number | undefined =>
  customer === undefined || customer === caller.id || seesEveryone(caller) ? undefined : actsFor(caller)

/** Whether a call of this customer, stored under this owner, is in the scope. */
export function isCallInScope(
  scope: Scope,
  { user_id, owner_id }: { readonly user_id: number; readonly owner_id: number },
): boolean {
  if (scope === 'everyone') return true
  return 'user' in scope ? user_id === scope.user : owner_id === scope.owner
}
