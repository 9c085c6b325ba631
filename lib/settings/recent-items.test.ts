import { expect, test } from 'vitest'
import { keyForm } from '#lib/table/keys.ts'
import { aWorld } from '#test/world.ts'
import { readFresh, rememberingReader, withRecentSettings } from './recent-items.ts'
import { findSettings } from './stored-settings.ts'

const keyOf = keyForm('ITEM#<id>', 'ITEM')

/** A table of items, and a reader that remembers them. `asked` has the keys of each request. */
async function aReader(count = 1) {
  const world = await aWorld()
  const ids = Array.from({ length: count }, (_, id) => id)
  for (let from = 0; from < count; from += 25) {
    await world.store.putBatch(
      ids.slice(from, from + 25).map((id) => ({ ...keyOf(id), name: `first name of ${id}` })),
    )
  }
  const reader = rememberingReader(() => world.now)
  const asked: number[] = []
  const store = {
    getMany: (keys: Parameters<typeof world.store.getMany>[0]) => {
      if (keys.length > 0) asked.push(keys.length)
      return world.store.getMany(keys)
    },
  }
  return {
    world,
    asked,
    name: async (id: number, mayBeRecent = true) =>
      (await reader(store, [{ key: keyOf(id), mayBeRecent }]))[0]?.['name'],
    read: (...wanted: readonly [id: number, mayBeRecent: boolean][]) =>
      reader(
        store,
        wanted.map(([id, mayBeRecent]) => ({ key: keyOf(id), mayBeRecent })),
      ),
    pass: (milliseconds: number) => {
      world.now = new Date(world.now.getTime() + milliseconds)
    },
    change: (id: number) => world.store.update(keyOf(id), { set: { name: 'new name' } }),
  }
}

test('an item is remembered for less than a second, from the moment before it was read', async () => {
  const { world, name, pass, change } = await aReader()
  expect(await name(0)).toBe('first name of 0')
  await change(0)
  const before = world.meter.spent.requests

  pass(999)
  expect(await name(0)).toBe('first name of 0')
  expect(world.meter.spent.requests - before).toBe(0)

  pass(1)
  expect(await name(0)).toBe('new name')
  expect(world.meter.spent.requests - before).toBe(1)
})

test('a remembered item is not kept longer because it is used', async () => {
  const { name, pass, change } = await aReader()
  await name(0)
  await change(0)

  for (const _time of [1, 2, 3]) {
    pass(300)
    expect(await name(0)).toBe('first name of 0')
  }
  pass(100)
  expect(await name(0)).toBe('new name')
})

test('after the clock was set back, an item is read again', async () => {
  const { name, pass, change } = await aReader()
  await name(0)
  await change(0)

  pass(-1)
  expect(await name(0)).toBe('new name')
})

test('an item that must be fresh is read beside remembered ones, in one round trip', async () => {
  const { asked, read, change } = await aReader(3)
  await read([0, true], [1, false])
  await change(1)

  const items = await read([0, true], [1, false], [2, true])

  expect(items.map((item) => item?.['name'])).toEqual(['first name of 0', 'new name', 'first name of 2'])
  expect(asked).toEqual([2, 2])
})

test('an item that was read fresh is not remembered', async () => {
  const { name, change } = await aReader()
  await name(0, false)
  await change(0)

  expect(await name(0)).toBe('new name')
})

test('a missing item is not remembered', async () => {
  const { name, change } = await aReader(0)

  expect(await name(7)).toBeUndefined()
  await change(7)
  expect(await name(7)).toBe('new name')
})

test('of more than 1,000 items, the least recently used one is forgotten first', async () => {
  const { asked, read, name } = await aReader(1001)
  const ids = Array.from({ length: 1000 }, (_, id) => id)
  await read(...ids.map((id) => [id, true] as [number, boolean]))
  await name(0)
  asked.length = 0

  await name(1000)
  await name(0)
  expect(asked).toEqual([1])
  await name(1)
  expect(asked).toEqual([1, 1])
})

test('without a memory, every item is read', async () => {
  const { world } = await aReader()
  const before = world.meter.spent.requests

  for (const _time of [1, 2]) {
    expect(await readFresh(world.store, [{ key: keyOf(0), mayBeRecent: true }])).toMatchObject([
      { PK: 'ITEM#0' },
    ])
  }
  expect(world.meter.spent.requests - before).toBe(2)
})

test('a store with recent settings reads them once a second, and everything else each time', async () => {
  const world = await aWorld()
  const store = withRecentSettings(
    world.store,
    rememberingReader(() => world.now),
  )
  const before = world.meter.spent.requests

  expect(await findSettings(store)).toMatchObject({ Allow_API: '1' })
  await world.set({ Timezone: 'Europe/Vilnius' })
  expect((await findSettings(store))['Timezone']).toBeUndefined()
  await store.get(keyOf(0))
  await store.get(keyOf(0))
  expect(world.meter.spent.requests - before).toBe(1 + 1 + 2)

  world.now = new Date(world.now.getTime() + 1000)
  expect((await findSettings(store))['Timezone']).toBe('Europe/Vilnius')
})
