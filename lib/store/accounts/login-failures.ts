import { createHash } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import {
  LOGIN_WINDOW_SECONDS,
  type LoginFailures,
  type LoginPlace,
  loginPlace,
} from '#lib/domain/accounts/login.ts'
import { secondsOf } from '#lib/domain/calendar.ts'
import type { Item } from '#lib/store/items.ts'
import { type Key, keyForm } from '#lib/store/keys.ts'
import type { Assignments } from '#lib/store/requests/changes.ts'
import { above, absentOrBelow, below, type Conditions, is } from '#lib/store/requests/changes.ts'
import { ConditionFailed, ignoreConditionFailed } from '#lib/store/requests/retries.ts'
import type { Store } from '#lib/store/store.ts'

// Keys

const failuresOfPair = keyForm('LOGINFAIL#<username>#<address>', 'LOGINFAIL')

/** A username is kept as its digest: it may be of any length, or a password in the wrong field. */
export const loginFailureKeys = {
  ofPair: (username: string, address: string): Key =>
    failuresOfPair(createHash('sha256').update(username).digest('hex'), address),
  ofAddress: keyForm('LOGINFAIL#<address>', 'LOGINFAIL'),
}

// Shape

/** Kept a little longer than they count: the table forgets them in its own time. */
const KEPT_SECONDS = LOGIN_WINDOW_SECONDS + 60

export const toLoginFailures = (item: Item | undefined): LoginFailures => ({
  failures: Number(item?.['failures'] ?? 0),
  in_flight: Number(item?.['in_flight'] ?? 0),
  since: Number(item?.['since'] ?? 0),
  last: Number(item?.['last'] ?? 0),
})

/** Where attempts of one kind are counted, and what was found there. */
export interface LoginCounter {
  readonly key: Key
  readonly limit: number
  readonly found: LoginFailures
}

/** An attempt that is counted while its password is checked. */
export interface CountedAttempt {
  readonly key: Key
  readonly before: LoginFailures
  readonly after: LoginFailures
  readonly place: LoginPlace
}

// Access patterns

/** In milliseconds: so long an attempt waits for others to give their places back, and asks so often. */
const LONGEST_WAIT = 3000
const PAUSE = 100

/**
 * Counts an attempt before anybody looks at its password, so that those sent all at once, to however many processes,
 * cannot pass the limit. `undefined`: it has to wait; then it counts nowhere, and prolongs nothing.
 */
export function countAttempt(
  store: Store,
  { key, limit, found }: LoginCounter,
  clock: () => Date,
): Promise<CountedAttempt | undefined> {
  const until = clock().getTime() + LONGEST_WAIT

  const findPlace = async (before: LoginFailures): Promise<CountedAttempt | undefined> => {
    const now = secondsOf(clock())
    const place = loginPlace(before, limit, now)
    if (place === 'refused' || (place === 'taken' && clock().getTime() >= until)) return undefined
    const counted =
      place === 'taken'
        ? await setTimeout(PAUSE, undefined)
        : await takePlace(store, { key, before, place, limit, now })
    return counted ?? findPlace(toLoginFailures(await store.get(key)))
  }

  return findPlace(found)
}

interface FoundPlace extends Pick<CountedAttempt, 'key' | 'before' | 'place'> {
  readonly limit: number
  readonly now: number
}

/** `undefined` when somebody else was faster. */
async function takePlace(store: Store, found: FoundPlace): Promise<CountedAttempt | undefined> {
  const { key, before, place, now } = found
  const latest = { last: now, expires_at: now + KEPT_SECONDS }
  const counting: Assignments =
    place === 'first'
      ? { set: { ...latest, since: now, failures: 1, in_flight: 1 } }
      : { set: latest, add: { failures: 1, in_flight: 1 } }
  try {
    const item = await store.update(key, counting, conditionsOf(found))
    return { key, before, place, after: toLoginFailures(item) }
  } catch (error) {
    return ignoreConditionFailed(error) as undefined
  }
}

function conditionsOf({ before, place, limit, now }: FoundPlace): Conditions {
  if (place === 'first') return { since: absentOrBelow(now - LOGIN_WINDOW_SECONDS + 1) }
  return {
    since: is(before.since),
    ...(place === 'free' ? { failures: below(limit) } : { last: is(before.last) }),
  }
}

/** The password was wrong: the attempt stays counted, and is in flight no more. */
export const keepCounted = (store: Store, { key, after }: CountedAttempt): Promise<void> =>
  settle(store, key, { by: { in_flight: -1 }, when: stillCounted(after) })

/** The password was right, or not looked at. After a wait, the next one counts from where it was before. */
export async function takeBack(store: Store, { key, before, after, place }: CountedAttempt): Promise<void> {
  const by = { failures: -1, in_flight: -1 }
  const when = stillCounted(after)
  if (place !== 'after the wait') return settle(store, key, { by, when })
  const nothingSince = { ...when, last: is(after.last), failures: is(after.failures) }
  try {
    await store.update(key, { add: by, set: { last: before.last } }, nothingSince)
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error
    await settle(store, key, { by, when })
  }
}

/** In the same window. Sent again because its answer was lost, what took the last place back finds none in flight. */
const stillCounted = ({ since }: LoginFailures): Conditions => ({ since: is(since), in_flight: above(0) })

interface Settlement {
  readonly by: Readonly<Record<string, number>>
  readonly when: Conditions
}

/** In a window that was opened meanwhile, the attempt is not counted; nor is it a second time. */
async function settle(store: Store, key: Key, { by, when }: Settlement): Promise<void> {
  await store.update(key, { add: by }, when).catch(ignoreConditionFailed)
}
