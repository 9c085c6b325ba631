import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { afterEach, expect, test, vi } from 'vitest'
import { rerateCalls } from '#lib/calls/rating/rerate-calls.ts'
import { authorizeEndpoint } from '#lib/ingest/http/control-endpoint.ts'
import { createClient } from '#lib/table/requests/client.ts'
import { carriedOut } from '#test/acts/carry-out.ts'
import { heldMoney, notedTimes } from '#test/control/money.ts'
import { aControlEndpoint, aControlledWorld, aSwitch, prepaidBob, UK } from '#test/control/switch.ts'
import { aContext, anEvent } from '#test/event.ts'
import { bobsTariff, rate } from '#test/examples/tariffs.ts'
import { aroundRequests } from '#test/faults/around-requests.ts'
import { faultyEndpoint, type MishapName, mishaps } from '#test/faults/faulty-endpoint.ts'
import { pass, type World, withClient } from '#test/world.ts'
import { holdsKey, holdText } from './holds.ts'

// Failures of a requested call, besides those of holds.test.ts and protocol.test.ts.

afterEach(() => {
  vi.useRealTimers()
})

const BEA = 12

/** Bea is a customer as Bob is. */
const withBea = (balance: string) => {
  const rows = prepaidBob(balance)
  const bob = rows.users?.find(({ id }) => id === '10')
  return { ...rows, users: [...(rows.users ?? []), { ...bob, id: String(BEA), username: 'bea' }] }
}

const bobsSwitch = async (balance: string, account = {}) => {
  const world = await aControlledWorld(prepaidBob(balance, account))
  return { world, ...(await aSwitch(world)) }
}

const now = (world: World): number => Math.floor(world.now.getTime() / 1000)

/** The same world, each of whose updates meets a mishap, and the number of times that one was sent. */
async function failingUpdates(world: World, mishap: MishapName) {
  const sent = { updates: 0 }
  const { origin } = await faultyEndpoint((request) => {
    if (request.operation !== 'UpdateItem') return undefined
    sent.updates += 1
    return mishaps[mishap](request)
  })
  const { tableName } = world.table
  return { sent, failing: withClient(world, createClient({ tableName, endpoint: origin })) }
}

test.each<[string, MishapName, number]>([
  ['an item that is throttled', 'throttled', 3],
  ['holds that keep changing', 'condition failed', 8],
])('%s: 503 after %s', async (_case, mishap, times) => {
  const { world, authorization } = await bobsSwitch('8')
  const { sent, failing } = await failingUpdates(world, mishap)

  const body = `call=one&dst=${UK}&sip_user=bobs-phone`
  const answer = await aControlEndpoint(failing, 'authorize')({ body, headers: { authorization } })

  expect(answer.statusCode).toBe(503)
  expect(world.log.at(-1)).toMatchObject({ function: 'authorize_call', outcome: 'undecided' })
  expect(sent.updates).toBe(times)
  expect(await heldMoney(world)).toMatchObject({ held: '0', open: 0 })
})

test('a table that does not answer: 503 when 400 ms are over', async () => {
  const { world, authorization } = await bobsSwitch('8')
  let isReached = () => {}
  const reached = new Promise<void>((resolve) => {
    isReached = resolve
  })
  const silent = aroundRequests(world.table.client, (command, send) => {
    if (!(command instanceof UpdateCommand)) return send()
    isReached()
    return new Promise(() => {})
  })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  const body = `call=one&dst=${UK}&sip_user=bobs-phone`
  let status: number | undefined
  const endpoint = authorizeEndpoint(withClient(world, silent).services)
  const answered = endpoint(
    anEvent({ path: '/calls/authorize', body, headers: { authorization } }),
    aContext(),
  )
  const noted = answered.then(({ statusCode }) => {
    status = statusCode
  })

  await reached
  await vi.advanceTimersByTimeAsync(399)
  expect(status).toBeUndefined()
  await vi.advanceTimersByTimeAsync(1)
  await noted
  expect(status).toBe(503)
})

test('a hold whose answer was lost is released by the switch, or found when it asks again', async () => {
  const { world, authorize, release, authorization } = await bobsSwitch('8')
  const { failing } = await failingUpdates(world, 'answer lost')
  const body = `call=one&dst=${UK}&sip_user=bobs-phone&seconds=60`

  expect(
    (await aControlEndpoint(failing, 'authorize')({ body, headers: { authorization } })).statusCode,
  ).toBe(503)
  expect(await authorize({ call: 'one', seconds: 60 })).toMatchObject({ seconds: 60, reserved: '0.200000' })
  expect(await heldMoney(world)).toMatchObject({ held: '0.2', open: 1 })
  expect(await release({ call: 'one' })).toEqual({ released: '0.200000' })
})

test('the 1,001st hold is refused, and expired ones make place', async () => {
  const { world, authorize } = await bobsSwitch('8')
  const until = now(world) + 60
  const hold = holdText({ amount: '0.001', seconds: 1, until, at: world.now.getTime(), nonce: 'n' })
  const names = Array.from({ length: 1000 }, (_, n) => `h${String(n).padStart(11, '0')}`)
  const { client, tableName: TableName } = world.table
  const Item = {
    ...holdsKey(10),
    held: 1,
    open: 1000,
    epoch: 0,
    ...Object.fromEntries(names.map((name) => [name, hold])),
  }
  await client.send(new PutCommand({ TableName, Item }))

  expect(await authorize({ call: 'one' })).toMatchObject({ reason: 'calls_limit', hangupcause: 220 })
  pass(world, 61)
  expect(await authorize({ call: 'one' })).toMatchObject({ seconds: 1800 })
  expect(await heldMoney(world)).toMatchObject({ held: '6.9', open: 901 })
  expect(notedTimes(world, 'hold_expired')).toBe(100)
})

test('a CDR is charged at the exchange rate of its arrival, and frees all of its hold', async () => {
  const rows = prepaidBob('8')
  const tariffs =
    rows.tariffs?.map((row) => (row['id'] === bobsTariff ? { ...row, currency: 'EUR' } : row)) ?? []
  const world = await aControlledWorld({ ...rows, tariffs })
  const { authorize, ended } = await aSwitch(world)
  const exchange = (exchange_rate: string) =>
    world.given({ currencies: [{ name: 'EUR', exchange_rate, auto_update: '0' }] })

  expect(await authorize({ call: 'one', seconds: 60 })).toMatchObject({ reserved: '0.250000' })
  await exchange('0.4')
  expect(await authorize({ call: 'two', seconds: 60 })).toMatchObject({ reserved: '0.500000' })
  expect(await authorize({ call: 'one', seconds: 60 })).toMatchObject({ seconds: 60, reserved: '0.500000' })
  await exchange('0.2')
  pass(world, 60)
  await ended('one', 60)
  await ended('two', 60)
  expect(await heldMoney(world)).toEqual({ held: '0', open: 0, balance: '6' })
})

test('a CDR is charged at the rate that began since the request, and releases all of its hold', async () => {
  const rows = prepaidBob('8')
  const later = { prefix: '44', tariff_rate: '0.4', increment: '1', destination: 'UK' }
  const rates = [...(rows.rates ?? []), rate({ ...later, start_time: '12:00:30', end_time: '12:59:59' })]
  const world = await aControlledWorld({ ...rows, rates })
  const { authorize, ended } = await aSwitch(world)

  expect(await authorize({ call: 'one', seconds: 60 })).toMatchObject({ rate: '0.2', reserved: '0.200000' })
  pass(world, 100)
  await ended('one', 60)
  expect(await heldMoney(world)).toEqual({ held: '0', open: 0, balance: '7.6' })
  expect(notedTimes(world, 'overrun')).toBe(0)
})

test('a CDR stored before the authorisation leaves the hold until it repeats, or expiry', async () => {
  const { world, authorize, ended } = await bobsSwitch('8')
  const start = now(world) - 60
  const cdr = (call: string) => ended(call, 60, { start })

  await cdr('one')
  await cdr('two')
  for (const call of ['one', 'two'])
    expect(await authorize({ call, seconds: 60, at: start })).toMatchObject({ allow: true })
  expect(await heldMoney(world)).toEqual({ held: '0.4', open: 2, balance: '7.6' })
  await cdr('one')
  expect(await heldMoney(world)).toEqual({ held: '0.2', open: 1, balance: '7.6' })
  pass(world, 300 + 60 + 900 + 1)
  await cdr('two')
  expect(await heldMoney(world)).toEqual({ held: '0', open: 0, balance: '7.6' })
})

test("a forwarded call is held for the forwarding account, and another one's hold ends in time", async () => {
  const world = await aControlledWorld(withBea('0.4'))
  const { authorize, ended } = await aSwitch(world)
  const forwarded = { account_code: 'bea' }

  await authorize({ call: 'right', seconds: 60, ...forwarded })
  await authorize({ call: 'wrong', seconds: 120 })
  pass(world, 60)
  await ended('right', 60, forwarded)
  await ended('wrong', 60, forwarded)
  expect(await heldMoney(world, BEA)).toEqual({ held: '0', open: 0, balance: '0' })
  expect(await heldMoney(world)).toEqual({ held: '0.4', open: 1, balance: '0.4' })
  pass(world, 1400)
  expect(await authorize({ call: 'next' })).toMatchObject({ seconds: 120 })
})

test('a CDR that is corrected to another customer charges that one, and leaves no hold', async () => {
  const world = await aControlledWorld(withBea('8'))
  const { authorize, ended } = await aSwitch(world)
  const start = now(world)

  await authorize({ call: 'one', seconds: 60 })
  pass(world, 60)
  await ended('one', 60, { start })
  await ended('one', 60, { start, account_code: 'bea' })
  expect(await heldMoney(world)).toEqual({ held: '0', open: 0, balance: '8' })
  expect(await heldMoney(world, BEA)).toMatchObject({ balance: '7.8' })
})

test('re-rated calls leave the holds of running calls, and the next call sees what is left', async () => {
  const { world, authorize, ended } = await bobsSwitch('2')

  await authorize({ call: 'one', seconds: 60 })
  pass(world, 60)
  await ended('one', 60)
  await authorize({ call: 'two', seconds: 60 })
  await world.given({
    rates: [rate({ prefix: '44', tariff_rate: '0.8', increment: '1', destination: 'UK' })],
  })
  await carriedOut(world, rerateCalls(), { from: '2026-03-10', till: '2026-03-10', with: 'active' })
  expect(await heldMoney(world)).toEqual({ held: '0.2', open: 1, balance: '1.2' })
  expect(await authorize({ call: 'three' })).toMatchObject({ seconds: 75, reserved: '1.000000' })
  pass(world, 60)
  await ended('two', 60)
  expect(await heldMoney(world)).toEqual({ held: '1', open: 1, balance: '0.4' })
})

test.each([
  ['is blocked', { blocked: '1' }, 'blocked'],
  ['has less credit', { credit: '0' }, 'no_money'],
  ['has its money moved away', { balance: '-8', credit: '1' }, 'no_money'],
])(
  'an account that %s during a call keeps the hold, pays the call, and gets no other one',
  async (_case, after, reason) => {
    const given = { credit: '1' }
    const { world, authorize, ended } = await bobsSwitch('0', given)
    const users = prepaidBob('0', { ...given, ...after }).users ?? []

    await authorize({ call: 'one', seconds: 60 })
    await world.given({ users })
    expect(await authorize({ call: 'two' })).toMatchObject({ allow: false, reason })
    expect(await heldMoney(world)).toMatchObject({ held: '0.2', open: 1 })
    pass(world, 60)
    const { balance: before } = await heldMoney(world)
    await ended('one', 60)
    expect(await heldMoney(world)).toEqual({
      held: '0',
      open: 0,
      balance: String(Number(before) - 0.2),
    })
  },
)

test('while Call_Control is off a CDR releases nothing; on again, the hold ends in time', async () => {
  const { world, authorize, ended } = await bobsSwitch('0.4')

  await authorize({ call: 'one', seconds: 60 })
  await world.set({ Call_Control: '0' })
  pass(world, 60)
  await ended('one', 60)
  await world.set({ Call_Control: '1' })
  expect(await authorize({ call: 'two' })).toMatchObject({ reason: 'no_money', hangupcause: 212 })
  pass(world, 1300)
  expect(await authorize({ call: 'two' })).toMatchObject({ seconds: 60, reserved: '0.200000' })
})

test('a function that is warm knows a setting and an account a second later, and money at once', async () => {
  const { world, authorization } = await bobsSwitch('0.2', { reserve_seconds: '60' })
  const endpoint = aControlEndpoint(world, 'authorize')
  const ask = async (call: string) => {
    const body = `call=${call}&dst=${UK}&sip_user=bobs-phone&as=text`
    const answer = await endpoint({ body, headers: { authorization } })
    return answer.statusCode === 200 ? answer.body : answer.statusCode
  }
  const payment = { id: '1', user_id: '10', date: '2026-03-10 12:00:00', amount: '5', completed: '1' }
  expect([await ask('one'), await ask('two')]).toEqual(['60', '0 no_money'])
  await world.given({ payments: [payment] })
  expect(await ask('two')).toBe('60')
  await world.given({ users: prepaidBob('0.2', { reserve_seconds: '30' }).users ?? [] })
  expect(await ask('three')).toBe('60')
  pass(world, 1)
  expect(await ask('four')).toBe('30')
  await world.set({ Call_Control: '0' })
  expect(await ask('five')).toBe('30')
  pass(world, 1)
  expect(await ask('six')).toBe(404)
})
