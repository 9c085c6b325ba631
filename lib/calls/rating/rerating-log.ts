import { randomUUID } from 'node:crypto'
import * as v from 'valibot'
import { ZERO } from '#lib/base/money.ts'
import { keyForm } from '#lib/table/keys.ts'
import { absent, type Change, is } from '#lib/table/requests/changes.ts'
import type { Store } from '#lib/table/store.ts'

/** Re-rating runs, oldest first. `at` is an ISO date-time; the suffix is for runs of one millisecond. */
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

/** A run that begins. */
export const newRerating = (wish: string, now: Date): Rerating => ({
  ...{ at: now.toISOString(), id: randomUUID(), wish, changed: 0, before: ZERO, after: ZERO },
})

export const putRerating = (run: Rerating): Change => ({ put: { ...reratingKey(run.at, run.id), ...run } })

/** Adds changes to a run. The condition is that nothing else was added meanwhile. */
export const continuedRerating = (run: Rerating, done: Rerating): Change => ({
  ...putRerating(done),
  when: { changed: is(run.changed), ended_at: absent },
})

/** A run that has changed nothing. */
export const removedRerating = (run: Rerating): Change => ({
  remove: reratingKey(run.at, run.id),
  when: { changed: is(0) },
})

export const nameOfRerating = ({ at, id }: Rerating): string => `${at}#${id}`

/** The run of this time and id, joined by `#`. */
export async function findRerating(store: Store, name: string): Promise<Rerating | undefined> {
  const [at = '', id = ''] = name.split('#')
  const item = await store.get(reratingKey(at, id))
  return item && v.parse(schema, item)
}

export const newestReratings = async (store: Store, count: number): Promise<Rerating[]> =>
  (await store.firstPage({ ...reratingKey.range(), newestFirst: true, pageSize: count })).map((item) =>
    v.parse(schema, item),
  )

/** Oldest first. */
export async function listReratings(store: Store): Promise<Rerating[]> {
  const items = await store.list(reratingKey.range())
  return items.map((item) => v.parse(schema, item))
}
