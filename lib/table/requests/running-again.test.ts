import { beforeEach, expect, test, vi } from 'vitest'
import { aWorld } from '#test/world.ts'
import { ConditionFailed } from './retries.ts'
import { raceKey, runningAgain } from './running-again.ts'

const NOW = Date.parse('2026-03-10T12:00:00Z')

/** The queue belongs to a minute, and a run must not end in the next one. */
beforeEach(() => {
  vi.spyOn(Date, 'now').mockReturnValue(NOW)
})

/** A run that loses a number of races, and then returns the number that it was told. */
const losing = (times: number) => {
  let left = times
  return async (lostRaces: number) => {
    if (left-- > 0) throw new ConditionFailed([0], {})
    return lostRaces
  }
}

test('a run gets the number of lost races, and leaves the queue each time', async () => {
  const { store } = await aWorld()

  expect(await runningAgain(store, losing(3))).toBe(3)

  const queue = await store.get(raceKey(NOW / 60_000))
  expect(queue).toMatchObject({ losers: 3, done: 3 })
})

test('a run does not wait for numbers that are never used', async () => {
  const { store } = await aWorld()
  await store.count(raceKey(NOW / 60_000), { add: { losers: 5 } })

  expect(await runningAgain(store, losing(1))).toBe(1)
})

test('an error other than a lost race is not repeated', async () => {
  const { store } = await aWorld()
  const run = async () => {
    throw new Error('a bug')
  }

  await expect(runningAgain(store, run)).rejects.toThrow('a bug')
})
