import { beforeAll, expect, test } from 'vitest'
import { fixedSumOfQuotients } from '#lib/base/money.ts'
import type { FileName } from '#lib/dataset/import/files.ts'
import { importPath } from '#lib/dataset/import/folder.ts'
import { aWorld, SECRET_KEY, type World } from '#test/world.ts'
import { demoDataset } from '#tools/machine/data-folder.ts'
import { method as creditNotesGet } from './credit_notes_get.ts'
import { method as statementsGet } from './financial_statements_get.ts'
import { method as invoicesGet } from './invoices_get.ts'
import { method as paymentsGet } from './payments_get.ts'

/** The demo data, with enough decimals that no amount in a list is rounded. */
const DIGITS = 12

let world: World

const BOOKS: readonly FileName[] = [
  'settings',
  'currencies',
  'users',
  'services',
  'payments',
  'credit_notes',
  'invoices',
  'invoice_products',
]

beforeAll(async () => {
  world = await aWorld()
  for (const file of BOOKS) {
    const path = `${demoDataset}/${file}.csv`
    const [report] = await importPath({ store: world.store, clock: () => world.now }, path)
    expect([file, ...(report?.refused.values() ?? [])]).toEqual([file])
  }
  await world.set({ API_Secret_Key: SECRET_KEY, Nice_Number_Digits: String(DIGITS) })
})

const day = (days: number): number => world.now.getTime() / 1000 + days * 86_400

const RATES: Readonly<Record<string, string>> = { USD: '1', EUR: '0.9217', GBP: '0.7904', CHF: '0.8833' }

/** The sum in dollars of amounts in several currencies. */
const total = (amounts: readonly (readonly [amount: string, currency: string])[]) =>
  fixedSumOfQuotients(
    amounts.map(([amount, currency]) => [amount, RATES[currency] ?? 'no rate']),
    DIGITS,
  )

const field = (xml: string, name: string): string => new RegExp(`<${name}>([^<]*)<`).exec(xml)?.[1] ?? ''

const elements = (body: string, name: string): string[] =>
  body.match(new RegExp(`<${name}[ >].*?</${name}>`, 'g')) ?? []

/** The demo bills resellers and Harbourline's customers in euros, and all others in dollars. */
const currencyOf = (userId: string): string => (['2', '3', '30', '31'].includes(userId) ? 'EUR' : 'USD')

const userOf = (invoice: string): string => /user_id="(\d+)"/.exec(invoice)?.[1] ?? ''

const summary = (body: string, type: string, status: string) => {
  const statement = elements(body, 'statement').find(
    (one) => one.includes(`type="${type}"`) && field(one, 'status') === status,
  )
  return statement ? [field(statement, 'count'), field(statement, 'price')] : ['0', total([])]
}

test.each([['alice_accounting'], ['admin'], ['northwind'], ['harbourline']])(
  'the statement of %s agrees with the documents listed one by one',
  async (caller) => {
    const [from, till] = [day(-62), day(0)]
    const statement = await world.call(statementsGet, caller, { date_from: from, date_till: till })
    const paymentsBody = await world.call(paymentsGet, caller, {
      s_from: from - (from % 86_400),
      s_till: till - (till % 86_400) + 86_399,
      s_completed: 1,
    })
    const payments = elements(paymentsBody, 'payment')
    const invoices = elements(await world.call(invoicesGet, caller, { from, till }), 'Invoice')
    const notes = elements(await world.call(creditNotesGet, caller), 'credit_note')

    expect(summary(statement, 'payments', 'paid')).toEqual([
      String(payments.length),
      total(payments.map((one) => [field(one, 'amount'), field(one, 'currency')])),
    ])
    for (const [status, paid] of [
      ['paid', '<paid>1<'],
      ['unpaid', '<paid>0<'],
    ] as const) {
      const some = invoices.filter((one) => one.includes(paid))
      const sums = some.flatMap((one) =>
        elements(one, 'Product').map((product) => [field(product, 'Sum'), currencyOf(userOf(one))] as const),
      )
      expect(summary(statement, 'invoices', status)).toEqual([String(some.length), total(sums)])
    }
    for (const [status, isPaid] of [
      ['paid', true],
      ['unpaid', false],
    ] as const) {
      const some = notes.filter((one) => (field(one, 'pay_date') !== '') === isPaid)
      const prices = some.map((one) => [field(one, 'price'), currencyOf(field(one, 'user_id'))] as const)
      expect(summary(statement, 'credit_notes', status)).toEqual([String(some.length), total(prices)])
    }
    expect(payments.length * invoices.length * notes.length).toBeGreaterThan(0)
  },
)

test("a customer's statement is the sum of the documents that are listed", async () => {
  const statement = await world.call(statementsGet, 'alice_accounting', {
    user_id: 10,
    status: 'unpaid',
    date_from: day(-62),
    date_till: day(0),
  })

  expect(summary(statement, 'invoices', 'unpaid')).toEqual(['1', total([['35', 'USD']])])
})

test('a reseller sees the payments of its own customers only', async () => {
  const names = async (caller: string) =>
    new Set(
      elements(await world.call(paymentsGet, caller, { s_from: 0 }), 'payment').map((one) =>
        field(one, 'user'),
      ),
    )

  expect(await names('northwind')).toEqual(
    new Set(['Crumb &amp; Crust Bakery', 'Willow Lane Clinic', 'Frank Osei']),
  )
  expect(await names('harbourline')).toEqual(new Set(['Hotel Zum Anker']))
})
