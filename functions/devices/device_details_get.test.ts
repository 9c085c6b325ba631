import { expect, onTestFinished, test } from 'vitest'
import { deviceColumns, findDevice, locationOf } from '#lib/devices/device-stored.ts'
import { deviceReplaced } from '#lib/devices/device-writing.ts'
import { exampleDevices, people } from '#test/examples/examples.ts'
import { aWorld } from '#test/world.ts'
import { method } from './device_details_get.ts'

const aWorldWithDevices = () => aWorld({ users: people, devices: exampleDevices })

test('every stored column is printed, further ones in their order, then the codecs', async () => {
  const world = await aWorldWithDevices()

  expect(await world.call(method, 'admin', { device_id: 100 })).toBe(
    '<?xml version="1.0" encoding="UTF-8"?><page><id>100</id><user_id>10</user_id><device_type>SIP</device_type>' +
      '<name>bobs-phone</name><username>bobs-phone</username><secret>bobs-secret-1</secret><extension>1001</extension>' +
      '<host>dynamic</host><context>mor_local</context><ipaddr/><port>5060</port>' +
      '<callerid>"Bob" &lt;37000001&gt;</callerid><devicegroup_id>0</devicegroup_id><primary_device>yes</primary_device>' +
      '<hidden>0</hidden><authentication>password</authentication><pin/><description/><comment/>' +
      '<call_limit>0</call_limit><max_timeout>0</max_timeout><fromuser/><language/><transport>udp</transport>' +
      '<encryption>0</encryption><qualify>1000</qualify><nat>yes</nat>' +
      '<codecs><audio_codecs>alaw, g729</audio_codecs><video_codecs>h264</video_codecs></codecs></page>',
  )
})

test('a column that a later version adds is not printed', async () => {
  const world = await aWorldWithDevices()
  Object.assign(deviceColumns, { srtp_key: deviceColumns.comment })
  onTestFinished(() => {
    Reflect.deleteProperty(deviceColumns, 'srtp_key')
  })

  expect(await world.call(method, 'admin', { device_id: 100 })).not.toContain('srtp_key')
})

test('an accountant reads no secret, no PIN, and no further column, which may be one', async () => {
  const world = await aWorldWithDevices()
  await world.given({ devices: [{ ...exampleDevices[0], pin: '4711', vmsecret: 'voicemail' }] })
  const everything = await world.call(method, 'admin', { device_id: 100 })
  const left = /<secret>bobs-secret-1<\/secret>|<pin>4711<\/pin>|<qualify>.*<vmsecret>voicemail<\/vmsecret>/g

  expect(everything.match(left)).toHaveLength(3)
  expect(await world.call(method, 'alice', { device_id: 100 })).toBe(everything.replaceAll(left, ''))
})

test('the location is printed only where an earlier version stored it as a further column', async () => {
  const world = await aWorldWithDevices()
  const located = { ...exampleDevices[0], location_id: '7' }
  await world.given({ devices: [located] })
  expect(await world.call(method, 'admin', { device_id: 100 })).not.toContain('location_id')

  const device = await findDevice(world.store, 100)
  if (!device) throw new Error('no device')
  const earlier = { ...device, location_id: undefined, extra: [['location_id', '7'] as const] }
  await world.store.transact(deviceReplaced(device, earlier))
  expect(locationOf(earlier)).toBe(7)
  await world.given({ devices: [{ ...located, location_id: '9' }] })
  expect(await world.call(method, 'admin', { device_id: 100 })).toContain('<location_id>9</location_id>')
})

test.each([
  ['by name', 'admin', { device_u: 'bobs-phone' }, 100],
  ['by name when the id is not found', 'admin', { device_id: 99, device_u: 'bobs-phone' }, 100],
  ['by id when both name a device', 'rick', { device_id: 200, device_u: 'bobs-phone' }, 200],
  ['for the accountant', 'alice', { device_id: 100 }, 100],
  ['for a partner', 'pat', { device_id: 400 }, 400],
  ['for a reseller whose own it is', 'rick', { device_id: 201 }, 201],
])('finds a device %s', async (_case, caller, params, id) => {
  const world = await aWorldWithDevices()

  expect(await world.call(method, caller, params)).toContain(`<page><id>${id}</id>`)
})

test.each([
  ['nobody in particular', undefined, { device_id: 100 }, 'Access Denied'],
  ['a plain user', 'bob', { device_id: 100 }, 'You are not authorized to view this page'],
  ['neither id nor name', 'admin', {}, 'Device was not found'],
  ['an unknown id', 'admin', { device_id: 99 }, 'Device was not found'],
  ['an id that is not a number', 'admin', { device_id: '1e2' }, 'Device was not found'],
  ['a name in another case', 'admin', { device_u: 'Bobs-phone' }, 'Device was not found'],
  ["a reseller's customer's device, by admin", 'admin', { device_id: 200 }, 'Device was not found'],
  [
    'a foreign id, without falling back to the name',
    'rick',
    { device_id: 100, device_u: '2001' },
    'Device was not found',
  ],
])('refuses %s', async (_case, caller, params, message) => {
  const world = await aWorldWithDevices()

  expect(await world.call(method, caller, params)).toContain(`<page><error>${message}</error></page>`)
})

test.each([
  ['by id', { device_id: 100 }, 3],
  ['by name, past an unknown id', { device_id: 99, device_u: 'bobs-phone' }, 5],
])('costs little %s', async (_case, params, read_units) => {
  const world = await aWorldWithDevices()

  await world.call(method, 'admin', params)

  expect(world.log).toMatchObject([{ outcome: 'answered', read_units }])
})
