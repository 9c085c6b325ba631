import { setTimeout } from 'node:timers/promises'
import { raceKeys } from '#lib/store/keys.ts'
import type { Store } from '#lib/store/store.ts'
import { repeating } from './repeating.ts'
import { ConditionFailed, isPassing } from './transaction-errors.ts'

/** In milliseconds: about twice what a transaction takes, so that those who come back do not meet again. */
const SPACING = 40

/** In seconds: numbers begin anew, and the table forgets the old ones in its own time. */
const NUMBERED_ANEW = 5
const KEPT_FOR = 600

/** Without a number: any moment within these milliseconds. */
const SOMEWHEN = 1000

/** The waiting is done before a run, and is as long as its number says. */
const AT_ONCE = { retries: 8, minTimeout: 0, maxTimeout: 0, randomize: false }

/**
 * Runs a method of the API again when it lost a race: when a condition did not hold, or another transaction was at work on
 * the same item. Whoever lost takes a number, as at a counter, and comes back when it is its turn: of two the second one at
 * once, of a hundred one after the other. That is a hint and not a lock: nobody waits for anybody who does not come.
 */
export const runningAgain = <T>(store: Store, run: () => Promise<T>): Promise<T> =>
  repeating(
    store.meter,
    async (lostRaces) => {
      if (lostRaces > 0) await setTimeout(await absence(store))
      return run()
    },
    { passes: (error) => error instanceof ConditionFailed || isPassing(error), waits: AT_ONCE },
  )

async function absence(store: Store): Promise<number> {
  const turn = await takeNumber(store, Math.floor(Date.now() / 1000)).catch(() => undefined)
  const wait = turn === undefined ? Math.random() * SOMEWHEN : turn * SPACING
  return Math.min(wait, store.meter.time?.left() ?? Number.POSITIVE_INFINITY)
}

/** One update that conflicts with nothing; `now` in Unix seconds. */
async function takeNumber(store: Store, now: number): Promise<number> {
  const key = raceKeys.item(Math.floor(now / NUMBERED_ANEW))
  const { losers } = await store.count(key, { add: { losers: 1 }, set: { expires_at: now + KEPT_FOR } })
  return Number(losers)
}
