import { isDeepStrictEqual } from 'node:util'
import { keyIn } from '#lib/store/keys.ts'
import { CHANGES_IN_ONE_TRANSACTION } from '#lib/store/requests/changes.ts'
import type { DumpedItem } from './dump.ts'
import type { World } from './world.ts'

type Items = readonly DumpedItem[]

const byName = (items: Items) => new Map(items.map((item) => [`${item.PK} ${item.SK}`, item]))

/** Takes a world's table from one state that was dumped to another; touches only what is different. */
export async function restore(world: World, { from, to }: { from: Items; to: Items }): Promise<void> {
  const [present, wanted] = [byName(from), byName(to)]
  const added = [...present].flatMap(([name, item]) => (wanted.has(name) ? [] : [{ remove: keyIn(item) }]))
  const changed = [...wanted].flatMap(([name, item]) =>
    isDeepStrictEqual(present.get(name), item) ? [] : [{ put: item }],
  )
  const changes = [...added, ...changed]
  for (let at = 0; at < changes.length; at += CHANGES_IN_ONE_TRANSACTION) {
    await world.store.transact(changes.slice(at, at + CHANGES_IN_ONE_TRANSACTION))
  }
}
