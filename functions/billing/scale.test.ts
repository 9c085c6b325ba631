import { beforeAll, expect, test } from 'vitest'
import type { Method } from '#lib/api/method.ts'
import { people } from '#test/examples/examples.ts'
import { aWorld, type World } from '#test/world.ts'
import { method as creditNotesGet } from './credit_notes_get.ts'
import { method as statementsGet } from './financial_statements_get.ts'
import { method as invoicesGet } from './invoices_get.ts'
import { method as paymentsGet } from './payments_get.ts'
import { method as subscriptionsGet } from './subscriptions_get.ts'

/** A small model of a reseller's year with 5,000 customers and 200,000 documents. */
const CUSTOMERS = 100
const DAYS = 10
const DOCUMENTS = CUSTOMERS * DAYS

let world: World

const range = (length: number): number[] => Array.from({ length }, (_, index) => index)

/** Rick's customers have ids from 1000, Rita's from 5000. Both have the same number of documents. */
const customers = (first: number, owner_id: string) =>
  range(CUSTOMERS).map((index) => ({
    id: String(first + index),
    username: `customer-${first + index}`,
    password_hash: 'a94a8fe5ccb19ba61c4c0873d391e987982fbbd3',
    usertype: 'user',
    owner_id,
  }))

const documents = range(2 * DOCUMENTS).map((id) => ({
  id: String(id),
  user_id: String((id < DOCUMENTS ? 1000 : 5000) + (id % CUSTOMERS)),
  day: `2026-03-${String(1 + (Math.floor(id / CUSTOMERS) % DAYS)).padStart(2, '0')}`,
}))

beforeAll(async () => {
  world = await aWorld()
  await world.given({
    users: [...people, ...customers(1000, '2'), ...customers(5000, '3')],
    services: [{ id: '1', owner_id: '2', name: 'Line', price: '1' }],
    subscriptions: documents.map(({ id, user_id, day }) => ({ id, user_id, service_id: '1', from: day })),
    payments: documents.map(({ id, user_id, day }) => ({
      id,
      user_id,
      date: `${day} 10:00:00`,
      amount: '0.1',
      completed: '1',
      comments_for_user: 'x'.repeat(50),
    })),
    credit_notes: documents.map(({ id, user_id, day }) => ({ id, user_id, issue_date: day, price: '0.1' })),
    invoices: documents.map(({ id, user_id, day }) => ({
      id,
      user_id,
      number: `N-${id}`,
      issue_date: day,
      price: '0.1',
    })),
  })
})

const seconds = (day: number, time: string): number =>
  Date.parse(`2026-03-${String(day).padStart(2, '0')}T${time}Z`) / 1000

/** The listed documents and the cost of a call. */
async function called(method: Method, params: Record<string, string | number> = {}, caller = 'rick') {
  const body = await world.call(method, caller, params)
  const rows = body.match(/<(payment|credit_note|subscription|Invoice)[ >]/g)?.length ?? 0
  return { body, rows, cost: world.log.at(-1) as { read_units: number; round_trips: number } }
}

test.each([
  ['subscriptions', subscriptionsGet as Method, {}],
  ['credit notes', creditNotesGet as Method, {}],
  ['invoices', invoicesGet as Method, {}],
  ['payments', paymentsGet as Method, { s_from: seconds(1, '00:00:00') }],
])(
  'a list of all customers has every one of their %s, and reads no others',
  async (_what, method, params) => {
    const { rows, cost } = await called(method, params)

    expect(rows).toBe(DOCUMENTS)
    /** Half a unit for 4 KB, about 300 bytes a document; a unit for each account. */
    expect(cost.read_units).toBeLessThan(DOCUMENTS / 20 + CUSTOMERS + 10)
  },
)

test.each([[1], [2], [5]])('%i days of payments cost what they hold, and their customers', async (days) => {
  const params = { s_from: seconds(3, '00:00:00'), s_till: seconds(2 + days, '23:59:59') }
  const { rows, cost } = await called(paymentsGet, params)

  expect(rows).toBe(days * CUSTOMERS)
  expect(cost.read_units).toBeLessThan(4 + CUSTOMERS + (days * CUSTOMERS) / 20)
})

test('a statement of one day reads that day, and no account', async () => {
  const { body, cost } = await called(statementsGet, {
    date_from: seconds(4, '12:00:00'),
    date_till: seconds(4, '12:00:00'),
  })

  expect(body).toContain(`<count>${CUSTOMERS}</count><price>10.0000</price>`)
  expect(cost.round_trips).toBe(2)
  expect(cost.read_units).toBeLessThan(4 + (3 * CUSTOMERS) / 20)
})

test('a statement of the whole period counts every document', async () => {
  const { body } = await called(statementsGet, { date_from: 0 })

  expect(
    [...body.matchAll(/<count>(\d+)<\/count><price>([\d.]+)</g)].map(([, count, price]) => [count, price]),
  ).toEqual([
    ['0', '0.0000'],
    [String(DOCUMENTS), '100.0000'],
    [String(DOCUMENTS), '100.0000'],
    [String(DOCUMENTS), '100.0000'],
    ['0', '0.0000'],
  ])
})

test('the cost for one customer does not depend on the number of others', async () => {
  const { rows, cost } = await called(paymentsGet, { s_user_id: 1000, s_from: 0 })

  expect(rows).toBe(DAYS)
  expect(cost).toMatchObject({ round_trips: 3, read_units: 5 })
})
