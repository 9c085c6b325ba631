export const ACCOUNT_TYPES = ['admin', 'reseller', 'accountant', 'partner', 'user'] as const

export type AccountType = (typeof ACCOUNT_TYPES)[number]

export const MANAGERS = ['admin', 'accountant', 'reseller', 'partner'] as const

/** The accounts that may own accounts, and sell to them. */
export const OWNERS = ['admin', 'reseller', 'partner'] as const

/** The accounts that others sell to, and bill. */
export const BILLED = ['user', 'reseller', 'partner'] as const

export const OPERATORS = ['admin', 'accountant'] as const

/** The part of an account that decides what it may see. */
export interface Actor {
  readonly id: number
  readonly usertype: AccountType
  readonly owner_id: number
}

/** In UTF-16 code units. */
export const MAX_USERNAME_LENGTH = 255

export const ownsCustomers = ({ usertype }: Pick<Actor, 'usertype'>): boolean =>
  OWNERS.some((one) => one === usertype)

/** Permissions of accounts beyond those of their type: SECURITY.md has a row for each. */
export const PERMISSIONS = ['api_settings', 'manage_users'] as const

/** Whether an account has a permission: a word among others, with commas or spaces between them. */
export const hasPermission = (
  { permissions }: { readonly permissions: string },
  permission: (typeof PERMISSIONS)[number],
): boolean => permissions.split(/[\s,]/).includes(permission)

/**
 * Whether an account has a permission that another one lacks, which must not change its password or name, and
 * so act as it.
 */
export const exceeds = (
  account: { readonly permissions: string },
  other: { readonly permissions: string },
): boolean => PERMISSIONS.some((one) => hasPermission(account, one) && !hasPermission(other, one))

/** A customer's name in lists: "first last", or the username if both are blank (wire.md 5.4). */
export const displayName = (account: {
  readonly first_name: string
  readonly last_name: string
  readonly username: string
}): string =>
  [account.first_name, account.last_name].filter((part) => part.trim() !== '').join(' ') || account.username

/** The name by which operators know an account, and documents name it: its company, or its person. */
export const companyOrPerson = (
  account: Parameters<typeof displayName>[0] & { readonly company_name: string },
): string => account.company_name || displayName(account)

/** The accounts that a call between these ends concerns. */
export interface Parties {
  readonly users: readonly number[]
  /** The owners of an end, and ends that are owners: an owner's list also shows the owner's calls. */
  readonly owners: readonly number[]
}

/** Names each account once, even if both ends belong to it (wire.md active_calls_get). */
export function partiesOf(ends: readonly (Actor | undefined)[]): Parties {
  const accounts = ends.filter((account) => account !== undefined)
  const owners = accounts.flatMap((account) =>
    ownsCustomers(account) ? [account.owner_id, account.id] : [account.owner_id],
  )
  return { users: [...new Set(accounts.map(({ id }) => id))], owners: [...new Set(owners)] }
}
