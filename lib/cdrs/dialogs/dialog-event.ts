import * as v from 'valibot'
import type { Item } from '#lib/table/items.ts'
import { type Key, keyForm } from '#lib/table/keys.ts'
import { type Change, present } from '#lib/table/requests/changes.ts'
import type { Store } from '#lib/table/store.ts'
import { documentColumns } from '../suspense/suspense.ts'

const SHARDS_OF_DIALOGS = 8

/** Pending dialog events, sorted by dialog; `dialog` is a hexadecimal digest. */
export const dialogEventKey = keyForm('DIALOGEVENTS#<shard>', '<dialog>#<event>')

export const keyOfDialogEvent = ({ dialog, place }: Pick<PendingEvent, 'dialog' | 'place'>): Key =>
  dialogEventKey(shardOfDialog(dialog), dialog, place)

const shardOfDialog = (dialog: string): number => Number.parseInt(dialog.slice(0, 2), 16) % SHARDS_OF_DIALOGS

const schema = v.object({
  ...documentColumns,
  /** The event as the proxy reported it. */
  document: v.string(),
  /** A digest that is unique for each dialog of each proxy. */
  dialog: v.string(),
  /** Identifies the event within its dialog: an event that is reported again has the same place. */
  place: v.string(),
  /** In Unix seconds. */
  at: v.number(),
  /** When it came, in Unix seconds; absent for events of earlier versions. */
  arrived: v.optional(v.number()),
})

/** A dialog event without its counterpart yet. It has no TTL: uncorrelated events are suspended. */
export type PendingEvent = v.InferOutput<typeof schema>

export const readPending = (item: Item): PendingEvent => v.parse(schema, item)

export async function putPendingEvents(store: Store, events: readonly PendingEvent[]): Promise<void> {
  const each = [...new Map(events.map((event) => [`${event.dialog} ${event.place}`, event])).values()]
  await store.putBatch(each.map((event) => ({ ...keyOfDialogEvent(event), ...event })))
}

export async function listPendingEventsOf(store: Store, dialog: string): Promise<PendingEvent[]> {
  const items = await store.list(dialogEventKey.range(shardOfDialog(dialog), dialog))
  return items.map(readPending)
}

/** All pending events. Those of one dialog are consecutive. */
export async function* listPendingEvents(store: Store): AsyncGenerator<PendingEvent> {
  for (let shard = 0; shard < SHARDS_OF_DIALOGS; shard += 1) {
    for await (const page of store.pages(dialogEventKey.range(shard))) yield* page.map(readPending)
  }
}

export const removePendingEvents = (store: Store, events: readonly PendingEvent[]): Promise<void> =>
  store.removeBatch(events.map(keyOfDialogEvent))

/** For a transaction that decides the event: of two runs that do, one fails. */
export const removalOf = (event: PendingEvent): Change => ({
  remove: keyOfDialogEvent(event),
  when: { PK: present },
})
