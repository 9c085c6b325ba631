import { UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { expect, test } from 'vitest'
import { alertKeys, waitingIn } from '#lib/alerts/event.ts'
import type { EventType } from '#lib/alerts/event-types.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { createMeter } from '#lib/table/requests/meter.ts'
import { createStore } from '#lib/table/store.ts'
import { anEndpoint } from '#test/acts/endpoints.ts'
import { people } from '#test/examples/examples.ts'
import { bobsOperator } from '#test/examples/tariffs.ts'
import { aroundRequests } from '#test/faults/around-requests.ts'
import { consume } from '#test/queue/queue.ts'
import { aWorld, type World, withClient } from '#test/world.ts'
import { carryOutAs } from '#tools/command-line/act-commands.ts'
import { method as paymentCreate } from '../../../functions/billing/payment_create.ts'
import { chargeAccount } from '../charges/charge-run.ts'
import { adjustBalance } from '../payments/adjust-balance.ts'
import { recordPayment } from '../payments/record-payment.ts'
import { crossing, watchBalances } from './watched-balances.ts'

test('each fall of a balance is one event, and a rise arms its thresholds again', () => {
  let told: string | undefined
  const events: (readonly string[])[] = []
  for (const left of ['90', '70', '65', '15', '60', '15']) {
    const change = crossing(['80', '50', '20'], left, told)
    if (change) told = change.told
    if (change && change.crossed.length > 0) events.push(change.crossed)
  }

  expect(events).toEqual([['80'], ['50', '20'], ['50', '20']])
})

test.each([
  [['50'], '50', undefined, undefined],
  [['50'], '49.999999', undefined, [['50'], '50']],
  [['50'], '0', undefined, [['50', '0'], '0']],
  [['50'], '0.000001', '50', undefined],
  [['50'], '-1', '50', [['0'], '0']],
  [['50'], '-1', '0', undefined],
  [['50'], '10', '0', [[], '50']],
  [['50'], '50', '50', [[], undefined]],
  [['5', '5', '0'], '4', undefined, [['5'], '5']],
  [[], '-1', undefined, undefined],
  [[], '100', '20', [[], undefined]],
] as const)('thresholds %j with %s left, told %s: %j', (thresholds, left, told, wanted) => {
  const found = crossing(thresholds, left, told)

  expect(found && [found.crossed, found.told]).toEqual(wanted)
})

const EVENTS: EventType[] = [
  'balance.low',
  'balance.exhausted',
  'spend.daily_limit',
  'call.ended',
  'payment.recorded',
]

/** Bob, 10, has 100 and thresholds. */
async function watched(bob: Readonly<Record<string, string>> = {}, events: readonly EventType[] = EVENTS) {
  const users = people.map((user) =>
    user['id'] === '10' ? { ...user, balance: '100', credit: '0', alert_at: '80,50,20', ...bob } : user,
  )
  const world = await aWorld({ users }, { Balance_From: '2026-03-01' })
  if (events.length > 0) await anEndpoint(world, { events })
  return world
}

const ids = Array.from({ length: 1000 }, (_, index) => index).values()

const aCall = (price: string) => ({
  type: 'call',
  uniqueid: `watched-${ids.next().value}`,
  calldate: '2026-03-10 11:00:00',
  src: '1001',
  dst: '12025550171',
  disposition: 'ANSWERED',
  billsec: 60,
  duration: 60,
  user_id: 10,
  user_price: price,
})

/** The waiting events, in words. */
async function waiting({ store }: World, id = 10) {
  const item = await store.get(alertKeys.item(id))
  return (item ? waitingIn(item) : [])
    .map(([, { type, body }]) => {
      const { data } = JSON.parse(body)
      return `${type} ${data.thresholds ?? ''} ${data.left ?? data.spent}`
    })
    .sort()
}

test('a charge of a call tells the thresholds that it crosses, once', async () => {
  const world = await watched()

  await consume(world, aCall('10'))
  expect(await waiting(world)).toEqual([])
  await consume(world, aCall('75'), aCall('1'))
  await consume(world, aCall('1'))
  expect(await waiting(world)).toEqual(['balance.low 80,50,20 14'])
  await consume(world, aCall('13'))
  expect(await waiting(world)).toEqual(['balance.exhausted  0', 'balance.low 80,50,20 14'])
})

test('a CDR of a switch tells the threshold that its call crosses', async () => {
  const users = bobsOperator.users.map((user) =>
    user.username === 'bob' ? { ...user, balance: '100', credit: '0', alert_at: '99.5' } : user,
  )
  const world = await aWorld({ ...bobsOperator, users }, { Balance_From: '2026-03-01' })
  await anEndpoint(world, { events: EVENTS })
  const cdr = { uniqueid: 'c1', accountcode: 'bob', src: '1', dst: '442079460000', disposition: 'ANSWERED' }
  const document = JSON.stringify({ ...cdr, start: '2026-03-10 11:00:00', duration: 60, billsec: 60 })

  await consume(world, { type: 'switch_record', format: 'asterisk-json', source: 'gw1', document })

  expect(await waiting(world)).toEqual(['balance.low 99.5 99'])
})

test('a balance that falls while another change of it looks at what was told is told once', async () => {
  const world = await watched()
  const { store, now } = world
  await consume(world, aCall('19'))
  let isOther = true
  const slow: typeof store = {
    ...store,
    get: async (...asked) => {
      if (isOther) {
        isOther = false
        await consume(world, aCall('5'))
      }
      return store.get(...asked)
    },
  }

  await watchBalances({ store: slow, settings: await settingsOf(store), now }, [10])
  await consume(world, aCall('1'))

  expect(await waiting(world)).toEqual(['balance.low 80 76'])
})

test('a payment arms a threshold while the fall below it is being told', async () => {
  const world = await watched({ alert_at: '20' }, [])
  const { store, now } = world
  await consume(world, aCall('90'))
  await anEndpoint(world, { events: EVENTS })
  const act = { now, as: 'admin' }
  let isOther = true
  const slow: typeof store = {
    ...store,
    update: async (...change) => {
      if (isOther) {
        isOther = false
        await carryOutAs(store, recordPayment, act, { customer: 'bob', amount: '50' })
      }
      return store.update(...change)
    },
  }

  await watchBalances({ store: slow, settings: await settingsOf(store), now }, [10])
  await consume(world, aCall('50'))

  expect(await waiting(world)).toEqual(['balance.low 20 10', 'balance.low 20 10'])
})

test('a repeated payment looks at the thresholds, too, as its first function may have ended before', async () => {
  const world = await watched({ alert_at: '20' })
  await world.set({ API_allow_Payments: '1' })
  await consume(world, aCall('90'))
  const failing = aroundRequests(world.table.client, async (command, send) => {
    if (command instanceof UpdateCommand && String(command.input.Key?.['PK']).startsWith('ALERT#'))
      throw new Error('ended')
    return send()
  })
  const paid = { user_id: '10', p_currency: 'USD', amount: '50', transaction: 't1' }
  expect(await withClient(world, failing).call(paymentCreate, 'admin', paid)).toContain('Internal error')

  expect(await world.call(paymentCreate, 'admin', paid)).toContain('<status>ok</status>')

  await consume(world, aCall('50'))
  expect(await waiting(world)).toEqual(['balance.low 20 10', 'balance.low 20 10'])
})

test('a payment, an adjustment and a new credit arm a threshold again', async () => {
  const world = await watched({ alert_at: '20' })
  const { store, now } = world
  const act = { now, as: 'admin' }
  const pay = (amount: string) =>
    carryOutAs(store, recordPayment, act, { customer: 'bob', amount, again: 'yes' })

  await consume(world, aCall('90'))
  await pay('50')
  await consume(world, aCall('50'))
  expect(await waiting(world)).toEqual(['balance.low 20 10', 'balance.low 20 10'])

  const adjust = (amount: string) =>
    carryOutAs(store, adjustBalance, act, { customer: 'bob', amount, why: 'w' })
  await adjust('10')
  await adjust('-5')
  expect(await waiting(world)).toHaveLength(3)
  await world.given({
    users: [
      {
        id: '10',
        username: 'bob',
        usertype: 'user',
        owner_id: '0',
        password_hash: 'none',
        balance: '100',
        credit: '30',
        alert_at: '20',
      },
    ],
  })
  await consume(world, aCall('30'))
  expect(await waiting(world)).toHaveLength(4)
})

test('the calls of a day that cost more than the limit are told once', async () => {
  const world = await watched({ alert_at: '', daily_balance_limit: '5' })

  await consume(world, aCall('5'))
  expect(await waiting(world)).toEqual([])
  await consume(world, aCall('1'))
  await consume(world, aCall('1'))

  expect(await waiting(world)).toEqual(['spend.daily_limit  6'])
})

test('a reseller spends its day on its own calls and on those of its customers', async () => {
  const world = await watched()
  const users = people.filter(({ username }) => username === 'rick')
  await world.given({ users: users.map((rick) => ({ ...rick, daily_balance_limit: '5' })) })

  await consume(world, { ...aCall('3'), user_id: 2 })
  await consume(world, { ...aCall('9'), user_id: 20, reseller_price: '2.5' })

  expect(await waiting(world, 2)).toEqual(['spend.daily_limit  5.5'])
})

test('a fee tells what it crosses, and reads nothing more of an account without thresholds', async () => {
  const reads = async (bob: object, events: readonly EventType[]) => {
    const world = await watched({ balance: '55', ...bob }, events)
    const { store, now, meter } = world
    const line = { id: '1', owner_id: '0', name: 'Line', type: 'periodic_fee', period: 'month', price: '50' }
    const since = { id: '1', user_id: '10', service_id: '1', from: '2026-02-01 00:00:00' }
    await world.given({ services: [line], subscriptions: [since] })
    await world.set({ Charges_From: '2026-02-01', Balance_From: '2026-02-01' })
    const settings = await settingsOf(store)
    const { read } = meter.spent
    await chargeAccount({ store, settings, now }, 10)
    return [meter.spent.read - read, await waiting(world)]
  }
  const [plain] = await reads({}, [])

  expect(await reads({ alert_at: '' }, EVENTS)).toEqual([plain, []])
  expect(await reads({}, EVENTS)).toEqual([expect.any(Number), ['balance.low 80,50,20 5']])
})

/** The cost of a batch of one call. */
async function costOf(world: World) {
  await consume(world, aCall('1'))
  const { read_units, write_units } = world.log.at(-1) ?? {}
  return { read: Number(read_units), write: Number(write_units) }
}

test('a batch costs nothing more without subscribers, or for accounts without thresholds', async () => {
  const plain = await costOf(await watched({ alert_at: '' }, []))

  expect(await costOf(await watched({}, []))).toEqual(plain)
  expect(await costOf(await watched({}, ['invoice.issued']))).toEqual(plain)
  expect(await costOf(await watched({ alert_at: '' }, ['balance.low']))).toEqual(plain)
  const watching = await costOf(await watched({}, ['balance.low']))
  expect(watching.write).toBe(plain.write)
  expect(watching.read - plain.read).toBe(4)
})

test('an event of a balance costs two write units at most, and one of a call two', async () => {
  const plain = await costOf(await watched({ balance: '100' }, []))
  const low = await costOf(await watched({ balance: '80' }, ['balance.low']))
  const ended = await costOf(await watched({}, ['call.ended']))

  expect(low.write - plain.write).toBeLessThanOrEqual(2)
  expect(ended.write - plain.write).toBe(2)
})

test('a stored call is told with its price, no numbers; a corrected, older or repeated one not', async () => {
  const world = await watched({}, ['call.ended'])
  const call = aCall('1.5')

  await consume(world, call)
  await consume(world, call)
  await consume(world, { ...call, user_price: '2' })
  await consume(world, { ...aCall('1'), calldate: '2026-03-08 11:00:00' })

  const told = (await world.dump()).filter(({ PK }) => PK === 'OUTBOX')
  expect(told).toHaveLength(1)
  expect(JSON.parse(String(told[0]?.['body']))).toEqual({
    type: 'call.ended',
    timestamp: '2026-03-10T11:01:00.000Z',
    data: {
      call: call.uniqueid,
      account: 10,
      owner: 0,
      start: '2026-03-10T11:00:00.000Z',
      seconds: 60,
      disposition: 'ANSWERED',
      price: '1.5',
      currency: 'USD',
    },
  })
})

test('a payment costs two units more if somebody subscribed, and its event has its amounts', async () => {
  const cost = async (events: readonly EventType[]) => {
    const world = await watched({}, events)
    const meter = createMeter()
    const store = createStore({ ...world.table, meter })
    await carryOutAs(
      store,
      recordPayment,
      { now: world.now, as: 'admin' },
      { customer: 'bob', amount: '12.50' },
    )
    return { write: meter.spent.write, told: (await world.dump()).filter(({ PK }) => PK === 'OUTBOX') }
  }
  const [plain, telling] = [await cost([]), await cost(['payment.recorded'])]

  expect(telling.write - plain.write).toBe(2)
  expect(plain.told).toEqual([])
  expect(JSON.parse(String(telling.told[0]?.['body'])).data).toMatchObject({
    account: 10,
    amount: '12.5',
    amount_with_vat: '12.5',
    net: '12.5',
    gross: '12.5',
    unassigned: '12.5',
    currency: 'USD',
    completed: true,
    owner: 0,
  })
})

test('the event of a payment with VAT says what is net and what is gross', async () => {
  const world = await watched({ vat_percent: '25' }, ['payment.recorded'])
  await world.set({ Payments_With_VAT: 'on' })
  const paid = { customer: 'bob', amount: '12.50' }
  await carryOutAs(world.store, recordPayment, { now: world.now, as: 'admin' }, paid)

  const [told] = (await world.dump()).filter(({ PK }) => PK === 'OUTBOX')
  expect(JSON.parse(String(told?.['body'])).data).toMatchObject({
    amount: '12.5',
    net: '10',
    gross: '12.5',
  })
})
