import { createHash } from 'node:crypto'
import { DateTime } from 'luxon'
import { expect, test } from 'vitest'
import { signatureOf } from '#lib/api/signature.ts'
import { callsListedIn, totalIn } from '#test/answers/printed.ts'
import { people } from '#test/examples/examples.ts'
import { aWorldWithCalls, EVERYONE_TODAY, listedCall, NOON_SECONDS } from '#test/examples/listed-calls.ts'
import { aWorld, bodyOf, SECRET_KEY } from '#test/world.ts'
import { method } from './user_calls_get.ts'

test("admin sees all columns of a customer's calls of today", async () => {
  const world = await aWorldWithCalls()

  expect(await world.call(method, 'admin', { s_user: 10 })).toBe(
    '<?xml version="1.0" encoding="UTF-8"?><page><pagename>Calls</pagename><language>en</language><error_msg/>' +
      '<userid>0</userid><username>admin</username><total_calls>2</total_calls><currency>USD</currency>' +
      '<calls_stat><period><period_start>2026-03-10 00:00:00</period_start>' +
      '<period_end>2026-03-10 23:59:59</period_end></period>' +
      '<show_user>10</show_user><show_device>all</show_device><show_status>all</show_status><calls>' +
      '<call><calldate2>2026-03-10 09:00:00</calldate2><timezone>GMT +00:00</timezone><src>37000001</src>' +
      '<dst>12025550199</dst><disposition>ANSWERED</disposition><billsec>61</billsec>' +
      '<nice_billsec>61</nice_billsec><user_rate>0.987</user_rate><user_price>10.0</user_price>' +
      '<provider_id>6</provider_id><provider_rate>0.5</provider_rate>' +
      '<provider_price>0.0000001</provider_price><reseller_price/><hangupcause>16</hangupcause>' +
      '<uniqueid>bob-1</uniqueid></call>' +
      '<call><calldate2>2026-03-10 10:00:00</calldate2><timezone>GMT +00:00</timezone><src>37000001</src>' +
      '<dst>+37 (0) 5</dst><disposition>BUSY</disposition><billsec>61</billsec>' +
      '<nice_billsec>61</nice_billsec><user_rate/><user_price>0.0</user_price>' +
      '<provider_id>5</provider_id><provider_rate/><provider_price/><reseller_price/>' +
      '<hangupcause>17</hangupcause><uniqueid>bob-2</uniqueid></call>' +
      '</calls></calls_stat></page>',
  )
})

test("a plain user sees neither providers nor its owner's prices", async () => {
  const world = await aWorldWithCalls()

  const answer = await world.call(method, 'bob')

  expect(callsListedIn(answer)).toEqual(['bob-1', 'bob-2'])
  expect(answer).not.toMatch(/provider|reseller/)
})

test('without calls there is no <calls>', async () => {
  const world = await aWorld({ users: people })

  expect(await world.call(method, 'bob')).toContain(
    '<total_calls>0</total_calls><currency>USD</currency><calls_stat><period><period_start>2026-03-10 00:00:00' +
      '</period_start><period_end>2026-03-10 23:59:59</period_end></period><show_user>all</show_user>' +
      '<show_device>all</show_device><show_status>all</show_status></calls_stat></page>',
  )
})

test.each([
  ['admin, naming nobody', 'admin', {}, EVERYONE_TODAY],
  ['admin, all', 'admin', { s_user: 'all' }, EVERYONE_TODAY],
  ['admin, blank', 'admin', { s_user: '' }, EVERYONE_TODAY],
  ["admin, a reseller's customer", 'admin', { s_user: 20 }, ['carol-1']],
  ["admin, a reseller: the reseller's own calls", 'admin', { s_user: 2 }, ['rick-1']],
  ['accountant', 'alice', {}, EVERYONE_TODAY],
  ['accountant, one customer', 'alice', { s_user: 30 }, ['dave-1']],
  ['reseller: its customers and itself', 'rick', {}, ['carol-1', 'rick-1']],
  ['reseller, all', 'rick', { s_user: 'ALL' }, ['carol-1', 'rick-1']],
  ['reseller, itself', 'rick', { s_user: 2 }, ['rick-1']],
  ['reseller, a customer', 'rick', { s_user: ' 20 ' }, ['carol-1']],
  ['partner', 'pat', { period_start: NOON_SECONDS - 86_400 }, ['paula-1']],
  ['user', 'carol', {}, ['carol-1']],
  ['user, naming itself', 'carol', { s_user: 20 }, ['carol-1']],
  ['user, all', 'carol', { s_user: 'all' }, ['carol-1']],
  ['user, naming somebody else: its own', 'carol', { s_user: 10 }, ['carol-1']],
  ['user, naming what is not a number: its own', 'carol', { s_user: 'bob' }, ['carol-1']],
])('scope: %s', async (_case, caller, params, expected) => {
  const world = await aWorldWithCalls()

  const answer = await world.call(method, caller, params)

  expect(callsListedIn(answer)).toEqual(expected)
  expect(totalIn(answer)).toBe(expected.length)
})

test.each([
  ['nobody', undefined, {}, 'Dont_be_so_smart'],
  ['a blocked account', 'ben', {}, 'Dont_be_so_smart'],
  ['an unknown customer', 'admin', { s_user: 12345 }, 'User was not found'],
  ['no number', 'admin', { s_user: 'bob' }, 'User was not found'],
  ['no number, by the accountant', 'alice', { s_user: '1e1' }, 'User was not found'],
  ["another owner's customer, by a reseller", 'rick', { s_user: 30 }, 'User was not found'],
  ['admin, by a reseller', 'rick', { s_user: 0 }, 'User was not found'],
  ['a foreign customer, by a partner', 'pat', { s_user: 10 }, 'User was not found'],
  ['another order', 'admin', { order_by: 'price' }, 'order_by is not supported'],
  ['the other direction', 'admin', { order_desc: '1' }, 'order_desc is not supported'],
  ['calls by DID', 'admin', { s_did: '5' }, 's_did is not supported'],
  ['calls to DIDs only', 'admin', { only_did: '1' }, 'only_did is not supported'],
  ['a callback', 'admin', { s_callback_uniqueid: 'x' }, 's_callback_uniqueid is not supported'],
  ['a codec', 'admin', { originator_codec_name: 'alaw' }, 'originator_codec_name is not supported'],
  ['the other codec', 'bob', { terminator_codec_name: 'alaw' }, 'terminator_codec_name is not supported'],
  ['letters in a destination', 'admin', { s_destination: '37a' }, 's_destination is not supported'],
  ['a foreign unique id and customer', 'rick', { s_user: 30, s_uniqueid: 'dave-1' }, 'User was not found'],
])('refuses %s', async (_case, caller, params, message) => {
  const world = await aWorldWithCalls()

  expect(await world.call(method, caller, params)).toContain(`<page><error>${message}</error></page>`)
})

test.each([
  ['rick', 'dave-1'],
  ['pat', 'bob-1'],
  ['bob', 'carol-1'],
])('%s does not see a foreign call by its unique id', async (caller, s_uniqueid) => {
  const world = await aWorldWithCalls()

  expect(totalIn(await world.call(method, caller, { s_uniqueid }))).toBe(0)
})

test('the value s_user=all may be signed or not; every other value must be signed', async () => {
  const world = await aWorldWithCalls()
  const sign = (raw: Record<string, string>, signs: never[]) =>
    world.send(method, {
      body: new URLSearchParams({ ...raw, hash: signatureOf(raw, { signs }, SECRET_KEY) }).toString(),
    })
  const withUser = ['s_user', 's_device'] as never[]
  const without = ['s_device'] as never[]

  const all = { u: 'admin', s_user: 'all', s_device: '100' }
  expect(totalIn(bodyOf(await sign(all, withUser)))).toBe(3)
  expect(totalIn(bodyOf(await sign(all, without)))).toBe(3)
  expect(bodyOf(await sign({ ...all, s_user: '10' }, without))).toContain('Incorrect hash')
})

test('requests of deployed clients are accepted, with all signed or not', async () => {
  const world = await aWorldWithCalls()
  const sent = {
    period_start: String(NOON_SECONDS - 86_400),
    period_end: String(NOON_SECONDS),
    s_user: 'all',
    s_call_type: 'all',
    s_device: 'all',
    s_provider: 'all',
    s_hgc: '17',
    s_did: 'all',
    s_destination: '',
    order_by: 'time',
    order_desc: '0',
    only_did: '0',
    s_uniqueid: '',
    s_callback_uniqueid: '',
    originator_codec_name: '',
    terminator_codec_name: '',
  }
  const send = async (values: readonly string[]) => {
    const hash = createHash('sha1')
      .update(values.join('') + SECRET_KEY)
      .digest('hex')
    return bodyOf(
      await world.send(method, { body: new URLSearchParams({ u: 'admin', ...sent, hash }).toString() }),
    )
  }
  const { s_user: _, ...withoutUser } = sent

  expect(callsListedIn(await send(Object.values(sent)))).toEqual(['bob-2'])
  expect(callsListedIn(await send(Object.values(withoutUser)))).toEqual(['bob-2'])
  expect(await send(Object.values({ ...sent, s_hgc: '' }))).toContain('Incorrect hash')
})

test.each([
  ['Pacific/Auckland', '2026-04-05', 25],
  ['Pacific/Auckland', '2026-09-27', 23],
  ['America/New_York', '2026-03-08', 23],
  ['America/New_York', '2026-11-01', 25],
  ['Asia/Kathmandu', '2026-03-10', 24],
])('in %s today, %s, has %i hours', async (zone, day, hours) => {
  const world = await aWorld({}, { Timezone: zone })
  const start = DateTime.fromISO(day, { zone }).startOf('day').toUnixInteger()
  const end = start + hours * 3600
  const at = (moment: number) => new Date(moment * 1000).toISOString()
  await world.given({
    users: people,
    calls: [start - 1, start, end - 1, end].map((moment, index) =>
      listedCall(`c${index}`, { calldate: at(moment), billsec: '1' }),
    ),
  })
  world.now = new Date((start + hours * 1800) * 1000)

  const answer = await world.call(method, 'bob')

  expect(callsListedIn(answer)).toEqual(['c1', 'c2'])
  expect(answer).toContain(
    `<period_start>${day} 00:00:00</period_start><period_end>${day} 23:59:59</period_end>`,
  )
  const printed = [...answer.matchAll(/<calldate2>(.*?)<\/calldate2><timezone>(.*?)<\/timezone>/g)]
  expect(printed.map(([, dateTime, offset]) => [dateTime, offset])).toEqual(
    [start, end - 1].map((moment) => {
      const local = DateTime.fromSeconds(moment, { zone })
      return [local.toFormat('yyyy-MM-dd HH:mm:ss'), `GMT ${local.toFormat('ZZ')}`]
    }),
  )
})

test("one customer's day costs the read units of its calls", async () => {
  const world = await aWorld({
    users: people,
    calls: Array.from({ length: 300 }, (_, n) => listedCall(`call-${n}`)),
  })
  const items = (await world.dump()) as Record<string, unknown>[]
  const bytes = items
    .filter(({ PK }) => String(PK).startsWith('CALL#'))
    .reduce<number>((sum, item) => sum + sizeOf(item), 0)

  await world.call(method, 'admin', { s_user: 10 })

  const [{ read_units } = {}] = world.log
  const FIXED = 2 + 1 + 1
  expect(Number(read_units) - FIXED).toBeLessThanOrEqual((bytes / 8192) * 1.1 + 0.5)
})

/** The approximate size that DynamoDB bills. */
const sizeOf = (item: Readonly<Record<string, unknown>>): number =>
  Object.entries(item).reduce((sum, [name, value]) => sum + name.length + String(value).length, 0)

test('a unique id reads one call', async () => {
  const world = await aWorldWithCalls()

  await world.call(method, 'rick', { s_uniqueid: 'carol-1' })

  expect(world.log).toMatchObject([{ read_units: 3 }])
})

test('a period of 8,000 years costs only the days that have calls', async () => {
  const world = await aWorldWithCalls()

  await world.call(method, 'bob', { period_start: 0, period_end: 253_402_300_799 })

  expect(world.log).toMatchObject([{ round_trips: 3, read_units: 3.5 }])
})

test("a customer's calls under a former owner are neither listed nor counted for the next one", async () => {
  const world = await aWorldWithCalls()
  const carol = people.filter(({ username }) => username === 'carol')
  await world.given({
    users: carol.map((user) => ({ ...user, owner_id: '3' })),
    calls: [listedCall('carol-2', { user_id: '20', owner_id: '3', reseller_price: '0.5' })],
  })

  for (const params of [{ s_user: 20 }, { s_user: 20, s_uniqueid: 'carol-1' }]) {
    expect(await world.call(method, 'rita', params)).not.toContain('0.25')
  }
  expect(await world.call(method, 'rita', { s_user: 20 })).toContain('<total_calls>1</total_calls>')
  expect(await world.call(method, 'admin', { s_user: 20 })).toContain('<total_calls>2</total_calls>')
  expect(await world.call(method, 'carol', { s_user: 20 })).toContain('<total_calls>2</total_calls>')
})

test('refusing a foreign account costs the same as refusing an unknown one', async () => {
  const world = await aWorldWithCalls()

  for (const s_user of [30, 999]) await world.call(method, 'rick', { s_user })

  const [foreign, unknown] = world.log
  expect(foreign).toMatchObject({ refusal: 'User was not found', round_trips: 1 })
  expect(unknown).toMatchObject({ refusal: 'User was not found', round_trips: 1 })
})
