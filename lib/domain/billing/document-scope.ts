import type { Actor } from '#lib/domain/accounts/account.ts'
import { actsFor, isOwnCustomer, type Owned } from '#lib/domain/accounts/scope.ts'

/** Whose documents: those of one account, or of all customers of an owner. */
export type DocumentScope = { readonly user: number } | { readonly owner: number }

/** Everything a caller sees without naming anybody: the own customers' documents, a plain user's own. */
export function ownDocuments(caller: Actor): DocumentScope {
  const owner = actsFor(caller)
  return owner === undefined ? { user: caller.id } : { owner }
}

/** One customer's documents, or a plain user's own; `undefined` where they are not in scope (wire.md 5.1, 5.2). */
export function customersDocuments(caller: Actor, account: Owned | undefined): DocumentScope | undefined {
  if (!account) return undefined
  const isItself = caller.usertype === 'user' && account.id === caller.id
  return isItself || isOwnCustomer(caller, account) ? { user: account.id } : undefined
}
