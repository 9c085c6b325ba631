import type { Actor } from '#lib/domain/accounts/account.ts'
import { actsFor, seesEveryone } from '#lib/domain/accounts/scope.ts'

/** Which number of a call a rule looks at. */
export const LOCATION_RULE_TYPES = ['src', 'dst', 'combined'] as const

/** How long a number may be for a rule to apply; without bounds from the shortest to the longest. */
export const LENGTHS = { shortest: 1, longest: 99 } as const

/** Digits, `#` and `*`, leading zeros included, and no longer than any number is (wire.md 8.1). */
export const DIALLED = /^[0-9#*]{0,100}$/

/** Whether a caller may look at a location and change its rules; who sees everyone, at any location's (wire.md 8.1). */
export const mayUseLocation = (caller: Actor, { owner_id }: { readonly owner_id: number }): boolean =>
  seesEveryone(caller) || owner_id === actsFor(caller)
