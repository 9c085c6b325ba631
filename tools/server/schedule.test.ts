import { expect, inject, test } from 'vitest'
import { secondsOf } from '#lib/base/calendar.ts'
import { aWorld } from '#test/world.ts'
import { removeExpired } from './schedule.ts'

test('expired items go an hour after their end, and nothing else', async () => {
  const world = await aWorld()
  const now = secondsOf(world.now)
  const items = [
    ['long ago', now - 90_000],
    ['an hour ago', now - 3601],
    ['just now', now - 60],
    ['later', now + 60],
  ] as const
  await world.store.putBatch(items.map(([PK, expires_at]) => ({ PK, SK: PK, expires_at })))
  await world.store.putBatch([{ PK: 'for ever', SK: 'for ever' }])
  const location = { tableName: world.table.tableName, endpoint: inject('endpoint') }

  expect(await removeExpired(location, world.now)).toBe(2)

  const kept = (await world.dump()).map(({ PK }) => PK)
  expect(kept).toEqual(expect.arrayContaining(['just now', 'later', 'for ever']))
  expect(kept).not.toContain('an hour ago')
  expect(await removeExpired(location, world.now)).toBe(0)
})
