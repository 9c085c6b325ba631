import { randomUUID } from 'node:crypto'
import { expect, inject, test } from 'vitest'
import type { ImportOptions } from '#lib/dataset/format/dataset-file.ts'
import { inMemory } from '#lib/dataset/format/row-source.ts'
import { type DatasetRows, importDataset } from '#lib/dataset/import/import.ts'
import { createTable } from '#lib/local/server/engine.ts'
import { creditNotes as creditNoteEntity, listCreditNotes } from '#lib/store/billing/credit-note.ts'
import { findInvoices, listInvoices } from '#lib/store/billing/invoice.ts'
import { invoiceProductKey, type Product, productsOf } from '#lib/store/billing/invoice-product.ts'
import { paymentColumns } from '#lib/store/billing/payment.ts'
import { listSubscriptions } from '#lib/store/billing/subscription.ts'
import { createClient } from '#lib/store/requests/client.ts'
import { createMeter } from '#lib/store/requests/meter.ts'
import { createStore, type Store } from '#lib/store/store.ts'
import { dumpTable } from '#lib/testing/dump.ts'
import {
  creditNotes,
  currencies,
  invoiceProducts,
  invoices,
  payments,
  services,
  subscriptions,
} from '#lib/testing/examples/billing-examples.ts'
import { devices, people } from '#lib/testing/examples/examples.ts'

const everything: DatasetRows = {
  users: people,
  currencies,
  devices,
  services,
  subscriptions,
  payments,
  credit_notes: creditNotes,
  invoices,
  invoice_products: invoiceProducts,
}

async function aTable() {
  const tableName = `documents-${randomUUID()}`
  const client = createClient({ tableName, endpoint: inject('endpoint') })
  await createTable(client, tableName)
  const meter = createMeter()
  const store = createStore({ client, tableName, meter })
  const services = { store, clock: () => new Date('2026-03-10T12:00:00Z') }
  const run = async (rows: DatasetRows, options: ImportOptions = {}) => {
    const sources = Object.fromEntries(
      Object.entries(rows).map(([file, cells]) => [file, inMemory(file, cells)]),
    )
    const reports = await importDataset(services, { name: 'test', sources }, options)
    return Object.fromEntries(reports.map((report) => [report.file, report]))
  }
  return { store, meter, run, dump: () => dumpTable(client, tableName) as Promise<Record<string, unknown>[]> }
}

async function all<T>(pages: AsyncIterable<readonly T[]>): Promise<T[]> {
  const found: T[] = []
  for await (const page of pages) found.push(...page)
  return found
}

const noteIds = async (store: Store, owner: number) =>
  (await all(listCreditNotes(store, { owner }))).map(({ id }) => id)

async function productNames(store: Store, id: number): Promise<string[]> {
  const [invoice] = await findInvoices(store, [id])
  const products: Product[] = invoice ? await all(productsOf(store, invoice)) : []
  return products.map(({ name }) => name)
}

test('the same documents again write nothing', async () => {
  const table = await aTable()
  await table.run(everything)
  const [before, spent] = [await table.dump(), table.meter.spent.write]
  const reports = await table.run(everything)

  expect(Object.values(reports).flatMap(({ refused }) => [...refused])).toEqual([])
  expect(reports['invoice_products']).toMatchObject({ written: 0, unchanged: 3 })
  expect(await table.dump()).toEqual(before)
  expect(table.meter.spent.write).toBe(spent)
})

const blankPayment = Object.fromEntries(Object.keys(paymentColumns).map((column) => [column, '']))

test.each([
  ['whole rows', blankPayment],
  ['rows that lack columns', {}],
])('an import of %s reads a unit for each new document, and one for each account', async (_, blank) => {
  const table = await aTable()
  const bob = people.find(({ username }) => username === 'bob')
  const users = Array.from({ length: 20 }, (_, n) => ({ ...bob, id: `${500 + n}`, username: `user-${n}` }))
  await table.run({ users: [...people, ...users] })
  const rows = Array.from({ length: 600 }, (_, id) => ({
    ...blank,
    id: String(id + 1),
    user_id: `${500 + (id % 20)}`,
    date: '2026-03-01 10:00:00',
    amount: '5',
  }))
  const { read } = { ...table.meter.spent }

  await table.run({ payments: rows })

  expect(table.meter.spent.read - read).toBeLessThan(600 + 20 + 10)
})

test('a document with another date or account is listed only in its new place', async () => {
  const table = await aTable()
  await table.run(everything)
  await table.run({ credit_notes: [{ ...creditNotes[1], issue_date: '2026-04-01', user_id: '20' }] })

  expect(await noteIds(table.store, 0)).toEqual([1, 5])
  expect(await noteIds(table.store, 2)).toEqual([3, 2])
  expect(await all(listCreditNotes(table.store, { user: 10 }))).toMatchObject([{ id: 1 }])
  expect(await creditNoteEntity.find(table.store, 2)).toMatchObject({ user_id: 20, owner_id: 2 })
})

test('an account that moves to another owner takes its documents along', async () => {
  const table = await aTable()
  await table.run(everything)
  const handOver = people.map((person) =>
    person.username === 'carol' ? { ...person, owner_id: '3' } : person,
  )
  await table.run({ users: handOver })

  expect(await noteIds(table.store, 2)).toEqual([])
  expect(await noteIds(table.store, 3)).toEqual([3, 4])
  expect((await all(listInvoices(table.store, { owner: 3 }))).map(({ id }) => id)).toEqual([3, 4])
  expect((await all(listSubscriptions(table.store, [{ owner: 3 }]))).map(({ id }) => id)).toEqual([2, 11])
  expect(await creditNoteEntity.find(table.store, 3)).toMatchObject({ owner_id: 3 })
})

test('a document that is imported while its account moves is listed with the new owner', async () => {
  const table = await aTable()
  await table.run(everything)
  const handOver = people.map((person) =>
    person.username === 'carol' ? { ...person, owner_id: '3' } : person,
  )
  const later = Array.from({ length: 30 }, (_, id) => ({ ...creditNotes[2], id: String(100 + id) }))

  await Promise.all([table.run({ users: handOver }), table.run({ credit_notes: later })])

  expect(await noteIds(table.store, 2)).toEqual([])
  expect(await noteIds(table.store, 3)).toHaveLength(32)
})

test.each([
  [
    'an unknown account',
    { payments: [{ ...payments[0], user_id: '99' }] },
    'user_id: there is no account 99',
  ],
  ['a payment without an amount', { payments: [{ ...payments[0], amount: '' }] }, 'amount must not be blank'],
  [
    'an amount of 31 digits',
    { payments: [{ ...payments[0], amount: '9'.repeat(31) }] },
    `amount takes: decimal number of at most 30 digits, not "${'9'.repeat(31)}"`,
  ],
  [
    'an id twice',
    { credit_notes: creditNotes.slice(0, 2).map((note) => ({ ...note, id: '1' })) },
    'id 1 is in line 1 already',
  ],
  [
    'an unknown owner',
    { services: [{ ...services[0], owner_id: '77' }] },
    'owner_id: there is no account 77',
  ],
  [
    'an owner that may own nothing',
    { services: [{ ...services[0], owner_id: '10' }] },
    'owner_id: account 10 is not an admin, reseller or partner',
  ],
  [
    'an unknown service',
    { subscriptions: [{ ...subscriptions[0], service_id: '88' }] },
    'service_id: there is no service 88',
  ],
  [
    'an unknown device',
    { subscriptions: [{ ...subscriptions[0], device_id: '88' }] },
    'device_id: there is no device 88',
  ],
  [
    'an end before the beginning',
    { subscriptions: [{ ...subscriptions[0], till: '2025-12-31 00:00:00' }] },
    'till is before from',
  ],
  [
    'a number that is too long for a key',
    { invoices: [{ ...invoices[1], number: 'x'.repeat(61) }] },
    `number takes: 1 to 60 characters, not "${'x'.repeat(60)}..."`,
  ],
  [
    'products of an unknown invoice',
    { invoice_products: [{ invoice_id: '99', sum: '1' }] },
    'invoice 99: there is no such invoice',
  ],
] satisfies [string, DatasetRows, string][])(
  'refuses a row with a reason: %s',
  async (_case, rows, reason) => {
    const table = await aTable()
    await table.run(everything)
    const before = await table.dump()
    const reports = await table.run(rows)

    expect(Object.values(reports).flatMap(({ refused }) => [...refused.values()])).toEqual([reason])
    expect(
      (await table.dump()).filter(
        (item) => !before.some(({ PK, SK }) => PK === item['PK'] && SK === item['SK']),
      ),
    ).toEqual([])
  },
)

const mismatched: DatasetRows = {
  users: people,
  invoices: [
    { id: '1', user_id: '10', number: 'A', issue_date: '2026-03-01', price: '10' },
    { id: '2', user_id: '10', number: 'B', issue_date: '2026-03-01', price: '0.3' },
  ],
  invoice_products: [
    { invoice_id: '1', sum: '9.99' },
    { invoice_id: '2', sum: '0.1' },
    { invoice_id: '1', sum: '0.02' },
    { invoice_id: '2', sum: '0.20' },
  ],
}

test.each([[{}], [{ dryRun: true }]])(
  'an invoice whose products add up to another price is imported with a warning: %o',
  async (options) => {
    const table = await aTable()
    const reports = await table.run(mismatched, options)

    expect(reports['invoices']).toMatchObject({
      refused: new Map(),
      remarks: ['warning: the price of invoice 1 is 10, but its products add up to 10.01'],
    })
    expect(reports['invoice_products']).toMatchObject({ refused: new Map(), remarks: [] })
    const [stored] = await findInvoices(table.store, [1])
    expect([stored?.price, stored?.products_sum]).toEqual(
      'dryRun' in options ? [undefined, undefined] : ['10', '10.01'],
    )
  },
)

test('a new price that differs from the stored products causes a warning, and so do new products', async () => {
  const table = await aTable()
  await table.run(everything)
  const price = await table.run({ invoices: [{ ...invoices[2], price: '11' }] })
  const products = await table.run({ invoice_products: [{ invoice_id: '3', sum: '12' }] })

  expect(price['invoices']?.remarks).toEqual([
    'warning: the price of invoice 3 is 11, but its products add up to 10',
  ])
  expect(products['invoice_products']?.remarks).toEqual([
    'warning: the price of invoice 3 is 11, but its products add up to 12',
  ])
})

test('the number of listed warnings is limited', async () => {
  const table = await aTable()
  await table.run({ users: people })
  const ids = Array.from({ length: 25 }, (_, id) => String(id + 1))
  const reports = await table.run({
    invoices: ids.map((id) => ({ id, user_id: '10', number: id, issue_date: '2026-03-01', price: '2' })),
    invoice_products: ids.map((invoice_id) => ({ invoice_id, sum: '1' })),
  })

  expect(reports['invoices']?.remarks).toHaveLength(21)
  expect(reports['invoices']?.remarks?.at(-1)).toBe('and 5 more like these')
})

test('the price of an invoice with an unknown account is ignored', async () => {
  const table = await aTable()
  await table.run(everything)
  const reports = await table.run({
    invoices: [{ ...invoices[2], user_id: '999', price: '20' }],
    invoice_products: [{ invoice_id: '3', sum: '20' }],
  })

  expect(reports['invoices']?.refused.size).toBe(1)
  expect(reports['invoice_products']?.remarks).toEqual([
    'warning: the price of invoice 3 is 10, but its products add up to 20',
  ])
})

test.each([{ sum: 'one' }, { sum: '1', service_id: '77' }])(
  'an invoice with a refused product keeps its stored products: %o',
  async (wrong) => {
    const table = await aTable()
    await table.run(everything)
    const invoice_products = [
      { invoice_id: '3', name: 'Half', sum: '1' },
      { invoice_id: '3', ...wrong },
    ]
    const reports = await table.run({ invoice_products })

    expect(reports['invoice_products']?.refused.get(1)).toBe(
      'invoice 3: another of its products is refused (--accept-rejected imports the others)',
    )
    expect(await productNames(table.store, 3)).toEqual(['Line', 'Support'])
    await table.run({ invoice_products }, { acceptRejected: true })
    expect(await productNames(table.store, 3)).toEqual(['Half'])
  },
)

test('price and products can change together, and an invoice row keeps the stored products', async () => {
  const table = await aTable()
  await table.run(everything)
  await table.run({
    invoices: [{ ...invoices[2], price: '11' }],
    invoice_products: [{ invoice_id: '3', name: 'Line, doubled', sum: '11' }],
  })
  await table.run({ invoices: [{ ...invoices[2], price: '11', issue_date: '2026-05-05' }] })

  expect(await productNames(table.store, 3)).toEqual(['Line, doubled'])
  expect(await findInvoices(table.store, [3])).toMatchObject([{ price: '11', issue_date: '2026-05-05' }])
})

const long = (invoice_id: number, products: number) =>
  Array.from({ length: products }, (_, product) => ({
    invoice_id: String(invoice_id),
    name: `${product} ${'x'.repeat(1500)}`,
    sum: '1',
  }))

const productPages = async (store: Store) =>
  (await Promise.all([1, 2].map((id) => store.list(invoiceProductKey.range(id))))).flat()

test('products of long invoices are items of their own, and replaced products expire later', async () => {
  const table = await aTable()
  const rows = (products: number) => ({
    users: people,
    invoices: [1, 2].map((id) => ({
      id: String(id),
      user_id: '10',
      number: String(id),
      issue_date: '2026-03-01',
      price: String(products),
    })),
    /** The products of the two invoices alternate. */
    invoice_products: long(1, products).flatMap((product, position) => [
      product,
      long(2, products)[position] ?? {},
    ]),
  })
  await table.run(rows(600))

  expect(await productPages(table.store)).toHaveLength(8)
  expect(await productNames(table.store, 2)).toEqual(long(2, 600).map(({ name }) => name))

  await table.run(rows(3))
  const left = await productPages(table.store)

  expect(await productNames(table.store, 2)).toHaveLength(3)
  expect(left.every(({ expires_at }) => expires_at === Date.parse('2026-03-10T13:00:00Z') / 1000)).toBe(true)

  await table.run(rows(600))

  expect(await productNames(table.store, 1)).toHaveLength(600)
  expect((await productPages(table.store)).filter(({ expires_at }) => expires_at !== undefined)).toEqual([])
})
