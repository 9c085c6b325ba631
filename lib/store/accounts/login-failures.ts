import { LOGIN_WINDOW_SECONDS, type LoginFailures } from '#lib/domain/accounts/login.ts'
import { above, absentOrBelow } from '#lib/store/conditions.ts'
import type { Item } from '#lib/store/items.ts'
import { type Key, loginFailureKeys } from '#lib/store/keys.ts'
import type { Store } from '#lib/store/store.ts'
import { ConditionFailed, retryingRaces } from '#lib/store/transaction-errors.ts'

// Shape

/** Who tries to log in, from where. */
export interface LoginAttempt {
  readonly username: string
  readonly address: string
}

/** What is counted for this name from this address, and for everything from this address. */
export interface LoginFailuresFound {
  readonly pair: LoginFailures
  readonly address: LoginFailures
}

/** Kept a little longer than they count: the table forgets them in its own time. */
const KEPT_SECONDS = LOGIN_WINDOW_SECONDS + 60

// Keys

export const keyOfPair = ({ username, address }: LoginAttempt): Key =>
  loginFailureKeys.ofPair(username, address)

export const keyOfAddress = ({ address }: Pick<LoginAttempt, 'address'>): Key =>
  loginFailureKeys.ofAddress(address)

const keysOf = (attempt: LoginAttempt): [Key, Key] => [keyOfPair(attempt), keyOfAddress(attempt)]

// Access patterns

export const toLoginFailures = (item: Item | undefined): LoginFailures => ({
  failures: Number(item?.['failures'] ?? 0),
  since: Number(item?.['since'] ?? 0),
  last: Number(item?.['last'] ?? 0),
})

export async function findLoginFailures(store: Store, attempt: LoginAttempt): Promise<LoginFailuresFound> {
  const [pair, address] = await store.getMany(keysOf(attempt))
  return { pair: toLoginFailures(pair), address: toLoginFailures(address) }
}

/** Counts a failure under both, `now` in Unix seconds. Where the window has passed, a new one begins. */
export async function countLoginFailure(store: Store, attempt: LoginAttempt, now: number): Promise<void> {
  const counting = keysOf(attempt).map((key) => retryingRaces(store, () => countOne(store, key, now)))
  await Promise.all(counting)
}

/** When several failures arrive at once, one opens the window and the others add to it. */
async function countOne(store: Store, key: Key, now: number): Promise<void> {
  const latest = { last: now, expires_at: now + KEPT_SECONDS }
  const windowStart = now - LOGIN_WINDOW_SECONDS
  try {
    await store.update(key, { add: { failures: 1 }, set: latest }, { since: above(windowStart) })
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error
    const opened = { failures: 1, since: now, ...latest }
    await store.update(key, { set: opened }, { since: absentOrBelow(windowStart + 1) })
  }
}
