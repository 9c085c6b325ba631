import { type Account, findAccounts } from '#lib/accounts/account.ts'
import { companyOrPerson } from '#lib/base/account-types.ts'
import { type BusyNames, findBusyNames, unnamed } from '#lib/calls/counters/day-groups.ts'
import { createMemory } from '#lib/settings/recent-items.ts'
import type { Store } from '#lib/table/store.ts'

/** A thing with a page of its own. */
export interface Link {
  readonly id: number
  readonly name: string
}

/** Makes links to accounts. One that is gone has its id for a name. */
export type LinkAccounts = (ids: Iterable<number>) => Promise<(id: number) => Link>

/** The maximum age of a name in a list. Lists repeat accounts, and each read costs half a unit. */
const REMEMBERED_MS = 5 * 60 * 1000

const MOST_NAMES = 10_000

/** For more names, the thousand that the hourly run has written, up to an hour old, cost less. */
const MOST_SINGLE_READS = 8

/** The names of accounts, and those that are known already or cost no more than `most` single reads. */
export type NameAccounts = (ids: Iterable<number>, most?: number) => Promise<ReadonlyMap<number, string>>

/** Remembers account names for all requests of a process. They affect nothing but display. */
export function createNameMemory(clock: () => Date) {
  const names = createMemory<number, string>(REMEMBERED_MS, MOST_NAMES)

  const read = async (store: Store, ids: readonly number[], readAt: number, most: number): Promise<void> => {
    const busy: BusyNames = ids.length > MOST_SINGLE_READS ? await findBusyNames(store) : new Map()
    for (const [id, name] of busy) names.keep(id, name, readAt)
    const others = ids.filter((id) => !busy.has(id)).slice(0, most)
    const accounts = await findAccounts(store, others, 'eventual')
    for (const [index, id] of others.entries()) names.keep(id, nameIn(accounts[index], id), readAt)
  }

  return (store: Store): NameAccounts =>
    async (ids, most = Infinity) => {
      const now = clock().getTime()
      const wanted = [...new Set(ids)]
      const unknown = wanted.filter((id) => names.find(id, now) === undefined)
      await read(store, unknown, now, most)
      const found = wanted.map((id) => [id, names.find(id, now)] as const)
      return new Map(found.flatMap(([id, name]) => (name === undefined ? [] : [[id, name]])))
    }
}

export const linksBy =
  (nameAccounts: NameAccounts): LinkAccounts =>
  async (ids) => {
    const names = await nameAccounts(ids)
    return (id) => ({ id, name: names.get(id) ?? unnamed(id) })
  }

export const nameIn = (account: Account | undefined, id: number): string =>
  account ? companyOrPerson(account) : unnamed(id)
