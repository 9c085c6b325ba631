import { expect, test } from 'vitest'
import { isUsernameNote } from '#lib/devices/dialled.ts'
import { exampleDevices, people } from '#test/examples/examples.ts'
import { aRoutingWorld } from '#test/examples/routing.ts'
import { aWorld } from '#test/world.ts'
import { method as ruleCreate } from '../location-rules/location_rule_create.ts'
import { method as ruleUpdate } from '../location-rules/location_rule_update.ts'
import { method } from './device_delete.ts'

const DELETED = '<page><status>Device was deleted</status></page>'

const rule = (id: number) => ({ id: String(id), device_id: '100', name: `rule ${id}`, cut: '0', add: '370' })

test.each([
  ['its own account', 'bob', 100],
  ['admin', 'admin', 100],
  ['the accountant', 'alice', 100],
  ["the customer's reseller", 'rick', 200],
  ["the customer's partner", 'pat', 400],
])('%s may delete a device', async (_case, caller, device) => {
  const world = await aWorld({ users: people, devices: exampleDevices })

  expect(await world.call(method, caller, { device })).toContain(DELETED)
})

test('a deleted device leaves nothing, and its rules, names and extension are free', async () => {
  const world = await aWorld({
    users: people,
    devices: exampleDevices.slice(0, 1),
    device_rules: Array.from({ length: 80 }, (_, id) => rule(id)),
  })

  expect(await world.call(method, 'bob', { device: 100 })).toContain(DELETED)

  const left = await world.dump()
  expect(
    left.filter((item) => !isUsernameNote(item) && /^DEV|^DIALLED|DEVICE#/.test(`${item.PK} ${item.SK}`)),
  ).toEqual([])
  const counted = left.filter(({ PK }) => PK.startsWith('COUNT#DEVICES#'))
  expect(counted.reduce((sum, { devices }) => sum + Number(devices), 0)).toBe(0)
  expect(left).toContainEqual(expect.objectContaining({ PK: 'USER#10', device_count: 0 }))
  expect(left).toContainEqual(expect.objectContaining({ PK: 'EXTFREE', SK: expect.stringMatching(/1001$/) }))
})

test.each([
  ['nobody in particular', undefined, { device: 100 }, 'Bad login'],
  ['an unknown device', 'admin', { device: 99 }, 'Device was not found'],
  ['no device', 'admin', {}, 'Device was not found'],
  ['a foreign device', 'carol', { device: 100 }, 'Dont_be_so_smart'],
  ["a reseller's customer's device, by admin", 'admin', { device: 200 }, 'Dont_be_so_smart'],
  ['a device with a DID', 'bob', { device: 100 }, 'Device has assigned DIDs'],
])('refuses %s and stores nothing', async (_case, caller, params, message) => {
  const world = await aWorld({
    users: people,
    devices: exampleDevices,
    dids: [{ id: '1', did: '37052000001', owner_id: '0', user_id: '10', device_id: '100' }],
  })

  expect(await world.callInVain(method, caller, params)).toContain(`<page><error>${message}</error></page>`)
})

test('a device cannot be deleted while a location rule uses it', async () => {
  const world = await aRoutingWorld()

  expect(await world.callInVain(method, 'bob', { device: 100 })).toContain(
    '<page><error>One or more Location rules are using this Device</error></page>',
  )

  await world.call(ruleUpdate, 'admin', { location_rule_id: 100, device_id: '-1' })
  expect(await world.call(method, 'bob', { device: 100 })).toContain(DELETED)
})

test('a foreign device is refused as foreign, and a DID before a location rule', async () => {
  const world = await aRoutingWorld()
  await world.given({ dids: [{ id: '9', did: '37052000009', owner_id: '0', device_id: '100' }] })

  expect(await world.call(method, 'rick', { device: 100 })).toContain('Dont_be_so_smart')
  expect(await world.call(method, 'admin', { device: 100 })).toContain('Device has assigned DIDs')
})

test('of a deletion and a new rule at the same time, one succeeds', async () => {
  const world = await aRoutingWorld()
  const rule = { location_id: 2, name: 'To Carol', device_id: 200 }

  const [deleted, created] = await Promise.all([
    world.call(method, 'carol', { device: 200 }),
    world.call(ruleCreate, 'rick', rule),
  ])

  const isDeleted = deleted.includes(DELETED)
  expect(deleted).toContain(isDeleted ? DELETED : 'One or more Location rules are using this Device')
  expect(created).toContain(isDeleted ? 'Dont_be_so_smart' : 'Rule added')
  const left = ((await world.dump()) as { PK: string }[]).filter(({ PK }) => PK === 'DEVICE#200')
  expect(left).toHaveLength(isDeleted ? 0 : 2)
})
