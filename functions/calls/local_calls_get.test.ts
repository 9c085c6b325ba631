import { expect, test } from 'vitest'
import { serve } from '#lib/api/stack/stack.ts'
import { aContext, anEvent } from '#test/event.ts'
import { exampleDevices, people } from '#test/examples/examples.ts'
import { aWorld, bodyOf, signedForm, type World } from '#test/world.ts'
import { method } from './local_calls_get.ts'

/** Bob, a customer of admin, calls Carol, a customer of Rick. */
const bobToCarol = {
  uniqueid: '1773144000.1',
  calldate: '2026-03-10 09:00:00',
  originator_user_id: '10',
  originator_device: 'SIP/bobs-phone',
  originator_caller_id: '"Bob" <1001>',
  orignator_ip: '192.0.2.10',
  orignator_channel: 'SIP/bobs-phone-1',
  terminator_user_id: '20',
  terminator_user: 'carol',
  terminator_device: 'SIP/2001',
  terminator_ip: '192.0.2.20',
}
const call = (uniqueid: string, columns: Record<string, string>) => ({
  uniqueid,
  calldate: '2026-03-10 10:00:00',
  originator_caller_id: uniqueid,
  ...columns,
})
const daveToDave = call('dave', { originator_user_id: '30', terminator_user_id: '30' })
const rickToCarol = call('rick', { originator_user_id: '2', terminator_user_id: '20' })
const paulaToPat = call('paula', { originator_user_id: '40', terminator_user_id: '4' })

const calls = [{ ...bobToCarol, originator_caller_id: 'bob' }, daveToDave, rickToCarol, paulaToPat]

async function aWorldWith(...local_calls: Record<string, string>[]): Promise<World> {
  const world = await aWorld({ users: people, devices: exampleDevices, local_calls })
  return world
}

const who = (answer: string) =>
  [...answer.matchAll(/<originator_caller_id>(\w+)/g)].map(([, caller]) => caller)

const seconds = (moment: string) => Date.parse(moment) / 1000

test('a call prints its fields, with the misspelled names, and the date with its zone', async () => {
  const world = await aWorldWith(bobToCarol)

  expect(await world.call(method, 'admin')).toBe(
    '<?xml version="1.0" encoding="UTF-8"?><page><local_calls><call>' +
      '<calldate><date>2026-03-10 09:00:00</date><timezone>GMT +00:00</timezone></calldate>' +
      '<originator_device>SIP/bobs-phone</originator_device>' +
      '<originator_caller_id>"Bob" &lt;1001&gt;</originator_caller_id>' +
      '<orignator_ip>192.0.2.10</orignator_ip><orignator_channel>SIP/bobs-phone-1</orignator_channel>' +
      '<terminator_user>carol</terminator_user><terminator_device>SIP/2001</terminator_device>' +
      '<terminator_ip>192.0.2.20</terminator_ip></call></local_calls></page>',
  )
})

test('a terminator without a name is printed as its account; blank fields are empty', async () => {
  const world = await aWorldWith(call('x', { terminator_user_id: '10' }))

  expect(await world.call(method, 'admin')).toContain(
    '<originator_device/><originator_caller_id>x</originator_caller_id><orignator_ip/><orignator_channel/>' +
      '<terminator_user>Bob Brown</terminator_user><terminator_device/><terminator_ip/></call>',
  )
})

test.each([
  ['admin', {}, ['bob', 'dave', 'paula', 'rick']],
  ['alice', {}, ['bob', 'dave', 'paula', 'rick']],
  ['rick', { s_userid: 2 }, ['rick']],
  ['rick', {}, ['bob', 'rick']],
  ['rita', {}, ['dave']],
  ['bob', {}, ['bob']],
  ['carol', {}, ['bob', 'rick']],
  ['carol', { s_userid: 10 }, ['bob', 'rick']],
  ['dave', {}, ['dave']],
  ['admin', { s_userid: 2 }, ['rick']],
  ['alice', { s_userid: 10 }, ['bob']],
  ['rick', { s_userid: 20 }, ['bob', 'rick']],
  ['rick', { s_user: 20 }, ['bob', 'rick']],
  ['rick', { s_userid: '', s_user: 20 }, ['bob', 'rick']],
  ['admin', { s_userid: 10, s_user: 99 }, ['bob']],
])('%s with %j sees calls from and to its accounts, by time: %s', async (caller, params, expected) => {
  const world = await aWorldWith(...calls)

  expect(who(await world.call(method, caller, params))).toEqual(expected)
})

test.each([
  ['nobody in particular', undefined, {}, 'Access Denied'],
  ['an unknown account', 'mallory', {}, 'Access Denied'],
  ['a blocked account', 'ben', {}, 'Access Denied'],
  ['a partner', 'pat', {}, 'Access Denied'],
  [
    'a from that is not a number',
    'admin',
    { from: 'x', till: 'x', s_userid: 99 },
    'From must be valid timestamp',
  ],
  ['a from below 0', 'admin', { from: '-1' }, 'From must be valid timestamp'],
  ['a from past 9999', 'admin', { from: '253402300800' }, 'From must be valid timestamp'],
  [
    'a till that is not a number',
    'bob',
    { from: 2, till: '1.5', s_userid: 99 },
    'Till must be valid timestamp',
  ],
  [
    'a period that ends first',
    'rick',
    { from: 2, till: 1, s_userid: 99 },
    'Date from is greater than date till',
  ],
  ['a from after today', 'alice', { from: 4_000_000_000 }, 'Date from is greater than date till'],
  ['an unknown user', 'admin', { s_userid: 99 }, 'User was not found'],
  ['a user that is not a number', 'admin', { s_userid: 'bob' }, 'User was not found'],
  ["a reseller's customer, by admin", 'admin', { s_userid: 20 }, 'User was not found'],
  ["another's customer", 'rick', { s_userid: 30 }, 'User was not found'],
  ["another's customer, by its other name", 'rick', { s_user: 30 }, 'User was not found'],
  ['no calls, for a user', 'dave', { till: seconds('2026-03-10T09:00:00Z') }, 'No calls...'],
  ['no calls of a customer', 'admin', { s_userid: 1 }, 'No calls...'],
  ['no calls, for an accountant', 'alice', { till: 1, from: 1 }, 'No calls...'],
])('refuses %s', async (_case, caller, params, message) => {
  const world = await aWorldWith(...calls)

  expect(await world.call(method, caller, params)).toContain(`<page><error>${message}</error></page>`)
})

test('the admin named admin signs only the key, every other caller u', async () => {
  const world = await aWorldWith(bobToCarol)
  const over = async (signs: 'u'[], u: string) =>
    bodyOf(await world.send(method, { body: signedForm({ hashOrders: [{ signs }] }, { u }) }))

  expect(await over([], 'admin')).toContain('<local_calls>')
  expect(await over(['u'], 'admin')).toContain('Incorrect hash')
  expect(await over([], 'bob')).toContain('Incorrect hash')
  expect(await over(['u'], 'bob')).toContain('<local_calls>')
})

test.each([
  ['both ends belong to the period', '2026-03-10T09:00:00Z', '2026-03-10T10:00:00Z', ['bob', 'rick']],
  ['a second later it begins without the first', '2026-03-10T09:00:01Z', '2026-03-10T10:00:00Z', ['rick']],
  ['a second earlier it ends without the last', '2026-03-10T09:00:00Z', '2026-03-10T09:59:59Z', ['bob']],
])('%s', async (_case, from, till, expected) => {
  const world = await aWorldWith(...calls)

  expect(who(await world.call(method, 'carol', { from: seconds(from), till: seconds(till) }))).toEqual(
    expected,
  )
})

test('a missing end of the period is that of today', async () => {
  const world = await aWorldWith(
    call('yesterday', { originator_user_id: '10', calldate: '2026-03-09 23:59:59' }),
    call('today', { originator_user_id: '10', calldate: '2026-03-10 23:59:59' }),
    call('tomorrow', { originator_user_id: '10', calldate: '2026-03-11 00:00:00' }),
  )

  expect(who(await world.call(method, 'bob', { from: 0 }))).toEqual(['yesterday', 'today'])
  expect(who(await world.call(method, 'bob', { till: 4_000_000_000 }))).toEqual(['today', 'tomorrow'])
  expect(who(await world.call(method, 'bob', { from: '', till: ' ' }))).toEqual(['today'])
})

test.each([
  ['UTC', '2026-03-10T12:00:00Z', '2026-03-10T00:00:00Z', 24, '+00:00'],
  ['America/New_York, a day of 23 hours', '2026-03-08T12:00:00Z', '2026-03-08T05:00:00Z', 23, '-05:00'],
  ['America/New_York, a day of 25 hours', '2026-11-01T12:00:00Z', '2026-11-01T04:00:00Z', 25, '-04:00'],
  ['Europe/Vilnius, a day of 23 hours', '2026-03-29T12:00:00Z', '2026-03-28T22:00:00Z', 23, '+02:00'],
  ['Europe/Vilnius, a day of 25 hours', '2026-10-25T12:00:00Z', '2026-10-24T21:00:00Z', 25, '+03:00'],
  ['Pacific/Kiritimati', '2026-03-10T12:00:00Z', '2026-03-10T10:00:00Z', 24, '+14:00'],
])('today in %s', async (zone, now, begins, hours, offset) => {
  const start = seconds(begins)
  const moments = {
    before: start - 1,
    first: start,
    last: start + hours * 3600 - 1,
    after: start + hours * 3600,
  }
  const world = await aWorld()
  world.now = new Date(now)
  await world.given({
    users: people,
    local_calls: Object.entries(moments).map(([uniqueid, at]) =>
      call(uniqueid, { originator_user_id: '10', calldate: new Date(at * 1000).toISOString() }),
    ),
  })
  await world.set({ Timezone: zone.split(',')[0] ?? '' })
  const answer = await world.call(method, 'bob')

  expect(who(answer)).toEqual(['first', 'last'])
  expect(answer).toContain(`00:00:00</date><timezone>GMT ${offset}</timezone>`)
  expect(answer).toContain('23:59:59</date>')
})

test('a period of 8,000 years costs only the days that have calls: three round trips', async () => {
  const world = await aWorldWith(
    call('first', { originator_user_id: '10', calldate: '1970-01-01 00:00:00' }),
    call('last', { originator_user_id: '10', calldate: '9999-12-31 23:59:59' }),
  )
  const ever = { from: 0, till: 253_402_300_799 }
  const answer = await world.call(method, 'rick', { ...ever, s_userid: 20 })

  expect(answer).toContain('No calls...')
  expect(who(await world.call(method, 'bob', ever))).toEqual(['first', 'last'])
  expect(who(await world.call(method, 'admin', { ...ever, s_userid: 10 }))).toEqual(['first', 'last'])
  const [fixed, account, counters, twoDays] = [2, 1, 0.5, 1]
  expect(world.log).toMatchObject([
    { round_trips: 2, read_units: fixed + account + counters },
    { round_trips: 3, read_units: fixed + counters + twoDays },
    { round_trips: 3, read_units: fixed + account + counters + twoDays },
  ])
})

test('a long period is listed in order of time over all of its days', async () => {
  const days = Array.from({ length: 40 }, (_, day) => String(day))
  const world = await aWorldWith(
    ...days.map((day) =>
      call(day, {
        originator_user_id: '10',
        calldate: new Date(Date.UTC(2026, 0, 1 + Number(day))).toISOString(),
      }),
    ),
  )

  expect(who(await world.call(method, 'bob', { from: 0 }))).toEqual(days)
  expect(world.log).toMatchObject([{ round_trips: 7 }])
})

test('an answer that the transport cannot carry is refused before the first byte', async () => {
  const world = await aWorldWith(...calls)
  const narrow = { ...world.services, transport: { streams: false, maxBytes: 900 } }
  const body = signedForm(method, { u: 'carol' })

  expect(bodyOf(await serve(method, narrow)(anEvent({ body }), aContext()))).toContain(
    'The answer is too large: ask for less, or accept gzip',
  )
})

test("a reseller does not see a customer's calls under another owner", async () => {
  const world = await aWorldWith(bobToCarol)
  const carol = people.filter(({ username }) => username === 'carol')
  await world.given({ users: carol.map((user) => ({ ...user, owner_id: '3' })) })
  expect(await world.call(method, 'rita', { s_userid: 20 })).toContain('No calls')

  await world.given({ local_calls: [call('new', { originator_user_id: '20', terminator_user_id: '10' })] })

  expect(who(await world.call(method, 'rita', { s_userid: 20 }))).toEqual(['new'])
})
