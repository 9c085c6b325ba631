import { setTimeout } from 'node:timers/promises'
import { type Key, keyForm } from '../keys.ts'
import type { Store } from '../store.ts'
import { ConditionFailed, isConflict, repeating } from './retries.ts'

/** A queue in which the losers of races take numbers. Each minute has one. */
export const raceKey = keyForm('RACES#<minute>', 'RACES')

/** About twice the time of a transaction, so that consecutive runs do not conflict. */
const SPACING_MS = 40

/** Each queue takes numbers for a minute. DynamoDB removes it later. */
const QUEUE_SECONDS = 60
const KEPT_SECONDS = 600

/** The longest random wait, also of a loser that got no number. */
const MAX_JITTER_MS = 1000

/** The waits are those of the queue, before a run. */
const NO_WAITS = { retries: 8, minTimeout: 0, maxTimeout: 0, randomize: false }

/**
 * Runs a method of the API again when it lost a race: a condition did not hold, or another transaction was at
 * the same item. Losers take numbers in a queue and run one after the other. The queue is not a lock: a loser
 * whose predecessors do not finish runs after its wait.
 */
export const runningAgain = <T>(store: Store, run: (lostRaces: number) => Promise<T>): Promise<T> =>
  repeating(
    store.meter,
    (lostRaces) => (lostRaces === 0 ? run(0) : inTurn(store, lostRaces, () => run(lostRaces))),
    (error) => error instanceof ConditionFailed || isConflict(error),
    NO_WAITS,
  )

async function inTurn<T>(store: Store, lostRaces: number, run: () => Promise<T>): Promise<T> {
  const place = await takePlace(store, Math.floor(Date.now() / 1000)).catch(() => undefined)
  if (!place) {
    await pause(store, Math.random() * MAX_JITTER_MS)
    return run()
  }
  await untilTurn(store, place)
  await pause(store, Math.random() * maxJitter(lostRaces))
  return run().finally(() => leave(store, place))
}

/** A run that loses in its turn conflicts with writes outside of the queue: its wait doubles each time. */
const maxJitter = (lostRaces: number): number =>
  lostRaces === 1 ? 0 : Math.min(MAX_JITTER_MS, SPACING_MS * 2 ** (lostRaces - 1))

/** The number of a run in its queue, and how many runs were done when that was last read. */
interface Place {
  readonly queue: Key
  readonly number: number
  readonly done: number
}

/** Takes a number with an update that conflicts with nothing; `now` in Unix seconds. */
async function takePlace(store: Store, now: number): Promise<Place> {
  const queue = raceKey(Math.floor(now / QUEUE_SECONDS))
  const { losers, done } = await store.count(queue, {
    add: { losers: 1 },
    set: { expires_at: now + KEPT_SECONDS },
  })
  return { queue, number: Number(losers), done: Number(done ?? 0) }
}

/** Waits as long as the runs ahead need, and repeats that as long as some of them finish meanwhile. */
async function untilTurn(store: Store, { queue, number, done }: Place): Promise<void> {
  const ahead = number - 1 - done
  if (ahead <= 0) return
  await pause(store, ahead * SPACING_MS)
  const now = Number((await store.get(queue))?.['done'] ?? 0)
  if (now > done) await untilTurn(store, { queue, number, done: now })
}

/** Best effort: a failure only delays the runs that wait. */
const leave = (store: Store, { queue }: Place): Promise<unknown> =>
  store.count(queue, { add: { done: 1 } }).catch(() => undefined)

const pause = (store: Store, milliseconds: number): Promise<void> =>
  setTimeout(Math.min(milliseconds, store.meter.time?.left() ?? Number.POSITIVE_INFINITY))
