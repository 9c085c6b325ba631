import { NEXT_SHARDS, SHARDS, shardsIn } from '#lib/domain/calls/shards.ts'
import { asStored, inSettingsLog, settingsKey } from '#lib/store/installation/settings.ts'
import type { Item } from '#lib/store/items.ts'
import { is } from '#lib/store/requests/changes.ts'
import type { Store } from '#lib/store/store.ts'

/** From now on, readers also ask for the partitions of a larger number. Throws ConditionFailed after another change. */
export const announceShards = (store: Store, stored: Item, next: number): Promise<unknown> =>
  store.update(
    settingsKey,
    { set: { [NEXT_SHARDS]: next } },
    Object.fromEntries([SHARDS, NEXT_SHARDS].map((name) => [name, asStored(stored, name)])),
  )

interface Growth {
  readonly next: number
  /** ISO date-time. */
  readonly at: string
  readonly who: string
}

/**
 * From now on, writers spread over the announced number. All readers must know it by then. Throws ConditionFailed if another
 * number was announced meanwhile.
 */
export function growShards(store: Store, stored: Item, { next, at, who }: Growth): Promise<void> {
  const { written, asked } = shardsIn({ ...stored, [NEXT_SHARDS]: undefined })
  return store.transact([
    {
      update: settingsKey,
      to: { set: { [SHARDS]: [...asked, next], [NEXT_SHARDS]: undefined } },
      when: { [SHARDS]: asStored(stored, SHARDS), [NEXT_SHARDS]: is(next) },
    },
    inSettingsLog({ at, who, name: SHARDS, before: String(written), after: String(next) }),
  ])
}
