import type { Actor } from './account-types.ts'

/** Selects the calls or documents of one account, or of all customers of an owner. */
export type LimitedScope =
  | {
      readonly user: number
      /** Only the documents of this seller: a customer may have had another one before. */
      readonly seller?: number
    }
  | { readonly owner: number }

export type Scope = LimitedScope | 'everyone'

export type ScopeKind = 'user' | 'owner' | 'everyone'

export function scopeKindOf(scope: Scope): ScopeKind {
  if (scope === 'everyone') return scope
  return 'user' in scope ? 'user' : 'owner'
}

/** The columns of an account that scope depends on. */
export interface Owned {
  readonly id: number
  readonly owner_id: number
}

/** Every account of type admin acts for account 0, which belongs to itself (wire.md 5.1). */
export const ADMIN_ACCOUNT = 0

/** The reason why an account of this type cannot belong to its owner; `undefined` if it can (wire.md 5.1). */
export function misplacement({ id, usertype, owner_id }: Actor): string | undefined {
  if (usertype === 'admin')
    return owner_id === id || owner_id === ADMIN_ACCOUNT ? undefined : 'an admin belongs to account 0'
  if (owner_id === id) return 'only an admin owns itself'
  if (id === ADMIN_ACCOUNT) return 'account 0 is an admin'
  return usertype === 'accountant' && owner_id !== ADMIN_ACCOUNT
    ? 'an accountant belongs to account 0'
    : undefined
}

export const isAdmin = (caller: Actor): boolean =>
  caller.usertype === 'admin' && misplacement(caller) === undefined

/**
 * An account with the rights that it has. A misplaced admin or accountant, which a table of an earlier
 * release may hold, has those of a reseller (wire.md 5.1).
 */
export const withOwnRights = <A extends Actor>(account: A): A =>
  (account.usertype === 'admin' || account.usertype === 'accountant') && misplacement(account) !== undefined
    ? { ...account, usertype: 'reseller' }
    : account

/** An installation needs one: only an active admin can unblock others. */
export const isActiveAdmin = (account: Actor & { readonly blocked: boolean }): boolean =>
  isAdmin(account) && !account.blocked

/** The owner whose customers a caller manages; `undefined` for a plain user (wire.md 5.1). */
export function actsFor(caller: Actor): number | undefined {
  if (caller.usertype === 'user') return undefined
  if (isAdmin(caller)) return ADMIN_ACCOUNT
  return caller.usertype === 'accountant' ? caller.owner_id : caller.id
}

/**
 * Own customers are the accounts of any type that belong to the account the caller acts for. Account 0
 * belongs to itself, so it is a customer of every admin. A reseller or partner is not its own customer.
 */
export const isOwnCustomer = (caller: Actor, account: Owned): boolean => account.owner_id === actsFor(caller)

export const isOwnCustomerOrSelf = (caller: Actor, account: Owned): boolean =>
  account.id === caller.id || isOwnCustomer(caller, account)

/** A caller's own customers, or the caller itself if it is a plain user. */
export function ownScope(caller: Actor): LimitedScope {
  const owner = actsFor(caller)
  return owner === undefined ? { user: caller.id } : { owner }
}

/** No answer has the secret or the PIN of a device for an accountant (wire.md 5.3). */
export const seesSecrets = ({ usertype }: Pick<Actor, 'usertype'>): boolean => usertype !== 'accountant'

/** Admins and their accountants see everyone, unless a method has a narrower rule (wire.md 5.3, 8.1). */
export const seesEveryone = (caller: Actor): boolean =>
  isAdmin(caller) || (caller.usertype === 'accountant' && misplacement(caller) === undefined)

/** Whether a caller may see an account, its balance and its calls. */
export const seesAccount = (caller: Actor, account: Owned): boolean =>
  seesEveryone(caller) || isOwnCustomerOrSelf(caller, account)

export const widestScope = (caller: Actor): Scope => (seesEveryone(caller) ? 'everyone' : ownScope(caller))

/**
 * The scope of a request for documents that may name an account. It is `undefined` if the named account is
 * not the caller's customer. A plain user sees its own documents, with any name sent (wire.md 5.1, 5.2).
 */
export function documentScope(
  caller: Actor,
  namedId: number | undefined,
  account: Owned | undefined,
): LimitedScope | undefined {
  if (caller.usertype === 'user' || namedId === undefined) return ownScope(caller)
  return account && isOwnCustomer(caller, account)
    ? { user: account.id, seller: account.owner_id }
    : undefined
}
