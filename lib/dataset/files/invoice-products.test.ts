import { expect, test } from 'vitest'
import { findInvoices } from '#lib/billing/invoice.ts'
import { invoiceProductKey, type Product, productsOf } from '#lib/billing/invoice-product.ts'
import type { Store } from '#lib/table/store.ts'
import type { DatasetRows } from '#test/datasets/import-rows.ts'
import { aTable } from '#test/datasets/import-table.ts'
import { rowsOfPages } from '#test/dump.ts'
import { allDocuments, exampleInvoices } from '#test/examples/billing-examples.ts'
import { people } from '#test/examples/examples.ts'

async function productNames(store: Store, id: number): Promise<string[]> {
  const [invoice] = await findInvoices(store, [id])
  const products: Product[] = invoice ? await rowsOfPages(productsOf(store, invoice)) : []
  return products.map(({ name }) => name)
}

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
    const [, invoiceReport, productReport] = await table.run(mismatched, options)

    expect(invoiceReport).toMatchObject({
      refused: new Map(),
      remarks: ['warning: the price of invoice 1 is 10, but its products add up to 10.01'],
    })
    expect(productReport).toMatchObject({ refused: new Map(), remarks: [] })
    const [stored] = await findInvoices(table.store, [1])
    expect([stored?.price, stored?.products_sum]).toEqual(
      'dryRun' in options ? [undefined, undefined] : ['10', '10.01'],
    )
  },
)

test('a new price that differs from the stored products warns, and so do new products', async () => {
  const table = await aTable()
  await table.run(allDocuments)
  const [priceReport] = await table.run({ invoices: [{ ...exampleInvoices[2], price: '11' }] })
  const [productReport] = await table.run({ invoice_products: [{ invoice_id: '3', sum: '12' }] })

  expect(priceReport?.remarks).toEqual([
    'warning: the price of invoice 3 is 11, but its products add up to 10',
  ])
  expect(productReport?.remarks).toEqual([
    'warning: the price of invoice 3 is 11, but its products add up to 12',
  ])
})

test('the number of listed warnings is limited', async () => {
  const table = await aTable()
  await table.run({ users: people })
  const ids = Array.from({ length: 25 }, (_, id) => String(id + 1))
  const [invoiceReport] = await table.run({
    invoices: ids.map((id) => ({ id, user_id: '10', number: id, issue_date: '2026-03-01', price: '2' })),
    invoice_products: ids.map((invoice_id) => ({ invoice_id, sum: '1' })),
  })

  expect(invoiceReport?.remarks).toHaveLength(21)
  expect(invoiceReport?.remarks?.at(-1)).toBe('and 5 more like these')
})

test('the price of an invoice with an unknown account is ignored', async () => {
  const table = await aTable()
  await table.run(allDocuments)
  const [invoiceReport, productReport] = await table.run({
    invoices: [{ ...exampleInvoices[2], user_id: '999', price: '20' }],
    invoice_products: [{ invoice_id: '3', sum: '20' }],
  })

  expect(invoiceReport?.refused.size).toBe(1)
  expect(productReport?.remarks).toEqual([
    'warning: the price of invoice 3 is 10, but its products add up to 20',
  ])
})

test.each([[{}], [{ dryRun: true }]])(
  'the products of a new invoice that is refused are refused: %o',
  async (options) => {
    const table = await aTable()
    const [, invoiceReport, productReport] = await table.run(
      {
        users: people,
        invoices: [
          {
            id: '1',
            user_id: '10',
            number: 'A',
            issue_date: '2026-03-01',
            price: '10',
            period_from: '2026-02-01',
          },
        ],
        invoice_products: [{ invoice_id: '1', sum: '10' }],
      },
      options,
    )

    expect(invoiceReport).toMatchObject({
      refused: new Map([[1, 'a period needs both period_from and period_till']]),
    })
    expect(productReport).toMatchObject({
      refused: new Map([[1, 'invoice 1: there is no such invoice']]),
      remarks: [],
    })
  },
)

test.each([{ sum: 'one' }, { sum: '1', service_id: '77' }])(
  'an invoice with a refused product keeps its stored products: %o',
  async (wrong) => {
    const table = await aTable()
    await table.run(allDocuments)
    const invoice_products = [
      { invoice_id: '3', name: 'Half', sum: '1' },
      { invoice_id: '3', ...wrong },
    ]
    const [productReport] = await table.run({ invoice_products })

    expect(productReport?.refused.get(1)).toBe(
      'invoice 3: another of its products is refused (--accept-rejected imports the others)',
    )
    expect(await productNames(table.store, 3)).toEqual(['Line', 'Support'])
    await table.run({ invoice_products }, { acceptRejected: true })
    expect(await productNames(table.store, 3)).toEqual(['Half'])
  },
)

test('price and products can change together, and an invoice row keeps the stored products', async () => {
  const table = await aTable()
  await table.run(allDocuments)
  await table.run({
    invoices: [{ ...exampleInvoices[2], price: '11' }],
    invoice_products: [{ invoice_id: '3', name: 'Line, doubled', sum: '11' }],
  })
  await table.run({ invoices: [{ ...exampleInvoices[2], price: '11', issue_date: '2026-05-05' }] })

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
    invoice_products: long(1, products).flatMap((product, index) => [
      product,
      long(2, products)[index] ?? {},
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
