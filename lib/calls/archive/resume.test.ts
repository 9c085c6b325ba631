import { expect, test } from 'vitest'
import type { Store } from '#lib/table/store.ts'
import { type ArchivedWorld, anArchivedWorld } from '#test/archive/archived-world.ts'
import { people } from '#test/examples/examples.ts'
import { listedCall } from '#test/examples/listed-calls.ts'
import { damageIn } from '#test/soundness.ts'
import { isCall } from '../call.ts'
import { CALLS_IN_ONE_BATCH } from './expiry.ts'

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

test('a killed run goes on where it was: no list is read again, no call twice but a page, and none is lost', async () => {
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

test('a call that is changed after a killed run is archived in its new version', async () => {
  const world = await anArchivedWorld({ users: people, calls: calls.slice(0, 5) }, { Calls_Keep_Days: '3' })
  await expect(world.archive(world.bucket, countingStore(world, 3).store)).rejects.toThrow(Killed)
  await world.given({ calls: [{ ...calls[1], src: '37060099999' }] })

  expect((await world.archive()).map(({ outcome }) => outcome)).toEqual(['archived'])

  const archived = await world.archivedCalls(DAY)
  expect(archived.find(({ uniqueid }) => uniqueid === 'call-1')).toMatchObject({
    src: '37060099999',
    version: 2,
  })
  expect(await damageIn(world)).toEqual([])
})
