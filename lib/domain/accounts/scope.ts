import type { Actor } from './account.ts'

/** An account, or the account behind an object, as far as scope is concerned. */
export interface Owned {
  readonly id: number
  readonly owner_id: number
}

/** The owner on whose customers a caller acts (wire.md 5.1). */
export function actsFor(caller: Actor): number | undefined {
  if (caller.usertype === 'user') return undefined
  return caller.usertype === 'accountant' ? caller.owner_id : caller.id
}

/**
 * Every account, of any type, that belongs to the one the caller acts for. Admin belongs to itself and so is its own
 * customer; a reseller or partner is not.
 */
export const isOwnCustomer = (caller: Actor, account: Owned): boolean => account.owner_id === actsFor(caller)

export const isOwnCustomerOrSelf = (caller: Actor, account: Owned): boolean =>
  account.id === caller.id || isOwnCustomer(caller, account)
