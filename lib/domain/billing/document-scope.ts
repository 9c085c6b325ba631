import type { Actor } from '#lib/domain/accounts/account.ts'
import { isOwnCustomer, type LimitedScope, type Owned, ownScope } from '#lib/domain/accounts/scope.ts'

/**
 * The documents of the account that a request names by this id, else of all in scope; `undefined` where that account is
 * not in scope. A plain user gets its own, whatever it names (wire.md 5.1, 5.2).
 */
export function documentsAskedFor(
  caller: Actor,
  named: { readonly id: number | undefined; readonly account: Owned | undefined },
): LimitedScope | undefined {
  if (caller.usertype === 'user' || named.id === undefined) return ownScope(caller)
  if (!named.account || !isOwnCustomer(caller, named.account)) return undefined
  return { user: named.account.id }
}
