import { setTimeout } from 'node:timers/promises'
import { SHARD_COUNTS, shardsIn } from '#lib/domain/calls/shards.ts'
import { findSettings } from '#lib/store/installation/settings.ts'
import { REMEMBERED_MS } from '#lib/store/recent-items.ts'
import type { Store } from '#lib/store/store.ts'
import { refuseRace } from '#tools/commands/over-table.ts'
import { actorOf } from '#tools/commands/settings-tool.ts'
import { CommandError } from '#tools/machine/terminal.ts'
import { announceShards, growShards } from './shard-growth.ts'

export const showShards = async (store: Store): Promise<number> => shardsIn(await findSettings(store)).written

/** Functions remember settings for a second, and clocks differ a little. */
const KNOWN_EVERYWHERE_MS = 2 * REMEMBERED_MS

/** What an operator wants: the number as it was typed, and the account that makes the change. */
export interface WantedShards {
  readonly number: string
  readonly as: string | undefined
}

/**
 * Spreads calls in progress and counters over more partitions, while they are read and written. Readers learn of the new
 * partitions first, and writers use them when no reader remembers the smaller number any more. An interrupted change resumes
 * when it is run again.
 */
export async function changeShards(
  store: Store,
  { number, as }: WantedShards,
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

function shardsNamed(word: string, written: number): number {
  const next = SHARD_COUNTS.find((count) => String(count) === word)
  if (next === undefined) throw new CommandError(`shards: ${word} is none of ${SHARD_COUNTS.join(', ')}`)
  if (next >= written) return next
  throw new CommandError(
    `shards: ${word} is below ${written}, and what lies in the other partitions would no longer be found: only a new table has fewer (npx tollgate export, then import into it)`,
  )
}
