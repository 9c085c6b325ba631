import type { Actor } from './account.ts'

/** Whose calls or documents: those of one account, or of all customers of an owner. */
export type LimitedScope = { readonly user: number } | { readonly owner: number }

export type Scope = LimitedScope | 'everyone'

export type ScopeKind = 'user' | 'owner' | 'everyone'

export function kindOf(scope: Scope): ScopeKind {
  if (scope === 'everyone') return scope
  return 'user' in scope ? 'user' : 'owner'
}

/** An account, or the account behind an object, as far as scope is concerned. */
export interface Owned {
  readonly id: number
  readonly owner_id: number
}

/** Every account of type admin acts for this one, which belongs to itself (wire.md 5.1). */
export const ADMIN_ACCOUNT = 0

/** The owner on whose customers a caller acts (wire.md 5.1). */
export function actsFor(caller: Actor): number | undefined {
  if (caller.usertype === 'user') return undefined
  if (caller.usertype === 'admin') return ADMIN_ACCOUNT
  return caller.usertype === 'accountant' ? caller.owner_id : caller.id
}

/**
 * Every account, of any type, that belongs to the one the caller acts for. Account 0 belongs to itself and so is a
 * customer of every admin; a reseller or partner is not its own.
 */
export const isOwnCustomer = (caller: Actor, account: Owned): boolean => account.owner_id === actsFor(caller)

export const isOwnCustomerOrSelf = (caller: Actor, account: Owned): boolean =>
  account.id === caller.id || isOwnCustomer(caller, account)

/** A caller's own customers, or itself where it is a plain user. */
export function ownScope(caller: Actor): LimitedScope {
  const owner = actsFor(caller)
  return owner === undefined ? { user: caller.id } : { owner }
}

/** Admin and accountant see everyone where a method has no narrower rule (wire.md 5.3, 8.1). */
export const seesEveryone = ({ usertype }: Actor): boolean =>
  usertype === 'admin' || usertype === 'accountant'

/** All that a caller sees: everyone's, its own customers', or its own. */
export const widestScope = (caller: Actor): Scope => (seesEveryone(caller) ? 'everyone' : ownScope(caller))
