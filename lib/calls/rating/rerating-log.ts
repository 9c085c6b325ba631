import { randomUUID } from 'node:crypto'
import * as v from 'valibot'
import { add, ZERO } from '#lib/base/money.ts'
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

export async function beginRerating(
  store: Store,
  wish: string,
  now: Date,
  besides: readonly Change[] = [],
): Promise<Rerating> {
  const run = { at: now.toISOString(), id: randomUUID(), wish, changed: 0, before: ZERO, after: ZERO }
  await store.transact([{ put: { ...reratingKey(run.at, run.id), ...run } }, ...besides])
  return run
}

/** Adds the changes of a page to a run. Throws ConditionFailed if another page has been added meanwhile. */
export async function continueRerating(
  store: Store,
  run: Rerating,
  page: Pick<Rerating, 'changed' | 'before' | 'after' | 'ended_at'>,
  besides: (run: Rerating) => readonly Change[],
): Promise<void> {
  const done = {
    ...run,
    changed: run.changed + page.changed,
    before: add(run.before, page.before),
    after: add(run.after, page.after),
    ...(page.ended_at !== undefined && { ended_at: page.ended_at }),
  }
  const put = { ...reratingKey(run.at, run.id), ...done }
  const when = { changed: is(run.changed), ended_at: absent }
  await store.transact([{ put, when }, ...besides(done)])
}

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

export const putRerating = (store: Store, run: Rerating): Promise<void> =>
  store.transact([{ put: { ...reratingKey(run.at, run.id), ...run } }])

/** Oldest first. */
export async function listReratings(store: Store): Promise<Rerating[]> {
  const items = await store.list(reratingKey.range())
  return items.map((item) => v.parse(schema, item))
}
