import type { Actor } from '#lib/domain/accounts/account.ts'
import { actsFor } from '#lib/domain/accounts/scope.ts'

/** Which number of a call a rule looks at. */
export const LOCATION_RULE_TYPES = ['src', 'dst', 'combined'] as const

/** How long a number may be for a rule to apply; without bounds from the shortest to the longest. */
export const LENGTHS = { shortest: 1, longest: 99 } as const

/** Digits, `#` and `*`, leading zeros included, and no longer than any number is (wire.md 8.1). */
export const isDialled = (text: string): boolean => /^[0-9#*]{0,100}$/.test(text)

/** Admin and the accountant work on any location and with anything that exists (wire.md 8.1). */
export const isExempt = ({ usertype }: Actor): boolean => usertype === 'admin' || usertype === 'accountant'

/** Whether a caller may look at a location and change its rules. */
export const mayUseLocation = (caller: Actor, { owner_id }: { readonly owner_id: number }): boolean =>
  isExempt(caller) || owner_id === actsFor(caller)
