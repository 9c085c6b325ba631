import { expect, test } from 'vitest'
import { readSettings } from '#lib/domain/settings.ts'
import { devices, people } from '#lib/testing/examples/examples.ts'
import { aWorld, type World } from '#lib/testing/world.ts'
import { chooseExtension } from './extension.ts'

const settings = readSettings({ Device_Range_MIN: '2001', Device_Range_MAX: '9999' })

async function aChoice({ store }: World, wanted?: string) {
  const choice = await chooseExtension(store, settings, wanted)
  if ('refused' in choice) throw new Error(choice.refused)
  return choice
}

const withExtensions = (...extensions: readonly number[]) =>
  extensions.map((extension, at) => ({
    ...devices[0],
    id: String(1 + at),
    name: String(extension),
    extension: String(extension),
  }))

test('requests that have read the same get the lowest free numbers in the order of their ids', async () => {
  const world = await aWorld({ users: people, devices: withExtensions(2001, 2003) })
  const { forId } = await aChoice(world)

  const chosen = [3, 4, 5, 6].map((id) => forId(id))

  expect(chosen.map(({ extension }) => extension)).toEqual(['2002', '2004', '2005', '2006'])
})

test('the range may have fewer free numbers than there are requests', async () => {
  const world = await aWorld({ users: people, devices: withExtensions(2001) })
  const choice = await chooseExtension(world.store, { ...settings, Device_Range_MAX: 2003 }, '')

  const chosen = 'forId' in choice ? [2, 3, 4].map((id) => choice.forId(id).extension) : []

  expect(chosen).toEqual(['2002', '2003', '2002'])
})

test('a wanted extension does not depend on the id', async () => {
  const { forId } = await aChoice(await aWorld({ users: people }), '7777')

  expect([1, 2].map((id) => forId(id).extension)).toEqual(['7777', '7777'])
})

test('a gap before many taken numbers is enough', async () => {
  const taken = Array.from({ length: 500 }, (_, at) => 2002 + at)
  const world = await aWorld({ users: people, devices: withExtensions(...taken) })
  const before = world.store.meter.spent.requests

  const { forId } = await aChoice(world)

  expect(forId(501).extension).toBe('2001')
  expect(world.store.meter.spent.requests - before).toBeLessThan(10)
})
