import type { Actor } from '#lib/domain/accounts/account.ts'
import { isOwnCustomer, type LimitedScope, type Owned } from '#lib/domain/accounts/scope.ts'

/** One customer's documents, or a plain user's own; `undefined` where they are not in scope (wire.md 5.1, 5.2). */
export function customersDocuments(caller: Actor, account: Owned | undefined): LimitedScope | undefined {
  if (!account) return undefined
  const isItself = caller.usertype === 'user' && account.id === caller.id
  return isItself || isOwnCustomer(caller, account) ? { user: account.id } : undefined
}
