import { expect, test } from 'vitest'
import { signatureOf } from '#lib/api/signature.ts'
import { serve } from '#lib/api/stack/stack.ts'
import { aContext, anEvent } from '#test/event.ts'
import { exampleDevices, people } from '#test/examples/examples.ts'
import { aWorld, bodyOf, SECRET_KEY, signedForm, type World } from '#test/world.ts'
import { method } from './device_create.ts'
import { method as deviceDelete } from './device_delete.ts'
import { method as detailsGet } from './device_details_get.ts'
import { method as devicesGet } from './devices_get.ts'

const aPeopledWorld = () => aWorld({ users: people })

const textOf = (body: string, tag: string): string =>
  new RegExp(`<${tag}>([^<]*)</${tag}>`).exec(body)?.[1] ?? ''

test('a device is created with a random secret, and is listed at once', async () => {
  const world = await aPeopledWorld()

  const created = await world.call(method, 'admin', { user_id: 10 })

  expect(created).toMatch(
    /<page><status>device_created<\/status><id>1<\/id><username>1001<\/username><password>[A-Za-z0-9]{12}<\/password><\/page>$/,
  )
  expect(await world.call(devicesGet, 'admin', { user_id: 10 })).toContain(
    `<device_id>1</device_id><device_type>SIP</device_type><devicegroup_id>0</devicegroup_id>` +
      `<primary_device>yes</primary_device><username>1001</username><secret>${textOf(created, 'password')}</secret>`,
  )
})

test('every parameter is stored in its column', async () => {
  const world = await aPeopledWorld()

  await world.call(method, 'admin', {
    user_id: 10,
    type: 'iax2',
    extension: '*77#',
    caller_id: '370.5',
    pin: '0042',
    language: 'spanish',
    description: 'desk <&> "x"',
    fromuser: 'from',
    call_timeout: '60',
    devicegroup_id: '7',
  })

  expect(await world.call(detailsGet, 'admin', { device_u: '*77#' })).toContain(
    '<device_type>IAX2</device_type><name>*77#</name><username>*77#</username>',
  )
  const details = await world.call(detailsGet, 'admin', { device_u: '*77#' })
  expect(details).toContain(
    '<extension>*77#</extension><host>dynamic</host><context>mor_local</context><ipaddr/><port>4569</port>',
  )
  expect(details).toContain(
    '<callerid>&lt;370.5&gt;</callerid><devicegroup_id>7</devicegroup_id><primary_device>yes</primary_device>',
  )
  expect(details).toContain(
    '<pin>0042</pin><description>desk &lt;&amp;&gt; "x"</description><comment/><call_limit>0</call_limit>',
  )
  expect(details).toContain(
    '<max_timeout>60</max_timeout><fromuser>from</fromuser><language>es</language><transport>udp</transport>',
  )
  expect(details).toContain('<audio_codecs>alaw, g729</audio_codecs><video_codecs/>')
})

test('a missing pin becomes four random digits; a blank one stays blank', async () => {
  const world = await aPeopledWorld()

  await world.call(method, 'bob', { user_id: 10, extension: '1001' })
  await world.call(method, 'bob', { user_id: 10, extension: '1002', pin: '' })

  expect(await world.call(detailsGet, 'admin', { device_u: '1001' })).toMatch(/<pin>\d{4}<\/pin>/)
  expect(await world.call(detailsGet, 'admin', { device_u: '1002' })).toContain('<pin/>')
})

test.each([
  ['an unknown user', 'admin', { user_id: 12345 }, 'User was not found'],
  ['no user', 'admin', {}, 'User was not found'],
  ['a user_id that is not a number', 'admin', { user_id: 'x' }, 'User was not found'],
  ['nobody in particular', undefined, { user_id: 10 }, 'Bad login'],
  ['a foreign customer', 'rick', { user_id: 10 }, 'Dont_be_so_smart'],
  ['another user', 'bob', { user_id: 20 }, 'Dont_be_so_smart'],
  ['letters in the caller ID', 'bob', { user_id: 10, caller_id: '+370' }, 'CallerID must be numeric'],
  ['an unknown type', 'bob', { user_id: 10, type: 'telex' }, 'Device type invalid'],
  ['letters in the pin', 'bob', { user_id: 10, pin: '12a' }, 'Pin must be numeric'],
  [
    'a negative timeout',
    'bob',
    { user_id: 10, call_timeout: '-1' },
    'Device Call Timeout must be greater than or equal to 0',
  ],
  ['letters in the extension', 'bob', { user_id: 10, extension: 'abc' }, 'Extension has incorrect format'],
  ["another device's extension", 'bob', { user_id: 10, extension: '4001' }, 'Extension is already used'],
  ["another device's name", 'bob', { user_id: 10, extension: '777' }, 'Extension is already used'],
  [
    'an emergency number',
    'bob',
    { user_id: 10, extension: '112' },
    'Extension is an emergency or service number',
  ],
  ['an unknown language', 'bob', { user_id: 10, language: 'klingonese' }, 'Language is invalid'],
  ['a native name of a language', 'bob', { user_id: 10, language: 'Deutsch' }, 'Language is invalid'],
  [
    'a device group that is not a number',
    'bob',
    { user_id: 10, devicegroup_id: 'x' },
    'devicegroup_id is invalid',
  ],
  [
    'characters that XML cannot hold',
    'bob',
    { user_id: 10, description: 'a\u0007' },
    'description has invalid characters',
  ],
  ['a text past any field', 'bob', { user_id: 10, description: 'x'.repeat(5000) }, 'description is invalid'],
])('refuses %s and stores nothing', async (_case, caller, params, message) => {
  const world = await aPeopledWorld()
  await world.given({
    users: people,
    devices: [...exampleDevices, { ...exampleDevices[0], id: '500', name: '777', extension: '5001' }],
  })

  expect(await world.callInVain(method, caller, params)).toContain(`<page><error>${message}</error></page>`)
})

test.each([
  ['a partner for a customer', 'pat', 40],
  ['an accountant for a customer of admin', 'alice', 10],
  ['a reseller for itself', 'rick', 2],
  ['a plain user for itself', 'bob', 10],
])('%s may create a device', async (_case, caller, user_id) => {
  const world = await aPeopledWorld()

  expect(await world.call(method, caller, { user_id })).toContain('device_created')
})

test('an accountant is not told the secret of the device that it creates', async () => {
  const world = await aPeopledWorld()

  expect(await world.call(method, 'alice', { user_id: 10 })).toMatch(
    /<status>device_created<\/status><id>\d+<\/id><username>\d+<\/username><\/page>$/,
  )
})

test('the licence limits the number of devices, also when they are created at the same time', async () => {
  const world = await aPeopledWorld()
  await world.set({ Device_Limit: '2' })

  const answers = await Promise.all(
    Array.from({ length: 4 }, () => world.call(method, 'bob', { user_id: 10 })),
  )

  expect(answers.filter((body) => body.includes('device_created'))).toHaveLength(2)
  expect(answers.filter((body) => body.includes('<error>Device limit is reached</error>'))).toHaveLength(2)
})

test('the licence counts devices that existed before it, but not deleted ones', async () => {
  const world = await aWorld({ users: people, devices: exampleDevices })
  await world.call(method, 'bob', { user_id: 10 })
  await world.set({ Device_Limit: String(exampleDevices.length + 2) })

  const second = await world.call(method, 'bob', { user_id: 10 })
  const third = await world.call(method, 'bob', { user_id: 10 })
  await world.call(deviceDelete, 'bob', { device: 100 })
  const afterDeletion = await world.call(method, 'bob', { user_id: 10 })
  const last = await world.call(method, 'bob', { user_id: 10 })

  expect([second, third, afterDeletion, last].map((body) => textOf(body, 'status'))).toEqual([
    'device_created',
    '',
    'device_created',
    '',
  ])
  expect([third, last].map((body) => textOf(body, 'error'))).toEqual(Array(2).fill('Device limit is reached'))
})

test('simultaneous devices have different ids and extensions, and each customer one primary', async () => {
  const world = await aPeopledWorld()

  const answers = await Promise.all(
    Array.from({ length: 15 }, () => world.call(method, 'bob', { user_id: 10 })),
  )

  const extensions = answers.map((body) => Number(textOf(body, 'username')))
  expect(new Set(extensions).size).toBe(15)
  expect(Math.min(...extensions)).toBe(1001)
  expect(Math.max(...extensions)).toBeLessThan(1001 + 15 + 32)
  expect(new Set(answers.map((body) => textOf(body, 'id'))).size).toBe(15)
  expect((await world.call(devicesGet, 'admin', { user_id: 10 })).match(/<primary_device>yes/g)).toHaveLength(
    1,
  )
})

test.each([
  ['description and pin', ['description', 'pin']],
  ['type and pin, as its own table can be read', ['type', 'pin']],
  ["deployed clients' order", ['user_id', 'description', 'pin', 'type', 'devicegroup_id', 'caller_id']],
] as const)('is signed by %s', async (_case, signs) => {
  const world = await aPeopledWorld()
  const params = { u: 'bob', user_id: '10', description: 'office', pin: '1234', type: 'SIP', caller_id: '5' }
  const hash = signatureOf(params, { signs }, SECRET_KEY)

  const answer = await world.send(method, { body: new URLSearchParams({ ...params, hash }).toString() })

  expect(answer.body).toContain('device_created')
})

test.each([
  ['type and pin, while no type is sent', { pin: '1234' }, ['pin']],
  ['the key alone, while a type is sent blank', { type: '' }, []],
  ['the key alone, while no account is named', { user_id: '' }, []],
] as const)('is not signed by %s, which would leave sent values unsigned', async (_case, rest, signs) => {
  const world = await aPeopledWorld()
  const params = { u: 'bob', user_id: '10', description: 'office', ...rest }
  const hash = signatureOf(params, { signs }, SECRET_KEY)

  const answer = await world.send(method, { body: new URLSearchParams({ ...params, hash }).toString() })

  expect(answer.body).toContain('Incorrect hash')
})

test('a creation takes six round trips and twelve write units for any number of devices', async () => {
  const world = await aPeopledWorld()

  for (const _ of Array(33)) await world.call(method, 'bob', { user_id: 10 })

  expect(world.log).toEqual(
    Array(33).fill(expect.objectContaining({ round_trips: 6, write_units: 12, read_units: 8 })),
  )
})

test('an interrupted creation leaves nothing but an unused id', async () => {
  const world = await aPeopledWorld()
  const before = await world.dump()
  const openStore: World['services']['openStore'] = (meter) => ({
    ...world.services.openStore(meter),
    transact: () => Promise.reject(new Error('the connection broke')),
  })

  const answer = await serve(method, { ...world.services, openStore })(
    anEvent({ body: signedForm(method, { u: 'bob', user_id: 10 }) }),
    aContext(),
  )

  expect(answer).toMatchObject({
    statusCode: 500,
    body: expect.stringContaining('<error>Internal error</error>'),
  })
  expect(await world.dump()).toEqual(expect.arrayContaining(before))
  const added = (await world.dump()).filter(({ PK }) => !before.some((old) => old.PK === PK))
  expect(added.map(({ PK }) => PK)).toEqual(['ID#device'])
  expect(await world.call(method, 'bob', { user_id: 10 })).toContain('<username>1001</username>')
})

test('a former owner cannot create a device for an account that changes owner meanwhile', async () => {
  const world = await aPeopledWorld()
  const carol = people.filter(({ username }) => username === 'carol')
  let moved = false
  const openStore: typeof world.services.openStore = (meter) => {
    const store = world.services.openStore(meter)
    const transact: typeof store.transact = async (changes) => {
      if (!moved) await world.given({ users: carol.map((user) => ({ ...user, owner_id: '3' })) })
      moved = true
      return store.transact(changes)
    }
    return { ...store, transact }
  }
  const body = signedForm(method, { u: 'rick', user_id: 20 })

  const answer = await serve(method, { ...world.services, openStore })(anEvent({ body }), aContext())

  expect(bodyOf(answer)).toContain('<error>Dont_be_so_smart</error>')
  expect(await world.call(devicesGet, 'rita', { user_id: 20 })).toContain('Device not found')
})
