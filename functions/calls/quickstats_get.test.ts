import { expect, test } from 'vitest'
import { signatureOf } from '#lib/api/signature.ts'
import { settingsKey } from '#lib/settings/stored-settings.ts'
import { people } from '#test/examples/examples.ts'
import { aroundRequests } from '#test/faults/around-requests.ts'
import { aWorld, bodyOf, SECRET_KEY, warmCalls, withClient } from '#test/world.ts'
import { method } from './quickstats_get.ts'

const aCall = (uniqueid: string, rest: Readonly<Record<string, string>> = {}) => ({
  uniqueid,
  calldate: '2026-03-10 09:00:00',
  disposition: 'ANSWERED',
  duration: '70',
  billsec: '60',
  hangupcause: '16',
  user_id: '10',
  user_price: '0.3',
  ...rest,
})

const ofCarol = { user_id: '20', user_price: '0.50', reseller_price: '0.20005' }

const calls = [
  aCall('bob', { provider_price: '0.1' }),
  aCall('bob-busy', { hangupcause: '17', user_price: '100' }),
  aCall('bob-earlier', { calldate: '2026-03-01 00:00:00', provider_price: '0.2' }),
  aCall('bob-last-month', { calldate: '2026-02-28 23:59:59', user_price: '100' }),
  aCall('carol', { ...ofCarol, provider_price: '0.15' }),
  aCall('rick', { user_id: '2', user_price: '1' }),
]

const aWorldWithCalls = () => aWorld({ users: people, calls })

const money = (revenue: string, self_cost: string, profit: string, margin: string) =>
  `<revenue>${revenue}</revenue><self_cost>${self_cost}</self_cost><profit>${profit}</profit><margin>${margin}</margin>`

const NO_ACTIVE_CALLS =
  '<active_calls><total>0</total><answered_calls>0</answered_calls></active_calls></quickstats></page>'

test("admin's revenue is what direct customers pay, and what owners pay for all others", async () => {
  const world = await aWorldWithCalls()

  expect(await world.call(method, 'admin')).toBe(
    '<?xml version="1.0" encoding="UTF-8"?><page><quickstats>' +
      `<this_month><calls>4</calls><duration>240</duration>${money('1.8001', '0.4500', '1.3501', '75.00')}</this_month>` +
      `<today><calls>3</calls><duration>180</duration>${money('1.5001', '0.2500', '1.2501', '83.33')}</today>` +
      NO_ACTIVE_CALLS,
  )
})

test("a reseller's revenue is what its customers pay; its own calls are not among them", async () => {
  const world = await aWorldWithCalls()
  const totals = `<calls>1</calls><duration>60</duration>${money('0.5000', '0.2001', '0.3000', '59.99')}`

  expect(await world.call(method, 'rick')).toContain(
    `<this_month>${totals}</this_month><today>${totals}</today>${NO_ACTIVE_CALLS}`,
  )
})

test('a plain user learns of no money and no calls in progress', async () => {
  const world = await aWorldWithCalls()

  expect(await world.call(method, 'bob')).toContain(
    '<page><quickstats><this_month><calls>2</calls><duration>120</duration></this_month>' +
      '<today><calls>1</calls><duration>60</duration></today></quickstats></page>',
  )
})

test.each([
  ['admin', [2], 5, 4],
  ['rick', [2], 6, 4.5],
  ['bob', [2], 3, 3],
  ['admin', undefined, 25, 14],
  ['rick', undefined, 25, 14],
  ['bob', undefined, 3, 3],
])('%s gets an answer from a table with the shards %o by %i requests and %d units', async (...row) => {
  const [caller, shards, requests, units] = row
  const world = await aWorldWithCalls()
  await world.store.update(settingsKey, { set: { shards } })
  let sent = 0
  const client = aroundRequests(world.table.client, (_, send) => {
    sent += 1
    return send()
  })

  await warmCalls(withClient(world, client))(method, caller)

  expect(sent).toBe(requests)
  expect(world.log).toMatchObject([{ round_trips: 2, read_units: units }])
})

test('without revenue the margin is 0', async () => {
  const world = await aWorldWithCalls()

  expect(await world.call(method, 'rita')).toContain(
    `<today><calls>0</calls><duration>0</duration>${money('0.0000', '0.0000', '0.0000', '0.00')}</today>`,
  )
})

test('calls in progress are those that active_calls_get would list', async () => {
  const world = await aWorldWithCalls()
  const started = { start_time: '2026-03-10 11:59:00', src: '1', localized_dst: '2' }
  await world.given({
    active_calls: [
      { id: '1', ...started, user_id: '10' },
      { id: '2', ...started, user_id: '20', answer_time: '2026-03-10 11:59:10' },
    ],
  })

  expect(await world.call(method, 'admin')).toContain(
    '<active_calls><total>2</total><answered_calls>1</answered_calls></active_calls>',
  )
  expect(await world.call(method, 'rick')).toContain(
    '<active_calls><total>1</total><answered_calls>1</answered_calls></active_calls>',
  )
})

test.each([
  ['Pacific/Auckland', 1, 1],
  ['America/Los_Angeles', 2, 3],
])('today and this month are those of the zone: %s', async (zone, today, month) => {
  const world = await aWorld({}, { Timezone: zone })
  const moments = ['2026-03-31T06:59:59Z', '2026-03-31T07:00:00Z', '2026-03-31T11:00:00Z']
  await world.given({
    users: people,
    calls: moments.map((calldate, index) => aCall(`c${index}`, { calldate })),
  })
  world.now = new Date('2026-03-31T12:00:00Z')

  expect(await world.call(method, 'bob')).toContain(
    `<this_month><calls>${month}</calls><duration>${month * 60}</duration></this_month>` +
      `<today><calls>${today}</calls><duration>${today * 60}</duration></today>`,
  )
})

test.each([
  ['nobody', undefined],
  ['a blocked account', 'ben'],
  ['an accountant', 'alice'],
  ['a partner', 'pat'],
])('refuses %s', async (_case, caller) => {
  const world = await aWorldWithCalls()

  expect(await world.call(method, caller)).toContain(
    '<page><status><error>Access Denied</error></status></page>',
  )
})

test('only the literal admin signs nothing', async () => {
  const world = await aWorldWithCalls()
  const answerTo = async (u: string, signs: never[]) =>
    bodyOf(
      await world.send(method, {
        body: new URLSearchParams({ u, hash: signatureOf({ u }, { signs }, SECRET_KEY) }).toString(),
      }),
    )

  expect(await answerTo('admin', [])).toContain('<quickstats>')
  expect(await answerTo('admin', ['u'] as never[])).toContain('Incorrect hash')
  expect(await answerTo('rick', ['u'] as never[])).toContain('<quickstats>')
  expect(await answerTo('rick', [])).toContain('Incorrect hash')
})
