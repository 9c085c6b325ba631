export const ACCOUNT_TYPES = ['admin', 'reseller', 'accountant', 'partner', 'user'] as const

export type AccountType = (typeof ACCOUNT_TYPES)[number]

/** The part of an account that decides what it may see. */
export interface Actor {
  readonly id: number
  readonly usertype: AccountType
  readonly owner_id: number
}

/** Only these may be the owner of another account. */
export const ownsCustomers = ({ usertype }: Pick<Actor, 'usertype'>): boolean =>
  usertype === 'admin' || usertype === 'reseller' || usertype === 'partner'

/** How lists name a customer: "first last", or the username where there is neither (wire.md 5.4). */
export const displayName = (account: {
  readonly first_name: string
  readonly last_name: string
  readonly username: string
}): string =>
  [account.first_name, account.last_name].filter((part) => part.trim() !== '').join(' ') || account.username
