import { displayName } from '#lib/domain/accounts/account.ts'
import { toAccount } from '#lib/store/accounts/account.ts'
import { type BusyNames, findBusyNames } from '#lib/store/calls/day-groups.ts'
import type { Item } from '#lib/store/items.ts'
import { accountKey } from '#lib/store/keys.ts'
import type { Store } from '#lib/store/store.ts'

/** A thing with a page of its own. */
export interface Link {
  readonly id: number
  readonly name: string
}

/** Makes links to accounts. One that is gone has its id for a name. */
export type LinkAccounts = (ids: Iterable<number>) => Promise<(id: number) => Link>

/** A name in a list may be so old. Lists name the same accounts again and again, and each read costs half a unit. */
const REMEMBERED_MS = 5 * 60 * 1000

const MOST_NAMES = 10_000

/** For more names, the thousand names that the hourly run has written are cheaper to read first. They may be an hour old. */
const MOST_SINGLE_READS = 8

/** Remembers the names of accounts for all requests of a process. Nothing but what is shown depends on them. */
export function createNameMemory(clock: () => Date) {
  const names = new Map<number, { readonly name: string; readonly readAt: number }>()

  const isKnown = (id: number, now: number): boolean => {
    const known = names.get(id)
    return known !== undefined && now >= known.readAt && now - known.readAt < REMEMBERED_MS
  }

  const read = async (store: Store, ids: readonly number[], readAt: number): Promise<void> => {
    if (names.size > MOST_NAMES) names.clear()
    const remember = (id: number, name: string) => names.set(id, { name, readAt })
    const busy: BusyNames = ids.length > MOST_SINGLE_READS ? await findBusyNames(store) : new Map()
    for (const [id, name] of busy) remember(id, name)
    const others = ids.filter((id) => !busy.has(id))
    const items = await store.getMany(
      others.map((id) => accountKey(id)),
      'eventual',
    )
    for (const [index, id] of others.entries()) remember(id, nameIn(items[index], id))
  }

  const linkIn =
    (store: Store): LinkAccounts =>
    async (ids) => {
      const now = clock().getTime()
      await read(
        store,
        [...new Set(ids)].filter((id) => !isKnown(id, now)),
        now,
      )
      return (id) => ({ id, name: names.get(id)?.name ?? nameIn(undefined, id) })
    }
  return linkIn
}

function nameIn(item: Item | undefined, id: number): string {
  const account = toAccount(item)
  return account ? displayName(account) : `account ${id}`
}
