export const ACCOUNT_TYPES = ['admin', 'reseller', 'accountant', 'partner', 'user'] as const

export type AccountType = (typeof ACCOUNT_TYPES)[number]

/** The part of an account that decides what it may see. */
export interface Actor {
  readonly id: number
  readonly usertype: AccountType
  readonly owner_id: number
}
