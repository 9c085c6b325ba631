import * as v from 'valibot'
import { slices } from '#lib/domain/collections.ts'
import type { Item } from '#lib/store/items.ts'
import { sipHalfKeys } from '#lib/store/keys.ts'
import type { Store } from '#lib/store/store.ts'
import { cameAs } from './suspense.ts'

// Shape

const schema = v.object({
  ...cameAs,
  /** One for each dialog of each source. */
  dialog: v.string(),
  /** The same for the same end of the dialog, however often it is reported. */
  place: v.string(),
  /** In Unix seconds. */
  at: v.number(),
})

/** One end of a call that waits for the other, as its proxy reported it. */
export type StoredHalf = v.InferOutput<typeof schema>

const readHalf = (item: Item): StoredHalf => v.parse(schema, item)

// Access patterns

const IN_ONE_BATCH = 25

export async function putHalves(store: Store, halves: readonly StoredHalf[]): Promise<void> {
  const each = [...new Map(halves.map((half) => [`${half.dialog} ${half.place}`, half])).values()]
  for (const some of slices(each, IN_ONE_BATCH)) {
    await store.putBatch(some.map((half) => ({ ...sipHalfKeys.item(half.dialog, half.place), ...half })))
  }
}

/** The ends of one dialog that are there. */
export async function listHalvesOf(store: Store, dialog: string): Promise<StoredHalf[]> {
  const items = await store.list(sipHalfKeys.ofDialog(dialog))
  return items.map(readHalf)
}

/** All that wait, those of a dialog next to each other. */
export async function* listHalves(store: Store): AsyncGenerator<StoredHalf> {
  for (const partition of sipHalfKeys.partitions) {
    for await (const page of store.pages({ partition })) yield* page.map(readHalf)
  }
}

export async function removeHalves(store: Store, halves: readonly StoredHalf[]): Promise<void> {
  for (const some of slices(halves, IN_ONE_BATCH)) {
    await store.removeBatch(some.map(({ dialog, place }) => sipHalfKeys.item(dialog, place)))
  }
}
