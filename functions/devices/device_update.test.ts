import { expect, test } from 'vitest'
import { exampleDevices, people } from '#test/examples/examples.ts'
import { aWorld, type World } from '#test/world.ts'
import { method as deviceCreate } from './device_create.ts'
import { method as detailsGet } from './device_details_get.ts'
import { method } from './device_update.ts'
import { method as devicesGet } from './devices_get.ts'

const UPDATED = '<page><status><success>Device successfully updated</success></status></page>'

const aWorldWithDevices = () => aWorld({ users: people, devices: exampleDevices })

const detailsOf = (world: World, device_id: number) => world.call(detailsGet, 'admin', { device_id })

test.each([
  [{ device_name: 'new.name@host-1$' }, '<name>new.name@host-1$</name><username>new.name@host-1$</username>'],
  [{ username: 'other' }, '<name>other</name><username>other</username>'],
  [{ device_name: 'wins', username: 'loses' }, '<name>wins</name><username>wins</username>'],
  [{ password: 'abcd~!#1' }, '<secret>abcd~!#1</secret>'],
  [{ call_limit: '3' }, '<call_limit>3</call_limit>'],
  [{ call_limit: '' }, '<call_limit>0</call_limit>'],
  [{ call_timeout: '30' }, '<max_timeout>30</max_timeout>'],
  [{ extension: '*9#+' }, '<extension>*9#+</extension>'],
  [{ fromuser: 'x' }, '<fromuser>x</fromuser>'],
  [{ language: 'DE' }, '<language>de</language>'],
  [{ language: '' }, '<language/>'],
  [{ pin: '99' }, '<pin>99</pin>'],
  [{ pin: '' }, '<pin/>'],
  [{ encryption: '1' }, '<encryption>1</encryption>'],
  [{ transport: 'tcp,udp' }, '<transport>tcp,udp</transport>'],
  [{ hidden: '1' }, '<hidden>1</hidden>'],
  [{ comment: '& more' }, '<comment>&amp; more</comment>'],
  [{ callerid_name: 'Robert' }, '<callerid>"Robert" &lt;37000001&gt;</callerid>'],
  [{ callerid_number: '42' }, '<callerid>"Bob" &lt;42&gt;</callerid>'],
  [{ callerid_name: '', callerid_number: '42' }, '<callerid>&lt;42&gt;</callerid>'],
  [{ callerid_name: '', callerid_number: '' }, '<callerid/>'],
])('%j changes its own columns only', async (params, expected) => {
  const world = await aWorldWithDevices()
  const before = await detailsOf(world, 100)

  expect(await world.call(method, 'bob', { device: 100, ...params })).toContain(UPDATED)
  const after = await detailsOf(world, 100)
  expect(after).toContain(expected)
  const unchanged = (body: string) =>
    body.split(/(?=<[a-z])/).filter((element) => !expected.includes(element))
  expect(unchanged(before)).toEqual(expect.arrayContaining(unchanged(after)))
})

test('a request without fields changes nothing', async () => {
  const world = await aWorldWithDevices()
  const before = await detailsOf(world, 100)

  expect(await world.call(method, 'bob', { device: 100 })).toContain(UPDATED)
  expect(await detailsOf(world, 100)).toBe(before)
})

test('the list shows the change', async () => {
  const world = await aWorldWithDevices()

  await world.call(method, 'admin', { device: 100, password: 'new-secret-1', device_name: 'new' })

  expect(await world.call(devicesGet, 'admin', { user_id: 10 })).toContain(
    '<username>new</username><secret>new-secret-1</secret>',
  )
})

test.each([
  ['nobody in particular', undefined, {}, 'Access Denied'],
  ['no device', 'bob', { device: '' }, 'Device was not found'],
  ['an unknown device', 'bob', { device: 12345 }, 'Device was not found'],
  ['a foreign device', 'carol', {}, 'Device was not found'],
  ["a reseller's customer's device, by admin", 'admin', { device: 200 }, 'Device was not found'],
  [
    'name and password that are the same',
    'bob',
    { username: 'same-same', password: 'same-same' },
    'Username and Password cannot be the same',
  ],
  [
    'a password that is the name',
    'bob',
    { password: 'bobs-phone' },
    'Username and Password cannot be the same',
  ],
  [
    'a name that is the password',
    'bob',
    { username: 'bobs-secret-1' },
    'Username and Password cannot be the same',
  ],
  ['a short password', 'bob', { password: 'seven77' }, 'Password_is_too_short'],
  ['an empty password', 'bob', { password: '' }, 'Password_is_too_short'],
  ['a space in a password', 'bob', { password: 'eight 888' }, 'Password has invalid symbols'],
  ['a quote in a password', 'bob', { password: "eight'888" }, 'Password has invalid symbols'],
  ['a letter outside ASCII in a password', 'bob', { password: 'eightäöü8' }, 'Password has invalid symbols'],
  ['an underscore in a name', 'bob', { device_name: 'a_b' }, 'Device name has invalid symbols'],
  ['an empty name', 'bob', { device_name: '' }, 'Device name has invalid symbols'],
  ["another device's name", 'bob', { device_name: 'paulas-phone' }, 'Device name is already used'],
  ['letters in the extension', 'bob', { extension: '12a' }, 'Extension has incorrect format'],
  ["another device's extension", 'bob', { extension: '4001' }, 'Extension is already used'],
  ["another device's name as the extension", 'bob', { extension: '555' }, 'Extension is already used'],
  ['an emergency number', 'bob', { extension: '911' }, 'Extension is an emergency or service number'],
  ['an unknown language', 'bob', { language: 'xx' }, 'Language is invalid'],
  ['letters in the pin', 'bob', { pin: 'x' }, 'Pin must be numeric'],
  [
    'letters in the timeout',
    'bob',
    { call_timeout: 'x' },
    'Device Call Timeout must be greater than or equal to 0',
  ],
  ['letters in the call limit', 'bob', { call_limit: 'x' }, 'Call limit must be a number'],
  ['an unknown transport', 'bob', { transport: 'sctp' }, 'transport is invalid'],
  ['a comment that XML cannot hold', 'bob', { comment: 'a\u0007' }, 'comment has invalid characters'],
  ['a password that XML cannot hold', 'bob', { password: 'abcdefgh\u0007' }, 'Password has invalid symbols'],
  ['an unknown encryption', 'bob', { encryption: '2' }, 'encryption is invalid'],
  ['an unknown hidden', 'bob', { hidden: 'yes' }, 'hidden is invalid'],
  ['a quote in the name of a caller ID', 'bob', { callerid_name: 'Bob "B"' }, 'CallerID name is invalid'],
  ['brackets in the name of a caller ID', 'bob', { callerid_name: 'Bob <1>' }, 'CallerID name is invalid'],
  ['a backslash in the name of a caller ID', 'bob', { callerid_name: 'Bob\\' }, 'CallerID name is invalid'],
  [
    'a caller ID that is too long for a device',
    'bob',
    { callerid_name: 'x'.repeat(4000) },
    'CallerID name is invalid',
  ],
  ['a line feed in the name of a caller ID', 'bob', { callerid_name: 'Bob\n' }, 'CallerID name is invalid'],
  [
    'the name of a caller ID before its number',
    'bob',
    { callerid_name: '<', callerid_number: 'x' },
    'CallerID name is invalid',
  ],
  [
    "a name that is another device's extension",
    'bob',
    { device_name: '4001' },
    'Device name is already used',
  ],
  ['letters in the caller ID', 'bob', { callerid_number: 'x' }, 'callerid_number is invalid'],
  [
    'the first of several',
    'bob',
    { hidden: 'x', pin: 'x', language: 'x', comment: 'stored' },
    'Language is invalid',
  ],
  [
    'a control character in a name after those in other fields',
    'bob',
    { device_name: 'a\u0007', comment: 'a\u0007' },
    'comment has invalid characters',
  ],
  ['a control character in a name', 'bob', { device_name: 'a\u0007' }, 'Device name has invalid symbols'],
  [
    'a name that is used before the form of the extension',
    'bob',
    { device_name: '555', extension: '12a', language: 'xx' },
    'Device name is already used',
  ],
  [
    'an extension before the language',
    'bob',
    { extension: '4001', language: 'xx' },
    'Extension is already used',
  ],
])('refuses %s and stores nothing', async (_case, caller, params, message) => {
  const world = await aWorldWithDevices()
  await world.given({ devices: [{ ...exampleDevices[0], id: '500', name: '555', extension: '5001' }] })

  expect(await world.callInVain(method, caller, { device: 100, ...params })).toContain(
    `<page><status><error>${message}</error></status></page>`,
  )
})

test('short passwords are accepted if the setting allows them', async () => {
  const world = await aWorldWithDevices()
  await world.set({ Allow_short_passwords_in_devices: '1' })

  expect(await world.call(method, 'bob', { device: 100, password: 'x' })).toContain(UPDATED)
})

test('a password that is too short is refused even if it is the stored one', async () => {
  const world = await aWorld({ users: people, devices: [{ ...exampleDevices[0], secret: 'seven77' }] })

  expect(await world.callInVain(method, 'bob', { device: 100, password: 'seven77' })).toContain(
    '<error>Password_is_too_short</error>',
  )
  expect(await world.call(method, 'bob', { device: 100, comment: 'seen to' })).toContain(UPDATED)
})

test('a device may be named after its own extension, also the one it gives up', async () => {
  const world = await aWorldWithDevices()

  expect(await world.call(method, 'bob', { device: 100, device_name: '1001' })).toContain(UPDATED)
  expect(await world.call(method, 'bob', { device: 100, device_name: 'other' })).toContain(UPDATED)
  expect(await world.call(method, 'bob', { device: 100, device_name: '1001', extension: '1500' })).toContain(
    UPDATED,
  )
})

test('a device with IP authentication keeps its name and secret', async () => {
  const world = await aWorld({ users: people, devices: [{ ...exampleDevices[0], authentication: 'ip' }] })

  await world.call(method, 'bob', { device: 100, username: 'x', password: 'y', pin: '5' })

  expect(await detailsOf(world, 100)).toMatch(/<name>bobs-phone<.*<secret>bobs-secret-1<.*<pin>5</)
})

test('authentication, host and port are signed and not stored', async () => {
  const world = await aWorldWithDevices()
  const before = await detailsOf(world, 100)

  expect(
    await world.call(method, 'bob', { device: 100, authentication: '1', host: 'h', port: '9' }),
  ).toContain(UPDATED)
  expect(await detailsOf(world, 100)).toBe(before)
})

test('released names and extensions can be used again, by one device at a time', async () => {
  const world = await aWorldWithDevices()
  await world.call(method, 'bob', { device: 100, device_name: 'renamed', extension: '1500' })
  await world.given({ devices: [{ ...exampleDevices[0], id: '101', name: 'second', extension: '1600' }] })

  const wanted = { device_name: 'bobs-phone', extension: '1001' }
  const answers = await Promise.all([
    world.call(method, 'bob', { device: 100, ...wanted }),
    world.call(method, 'bob', { device: 101, ...wanted }),
  ])

  expect(answers.filter((body) => body.includes(UPDATED))).toHaveLength(1)
  // A batch of reads is not one moment beside a transaction: the other one may see only its extension.
  expect(answers.filter((body) => /(Device name|Extension) is already used/.test(body))).toHaveLength(1)
})

test('a numeric name keeps its number from being handed out', async () => {
  const world = await aWorldWithDevices()
  await world.call(method, 'bob', { device: 100, device_name: '1002' })

  expect(await world.call(deviceCreate, 'bob', { user_id: 10 })).toContain('<username>1003</username>')
})

test.each([
  ['the accountant', 'alice', 100],
  ["the customer's reseller", 'rick', 200],
  ["the customer's partner", 'pat', 400],
])('%s may change a device', async (_case, caller, device) => {
  const world = await aWorldWithDevices()

  expect(await world.call(method, caller, { device, comment: 'seen to' })).toContain(UPDATED)
})

test.each([
  ['Bob Jones <123>', { callerid_name: 'New' }, '"New" &lt;123&gt;'],
  ['Bob Jones <123>', { callerid_number: '9' }, '"Bob Jones" &lt;9&gt;'],
  ['"Bob"<123>', { callerid_number: '9' }, '"Bob" &lt;9&gt;'],
  ['Reception', { callerid_number: '9' }, '"Reception" &lt;9&gt;'],
  ['123', { callerid_name: 'New' }, '"New" &lt;123&gt;'],
  ['', { callerid_name: 'New' }, '"New"'],
  ['"New"', { callerid_number: '9' }, '"New" &lt;9&gt;'],
  ['"Bob" <123>', { callerid_number: '' }, '"Bob"'],
])('with the imported caller ID %s, %j keeps the other half', async (callerid, params, expected) => {
  const world = await aWorld({ users: people, devices: [{ ...exampleDevices[0], callerid }] })

  await world.call(method, 'bob', { device: 100, ...params })

  expect(await detailsOf(world, 100)).toContain(`<callerid>${expected}</callerid>`)
})

test('a password must differ from the login name, even if that differs from the device name', async () => {
  const world = await aWorld({ users: people, devices: [{ ...exampleDevices[0], username: 'loginname1' }] })

  expect(await world.callInVain(method, 'bob', { device: 100, password: 'loginname1' })).toContain(
    '<error>Username and Password cannot be the same</error>',
  )
})
