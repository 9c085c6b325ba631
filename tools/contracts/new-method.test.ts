import { randomUUID } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import type { Method } from '#lib/api/method.ts'
import { people } from '#test/examples/examples.ts'
import { aWorld } from '#test/world.ts'
import { dataFolder } from '#tools/machine/data-folder.ts'
import { newMethod } from './new-method.ts'

test('the new method runs', async () => {
  const folder = `${dataFolder}/new-${randomUUID()}`
  await mkdir(folder, { recursive: true })
  await writeFile(
    `${folder}/method.ts`,
    newMethod('devices/phone_ring')['functions/devices/phone_ring.ts'] ?? '',
  )
  const { method } = (await import(`${folder}/method.ts`)) as { method: Method }
  const world = await aWorld({ users: people })

  const answers = [10, 20].map((user_id) => world.call(method, 'admin', { user_id }))

  expect(await Promise.all(answers)).toEqual([
    expect.stringContaining('<username>bob</username>'),
    expect.stringContaining('<error>User was not found</error>'),
  ])
  await rm(folder, { recursive: true })
})

test('its example is added to the existing examples', () => {
  const { 'events/examples.json': examples = '' } = newMethod('devices/phone_ring')

  expect(JSON.parse(examples)).toMatchObject({ devices_get: {}, phone_ring: { user_id: '10' } })
})

test('its trips are added to the table', () => {
  const { 'test/trips.test.ts': trips } = newMethod('devices/phone_ring')

  expect(trips).toContain("  ['phone_ring', { user_id: 10 }, 1, 0],\n")
})

test('its parameter has a description', () => {
  const { 'tools/contracts/words/parameter-words.ts': words } = newMethod('devices/phone_ring')

  expect(words).toContain("  phone_ring: { user_id: { says: 'The customer, by its id.'")
})

test.each(['devices', 'devices/Phone', '../x/y', 'devices/a/b'])(
  '%j is not a place for a method',
  (place) => {
    expect(() => newMethod(place)).toThrow('is not <area>/<method>')
  },
)

test('an existing method is not overwritten', () => {
  expect(() => newMethod('devices/devices_get')).toThrow('already')
})
