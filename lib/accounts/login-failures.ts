import { setTimeout } from 'node:timers/promises'
import { secondsOf } from '#lib/base/calendar.ts'
import { hexDigest } from '#lib/base/digest.ts'
import type { Item } from '#lib/table/items.ts'
import { type Key, keyForm } from '#lib/table/keys.ts'
import {
  type Assignments,
  above,
  absentOrIs,
  below,
  type Change,
  type Conditions,
  is,
} from '#lib/table/requests/changes.ts'
import { ConditionFailed, ignoreConditionFailed, retryingRaces } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import { LIMIT_OF_CODES, type LoginFailures, type LoginLimit, type LoginPlace, loginPlace } from './login.ts'

const failuresOfPair = keyForm('LOGINFAIL#<username>#<address>', 'LOGINFAIL')

/** The key has a digest of the username, which may be of any length, or a password in the wrong field. */
export const loginFailureKeys = {
  ofPair: (username: string, address: string): Key => failuresOfPair(hexDigest(username), address),
  ofAddress: keyForm('LOGINFAIL#<address>', 'LOGINFAIL'),
  /** Reads of balances without a signature, under a name with a character that no username has. */
  ofBalances: (address: string): Key => failuresOfPair(hexDigest('\u0000balances'), address),
  /** Mails to choose a password that somebody without a session has asked for. */
  ofMails: (address: string): Key => failuresOfPair(hexDigest('\u0000mails'), address),
  /** Codes of the second factor of an account, from any address. It also has the step of the last one. */
  ofCodes: (accountId: number): Key => failuresOfPair(hexDigest('\u0000codes'), String(accountId)),
}

/** A little longer than failures count. DynamoDB removes the items later. */
export const keptFailuresUntil = (now: number, { windowSeconds }: LoginLimit): number =>
  now + windowSeconds + 60

/** Notes the code that began a second factor: it opens no session. */
export const codeUsed = (accountId: number, step: number, now: number): Change => ({
  update: loginFailureKeys.ofCodes(accountId),
  to: { set: { step, expires_at: keptFailuresUntil(now, LIMIT_OF_CODES) } },
})

export const toLoginFailures = (item: Item | undefined): LoginFailures => ({
  failures: Number(item?.['failures'] ?? 0),
  in_flight: Number(item?.['in_flight'] ?? 0),
  since: Number(item?.['since'] ?? 0),
  last: Number(item?.['last'] ?? 0),
})

/** A counter of login attempts, as it was read. */
export interface LoginCounter {
  readonly key: Key
  readonly limit: LoginLimit
  readonly found: LoginFailures
}

/** An attempt that is counted while its password is checked. */
export interface CountedAttempt {
  readonly key: Key
  readonly before: LoginFailures
  readonly after: LoginFailures
  readonly place: LoginPlace
}

/** An attempt waits at most so long for others to finish, and reads the counter so often. */
const MAX_WAIT_MS = 3000
const PAUSE_MS = 100

/**
 * Counts an attempt before its password is checked, so that parallel attempts in any number of processes
 * cannot exceed the limit. Returns undefined for a refused attempt over the limit: it is not counted and does
 * not extend the window. Throws ConditionFailed if other attempts keep changing the counter.
 */
export function countAttempt(
  store: Store,
  { key, limit, found }: LoginCounter,
  clock: () => Date,
): Promise<CountedAttempt | undefined> {
  const until = clock().getTime() + MAX_WAIT_MS
  const readAgain = async () => toLoginFailures(await store.get(key))

  const findPlace = async (before: LoginFailures): Promise<CountedAttempt | undefined> => {
    const now = secondsOf(clock())
    const place = loginPlace(before, limit, now)
    if (place === 'refused' || (place === 'taken' && clock().getTime() >= until)) return undefined
    if (place !== 'taken') return takePlace(store, { key, before, place, limit, now })
    await setTimeout(PAUSE_MS)
    return findPlace(await readAgain())
  }

  return retryingRaces(store, async (triedBefore) => findPlace(triedBefore === 0 ? found : await readAgain()))
}

interface FoundPlace extends Pick<CountedAttempt, 'key' | 'before' | 'place'> {
  readonly limit: LoginLimit
  readonly now: number
}

/** Throws ConditionFailed if another attempt changed the counter first. */
async function takePlace(store: Store, found: FoundPlace): Promise<CountedAttempt> {
  const { key, before, place, limit, now } = found
  const latest = { last: now, expires_at: keptFailuresUntil(now, limit) }
  const counting: Assignments =
    place === 'first'
      ? { set: { ...latest, since: now, failures: 1, in_flight: 1 } }
      : { set: latest, add: { failures: 1, in_flight: 1 } }
  const item = await store.update(key, counting, conditionsOf(found))
  return { key, before, place, after: toLoginFailures(item) }
}

function conditionsOf({ before, place, limit }: FoundPlace): Conditions {
  if (place === 'first') return { since: absentOrIs(before.since) }
  return {
    since: is(before.since),
    ...(place === 'free' ? { failures: below(limit.failures) } : { last: is(before.last) }),
  }
}

/** The password was wrong: the attempt stays counted and is no longer in flight. */
export const keepCounted = (store: Store, { key, after }: CountedAttempt): Promise<void> =>
  addIf(store, key, { in_flight: -1 }, stillCounted(after))

/** For a right or unchecked password. After the wait, it also restores the time of the last failure. */
export async function takeBackAttempt(
  store: Store,
  { key, before, after, place }: CountedAttempt,
): Promise<void> {
  const by = { failures: -1, in_flight: -1 }
  const when = stillCounted(after)
  if (place !== 'after the wait') return addIf(store, key, by, when)
  const unchanged = { ...when, last: is(after.last), failures: is(after.failures) }
  try {
    await store.update(key, { add: by, set: { last: before.last } }, unchanged)
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error
    await addIf(store, key, by, when)
  }
}

/** The same window is open. `in_flight` prevents a second subtraction if a write is sent twice. */
const stillCounted = ({ since }: LoginFailures): Conditions => ({ since: is(since), in_flight: above(0) })

/** Does nothing if the condition fails: then a new window has begun, or the counter was already changed. */
async function addIf(
  store: Store,
  key: Key,
  by: Readonly<Record<string, number>>,
  when: Conditions,
): Promise<void> {
  await store.update(key, { add: by }, when).catch(ignoreConditionFailed)
}
