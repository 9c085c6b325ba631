import { randomUUID } from 'node:crypto'
import * as v from 'valibot'
import { keyForm } from '#lib/store/keys.ts'
import type { Store } from '#lib/store/store.ts'

// Keys

/** The runs of re-rating, oldest first. `at` is an ISO date-time; the suffix keeps two of one millisecond apart. */
export const reratingKey = keyForm('RERATINGS', '<at>#<suffix>')

// Shape

const schema = v.object({
  /** An ISO date-time. */
  at: v.string(),
  id: v.string(),
  /** What was asked for, in words. */
  wish: v.string(),
  /** Absent while it runs, and for ever where it was interrupted. */
  ended_at: v.optional(v.string()),
  changed: v.number(),
  /** Of the changed calls, what customers pay: before and after. */
  before: v.string(),
  after: v.string(),
})

/** A run that priced calls again. */
export type Rerating = v.InferOutput<typeof schema>

// Access patterns

/** Notes a run that begins. */
export async function beginRerating(store: Store, wish: string, now: Date): Promise<Rerating> {
  const run = { at: now.toISOString(), id: randomUUID(), wish, changed: 0, before: '0', after: '0' }
  await putRerating(store, run)
  return run
}

export const putRerating = (store: Store, run: Rerating): Promise<void> =>
  store.transact([{ put: { ...reratingKey(run.at, run.id), ...run } }])

/** Oldest first. */
export async function listReratings(store: Store): Promise<Rerating[]> {
  const items = await store.list({ partition: 'RERATINGS' })
  return items.map((item) => v.parse(schema, item))
}
