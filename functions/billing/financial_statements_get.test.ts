import { expect, test } from 'vitest'
import { findBalance } from '#lib/billing/balance.ts'
import { currencyKey } from '#lib/table/keys.ts'
import {
  billingCurrencies,
  exampleCreditNotes,
  exampleInvoices,
  examplePayments,
} from '#test/examples/billing-examples.ts'
import { people } from '#test/examples/examples.ts'
import { withoutRates } from '#test/examples/unrated-documents.ts'
import { aWorld } from '#test/world.ts'
import { method } from './financial_statements_get.ts'

const aWorldWithDocuments = () =>
  aWorld({
    users: people,
    currencies: billingCurrencies,
    payments: examplePayments,
    credit_notes: exampleCreditNotes,
    invoices: exampleInvoices,
  })

const statement = (
  type: string,
  status: string,
  [count, price, priceWithVat]: readonly [number, string, string],
) =>
  `<statement type="${type}"><status>${status}</status><count>${count}</count><price>${price}</price>` +
  `<price_with_vat>${priceWithVat}</price_with_vat></statement>`

const NOTHING = [0, '0.0000', '0.0000'] as const

const page = (...statements: string[]) =>
  `<page><financial_statement currency="USD">${statements.join('')}</financial_statement></page>`

const seconds = (iso: string): number => Date.parse(iso) / 1000

test('totals are in the default currency, rounded once', async () => {
  const world = await aWorldWithDocuments()

  expect(await world.call(method, 'bob')).toContain(
    page(
      statement('invoices', 'paid', [1, '15.4321', '18.7500']),
      statement('invoices', 'unpaid', NOTHING),
      statement('credit_notes', 'paid', [1, '1.2338', '1.4928']),
      statement('payments', 'paid', [1, '15.4321', '18.7500']),
      statement('payments', 'unpaid', NOTHING),
    ),
  )
})

test('a new exchange rate changes no statement, and statements have payments as balances do', async () => {
  const world = await aWorld(
    {
      users: people,
      currencies: [{ name: 'EUR', exchange_rate: '0.8' }],
      invoices: [
        { id: '1', user_id: '10', number: 'A', issue_date: '2026-03-10', price: '8', currency: 'EUR' },
      ],
      credit_notes: [{ id: '1', user_id: '10', issue_date: '2026-03-10', price: '4', currency: 'EUR' }],
      payments: [payment('1'), { ...payment('2'), amount_with_vat: '3.2' }],
    },
    { Balance_From: '2026-03-01' },
  )
  const before = await world.call(method, 'bob')
  await world.given({ currencies: [{ name: 'EUR', exchange_rate: '0.4' }] })

  expect(await world.call(method, 'bob')).toBe(before)
  expect(before).toContain(statement('invoices', 'unpaid', [1, '10.0000', '10.0000']))
  expect(before).toContain(statement('credit_notes', 'unpaid', [1, '5.0000', '5.0000']))
  expect(before).toContain(statement('payments', 'paid', [2, '4.0000', '6.0000']))
  await world.given({ payments: [payment('3')] })
  expect(await world.call(method, 'bob')).toContain(statement('payments', 'paid', [3, '8.0000', '10.0000']))
  expect((await findBalance(world.store, 10))?.balance.paid).toBe('8')
})

const payment = (id: string) => ({
  id,
  user_id: '10',
  date: '2026-03-10 09:00:00',
  amount: '1.6',
  currency: 'EUR',
  completed: '1',
})

test('a document that was stored without a rate counts by the rate of now', async () => {
  const world = await aWorldWithDocuments()
  await withoutRates(world)
  await world.given({ currencies: [{ name: 'EUR', exchange_rate: '0.0081' }] })

  expect(await world.call(method, 'bob')).toContain(
    statement('invoices', 'paid', [1, '1524.1543', '1851.8519']),
  )
})

test('invoices and payments always have both rows', async () => {
  const world = await aWorld({ users: people })

  for (const caller of ['admin', 'alice', 'rick', 'pat', 'bob']) {
    expect(await world.call(method, caller)).toContain(
      page(
        statement('invoices', 'paid', NOTHING),
        statement('invoices', 'unpaid', NOTHING),
        statement('payments', 'paid', NOTHING),
        statement('payments', 'unpaid', NOTHING),
      ),
    )
  }
})

const counts = (body: string) =>
  [...body.matchAll(/type="(\w+)"><status>(\w+)<\/status><count>(\d+)</g)].map(
    ([, type, status, count]) => `${type} ${status} ${count}`,
  )

test.each([
  ['paid', 'paid', ['invoices paid 1', 'credit_notes paid 1', 'payments paid 1']],
  ['unpaid', 'unpaid', ['invoices unpaid 0', 'payments unpaid 0']],
  ['any case', ' PAID ', ['invoices paid 1', 'credit_notes paid 1', 'payments paid 1']],
  [
    'all',
    'all',
    ['invoices paid 1', 'invoices unpaid 0', 'credit_notes paid 1', 'payments paid 1', 'payments unpaid 0'],
  ],
  [
    'what is not a status',
    'late',
    ['invoices paid 1', 'invoices unpaid 0', 'credit_notes paid 1', 'payments paid 1', 'payments unpaid 0'],
  ],
])('status: %s', async (_rule, status, expected) => {
  const world = await aWorldWithDocuments()

  expect(counts(await world.call(method, 'bob', { status }))).toEqual(expected)
})

test.each([
  ['admin: its own customers and itself', 'admin', {}, ['1', '1', '1', '1', '3', '0']],
  ['the accountant: what admin sees', 'alice', {}, ['1', '1', '1', '1', '3', '0']],
  ['a reseller: its customers', 'rick', {}, ['0', '1', '1', '1', '0']],
  ['a partner: its customers', 'pat', {}, ['0', '1', '1', '0']],
  ['a plain user: itself', 'bob', {}, ['1', '0', '1', '1', '0']],
  ['a plain user may name itself', 'bob', { user_id: 10 }, ['1', '0', '1', '1', '0']],
  ['a plain user that names somebody else: itself', 'bob', { user_id: 2 }, ['1', '0', '1', '1', '0']],
  ['a plain user that names nobody there is: itself', 'bob', { user_id: 'x' }, ['1', '0', '1', '1', '0']],
  ['one customer', 'alice', { user_id: 2 }, ['0', '1', '1', '1', '0']],
])('the documents in scope: %s', async (_rule, caller, params, expected) => {
  const world = await aWorldWithDocuments()
  const body = await world.call(method, caller, params)

  expect([...body.matchAll(/<count>(\d+)</g)].map(([, count]) => count)).toEqual(expected)
})

test.each([
  [
    'whole days, both included',
    { date_from: seconds('2026-03-01T23:00:00Z'), date_till: seconds('2026-03-09T00:30:00Z') },
    ['0', '0', '1', '1', '0'],
  ],
  ['from an early day until tomorrow', { date_from: 0 }, ['1', '1', '1', '1', '2', '0']],
  ['from today on', { date_till: seconds('2026-03-31T00:00:00Z') }, ['1', '0', '1', '1', '0']],
  [
    'what is not a timestamp counts as not sent',
    { date_from: 'then', date_till: '-1' },
    ['1', '0', '1', '1', '0'],
  ],
  ['an end before the start counts nothing', { date_till: 0 }, ['0', '0', '0', '0']],
])('the days: %s', async (_rule, params, expected) => {
  const world = await aWorldWithDocuments()
  const body = await world.call(method, 'bob', params)

  expect([...body.matchAll(/<count>(\d+)</g)].map(([, count]) => count)).toEqual(expected)
})

test('documents of tomorrow count by default, those of the next day do not', async () => {
  const world = await aWorld()
  const issued = ['2026-03-09', '2026-03-10', '2026-03-11', '2026-03-12']
  await world.given({
    users: people,
    invoices: issued.map((issue_date, id) => ({
      id: String(id),
      user_id: '10',
      number: '1',
      issue_date,
      price: '1',
    })),
  })

  expect(await world.call(method, 'bob')).toContain(statement('invoices', 'unpaid', [2, '2.0000', '2.0000']))
})

test.each([
  ['nobody in particular', undefined, {}, 'Bad login'],
  ['a blocked account', 'ben', {}, 'Bad login'],
  ["admin, of a reseller's customer", 'admin', { user_id: 20 }, 'Dont_be_so_smart'],
  ["the accountant, of a reseller's customer", 'alice', { user_id: 20 }, 'Dont_be_so_smart'],
  ["a reseller, of another's customer", 'rick', { user_id: 30 }, 'Dont_be_so_smart'],
  ['a reseller, of itself', 'rick', { user_id: 2 }, 'Dont_be_so_smart'],
  ["a partner, of admin's customer", 'pat', { user_id: 10 }, 'Dont_be_so_smart'],
  ['an unknown customer', 'admin', { user_id: 12345 }, 'Dont_be_so_smart'],
  ['a customer that is not a number', 'admin', { user_id: 'bob' }, 'Dont_be_so_smart'],
])('refuses %s', async (_case, caller, params, message) => {
  const world = await aWorldWithDocuments()

  expect(await world.call(method, caller, params)).toContain(`<page><error>${message}</error></page>`)
})

test('documents without a rate in a currency without one are in no sum, and the log names them', async () => {
  const world = await aWorldWithDocuments()
  await withoutRates(world)
  await world.store.removeBatch([currencyKey('EUR')])

  expect(await world.call(method, 'bob')).toContain(
    page(
      statement('invoices', 'paid', NOTHING),
      statement('invoices', 'unpaid', NOTHING),
      statement('payments', 'paid', NOTHING),
      statement('payments', 'unpaid', NOTHING),
    ),
  )
  expect(world.log).toMatchObject([
    {
      method: 'financial_statements_get',
      documents_left_out: 3,
      without_rate: [
        { type: 'invoices', currency: 'EUR', count: 1, ids: [1] },
        { type: 'credit_notes', currency: 'EUR', count: 1, ids: [1] },
        { type: 'payments', currency: 'EUR', count: 1, ids: [1] },
      ],
    },
    { outcome: 'answered' },
  ])
})

test('a document in an unknown currency is not imported', async () => {
  const world = await aWorld()

  await expect(world.given({ users: people, payments: examplePayments })).rejects.toThrow(
    'currency: EUR has no exchange rate',
  )
  await world.given({ settings: [{ name: 'Default_Currency', value: 'EUR' }], currencies: billingCurrencies })
  await world.store.removeBatch([currencyKey('EUR')])
  await world.given({ payments: examplePayments })
})

test('one customer costs six read units', async () => {
  const world = await aWorldWithDocuments()

  await world.call(method, 'admin', { user_id: 10 })

  expect(world.log).toMatchObject([{ read_units: 7 }])
})

test.each(['UTC', 'Europe/Vilnius', 'America/New_York'])(
  'till the end of time everything counts, %s',
  async (Timezone) => {
    const world = await aWorldWithDocuments()
    await world.set({ Timezone })
    const till = (date_till: number) => world.call(method, 'bob', { date_from: 0, date_till })

    expect(counts(await till(253_402_300_799))).toEqual(counts(await till(253_402_300_799 - 7 * 86_400)))
  },
)
