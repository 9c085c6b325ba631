import { type Actor, ownsCustomers } from './account.ts'

/** The accounts a call with these ends concerns: the ends themselves, and those on whose behalf they are seen. */
export interface Parties {
  readonly users: readonly number[]
  /** Owners of an end, and ends that own customers themselves: such a list shows its owner's calls as well. */
  readonly owners: readonly number[]
}

/** Names each account once, even when both ends belong together (wire.md active_calls_get). */
export function partiesOf(ends: readonly (Actor | undefined)[]): Parties {
  const accounts = ends.filter((account) => account !== undefined)
  const owners = accounts.flatMap((account) =>
    ownsCustomers(account) ? [account.owner_id, account.id] : [account.owner_id],
  )
  return { users: [...new Set(accounts.map(({ id }) => id))], owners: [...new Set(owners)] }
}
