import type { Seconds } from '#lib/base/calendar.ts'
import { addedLater, flag, id, integer, optional, rowReader } from '#lib/table/columns.ts'
import { readMany } from '#lib/table/entity.ts'
import type { Item } from '#lib/table/items.ts'
import { callerKey, keyForm } from '#lib/table/keys.ts'
import type { Change } from '#lib/table/requests/changes.ts'
import type { Store } from '#lib/table/store.ts'

// CDRs name accounts, and may arrive late: a name that an account gives up remembers its account.

/** The accounts that gave up a name. */
export const formerNameKey = keyForm('CALLER#<username>', 'FORMER')

const UNTIL = /^until_(\d+)$/

/** Notes in the transaction in which an account gives up its name that it had the name until now. */
export const nameGivenUp = (
  { id, username }: { readonly id: number; readonly username: string },
  now: Seconds,
): Change => ({ update: formerNameKey(username), to: { set: { [`until_${now}`]: id } } })

/** The id of the account that had a name at a moment and has given it up since. */
export function formerHolder(former: Item | undefined, at: Seconds): number | undefined {
  const held = Object.entries(former ?? {}).flatMap(([name, id]) => {
    const until = Number(UNTIL.exec(name)?.[1])
    return until > at ? [{ until, id: Number(id) }] : []
  })
  return held.sort((one, other) => one.until - other.until)[0]?.id
}

/** In the order of the names. */
export const findFormerNames = (store: Store, names: readonly string[]): Promise<(Item | undefined)[]> =>
  store.getMany(names.map((name) => formerNameKey(name)))

const readNamed = rowReader({
  id,
  name_since: optional(integer()),
  name_checked: addedLater(flag(false), false),
})

/** The accounts that have these names now, in the order of the names. */
export const findNamedAccounts = (store: Store, names: readonly string[]) =>
  readMany(store, names.map(callerKey), readNamed)
