import { beforeAll, describe, expect, test } from 'vitest'
import { TRAFFIC_DIMENSIONS } from '#lib/api/console/answers/calls.ts'
import { formatDateTime, secondsOf } from '#lib/base/calendar.ts'
import { subtract } from '#lib/base/money.ts'
import { callsReport } from '#lib/calls/report/calls-report.ts'
import { putSuspended } from '#lib/cdrs/suspense/suspense.ts'
import { aConsoleClient, aSignedClient, type ConsoleClient } from '#test/console/console-client.ts'
import { aControlledWorld, aSwitch, prepaidBob } from '#test/control/switch.ts'
import { estates } from '#test/examples/estates.ts'
import { aWorld, pass, START_OF_TESTS } from '#test/world.ts'

type Rows = Readonly<Record<string, unknown>>[]

const WITHOUT_LIVE_CALLS = { ...estates, active_calls: [] }

describe('customers', () => {
  let admin: ConsoleClient
  beforeAll(async () => {
    admin = await aSignedClient(await aWorld(estates), 'admin')
  })

  test('have their balances in the list while balances are kept', async () => {
    const world = await aWorld(estates)
    await world.set({ Balance_From: '2026-03-01' })
    const client = await aSignedClient(world, 'admin')
    const balanceOfBob = async () => {
      const { body } = await client.get('/customers')
      return (body['customers'] as Rows).find(({ id }) => id === 10)?.['balance']
    }
    const before = String(await balanceOfBob())

    await client.send('POST', '/payments', { customer: 10, amount: '12.50', currency: 'USD' })

    expect(subtract(String(await balanceOfBob()), before)).toBe('12.5')
    await world.set({ Balance_From: '' })
    expect(await balanceOfBob()).toBeNull()
  })

  test.each([
    ['of', ['of-10', 'of-11', 'of-20']],
    ['of 20', ['of-20']],
    ['carol', ['of-20']],
    ['CAR', ['of-20']],
    ['20', ['of-20']],
    ['arol', []],
    ['phone-of-30', ['of-30']],
    ['5030', ['of-30']],
    ['unheard', []],
  ])('are found by "%s"', async (search, names) => {
    const { body } = await admin.get('/customers', { search })

    const found = (body['customers'] as Rows).map(({ name }) => name)
    expect(found).toEqual(expect.arrayContaining(names))
    if (names.length < 2) expect(found).toEqual(names)
  })

  test('come in pages, by owner and id, without a gap and without a repetition', async () => {
    const users = Array.from({ length: 120 }, (_, index) => ({
      id: `${1000 + index}`,
      owner_id: index % 2 ? '2' : '0',
      username: `u${index}`,
      usertype: 'user',
      password_hash: '0'.repeat(40),
    }))
    const world = await aWorld(estates)
    await world.given({ users })
    const client = await aSignedClient(world, 'admin')
    const ids: unknown[] = []
    const sizes: number[] = []
    for (let after: unknown = ''; after !== null; ) {
      const { body } = await client.get('/customers', { after: String(after) })
      ids.push(...(body['customers'] as Rows).map(({ id }) => id))
      sizes.push((body['customers'] as Rows).length)
      after = body['next']
    }

    expect(sizes).toEqual([50, 50, 30])
    expect(new Set(ids).size).toBe(130)
  })

  test('the log has what was done to the account, and nothing about others', async () => {
    const world = await aWorld(estates)
    const client = await aSignedClient(world, 'admin')
    await client.send('POST', '/customers/10/block')
    await client.send('POST', '/customers/20/block')
    world.now = new Date(world.now.getTime() + 1000)
    await client.send('POST', '/customers/10/unblock')

    const { body } = await client.get('/customers/10/log')

    expect((body['log'] as Rows).map(({ who, change }) => [who, change])).toEqual([
      ['admin', 'unblocked'],
      ['admin', 'blocked'],
    ])
    expect(body['readFrom']).toBe(null)
  })

  test('an account may not block itself, and the last admin stays', async () => {
    const client = await aSignedClient(await aWorld(estates), 'admin')

    expect((await client.send('POST', '/customers/0/block')).status).toBe(403)
  })

  test('blocking is logged with who did it', async () => {
    const client = await aSignedClient(await aWorld(estates), 'admin')
    await client.send('POST', '/customers/10/block')

    const { body } = await client.get('/settings')

    expect((body['log'] as Rows)[0]).toMatchObject({ who: 'admin', change: 'bob: blocked' })
    expect((await client.get('/customers/10')).body).toMatchObject({ customer: { blocked: true } })
  })
})

test("ten destinations' prices: the customer's most called, others', the tariff's first", async () => {
  const world = await aWorld(estates)
  const codes = ['1', '20', '212', '27', '30', '31', '32', '33', '34', '36', '370', '39', '44', '49']
  const rates = codes.map((prefix) => ({
    tariff_id: '3010',
    prefix,
    tariff_rate: '0.1',
    destination: `to ${prefix}`,
  }))
  const calls = ['370601', '37060012345', '00370602', '4420', '37060012345'].map((dst, index) => ({
    ...call(index, {
      dst,
      user_id: index === 3 ? '11' : '10',
      provider_id: '',
      user_price: '1',
      calldate: '2026-03-10 08:00:00',
    }),
  }))
  await world.given({ rates })
  await world.given({ calls })
  const client = await aSignedClient(world, 'admin')

  const { body } = await client.get('/customers/10/prices')

  const [first, second, ...others] = (body['rates'] as Rows).map(({ prefix, calls }) => [prefix, calls])
  expect([first, second]).toEqual([
    ['370', 5],
    ['44', 0],
  ])
  expect(others.map(([prefix]) => prefix)).toEqual(codes.slice(0, 8))
  expect((world.log.at(-1) as { readonly read_units: number }).read_units).toBeLessThanOrEqual(15)
})

test('a customer sees what limits its calls, what is left, and what is held for which call', async () => {
  const world = await aControlledWorld(prepaidBob('8', { calls_limit: '20', reserve_seconds: '60' }))
  const client = aConsoleClient(world)
  await client.signIn('bob', 'password of bob')
  const money = async () => (await client.get('/customers/10')).body['callMoney']
  expect(await money()).toEqual({ left: '8.0000', held: '0.0000', holds: [] })
  const { authorize } = await aSwitch(world)
  await authorize({ call: 'one' })
  pass(world, 1)
  await authorize({ call: 'two', seconds: 30 })

  const { body } = await client.get('/customers/10')
  expect(body['limits']).toEqual({
    ...{ postpaid: false, credit: '0', day: null, calls: 20, rate: null, reserveSeconds: 60 },
  })
  expect(body['callMoney']).toEqual({
    left: '7.7000',
    held: '0.3000',
    holds: [
      expect.objectContaining({ asked: '2026-03-10 12:00:00', amount: '0.2000', seconds: 60 }),
      expect.objectContaining({ amount: '0.1000', until: '2026-03-10 12:20:31' }),
    ],
  })
  await world.set({ Call_Control: '0' })
  expect(await money()).toBeNull()
})

const call = (index: number, rest: Readonly<Record<string, string>> = {}) => ({
  uniqueid: `c-${String(index).padStart(4, '0')}`,
  calldate: `2026-03-${String(1 + (index % 9)).padStart(2, '0')} 12:00:${String(index % 60).padStart(2, '0')}`,
  src: '37000001',
  dst: index % 3 ? '4420' : '37060012345',
  disposition: 'ANSWERED',
  duration: '60',
  billsec: '60',
  hangupcause: index % 4 ? '16' : '17',
  user_id: index % 2 ? '10' : '20',
  user_price: `${index}`,
  reseller_price: '2',
  provider_price: '1',
  ...rest,
})

describe('calls', () => {
  let admin: ConsoleClient
  beforeAll(async () => {
    const world = await aWorld(estates)
    await world.given({ calls: Array.from({ length: 250 }, (_, index) => call(index)) })
    admin = await aSignedClient(world, 'admin')
  })

  const foundBy = async (filter: Readonly<Record<string, string | number>>) => {
    const found: Rows = []
    for (let after: unknown = ''; after !== null; ) {
      const wanted = { from: '2026-03-01', till: '2026-03-09', ...filter, after: String(after) }
      const { body } = await admin.get('/calls', wanted)
      found.push(...(body['calls'] as Rows))
      after = body['next']
    }
    return found
  }

  test('come newest first, in pages without a gap and without a repetition', async () => {
    const found = await foundBy({})

    const times = found.map(({ at }) => String(at))
    expect(times).toEqual([...times].sort().reverse())
    expect(new Set(found.map(({ id }) => id)).size).toBe(250)
  })

  test.each([
    [{ cause: 17 }, 63],
    [{ customer: 20 }, 125],
    [{ number: '4420' }, 166],
    [{ 'least-price': '240' }, 10],
    [{ 'most-price': '9', cause: 16 }, 7],
    [{ disposition: 'busy' }, 0],
    [{ 'below-cost': 'yes' }, 1],
  ])('are filtered by %j', async (filter, count) => {
    expect(await foundBy(filter)).toHaveLength(count)
  })

  test('a call explains its price', async () => {
    const world = await aWorld(estates)
    const [admin, bob] = [await aSignedClient(world, 'admin'), await aSignedClient(world, 'bob')]
    const priced = call(2, { user_price: '', dst: '37060012345', user_id: '10' })
    await world.given({ calls: [priced] })

    const listed = (await admin.get('/calls', { from: '2026-03-03', till: '2026-03-03' })).body[
      'calls'
    ] as Rows
    const shown = await admin.get(`/calls/${listed[0]?.['id']}`)
    const toBob = await bob.get(`/calls/${listed[0]?.['id']}`)

    expect(shown.body).toMatchObject({
      prices: { customer: '0.1', provider: '1' },
      rating: { steps: [{ payer: 'customer', rate: { prefix: '370', perMinute: '0.1' }, price: '0.1' }] },
    })
    expect(toBob.body).toMatchObject({ prices: { customer: '0.1', provider: null, reseller: null } })
  })
})

test('a losing call belongs to who loses it: the reseller that sells below what it pays, or the operator', async () => {
  const world = await aWorld(estates)
  const prices = [
    { user_price: '1', reseller_price: '2', provider_price: '1' },
    { user_price: '3', reseller_price: '1', provider_price: '2' },
    { user_price: '3', reseller_price: '2', provider_price: '1' },
  ]
  await world.given({ calls: prices.map((one, index) => call(2 * index, { ...one, user_id: '20' })) })
  const losses = async (username: string) => {
    const client = await aSignedClient(world, username)
    const wanted = { from: '2026-03-01', till: '2026-03-09', 'below-cost': 'yes' }
    return ((await client.get('/calls', wanted)).body['calls'] as Rows).map(({ price, loser }) => [
      price,
      loser,
    ])
  }

  expect(await losses('admin')).toEqual([
    ['3', 'operator'],
    ['1', 'reseller'],
  ])
  expect(await losses('rick')).toEqual([['1', 'reseller']])
})

test('a call names the equal ones: the same customer, numbers and seconds in the same second', async () => {
  const world = await aWorld(estates)
  const twice = ['a', 'b'].map((uniqueid) => call(1, { uniqueid }))
  await world.given({
    calls: [...twice, call(1, { uniqueid: 'c', billsec: '59' }), call(1, { uniqueid: 'd', user_id: '20' })],
  })
  const client = await aSignedClient(world, 'bob')
  const { body } = await client.get('/calls', { from: '2026-03-02', till: '2026-03-02' })
  const shown = await Promise.all((body['calls'] as Rows).map(({ id }) => client.get(`/calls/${id}`)))

  const equal = shown.map((one) => [
    one.body['uniqueid'],
    (one.body['equal'] as Rows).map(({ uniqueid }) => uniqueid),
  ])
  expect(equal.toSorted()).toEqual([
    ['a', ['b']],
    ['b', ['a']],
    ['c', []],
  ])
})

describe('search', () => {
  test('finds an invoice by its number in any case, and a call by its unique id', async () => {
    const client = await aSignedClient(await aWorld(estates), 'admin')

    const invoice = await client.get('/search', { text: 'inv-OF-20' })
    const found = await client.get('/search', { text: 'call-of-20' })

    const customer = { id: 20, name: 'of-20' }
    const invoices = [{ id: 7020, number: 'INV-of-20', customer }]
    expect(invoice.body).toEqual({ customers: [], invoices, calls: [] })
    expect(found.body).toMatchObject({ invoices: [], calls: [{ uniqueid: 'call-of-20', customer }] })
    const [{ id } = {}] = found.body['calls'] as Rows
    expect((await client.get(`/calls/${id}`)).status).toBe(200)
  })

  test('finds customers as their list does, and none for a plain user', async () => {
    const world = await aWorld(estates)
    const found = async (username: string) =>
      (await (await aSignedClient(world, username)).get('/search', { text: 'CAR' })).body['customers']

    expect(await found('rick')).toEqual([{ id: 20, name: 'of-20', username: 'carol' }])
    expect(await found('bob')).toEqual([])
  })

  test('finds an invoice under its new number only', async () => {
    const world = await aWorld(estates)
    const client = await aSignedClient(world, 'admin')
    await world.given({
      invoices: [{ id: '7020', user_id: '20', number: 'NEW-1', issue_date: '2026-03-11', price: '1' }],
    })

    expect((await client.get('/search', { text: 'INV-of-20' })).body['invoices']).toEqual([])
    expect((await client.get('/search', { text: 'new-1' })).body['invoices']).toHaveLength(1)
  })

  test("shows nobody another's invoices", async () => {
    const world = await aWorld(estates)
    const found = async (username: string) => {
      const { body } = await (await aSignedClient(world, username)).get('/search', { text: 'INV-of-20' })
      return (body['invoices'] as Rows).length
    }

    expect([await found('rick'), await found('carol')]).toEqual([1, 1])
    expect([await found('alice'), await found('rita'), await found('bob')]).toEqual([0, 0, 0])
  })
})

describe('traffic', () => {
  test('whole days agree with the report of the calls', async () => {
    const world = await aWorld(estates)
    await world.given({ calls: Array.from({ length: 90 }, (_, index) => call(index)) })
    const client = await aSignedClient(world, 'admin')
    const days = { from: '2026-03-02', till: '2026-03-08' }
    const report = await callsReport(world.store, {
      days,
      by: ['day'],
      customers: undefined,
      filters: new Map(),
      groups: undefined,
      mobile: /x/,
      measures: ['attempts', 'revenue'],
    })
    const reported = await Array.fromAsync(report.rows)

    const { body } = await client.get('/traffic', days)

    const counted = body['days'] as { day: string; attempts: number }[]
    expect(counted).toHaveLength(7)
    expect(counted.map(({ day, attempts }) => ({ day, attempts }))).toEqual(
      reported.map(({ day, attempts }) => ({ day, attempts })),
    )
    expect((body['before'] as Rows).map(({ day }) => day)).toEqual([
      ...['2026-02-23', '2026-02-24', '2026-02-25', '2026-02-26', '2026-02-27', '2026-02-28', '2026-03-01'],
    ])
  })

  test('calls of unknown cost are counted, in each group too, and can be listed', async () => {
    const world = await aWorld(estates)
    await world.given({ calls: [call(1, { calldate: '2026-03-10 12:00:00', provider_price: '' })] })
    const client = await aSignedClient(world, 'admin')
    const days = { from: '2026-03-10', till: '2026-03-10' }

    const { body } = await client.get('/calls', { ...days, 'unknown-cost': 'yes' })
    const unknown = (body['calls'] as Rows).length
    expect(unknown).toBeGreaterThan(0)

    const countIn = (list: unknown) =>
      (list as { unknownCost: number }[]).reduce((sum, { unknownCost }) => sum + unknownCost, 0)
    for (const by of TRAFFIC_DIMENSIONS) {
      const found = (await client.get('/traffic', { ...days, by })).body
      expect([by, countIn(by === 'day' ? found['days'] : found['groups'])]).toEqual([by, unknown])
    }
  })

  test('groups by customer, each with its id', async () => {
    const client = await aSignedClient(await aWorld(estates), 'admin')

    const { body } = await client.get('/traffic', { from: '2026-03-10', till: '2026-03-10', by: 'customer' })

    expect(body['groups']).toHaveLength(9)
    expect(body['groups']).toContainEqual(expect.objectContaining({ name: 'of-20', id: 20, attempts: 1 }))
  })

  test('the groups of every dimension have every call', async () => {
    const client = await aSignedClient(await aWorld(estates), 'admin')
    const secondsIn = (list: unknown) =>
      (list as { seconds: number }[]).reduce((sum, { seconds }) => sum + seconds, 0)

    for (const by of TRAFFIC_DIMENSIONS.filter((one) => one !== 'day')) {
      const { body } = await client.get('/traffic', { from: '2026-03-10', till: '2026-03-10', by })

      expect([by, secondsIn(body['groups']), secondsIn(body['days'])]).toEqual([by, 2 ** 9 - 1, 2 ** 9 - 1])
    }
  })
})

describe('billing', () => {
  test('a status is looked for beyond the newest page', async () => {
    const world = await aWorld(estates)
    const invoice = (index: number) => ({
      id: `${index + 1}`,
      user_id: '10',
      number: `P-${index}`,
      issue_date: index === 0 ? '2026-01-01' : '2026-03-20',
      status: index === 0 ? 'unpaid' : 'paid',
      price: '1',
    })
    await world.given({ invoices: Array.from({ length: 120 }, (_, index) => invoice(index)) })
    const client = await aSignedClient(world, 'admin')

    const { body } = await client.get('/documents', { status: 'unpaid', till: '2026-03-09' })
    const { body: all } = await client.get('/documents', { status: 'unpaid', customer: 10 })

    expect((body['documents'] as Rows).map(({ number }) => number)).toEqual(['P-0'])
    expect((all['documents'] as Rows).map(({ number }) => number)).toEqual(['INV-of-10', 'P-0'])
    expect(all['next']).toBe(null)
  })

  test('an invoice without a due day is late from the day after its issue, in each list and as a debt', async () => {
    const world = await aWorld(estates)
    const one = (id: string, due_date: string) => ({
      ...{ id, user_id: '10', number: `P-${id}`, issue_date: '2026-03-09', status: 'unpaid', price: '1' },
      due_date,
    })
    await world.given({ invoices: [one('1', ''), one('2', '2026-03-10'), one('3', '2026-03-09')] })
    const client = await aSignedClient(world, 'admin')

    const { body } = await client.get('/documents', { status: 'overdue', customer: 10, from: '2026-03-09' })
    const aged = await client.get('/documents/ageing', { customer: 10 })

    expect(body['documents']).toMatchObject([
      { number: 'P-3', due: '2026-03-09' },
      { number: 'P-1', due: '2026-03-09' },
    ])
    expect((aged.body['customers'] as Rows)[0]).toMatchObject({
      ages: { not_due: '33.0000', '1_30': '2.0000' },
    })
  })

  test('each amount is in its own currency, and no total adds two of them', async () => {
    const world = await aWorld(estates)
    await world.given({
      invoices: [
        {
          id: '1',
          user_id: '2',
          number: 'R-7',
          issue_date: '2026-03-11',
          price: '116.315',
          price_with_vat: '140.74115',
          currency: 'EUR',
        },
      ],
    })
    const client = await aSignedClient(world, 'admin')

    const { body } = await client.get('/documents', { kind: 'invoices' })
    const printed = await client.get('/documents/invoices/1')

    expect((body['documents'] as Rows)[0]).toMatchObject({
      number: 'R-7',
      amountWithVat: '140.74115',
      currency: 'EUR',
    })
    expect(body['totals']).toContainEqual({
      currency: 'EUR',
      count: 1,
      amount: '116.315',
      amountWithVat: '140.74115',
    })
    expect((body['totals'] as Rows).map(({ currency }) => currency)).toEqual(['EUR', 'USD'])
    const aged = await client.get('/documents/ageing', { customer: 2, till: '2026-04-20' })
    expect(aged.body['customers']).toContainEqual(
      expect.objectContaining({
        ...{ currency: 'EUR', owed: '140.7412', unassigned: '0.0000' },
        ages: expect.objectContaining({ '1_30': '0.0000', '31_60': '140.7412' }),
      }),
    )
    const march = { customer: 2, from: '2026-03-01', till: '2026-03-31' }
    const { statements } = (await client.get('/documents/statement', march)).body
    expect(statements).toContainEqual({
      ...{ currency: 'EUR', opening: '0.0000', closing: '140.7412' },
      entries: [{ day: '2026-03-11', kind: 'invoice', number: 'R-7', amount: '140.7412', owed: '140.7412' }],
    })
    expect(printed.body).toMatchObject({ vat: '24.42', invoice: { currency: 'EUR' } })
  })

  test('an empty list is empty, and so is everything else of a new installation', async () => {
    const world = await aWorld({ users: estates.users?.slice(0, 1) ?? [] })
    const client = await aSignedClient(world, 'admin')

    for (const kind of ['invoices', 'credit-notes', 'payments'])
      expect((await client.get('/documents', { kind })).body).toEqual({
        documents: [],
        totals: [],
        next: null,
      })
    expect((await client.get('/calls')).body).toMatchObject({ calls: [], next: null })
    expect((await client.get('/live-calls')).body).toEqual({ calls: [], total: 0 })
    expect((await client.get('/suspense')).body).toEqual({ entries: [], reasons: [], next: null })
    expect((await client.get('/tariffs')).body).toEqual({ tariffs: [] })
    expect((await client.get('/customers')).body).toMatchObject({ customers: [{ id: 0 }], next: null })
  })

  test('very many calls in progress are counted, and the oldest are shown', async () => {
    const active_calls = Array.from({ length: 1010 }, (_, n) => ({
      id: String(n + 1),
      start_time: formatDateTime(secondsOf(START_OF_TESTS) - 1200 + n, 'UTC'),
      user_id: n % 2 === 0 ? '10' : '20',
    }))
    const world = await aWorld(WITHOUT_LIVE_CALLS)
    await world.set({ Show_Active_Calls_for_Users: '1' })
    await world.given({ active_calls })

    const totals: unknown[] = []
    for (const who of ['admin', 'bob'] as const) {
      const { body } = await (await aSignedClient(world, who)).get('/live-calls')
      const calls = body['calls'] as Rows
      totals.push([calls.length, calls[0]?.['id'], body['total']])
    }

    expect(totals).toEqual([
      [100, 1, 1010],
      [100, 1, 505],
    ])
  })

  test('who calls is named only to those whose customer it is', async () => {
    const active_calls = [{ id: '1', start_time: '@now-60s', user_id: '10', dst_user_id: '20' }]
    const world = await aWorld(WITHOUT_LIVE_CALLS)
    await world.set({ Show_Active_Calls_for_Users: '1' })
    await world.given({ active_calls })

    const customers: unknown[] = []
    for (const who of ['admin', 'bob', 'rick', 'carol'] as const) {
      const { body } = await (await aSignedClient(world, who)).get('/live-calls')
      customers.push((body['calls'] as Rows).map(({ customer }) => customer))
    }

    expect(customers).toMatchObject([[{ id: 10 }], [{ id: 10 }], [null], [null]])
  })

  test("accounts of a reseller's calls in progress are read once, for scope and names", async () => {
    const active_calls = [{ id: '1', start_time: '@now-60s', user_id: '20' }]
    const world = await aWorld(WITHOUT_LIVE_CALLS)
    await world.given({ active_calls })
    const client = await aSignedClient(world, 'rick')

    const { body } = await client.get('/live-calls')

    expect(body).toMatchObject({ calls: [{ customer: { id: 20, name: 'of-20' } }] })
    expect(world.log.at(-1)).toMatchObject({ round_trips: 3 })
  })

  test('documents come in pages, the newest first', async () => {
    const world = await aWorld(estates)
    await world.given({
      payments: Array.from({ length: 120 }, (_, index) => ({
        id: `${index}`,
        user_id: '10',
        date: `2026-02-01 10:00:${String(index % 60).padStart(2, '0')}`,
        amount: '1',
      })),
    })
    const client = await aSignedClient(world, 'admin')
    const ids: unknown[] = []
    for (let after: unknown = ''; after !== null; ) {
      const { body } = await client.get('/documents', {
        kind: 'payments',
        customer: 10,
        after: String(after),
      })
      ids.push(...(body['documents'] as Rows).map(({ id }) => id))
      after = body['next']
    }

    expect(ids).toHaveLength(121)
    expect(new Set(ids).size).toBe(121)
  })

  test('the charges of a customer are listed, and what comes next', async () => {
    const service = {
      id: '77',
      owner_id: '0',
      name: 'Line',
      type: 'periodic_fee',
      period: 'monthly',
      price: '10',
    }
    const world = await aWorld(estates)
    await world.set({ Charges_From: '2026-03-01' })
    await world.given({
      services: [service],
      subscriptions: [{ id: '77', user_id: '10', service_id: '77', from: '2026-03-01 00:00:00' }],
    })
    const client = await aSignedClient(world, 'admin')
    const { body } = await client.get('/customers/10/charges')

    expect(body).toMatchObject({ isOn: true, charges: [] })
    expect(body['next']).toContainEqual(
      expect.objectContaining({ subscription: 77, service: 'Line', date: '2026-03-31', net: '10.0000' }),
    )
  })

  test('a payment is recorded, counts for what the customer owes, and is logged', async () => {
    const client = await aSignedClient(await aWorld(estates), 'admin')

    const paid = await client.send('POST', '/payments', { customer: 10, amount: '12.50', currency: 'EUR' })

    expect(paid.body).toMatchObject({ payment: { amount: '12.5', currency: 'EUR', status: 'completed' } })
    expect((await client.get('/customers/10')).body['ledger']).toContainEqual(
      expect.objectContaining({ currency: 'EUR', unassigned: '12.5000' }),
    )
    expect(((await client.get('/settings')).body['log'] as Rows)[0]).toMatchObject({
      change: expect.stringMatching(/^recorded payment \d+ of bob: 12.5 EUR$/),
    })
  })

  test('a repeated request records its payment once, and no other one in its place', async () => {
    const client = await aSignedClient(await aWorld(estates), 'admin')
    const values = { customer: 10, amount: '12.50', currency: 'EUR', 'idempotency-key': '1-2-3-4' }

    const atOnce = await Promise.all([1, 2, 3].map(() => client.send('POST', '/payments', values)))
    const later = await client.send('POST', '/payments', values)
    const other = await client.send('POST', '/payments', { ...values, amount: '13' })

    expect(new Set([...atOnce, later].map(({ body }) => JSON.stringify(body)))).toHaveLength(1)
    expect(other).toMatchObject({
      status: 409,
      body: { error: { message: expect.stringContaining('a request with other values') } },
    })
    expect((await client.get('/customers/10')).body['ledger']).toContainEqual(
      expect.objectContaining({ currency: 'EUR', unassigned: '12.5000' }),
    )
  })

  test.each([
    [{}, 'customer is missing'],
    [{ customer: 10 }, 'amount is missing'],
    [{ customer: 10, amount: 'ten' }, 'amount is "ten"'],
    [{ customer: 10, amount: '-1' }, 'above 0'],
    [{ customer: 10, amount: '1', currency: 'XYZ' }, 'There is no currency XYZ'],
  ])('a payment of %j is refused', async (values, message) => {
    const client = await aSignedClient(await aWorld(estates), 'admin')

    expect(await client.send('POST', '/payments', values)).toMatchObject({
      status: 422,
      body: { error: { code: 'invalid', message: expect.stringContaining(message) } },
    })
  })
})

describe('suspense', () => {
  const entry = {
    id: '0123456789abcdef01234567',
    order: '001773140400#000',
    format: 'asterisk-json',
    source: 'pbx',
    zone: 'UTC',
    reason: 'unknown_account',
    detail: 'no account zed',
    text: JSON.stringify({
      uniqueid: 'a1',
      accountcode: 'zed',
      src: '1',
      dst: '37060012345',
      start: '2026-03-10 10:00:00',
      end: '2026-03-10 10:01:00',
      answer: '2026-03-10 10:00:00',
      duration: 60,
      billsec: 60,
      disposition: 'ANSWERED',
    }),
  }

  test('a retry that fails leaves the CDR with its reason; a drop removes it; both are logged', async () => {
    const world = await aWorld(estates)
    await putSuspended(world.store, [entry])
    const client = await aSignedClient(world, 'admin')
    // Mediation did not suspend the entry: the first retry suspends it by its content's id.
    await client.send('POST', `/suspense/${entry.id}/retry`)
    const [listed] = (await client.get('/suspense')).body['entries'] as Rows
    const path = `/suspense/${listed?.['id']}`

    expect((await client.get('/suspense')).body).toMatchObject({
      entries: [{ reason: 'unknown_account' }],
      reasons: [{ reason: 'unknown_account', count: 1 }],
    })
    expect((await client.get(path)).body).toMatchObject({ text: entry.text, format: 'asterisk-json' })
    expect((await client.send('POST', `${path}/retry`)).body).toMatchObject({ isStored: false })
    expect((await client.send('DELETE', path)).status).toBe(200)
    expect((await client.get(path)).status).toBe(404)
    expect(((await client.get('/settings')).body['log'] as Rows).map(({ change }) => change)).toEqual(
      expect.arrayContaining([
        expect.stringContaining('dropped'),
        expect.stringContaining('still suspended'),
      ]),
    )
  })

  test('a CDR that can be stored now leaves suspense', async () => {
    const world = await aWorld(estates)
    await putSuspended(world.store, [entry])
    await world.given({
      users: [
        {
          password_hash: '0'.repeat(40),
          id: '77',
          owner_id: '0',
          username: 'zed',
          usertype: 'user',
          tariff_id: '3010',
        },
      ],
    })
    const client = await aSignedClient(world, 'admin')

    const retry = async (reason: string) => (await client.send('POST', '/suspense/retry', { reason })).body
    expect(await retry('too_long')).toEqual({ stored: 0, suspended: 0, next: null })
    expect(await retry(entry.reason)).toMatchObject({ stored: 1 })
    expect((await client.get('/suspense')).body['entries']).toEqual([])
    expect(
      (await client.get('/calls', { from: '2026-03-10', till: '2026-03-10', customer: 77 })).body['calls'],
    ).toHaveLength(1)
  })
})

describe('tariffs', () => {
  const rates = (count: number, rate: string) =>
    Array.from({ length: count }, (_, index) => ({
      tariff_id: '3010',
      prefix: `37${String(index).padStart(4, '0')}`,
      tariff_rate: rate,
      destination: `D ${index}`,
    }))

  test('rates come in pages, from a prefix on', async () => {
    const world = await aWorld(estates)
    await world.given({ rates: rates(230, '0.2') })
    const client = await aSignedClient(world, 'admin')
    const found: unknown[] = []
    for (let after: unknown = ''; after !== null; ) {
      const { body } = await client.get('/tariffs/3010', { after: String(after), prefix: '37' })
      found.push(...(body['rates'] as Rows).map(({ prefix }) => prefix))
      after = body['next']
    }

    expect(found).toHaveLength(230)
    expect(new Set(found).size).toBe(230)
    const { body } = await client.get('/tariffs/3010', { prefix: '370229' })
    expect((body['rates'] as Rows).map(({ prefix }) => prefix)).toEqual(['370229'])
  })

  test('times are those of the zone of the installation, in logs and of versions too', async () => {
    const world = await aWorld(estates)
    await world.set({ Timezone: 'Europe/Vilnius' })
    await world.given({ rates: rates(3, '0.2') })
    const client = await aSignedClient(world, 'admin')
    await client.send('PUT', '/settings', { Show_Balances: '0' })
    await client.send('POST', '/customers/10/block')

    const bodies = await Promise.all(
      ['/tariffs', '/tariffs/3010', '/settings', '/customers/10/log'].map((path) => client.get(path)),
    )
    for (const { body } of bodies) {
      const text = JSON.stringify(body)
      expect(text).toContain('"2026-03-10 14:00:00"')
      expect(text).not.toMatch(/\d\dT\d\d:\d\d/)
    }
  })

  test('a rollback activates the version before, and a second one undoes it', async () => {
    const world = await aWorld(estates)
    await world.given({ rates: rates(3, '0.2') })
    const client = await aSignedClient(world, 'admin')

    expect((await client.send('POST', '/tariffs/3010/rollback')).body).toEqual({
      id: 3010,
      version: 1,
      rates: 1,
    })
    expect((await client.send('POST', '/tariffs/3010/rollback')).body).toEqual({
      id: 3010,
      version: 2,
      rates: 3,
    })
    const { body } = await client.get('/tariffs/3010')
    expect(body['log']).toContainEqual(expect.objectContaining({ who: 'admin', from: 1, to: 2 }))
    expect((await client.send('POST', '/tariffs/3010/rollback', { version: 9 })).status).toBe(404)
  })

  test('versions are compared rate by rate, for those who see the tariff', async () => {
    const world = await aWorld(estates)
    await world.given({ rates: rates(3, '0.2') })
    await world.given({ rates: [...rates(2, '0.2'), { ...rates(3, '0.25')[2] }] })
    const client = await aSignedClient(world, 'admin')

    const { body } = await client.get('/tariffs/3010/changes')
    const first = await client.get('/tariffs/3010/changes', { from: 1, to: 3 })

    expect(body).toMatchObject({
      from: 2,
      to: 3,
      added: 0,
      removed: 0,
      changed: 1,
      unchanged: 2,
      isCut: false,
    })
    expect(body['rates']).toEqual([
      {
        before: expect.objectContaining({ prefix: '370002', perMinute: '0.2' }),
        after: expect.objectContaining({ prefix: '370002', perMinute: '0.25' }),
      },
    ])
    expect(first.body).toMatchObject({ from: 1, to: 3, added: 3, removed: 1 })
    expect((await client.get('/tariffs/3010/changes', { from: 9 })).status).toBe(404)
    const rita = await aSignedClient(world, 'rita')
    expect((await rita.get('/tariffs/3010/changes')).status).toBe(404)
  })

  test('a number has its price, step by step, or the reason why it has none', async () => {
    const client = await aSignedClient(await aWorld(estates), 'admin')

    const priced = await client.get('/prices', { customer: 20, number: '+370 600 12345', seconds: 90 })
    const none = await client.get('/prices', { customer: 20, number: '9912345' })

    expect(priced.body).toMatchObject({
      rating: { digits: '37060012345', steps: [{ payer: 'customer', price: '0.15' }, { payer: 'reseller' }] },
    })
    expect(none.body).toMatchObject({ rating: { problem: expect.stringContaining('no rate for 9912345') } })
  })

  test("a customer without a tariff does not see its reseller's price for a call of 0 seconds", async () => {
    const users = (estates.users ?? []).map((row) => (row['id'] === '20' ? { ...row, tariff_id: '' } : row))
    const client = await aSignedClient(await aWorld({ ...estates, users }), 'carol')

    const { body } = await client.get('/prices', { number: '37060012345', seconds: 0 })

    expect(body).toMatchObject({ rating: { steps: [], problem: null } })
  })
})

describe('settings', () => {
  test('are listed with secrets masked, changed, and logged', async () => {
    const client = await aSignedClient(await aWorld(estates), 'admin')

    const changed = await client.send('PUT', '/settings', { Country_Code: '44', Language: 'de' })
    const { body } = await client.get('/settings')

    expect(changed.body).toEqual({ values: { Country_Code: '44', Language: 'de' }, warning: null })
    expect(body['settings']).toContainEqual(
      expect.objectContaining({ name: 'API_Secret_Key', value: '********' }),
    )
    expect((body['log'] as Rows).slice(0, 2)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ who: 'admin', change: 'Country_Code', before: '', after: '44' }),
        expect.objectContaining({ who: 'admin', change: 'Language', before: 'en', after: 'de' }),
      ]),
    )
  })

  test('that give the installation away are not for an accountant who may set the others', async () => {
    const users = (estates.users ?? []).map((row) =>
      row['username'] === 'alice' ? { ...row, permissions: 'api_settings' } : row,
    )
    const client = await aSignedClient(await aWorld({ ...estates, users }), 'alice')
    const { body } = await client.get('/settings')
    const locked = (body['settings'] as Rows).filter(({ mayChange }) => !mayChange).map(({ name }) => name)

    expect(locked).toHaveLength(14)
    for (const name of locked)
      expect(
        await client.send('PUT', '/settings', { Suspense_Days: '9', [name as string]: '' }),
      ).toMatchObject({
        status: 403,
        body: { error: { message: `${name} is set by admins only.` } },
      })
    expect((await client.send('PUT', '/settings', { Allow_API: 'off' })).status).toBe(200)
  })

  test.each([
    ['Device_Limit', 'many', 422],
    ['Device_Range_MIN', '99999', 422],
    ['Default_Currency', 'XYZ', 422],
    ['Timezone', 'Europe/Vilnius', 409],
  ])('%s is not set to %s', async (name, value, status) => {
    const client = await aSignedClient(await aWorld(estates), 'admin')

    const refused = await client.send('PUT', '/settings', { Suspense_Days: '9', [name]: value })
    const { body } = await client.get('/settings')

    expect(refused.status).toBe(status)
    // All or nothing.
    expect(body['settings']).toContainEqual(expect.objectContaining({ name: 'Suspense_Days', value: '0' }))
  })
})

test.each([
  ['/calls', { from: '2026-13-01' }],
  ['/calls', { after: 'x' }],
  ['/calls', { cause: 'x' }],
  ['/customers', { after: 'x' }],
  ['/customers', { order: 'age' }],
  ['/documents', { kind: 'letters' }],
  ['/documents/statement', {}],
  ['/documents/statement', { customer: 10, from: '2026-03-02', till: '2026-03-01' }],
  ['/traffic', { from: '2026-03-02', till: '2026-03-01' }],
  ['/traffic', { from: '2020-01-01', till: '2026-03-01' }],
  ['/suspense', { after: 'x' }],
  ['/prices', {}],
])('%s refuses %j', async (path, values) => {
  const client = await aSignedClient(await aWorld(estates), 'admin')

  expect(await client.get(path, values)).toMatchObject({ status: 422, body: { error: { code: 'invalid' } } })
})
