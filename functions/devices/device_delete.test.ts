import { expect, test } from 'vitest'
import { devices, people } from '#lib/testing/examples.ts'
import { aWorld } from '#lib/testing/world.ts'
import { method } from './device_delete.ts'

const DELETED = '<page><status>Device was deleted</status></page>'

const rule = (id: number) => ({ id: String(id), device_id: '100', name: `rule ${id}`, cut: '0', add: '370' })

test.each([
  ['its own account', 'bob', 100],
  ['the accountant', 'alice', 100],
  ["the customer's reseller", 'rick', 200],
  ["the customer's partner", 'pat', 400],
])('%s may delete a device', async (_case, caller, device) => {
  const world = await aWorld()
  await world.given({ users: people, devices })

  expect(await world.call(method, caller, { device })).toContain(DELETED)
})

test('nothing of a device stays, its rules, names and extension included; its number is free', async () => {
  const world = await aWorld()
  await world.given({
    users: people,
    devices: devices.slice(0, 1),
    device_rules: Array.from({ length: 80 }, (_, id) => rule(id)),
  })

  expect(await world.call(method, 'bob', { device: 100 })).toContain(DELETED)

  const left = (await world.dump()) as { PK: string; SK: string }[]
  expect(left.filter(({ PK, SK }) => /^DEV|^EXTENSIONS|DEVICE#/.test(`${PK} ${SK}`))).toEqual([])
  expect(left).toContainEqual(expect.objectContaining({ PK: 'COUNT#DEVICES', devices: 0 }))
  expect(left).toContainEqual(expect.objectContaining({ PK: 'USER#10', device_count: 0 }))
  expect(left).toContainEqual(expect.objectContaining({ PK: 'EXTFREE', SK: expect.stringMatching(/1001$/) }))
  expect(world.log).toMatchObject([{ round_trips: 5 }])
})

test.each([
  ['nobody in particular', undefined, { device: 100 }, 'Bad login'],
  ['an unknown device', 'admin', { device: 99 }, 'Device was not found'],
  ['no device', 'admin', {}, 'Device was not found'],
  ['a foreign device', 'carol', { device: 100 }, 'Dont_be_so_smart'],
  ["a reseller's customer's device, by admin", 'admin', { device: 200 }, 'Dont_be_so_smart'],
  ['a device with a DID', 'bob', { device: 100 }, 'Device has assigned DIDs'],
])('refuses, and stores nothing: %s', async (_case, caller, params, message) => {
  const world = await aWorld()
  await world.given({
    users: people,
    devices,
    dids: [{ id: '1', did: '37052000001', owner_id: '0', user_id: '10', device_id: '100' }],
  })
  const before = await world.dump()

  expect(await world.call(method, caller, params)).toContain(`<page><error>${message}</error></page>`)
  expect(await world.dump()).toEqual(before)
})

test('a device is deleted once', async () => {
  const world = await aWorld()
  await world.given({ users: people, devices })

  const answers = await Promise.all([1, 2].map(() => world.call(method, 'bob', { device: 100 })))

  expect(answers.filter((body) => body.includes(DELETED))).toHaveLength(1)
  expect(answers.filter((body) => body.includes('Device was not found'))).toHaveLength(1)
})
