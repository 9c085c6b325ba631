import { setTimeout } from 'node:timers/promises'
import { type Key, keyForm } from '#lib/store/keys.ts'
import type { Store } from '#lib/store/store.ts'
import { ConditionFailed, isPassing, repeating } from './retries.ts'

// Keys

/** The runners of a lost race take numbers; `stretch` is a stretch of some seconds. */
export const raceKey = keyForm('RACES#<stretch>', 'RACES')

/** In milliseconds: about twice what a transaction takes, so that those who come back do not meet again. */
const SPACING = 40

/** In seconds: places are counted anew, and the table forgets the old ones in its own time. */
const COUNTED_ANEW = 60
const KEPT_FOR = 600

/** Without a place: any moment within these milliseconds. */
const SOMEWHEN = 1000

/** The waiting is done before a run, and is as long as the queue says. */
const AT_ONCE = { retries: 8, minTimeout: 0, maxTimeout: 0, randomize: false }

/**
 * Runs a method of the API again when it lost a race: when a condition did not hold, or another transaction was at work on
 * the same item. Whoever lost stands in a queue, and comes back when it is its turn: of two the second one at once, of a
 * hundred one after the other, as fast as they are done. That is a hint and not a lock: nobody waits for anybody who does
 * not come.
 */
export const runningAgain = <T>(store: Store, run: (lostRaces: number) => Promise<T>): Promise<T> =>
  repeating(
    store.meter,
    (lostRaces) => (lostRaces === 0 ? run(0) : inTurn(store, lostRaces, () => run(lostRaces))),
    {
      passes: (error) => error instanceof ConditionFailed || isPassing(error),
      waits: AT_ONCE,
    },
  )

async function inTurn<T>(store: Store, lostRaces: number, run: () => Promise<T>): Promise<T> {
  const place = await takePlace(store, Math.floor(Date.now() / 1000)).catch(() => undefined)
  if (!place) {
    await pause(store, Math.random() * SOMEWHEN)
    return run()
  }
  await untilTurn(store, place)
  await pause(store, Math.random() * longest(lostRaces))
  return run().finally(() => leave(store, place))
}

/** Whoever loses in its turn has met somebody outside of the queue, and waits longer each time. */
const longest = (lostRaces: number): number =>
  lostRaces === 1 ? 0 : Math.min(SOMEWHEN, SPACING * 2 ** (lostRaces - 1))

/** In a queue: how many came up to this one, and how many of those were done when it was last looked at. */
interface Place {
  readonly queue: Key
  readonly number: number
  readonly done: number
}

/** One update that conflicts with nothing; `now` in Unix seconds. */
async function takePlace(store: Store, now: number): Promise<Place> {
  const queue = raceKey(Math.floor(now / COUNTED_ANEW))
  const { losers, done } = await store.count(queue, {
    add: { losers: 1 },
    set: { expires_at: now + KEPT_FOR },
  })
  return { queue, number: Number(losers), done: Number(done ?? 0) }
}

/** Waits as long as those before it need, looks again, and goes when it is its turn or nobody moves. */
async function untilTurn(store: Store, { queue, number, done }: Place): Promise<void> {
  const ahead = number - 1 - done
  if (ahead <= 0) return
  await pause(store, ahead * SPACING)
  const now = Number((await store.get(queue))?.['done'] ?? 0)
  if (now > done) await untilTurn(store, { queue, number, done: now })
}

/** Nobody needs to hear that this failed: who waits does not wait for long. */
const leave = (store: Store, { queue }: Place): Promise<unknown> =>
  store.count(queue, { add: { done: 1 } }).catch(() => undefined)

const pause = (store: Store, milliseconds: number): Promise<void> =>
  setTimeout(Math.min(milliseconds, store.meter.time?.left() ?? Number.POSITIVE_INFINITY))
