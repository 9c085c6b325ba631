import { setTimeout } from 'node:timers/promises'
import { NEXT_SHARDS, SHARD_COUNTS, SHARDS, shardsIn } from '#lib/base/shards.ts'
import { inAuditLog, type SettingChange } from '#lib/settings/audit-log.ts'
import { REMEMBERED_MS } from '#lib/settings/recent-items.ts'
import { asStored, findSettings, settingsKey } from '#lib/settings/stored-settings.ts'
import type { Item } from '#lib/table/items.ts'
import { is } from '#lib/table/requests/changes.ts'
import type { Store } from '#lib/table/store.ts'
import { refuseRace } from '../../command-line/over-table.ts'
import { CommandError } from '../../machine/terminal.ts'
import { actorOf } from './settings-tool.ts'

export const showShards = async (store: Store): Promise<number> => shardsIn(await findSettings(store)).written

/** Functions remember settings for a second, and clocks differ a little. */
const KNOWN_EVERYWHERE_MS = 2 * REMEMBERED_MS

/** The wish of an operator: the number as it was typed, and the account that makes the change. */
export interface ShardOptions {
  readonly number: string
  readonly as: string | undefined
}

/**
 * Spreads calls in progress and counters over more partitions, while they are read and written. Readers learn
 * of the new partitions first, and writers use them when no reader remembers the smaller number any more. An
 * interrupted change resumes when it is run again.
 */
export async function changeShards(
  store: Store,
  { number, as }: ShardOptions,
  now: Date,
  wait: (milliseconds: number) => Promise<unknown> = setTimeout,
): Promise<void> {
  const who = await actorOf(store, as)
  const stored = await findSettings(store)
  const { written } = shardsIn(stored)
  const next = shardsNamed(number, written)
  if (next === written) return
  await announceShards(store, stored, next).catch(refuseRace('the shards'))
  await wait(KNOWN_EVERYWHERE_MS)
  await growShards(store, stored, { next, at: now.toISOString(), who }).catch(refuseRace('the shards'))
}

/** From now on, readers also query a larger number's partitions. Throws ConditionFailed after a change. */
const announceShards = (store: Store, stored: Item, next: number): Promise<unknown> =>
  store.update(
    settingsKey,
    { set: { [NEXT_SHARDS]: next } },
    Object.fromEntries([SHARDS, NEXT_SHARDS].map((name) => [name, asStored(stored, name)])),
  )

/**
 * From now on, writers spread over the announced number. All readers must know it by then. Throws
 * ConditionFailed if another number was announced meanwhile.
 */
function growShards(
  store: Store,
  stored: Item,
  { next, at, who }: Pick<SettingChange, 'at' | 'who'> & { readonly next: number },
): Promise<void> {
  const { written, asked } = shardsIn({ ...stored, [NEXT_SHARDS]: undefined })
  return store.transact([
    {
      update: settingsKey,
      to: { set: { [SHARDS]: [...asked, next], [NEXT_SHARDS]: undefined } },
      when: { [SHARDS]: asStored(stored, SHARDS), [NEXT_SHARDS]: is(next) },
    },
    inAuditLog({ at, who, name: SHARDS, before: String(written), after: String(next) }),
  ])
}

function shardsNamed(word: string, written: number): number {
  const next = SHARD_COUNTS.find((count) => String(count) === word)
  if (next === undefined) throw new CommandError(`shards: ${word} is none of ${SHARD_COUNTS.join(', ')}`)
  if (next >= written) return next
  throw new CommandError(
    `shards: ${word} is below ${written}, and what lies in the other partitions would no longer be found: only a new table has fewer (npx tollgate export, then import into it)`,
  )
}
