import { randomUUID } from 'node:crypto'
import * as v from 'valibot'
import { keyForm } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'

/** Re-rating runs, oldest first. `at` is an ISO date-time; the suffix tells apart two runs of one millisecond. */
export const reratingKey = keyForm('RERATINGS', '<at>#<suffix>')

const schema = v.object({
  /** An ISO date-time. */
  at: v.string(),
  id: v.string(),
  /** The calls to re-rate, in words. */
  wish: v.string(),
  /** Absent while the run lasts, and after an interrupted run. */
  ended_at: v.optional(v.string()),
  changed: v.number(),
  /** The sum that customers pay for the changed calls: before and after. */
  before: v.string(),
  after: v.string(),
})

/** A run that re-rated stored calls. */
export type Rerating = v.InferOutput<typeof schema>

/** Stores a run at its start. */
export async function beginRerating(store: Store, wish: string, now: Date): Promise<Rerating> {
  const run = { at: now.toISOString(), id: randomUUID(), wish, changed: 0, before: '0', after: '0' }
  await putRerating(store, run)
  return run
}

export const putRerating = (store: Store, run: Rerating): Promise<void> =>
  store.transact([{ put: { ...reratingKey(run.at, run.id), ...run } }])

/** Oldest first. */
export async function listReratings(store: Store): Promise<Rerating[]> {
  const items = await store.list(reratingKey.range())
  return items.map((item) => v.parse(schema, item))
}
