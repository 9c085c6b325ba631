import { expect, test } from 'vitest'
import { raceKey } from '#lib/store/requests/running-again.ts'
import { aWorld } from '#lib/testing/world.ts'
import { ConditionFailed } from './retries.ts'
import { runningAgain } from './running-again.ts'

/** Loses as many races as it is told to, and then says how many it knows of. */
const losing = (times: number) => {
  let left = times
  return async (lostRaces: number) => {
    if (left-- > 0) throw new ConditionFailed([0], {})
    return lostRaces
  }
}

test('a run that lost is told how often, and leaves the queue each time', async () => {
  const { store } = await aWorld()

  expect(await runningAgain(store, losing(3))).toBe(3)

  const queue = await store.get(raceKey(Math.floor(Date.now() / 60_000)))
  expect(queue).toMatchObject({ losers: 3, done: 3 })
})

test('nobody waits for those who never come back', async () => {
  const { store } = await aWorld()
  for (const minute of [0, 1]) {
    await store.count(raceKey(Math.floor(Date.now() / 60_000) + minute), { add: { losers: 5 } })
  }

  expect(await runningAgain(store, losing(1))).toBe(1)
})

test('what is not a lost race is not run again', async () => {
  const { store } = await aWorld()
  const run = async () => {
    throw new Error('a bug')
  }

  await expect(runningAgain(store, run)).rejects.toThrow('a bug')
})
