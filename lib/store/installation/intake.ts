import * as v from 'valibot'
import { absent } from '#lib/store/conditions.ts'
import { defineEntity } from '#lib/store/entity.ts'
import type { Item } from '#lib/store/items.ts'
import { intakeKeys, type Key } from '#lib/store/keys.ts'
import { ConditionFailed } from '#lib/store/requests/transaction-errors.ts'
import type { Store } from '#lib/store/store.ts'

// Shape

const schema = v.object({
  /** That of the switch, under which its records are known. */
  name: v.string(),
  /** In hexadecimal digits. The secret has 190 bits of chance in it: nothing slower is needed. */
  secret_sha256: v.string(),
  /** How the switch writes; its zone is the installation's where it is not said. */
  zone: v.optional(v.string()),
  columns: v.optional(v.pipe(v.array(v.string()), v.readonly())),
  mapping: v.optional(v.pipe(v.record(v.string(), v.string()), v.readonly())),
  /** An ISO date-time. */
  added_at: v.string(),
})

/** Somebody who may bring records over HTTP, and nothing else. */
export type Intake = v.InferOutput<typeof schema>

const readIntake = (item: Item): Intake => v.parse(schema, item)

// Access patterns

export const { find: findIntake } = defineEntity({ key: intakeKeys.item, read: readIntake })

/** Answers whether it was added: a name that there is keeps its secret. */
export async function addIntake(store: Store, intake: Intake): Promise<boolean> {
  const place = { GSI1PK: intakeKeys.all, GSI1SK: intakeKeys.place(intake.name) }
  const put = { ...intakeKeys.item(intake.name), ...place, ...intake }
  try {
    await store.transact([{ put, when: { PK: absent } }])
    return true
  } catch (error) {
    if (error instanceof ConditionFailed) return false
    throw error
  }
}

export async function listIntakes(store: Store): Promise<Intake[]> {
  const items = await store.list({ index: 'GSI1', partition: intakeKeys.all })
  return items.map(readIntake)
}

export const removeIntake = (store: Store, name: string): Promise<void> =>
  store.transact([{ remove: intakeKeys.item(name) }])

const MINUTE = 60

/** In Unix seconds: a counter is of no use any more when the next minute has begun. */
const expiryOf = (minute: number): number => (minute + 2) * MINUTE

/** Where wrong secrets are counted. */
interface FailureCounter {
  readonly key: Key
  readonly expires_at: number
}

/** The counter of what was typed as a name, from an address, at a moment in Unix seconds. */
export function failureCounter(name: string, address: string, now: number): FailureCounter {
  const minute = Math.floor(now / MINUTE)
  return { key: intakeKeys.failures(name, address, minute), expires_at: expiryOf(minute) }
}

/** The intake of a name, and how many wrong secrets were counted: one round trip, whether or not there is one. */
export async function findIntakeAndFailures(
  store: Store,
  name: string,
  { key }: FailureCounter,
): Promise<{ readonly intake: Intake | undefined; readonly failures: number }> {
  const [item, counted] = await store.getMany([intakeKeys.item(name), key])
  return { intake: item && readIntake(item), failures: Number(counted?.['failures'] ?? 0) }
}

export const countFailure = async (store: Store, { key, expires_at }: FailureCounter): Promise<void> =>
  void (await store.count(key, { add: { failures: 1 }, set: { expires_at } }))
