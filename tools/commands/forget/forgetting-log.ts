import { randomUUID } from 'node:crypto'
import * as v from 'valibot'
import { keyForm } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'

/** Forgotten accounts, oldest first. `at` is an ISO date-time; the suffix is for the same millisecond. */
export const forgettingKey = keyForm('FORGETTINGS', '<at>#<suffix>')

const schema = v.object({
  /** An ISO date-time. */
  at: v.string(),
  id: v.string(),
  account: v.number(),
  who: v.string(),
  /** Absent while the command lasts, and after an interrupted one. */
  ended_at: v.optional(v.string()),
  /** How many calls lost their numbers. */
  calls: v.number(),
})

/** A command that erased the numbers in the calls of an account. */
export type Forgetting = v.InferOutput<typeof schema>

export async function beginForgetting(
  store: Store,
  wanted: Pick<Forgetting, 'account' | 'who'>,
  now: Date,
): Promise<Forgetting> {
  const begun = { at: now.toISOString(), id: randomUUID(), ...wanted, calls: 0 }
  await putForgetting(store, begun)
  return begun
}

export const putForgetting = (store: Store, forgetting: Forgetting): Promise<void> =>
  store.transact([{ put: { ...forgettingKey(forgetting.at, forgetting.id), ...forgetting } }])

/** Oldest first. */
export async function listForgettings(store: Store): Promise<Forgetting[]> {
  const items = await store.list(forgettingKey.range())
  return items.map((item) => v.parse(schema, item))
}
