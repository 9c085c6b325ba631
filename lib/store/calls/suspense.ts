import * as v from 'valibot'
import { slices } from '#lib/domain/collections.ts'
import { defineEntity } from '#lib/store/entity.ts'
import type { Item } from '#lib/store/items.ts'
import { suspenseKeys } from '#lib/store/keys.ts'
import type { Store } from '#lib/store/store.ts'

// Shape

/** How a record came, so that it can be read again. */
export const cameAs = {
  format: v.string(),
  source: v.string(),
  zone: v.string(),
  columns: v.optional(v.pipe(v.array(v.string()), v.readonly())),
  mapping: v.optional(v.pipe(v.record(v.string(), v.string()), v.readonly())),
  document: v.string(),
}

const schema = v.object({
  ...cameAs,
  id: v.string(),
  reason: v.string(),
  detail: v.string(),
  /** In Unix seconds. */
  first_seen: v.number(),
  last_tried: v.number(),
  tries: v.number(),
  /** The document was too long to be kept as a whole. */
  cut: v.boolean(),
})

/** A record that could not be stored, and why. */
export type Suspended = v.InferOutput<typeof schema>

const readSuspended = (item: Item): Suspended => v.parse(schema, item)

// Access patterns

export const { find: findSuspended, findMany: findManySuspended } = defineEntity({
  key: suspenseKeys.item,
  read: readSuspended,
})

const IN_ONE_BATCH = 25

/** Keeps records aside; one that is kept already stays as old as it is. */
export async function suspend(
  store: Store,
  records: readonly Omit<Suspended, 'first_seen' | 'tries'>[],
): Promise<void> {
  const each = [...new Map(records.map((record) => [record.id, record])).values()]
  for (const some of slices(each, IN_ONE_BATCH)) {
    const known = await findManySuspended(
      store,
      some.map(({ id }) => id),
    )
    await store.putBatch(some.map((record, place) => asItem(record, known[place])))
    store.meter.note('suspended', some.filter((_, place) => known[place] === undefined).length)
  }
}

function asItem(record: Omit<Suspended, 'first_seen' | 'tries'>, before: Suspended | undefined) {
  const first_seen = before?.first_seen ?? record.last_tried
  return {
    ...suspenseKeys.item(record.id),
    GSI1PK: suspenseKeys.all,
    GSI1SK: suspenseKeys.place(first_seen, record.id),
    ...record,
    first_seen,
    tries: (before?.tries ?? 0) + 1,
  }
}

/** A stretch of the list: Unix seconds of when records came first, or all that stand behind a place. */
export type SuspenseStretch = { readonly from: number; readonly till: number } | { readonly after: string }

export const placeOf = ({ first_seen, id }: Suspended): string => suspenseKeys.place(first_seen, id)

/** Oldest first, page by page. */
export async function* listSuspended(store: Store, stretch: SuspenseStretch): AsyncGenerator<Suspended[]> {
  const between =
    'after' in stretch ? suspenseKeys.after(stretch.after) : suspenseKeys.between(stretch.from, stretch.till)
  for await (const page of store.pages({ index: 'GSI1', partition: suspenseKeys.all, between })) {
    yield page.map(readSuspended)
  }
}

export async function removeSuspended(store: Store, ids: readonly string[]): Promise<void> {
  for (const some of slices(ids, IN_ONE_BATCH)) await store.removeBatch(some.map(suspenseKeys.item))
}
