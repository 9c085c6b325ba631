import { expect, test } from 'vitest'
import { exampleDevices, people } from '#test/examples/examples.ts'
import { aWorld } from '#test/world.ts'
import { method } from './devices_get.ts'

const aWorldWithDevices = () => aWorld({ users: people, devices: exampleDevices })

test("a customer's devices are listed by id", async () => {
  const world = await aWorldWithDevices()
  await world.given({
    devices: [{ ...exampleDevices[0], id: '99', name: 'a', extension: '1099', ipaddr: '192.0.2.5' }],
  })

  expect(await world.call(method, 'admin', { user_id: 10 })).toBe(
    '<?xml version="1.0" encoding="UTF-8"?><page><devices>' +
      '<device><device_id>99</device_id><device_type>SIP</device_type><devicegroup_id>0</devicegroup_id>' +
      '<primary_device>no</primary_device><username>a</username><secret>bobs-secret-1</secret>' +
      '<ipaddr>192.0.2.5</ipaddr><port>5060</port></device>' +
      '<device><device_id>100</device_id><device_type>SIP</device_type><devicegroup_id>0</devicegroup_id>' +
      '<primary_device>yes</primary_device><username>bobs-phone</username><secret>bobs-secret-1</secret>' +
      '<ipaddr/><port>5060</port></device>' +
      '</devices></page>',
  )
})

test.each([
  ['admin', 10],
  ['alice', 10],
  ['rick', 20],
  ['pat', 40],
  ['rick', 2],
])('%s lists the devices of an own customer, or its own', async (caller, user_id) => {
  const world = await aWorldWithDevices()

  expect(await world.call(method, caller, { user_id })).toContain('<device><device_id>')
})

test('an accountant lists devices without their secrets', async () => {
  const world = await aWorldWithDevices()
  const everything = await world.call(method, 'admin', { user_id: 10 })

  expect(await world.call(method, 'alice', { user_id: 10 })).toBe(
    everything.replace('<secret>bobs-secret-1</secret>', ''),
  )
})

test.each([
  ['nobody in particular', undefined, { user_id: 10 }, 'Bad login'],
  ['a blocked account', 'ben', { user_id: 11 }, 'Bad login'],
  ['a plain user, of its own devices', 'bob', { user_id: 10 }, 'Dont_be_so_smart'],
  ['a plain user, before any look-up', 'bob', {}, 'Dont_be_so_smart'],
  ['no user_id', 'admin', {}, 'user_id is empty'],
  ['a blank user_id', 'admin', { user_id: ' ' }, 'user_id is empty'],
  ['an unknown user', 'admin', { user_id: 12345 }, 'User not found'],
  ['a user_id that is not a number', 'admin', { user_id: 'ten' }, 'User not found'],
  ['a user_id past any number', 'admin', { user_id: '99999999999999999999' }, 'User not found'],
  ["a reseller's customer, by admin", 'admin', { user_id: 20 }, 'Dont_be_so_smart'],
  ["a reseller's customer, by the accountant", 'alice', { user_id: 20 }, 'Dont_be_so_smart'],
  ["another reseller's customer", 'rick', { user_id: 30 }, 'Dont_be_so_smart'],
  ["admin's customer, by a partner", 'pat', { user_id: 10 }, 'Dont_be_so_smart'],
  ['a customer without devices', 'rita', { user_id: 30 }, 'Device not found'],
])('refuses %s', async (_case, caller, params, message) => {
  const world = await aWorldWithDevices()

  expect(await world.call(method, caller, params)).toContain(`<page><error>${message}</error></page>`)
})

test.each([
  ['0', '<devices/>'],
  [' 0 ', '<devices/>'],
  ['1', '<device_id>100</device_id>'],
  ['', '<device_id>100</device_id>'],
])('show_hidden_devices=%j hides hidden devices only for 0', async (show_hidden_devices, expected) => {
  const world = await aWorld({ users: people, devices: [{ ...exampleDevices[0], hidden: '1' }] })

  expect(await world.call(method, 'admin', { user_id: 10, show_hidden_devices })).toContain(expected)
})

test('a list costs the read units of its items', async () => {
  const world = await aWorldWithDevices()

  await world.call(method, 'admin', { user_id: 10 })

  expect(world.log).toMatchObject([{ read_units: 4 }])
})
