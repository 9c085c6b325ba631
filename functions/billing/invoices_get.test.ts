import { expect, test } from 'vitest'
import {
  billingCurrencies,
  exampleInvoices,
  exampleServices,
  invoiceProducts,
} from '#test/examples/billing-examples.ts'
import { people } from '#test/examples/examples.ts'
import { aWorld } from '#test/world.ts'
import { method } from './invoices_get.ts'

const users = people.map((person) =>
  person.username === 'bob' ? { ...person, agreement_number: 'A-10 "x"', clientid: 'C<10>' } : person,
)

const aWorldWithInvoices = () =>
  aWorld({
    users,
    currencies: billingCurrencies,
    services: exampleServices,
    invoices: exampleInvoices,
    invoice_products: invoiceProducts,
  })

const numbersIn = (body: string) =>
  [...body.matchAll(/number="([^"]*)"/g)].slice(0).map(([, number]) => number)
const rootOf = (body: string) => /<Invoices[^>]*>/.exec(body)?.[0]
const seconds = (iso: string): number => Date.parse(iso) / 1000

test('invoices are listed by day of issue, with their products', async () => {
  const world = await aWorldWithInvoices()
  await world.set({ Nice_Number_Digits: '2' })

  expect(await world.call(method, 'bob')).toBe(
    '<?xml version="1.0" encoding="UTF-8"?><Invoices from="2026-02-01" till="2026-03-10">' +
      '<Invoice user_id="10" agreementnumber="A-10 &quot;x&quot;" clientid="C&lt;10&gt;" number="INV-2">' +
      '<paid>0</paid><Total_time/></Invoice>' +
      '<Invoice user_id="10" agreementnumber="A-10 &quot;x&quot;" clientid="C&lt;10&gt;" number="INV-1">' +
      '<paid>1</paid><Product><Name>Calls &amp; more</Name><Quantity>3</Quantity><Price>4.00</Price>' +
      '<Discount>0.50</Discount><Sum>12.35</Sum><Date_added>2026-03-09</Date_added>' +
      '<Issue_date>2026-03-10</Issue_date><Time>00:10:00</Time><Service_id>1</Service_id><Prefix>370</Prefix>' +
      '</Product><Total_time>00:10:00</Total_time></Invoice>' +
      '</Invoices>',
  )
})

test.each([
  ['admin sees its own customers', 'admin', ['INV-2', 'INV-1', 'INV-6']],
  ['the accountant sees what admin sees', 'alice', ['INV-2', 'INV-1', 'INV-6']],
  ['a reseller sees its customers, not itself', 'rick', ['INV-3']],
  ['a partner sees its customers', 'pat', ['INV-5']],
  ['a plain user sees its own', 'carol', ['INV-3']],
])('%s', async (_rule, caller, expected) => {
  const world = await aWorldWithInvoices()

  expect(numbersIn(await world.call(method, caller)).filter((number) => number?.startsWith('INV'))).toEqual(
    expected,
  )
})

test('products keep their order and their blank fields', async () => {
  const world = await aWorldWithInvoices()

  expect(await world.call(method, 'carol')).toContain(
    '<Product><Name>Line</Name><Quantity>1</Quantity><Price/><Discount/><Sum>7.5000</Sum><Date_added/>' +
      '<Issue_date/><Time/><Service_id/><Prefix/></Product><Product><Name>Support</Name>',
  )
})

test('invoices of one day are ordered by the digits in their numbers', async () => {
  const world = await aWorld()
  const numbers = ['R-10', 'R-9', 'A-1', 'R-9']
  await world.given({
    users,
    invoices: numbers.map((number, id) => ({
      id: String(id),
      user_id: '10',
      number,
      issue_date: '2026-03-10',
      price: '1',
    })),
  })

  expect(numbersIn(await world.call(method, 'bob')).filter((number) => !number?.includes('x'))).toEqual([
    'A-1',
    'R-9',
    'R-9',
    'R-10',
  ])
})

test.each([
  [
    'both days',
    { from: seconds('2026-02-02T15:00:00Z'), till: seconds('2026-03-10T01:00:00Z') },
    'from="2026-02-02" till="2026-03-10"',
  ],
  [
    'no end: the last day listed',
    { from: seconds('2026-02-02T15:00:00Z') },
    'from="2026-02-02" till="2026-03-10"',
  ],
  [
    'no start: the first day listed',
    { till: seconds('2026-03-01T00:00:00Z') },
    'from="2026-02-01" till="2026-03-01"',
  ],
  [
    'what is not a timestamp counts as not sent',
    { from: 'soon', till: '' },
    'from="2026-02-01" till="2026-03-10"',
  ],
])('the root gives the days: %s', async (_rule, params, expected) => {
  const world = await aWorldWithInvoices()

  expect(rootOf(await world.call(method, 'bob', params))).toBe(`<Invoices ${expected}>`)
})

test("the day of a timestamp is that of the installation's zone", async () => {
  const world = await aWorldWithInvoices()
  await world.set({ Timezone: 'Pacific/Auckland' })

  expect(await world.call(method, 'bob', { from: seconds('2026-03-10T12:00:00Z') })).toContain(
    'No_invoices_found',
  )
})

test.each([
  ['nobody in particular', undefined, {}, 'User_Not_Found'],
  ['an unknown account', 'zoe', {}, 'User_Not_Found'],
  ['a blocked account', 'ben', {}, 'User_Not_Found'],
  ['admin, where nothing was issued', 'admin', { till: 0 }, 'No_invoices_found'],
  ['the accountant, where nothing was issued', 'alice', { till: 0 }, 'No_invoices_found'],
  ['a partner, where nothing was issued', 'pat', { till: 0 }, 'No_invoices_found'],
  ['a plain user, where nothing was issued', 'bob', { till: 0 }, 'No_invoices_found'],
  ['an end before the start', 'rick', { from: seconds('2026-03-10'), till: 0 }, 'No_invoices_found'],
])('refuses %s', async (_case, caller, params, message) => {
  const world = await aWorldWithInvoices()

  expect(await world.call(method, caller, params)).toContain(`<page><error>${message}</error></page>`)
})

test('an invoice of any length shows every product', async () => {
  const world = await aWorld()
  const names = Array.from({ length: 900 }, (_, product) => `${product} ${'x'.repeat(800)}`)
  await world.given({
    users,
    invoices: [{ id: '1', user_id: '10', number: 'LONG', issue_date: '2026-03-10', price: '900' }],
    invoice_products: names.map((name) => ({ invoice_id: '1', name, sum: '1' })),
  })
  const body = await world.call(method, 'bob')

  expect([...body.matchAll(/<Name>(.*?)</g)].map(([, name]) => name)).toEqual(names)
  expect(world.log).toMatchObject([{ outcome: 'answered', round_trips: 4 }])
})

test('missing product items fail the answer instead of shortening the invoice', async () => {
  const world = await aWorld({
    users,
    invoices: [{ id: '1', user_id: '10', number: 'LONG', issue_date: '2026-03-10', price: '900' }],
    invoice_products: Array.from({ length: 900 }, () => ({
      invoice_id: '1',
      name: 'x'.repeat(800),
      sum: '1',
    })),
  })
  const pages = ((await world.dump()) as { PK: string; SK: string }[]).filter(({ SK }) =>
    SK.startsWith('PRODUCTS#'),
  )
  const [{ PK, SK } = { PK: '', SK: '' }] = pages
  await world.store.transact([{ remove: { PK, SK } }])

  expect(await world.call(method, 'bob')).toContain('Internal error')
  expect(world.log).toMatchObject([{ outcome: 'failed' }])
})

test('a list takes three round trips, and one more for products in items of their own', async () => {
  const world = await aWorldWithInvoices()

  await world.call(method, 'bob')

  expect(world.log).toMatchObject([{ round_trips: 3, read_units: 6 }])
})

test('the last moment of 9999 is the last day, also east of UTC', async () => {
  const world = await aWorldWithInvoices()
  await world.set({ Timezone: 'Europe/Vilnius' })

  const body = await world.call(method, 'rick', { from: 0, till: 253_402_300_799 })

  expect(numbersIn(body)).toContain('INV-3')
})
