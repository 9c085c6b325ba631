import { expect, test } from 'vitest'
import type { Store } from '#lib/table/store.ts'
import { type ArchivedWorld, anArchivedWorld } from '#test/archive/archived-world.ts'
import { people } from '#test/examples/examples.ts'
import { listedCall } from '#test/examples/listed-calls.ts'
import { damageIn } from '#test/soundness.ts'
import { isCall } from '../call.ts'
import { CALLS_IN_ONE_BATCH } from './run.ts'

const DAY = '2026-03-05'
const CALLS = 2 * CALLS_IN_ONE_BATCH + 100

/** Two calls at each second: a batch may end between calls of one place. */
const calls = Array.from({ length: CALLS }, (_, index) => {
  const second = Math.floor(index / 2)
  const time = new Date(Date.UTC(2026, 2, 5, 9) + 1000 * second).toISOString().slice(11, 19)
  return listedCall(`call-${index}`, { calldate: `${DAY} ${time}` })
})

class Killed extends Error {}

/** A store that counts updates of calls and pages of lists, and whose process dies at an update. */
function countingStore({ store }: ArchivedWorld, diesAt: number) {
  const spent = { updates: 0, lists: 0 }
  const counting: Store = {
    ...store,
    update: (...change) => {
      if (String(change[0].PK).startsWith('CALL#')) spent.updates += 1
      if (spent.updates > diesAt) throw new Killed()
      return store.update(...change)
    },
    pages: (query) => {
      if (query.index === 'GSI2') spent.lists += 1
      return store.pages(query)
    },
  }
  return { store: counting, spent }
}

test('a killed run resumes: it reads no list again, at most a page of calls, and loses none', async () => {
  const world = await anArchivedWorld({ users: people, calls }, { Calls_Keep_Days: '3' })
  const first = countingStore(world, CALLS_IN_ONE_BATCH + 120)
  await expect(world.archive(world.bucket, first.store)).rejects.toThrow(Killed)
  const second = countingStore(world, CALLS_IN_ONE_BATCH + 30)
  await expect(world.archive(world.bucket, second.store)).rejects.toThrow(Killed)
  const third = countingStore(world, CALLS)
  expect(await world.archive(world.bucket, third.store)).toMatchObject([{ day: DAY, outcome: 'archived' }])

  expect(first.spent.lists).toBeGreaterThan(0)
  expect([second.spent.lists, third.spent.lists]).toEqual([0, 0])
  const updates = first.spent.updates + second.spent.updates + third.spent.updates
  expect(updates).toBeLessThanOrEqual(CALLS + 2 * CALLS_IN_ONE_BATCH)
  expect((await world.dump()).filter((item) => isCall(item) && item['expires_at'] === undefined)).toEqual([])
  expect(await world.archivedCalls(DAY)).toHaveLength(CALLS)
  expect(await damageIn(world)).toEqual([])
  expect(await world.archive()).toEqual([])
})

/** The place of the first call that a run lists; undefined if it lists none. */
function startsOfLists(world: ArchivedWorld) {
  const starts: unknown[] = []
  const pages: Store['pages'] = (query) => {
    if (query.index === 'GSI2') starts.push(query.between?.[0])
    return world.store.pages(query)
  }
  return { store: { ...world.store, pages }, starts }
}

test('a run out of time leaves the rest of a day to the next, which reads no part again', async () => {
  const hourly = Array.from({ length: 24 }, (_, hour) =>
    listedCall(`call-${hour}`, { calldate: `${DAY} ${String(hour).padStart(2, '0')}:30:00` }),
  )
  const world = await anArchivedWorld({ users: people, calls: hourly }, { Calls_Keep_Days: '3' })
  world.partSize = 6
  const starts: unknown[] = []
  const outcomes: string[] = []
  for (let runs = 0; runs < 5; runs += 1) {
    const run = startsOfLists(world)
    let turns = 0
    const hasTime = () => turns++ === 0
    outcomes.push(...(await world.archive(world.bucket, run.store, hasTime)).map(({ outcome }) => outcome))
    starts.push(...run.starts)
  }

  expect(outcomes).toEqual(['unfinished', 'unfinished', 'unfinished', 'unfinished', 'archived'])
  expect(new Set(starts).size).toBe(starts.length)
  expect((await world.manifest(DAY))?.files.map(({ part, calls }) => [part, calls])).toEqual([
    [0, 6],
    [1, 6],
    [2, 6],
    [3, 6],
  ])
  expect(await damageIn(world)).toEqual([])

  await world.given({ calls: [listedCall('late', { calldate: `${DAY} 07:00:00` })] })
  expect((await world.archive()).map(({ outcome }) => outcome)).toEqual(['archived'])
  expect((await world.manifest(DAY))?.files.map(({ calls }) => calls)).toEqual([6, 7, 6, 6])
  expect(await damageIn(world)).toEqual([])
})
