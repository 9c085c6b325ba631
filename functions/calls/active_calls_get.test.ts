import { expect, test } from 'vitest'
import { findDevice } from '#lib/devices/device-stored.ts'
import { deleteDevice } from '#lib/devices/device-writing.ts'
import { elementTexts } from '#test/answers/printed.ts'
import { exampleDevices, people } from '#test/examples/examples.ts'
import { aWorld, bodyOf, signedForm, type World } from '#test/world.ts'
import { method } from './active_calls_get.ts'

/** Bob (admin's) calls Carol (Rick's), and has been talking to her for a minute and a half. */
const bobToCarol = {
  id: '1',
  start_time: '2026-03-10 11:58:20',
  answer_time: '2026-03-10 11:58:30',
  src: '1001',
  user_id: '10',
  device_id: '100',
  localized_dst: '2001',
  dst_user_id: '20',
  dst_device_id: '200',
  destination_name: 'Carol & Co',
  provider_name: 'Carrier',
  channel: 'SIP/bobs-phone-1',
}

/** Dave (Rita's) rings somebody out there. */
const daveOut = {
  id: '2',
  start_time: '2026-03-10 11:59:50',
  src: '3001',
  user_id: '30',
  localized_dst: '37060000000',
}

/** Rick calls his own customer Carol. */
const rickToCarol = {
  id: '3',
  start_time: '2026-03-10 11:00:00',
  user_id: '2',
  device_id: '201',
  dst_user_id: '20',
}

async function aWorldInCall(): Promise<World> {
  const world = await aWorld(
    { users: people, devices: exampleDevices, active_calls: [bobToCarol, daveOut, rickToCarol] },
    { Show_Active_Calls_for_Users: '1' },
  )
  return world
}

const idsIn = (answer: string) => elementTexts(answer, 'id')

test('admin sees every field of a call', async () => {
  const world = await aWorld({ users: people, devices: exampleDevices, active_calls: [bobToCarol] })

  expect(await world.call(method, 'admin')).toBe(
    '<?xml version="1.0" encoding="UTF-8"?><page><active_call><id>1</id><status>Answered</status>' +
      '<answer_time>11:58:30</answer_time><duration>00:01:30</duration><src>1001</src><user>Bob Brown</user>' +
      '<device_name>SIP/bobs-phone</device_name><localized_dst>2001</localized_dst><dst_user>carol</dst_user>' +
      '<dst_device_name>SIP/2001</dst_device_name><destination_name>Carol &amp; Co</destination_name>' +
      '<provider_name>Carrier</provider_name><channel>SIP/bobs-phone-1</channel></active_call></page>',
  )
})

test('a call that rings has no answer time and no duration', async () => {
  const world = await aWorld({ users: people, active_calls: [daveOut] })

  expect(await world.call(method, 'admin')).toContain(
    '<page><active_call><id>2</id><status>Ringing</status><answer_time/><duration>00:00:00</duration>' +
      '<src>3001</src><user>dave</user><device_name/><localized_dst>37060000000</localized_dst><dst_user/>' +
      '<dst_device_name/><destination_name/><provider_name/><channel/></active_call></page>',
  )
})

test.each([
  ['admin', true, true],
  ['alice', true, false],
  ['rick', false, false],
  ['bob', false, false],
])('%s: provider_name %s, channel %s; what may not be seen is absent', async (caller, provider, channel) => {
  const world = await aWorldInCall()
  const answer = await world.call(method, caller)

  expect(answer.includes('provider_name')).toBe(provider)
  expect(answer.includes('channel')).toBe(channel)
})

test.each([
  ['admin', ['3', '1', '2']],
  ['alice', ['3', '1', '2']],
  ['rick', ['3', '1']],
  ['rita', ['2']],
  ['bob', ['1']],
  ['carol', ['3', '1']],
  ['dave', ['2']],
])('%s sees, oldest first and each once: %s', async (caller, ids) => {
  const world = await aWorldInCall()

  expect(idsIn(await world.call(method, caller))).toEqual(ids)
})

test.each([
  ['nobody in particular', undefined, 'Access Denied'],
  ['an unknown account', 'mallory', 'Access Denied'],
  ['a blocked account', 'ben', 'Access Denied'],
  ['a partner', 'pat', 'You are not authorized to use this functionality'],
])('refuses %s', async (_case, caller, message) => {
  const world = await aWorldInCall()

  expect(await world.call(method, caller)).toContain(`<page><error>${message}</error></page>`)
})

test('a plain user sees its calls only where the setting allows it', async () => {
  const world = await aWorldInCall()
  await world.set({ Show_Active_Calls_for_Users: 'no' })

  expect(await world.call(method, 'bob')).toContain(
    '<page><error>You are not authorized to use this functionality</error></page>',
  )
})

test.each(['admin', 'alice', 'rick', 'bob'])(
  'no calls are a message, not an error, for %s',
  async (caller) => {
    const world = await aWorld({ users: people }, { Show_Active_Calls_for_Users: '1' })

    expect(await world.call(method, caller)).toContain('<page><message>No_data_found</message></page>')
  },
)

test('there is no exception for admin in the signature', async () => {
  const world = await aWorldInCall()
  const overTheKeyAlone = signedForm({ hashOrders: [{ signs: [] }] }, { u: 'admin' })

  expect(bodyOf(await world.send(method, { body: overTheKeyAlone }))).toContain('Incorrect hash')
})

test('times are in the zone of the installation', async () => {
  const world = await aWorldInCall()
  await world.set({ Timezone: 'Asia/Kolkata' })

  expect(await world.call(method, 'bob')).toContain(
    '<answer_time>17:28:30</answer_time><duration>00:01:30</duration>',
  )
})

test('after 24 hours a call is hidden, even where the table still has it', async () => {
  const world = await aWorldInCall()
  world.now = new Date('2026-03-11T11:58:20Z')

  expect(idsIn(await world.call(method, 'admin'))).toEqual(['1', '2'])

  world.now = new Date('2026-03-11T11:58:21Z')

  expect(idsIn(await world.call(method, 'admin'))).toEqual(['2'])
})

test('the name of a device that was deleted during the call is empty', async () => {
  const world = await aWorldInCall()
  const device = await findDevice(world.store, 100)
  if (device) await deleteDevice(world.store, device)

  expect(await world.call(method, 'bob')).toContain('<user>Bob Brown</user><device_name/>')
})

test('three round trips: the calls, and one read for each distinct account and device', async () => {
  const world = await aWorld()
  const calls = Array.from({ length: 50 }, (_, n) => ({ ...bobToCarol, id: String(n) }))
  await world.given({ users: people, devices: exampleDevices, active_calls: calls })

  await world.call(method, 'admin')

  const [fixed, shardsOfTheList, accountsAndDevices] = [2, 2, 4]
  expect(world.log).toMatchObject([
    { round_trips: 3, read_units: fixed + shardsOfTheList + accountsAndDevices },
  ])
})
