import { expect, test } from 'vitest'
import { people } from '#test/examples/examples.ts'
import { aWorld, type World } from '#test/world.ts'
import { method } from './device_create.ts'
import { method as deviceDelete } from './device_delete.ts'
import { method as deviceUpdate } from './device_update.ts'

/** Creates a device for the caller itself and returns its extension. */
async function extensionOfNew(world: World, params: Record<string, string | number> = {}): Promise<string> {
  const created = await world.call(method, 'bob', { user_id: 10, ...params })
  return /<username>(\d+)</.exec(created)?.[1] ?? ''
}

test('allocates the lowest free number, freed ones included, but no emergency number or name', async () => {
  const world = await aWorld(
    { users: people },
    { Device_Range_MIN: '110', Device_Range_MAX: '116', Emergency_Numbers: '112, 911' },
  )
  const chosen = [await extensionOfNew(world), await extensionOfNew(world), await extensionOfNew(world)]
  await world.call(deviceUpdate, 'bob', { device: 3, username: '114' })
  await world.call(deviceDelete, 'bob', { device: 1 })

  chosen.push(await extensionOfNew(world), await extensionOfNew(world))

  expect(chosen).toEqual(['110', '111', '113', '110', '115'])
})

test('a full range has no free extension until a device is deleted', async () => {
  const world = await aWorld({ users: people }, { Device_Range_MIN: '1001', Device_Range_MAX: '1002' })
  await extensionOfNew(world)
  await extensionOfNew(world)

  expect(await world.call(method, 'bob', { user_id: 10 })).toContain('<error>No free extension</error>')
  await world.call(deviceDelete, 'bob', { device: 2 })
  expect(await extensionOfNew(world)).toBe('1002')
})

test('a changed range is searched from its start', async () => {
  const world = await aWorld({ users: people }, { Device_Range_MIN: '2000' })
  const chosen = [await extensionOfNew(world)]
  await world.set({ Device_Range_MIN: '1000' })
  chosen.push(await extensionOfNew(world))
  await world.set({ Device_Range_MIN: '2000' })
  chosen.push(await extensionOfNew(world))

  expect(chosen).toEqual(['2000', '1000', '2001'])
})

test('a range that begins after its end has no extensions', async () => {
  const world = await aWorld({ users: people }, { Device_Range_MIN: '2000', Device_Range_MAX: '1000' })

  expect(await world.call(method, 'bob', { user_id: 10 })).toContain('<error>No free extension</error>')
})

test('a freed number costs a creation two write units more', async () => {
  const world = await aWorld({ users: people })
  await extensionOfNew(world)
  await world.call(deviceDelete, 'bob', { device: 1 })

  expect(await extensionOfNew(world)).toBe('1001')
  expect(world.log.at(-1)).toMatchObject({ round_trips: 8, write_units: 14 })
  expect(freedIn(await world.dump())).toEqual([])
})

test('a freed number that was chosen by a request is not offered again', async () => {
  const world = await aWorld({ users: people })
  const chosen = [await extensionOfNew(world), await extensionOfNew(world)]
  await world.call(deviceDelete, 'bob', { device: 1 })
  await world.call(deviceDelete, 'bob', { device: 2 })
  chosen.push(await extensionOfNew(world, { extension: '1001' }))
  chosen.push(await extensionOfNew(world), await extensionOfNew(world))

  expect(chosen).toEqual(['1001', '1002', '1001', '1002', '1003'])
  expect(freedIn(await world.dump())).toEqual([])
})

const freedIn = (items: readonly { readonly PK: string }[]) => items.filter(({ PK }) => PK === 'EXTFREE')
