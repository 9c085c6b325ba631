import { expect, test } from 'vitest'
import { people } from '#test/examples/examples.ts'
import { tariffCurrencies } from '#test/examples/tariffs.ts'
import { aWorld } from '#test/world.ts'
import { type ReceivablesOptions, receivablesReport } from './receivables.ts'

const issued = (id: string, cells: Readonly<Record<string, string>>) => ({
  id,
  number: id,
  user_id: '10',
  issue_date: '2026-03-01',
  ...cells,
})

const paid = (id: string, cells: Readonly<Record<string, string>>) => ({
  id,
  user_id: '10',
  date: '2026-03-31 23:59:59',
  completed: '1',
  ...cells,
})

const billing = {
  users: people,
  currencies: tariffCurrencies,
  invoices: [
    issued('1', { price: '10', price_with_vat: '12.1' }),
    issued('2', { price: '1.00005', issue_date: '2026-04-01' }),
    issued('3', { price: '7', currency: 'EUR', user_id: '20' }),
  ],
  credit_notes: [issued('1', { price: '2', price_with_vat: '2.42' })],
  payments: [
    paid('1', { amount: '5', amount_with_vat: '6.05', currency: 'USD' }),
    paid('2', { amount: '100', completed: '0' }),
    paid('3', { amount: '9', user_id: '20' }),
  ],
}

async function reported(options: Partial<ReceivablesOptions> = {}): Promise<string[]> {
  const { store } = await aWorld(billing)
  const lines = []
  const whole = { from: undefined, till: undefined, customers: undefined, ...options }
  for await (const row of (await receivablesReport(store, whole)).rows)
    lines.push(Object.values(row).join(' '))
  return lines
}

test('documents are summed up with VAT by customer and currency; only completed payments count', async () => {
  expect(await reported()).toEqual([
    'bob USD 2 13.1001 1 2.4200 1 6.0500 4.6301 13.1001 8.4700',
    'carol EUR 1 7.0000 0 0.0000 0 0.0000 7.0000 7.0000 0.0000',
    'carol USD 0 0.0000 0 0.0000 1 9.0000 -9.0000 0.0000 9.0000',
  ])
})

test('documents are selected by day and customer, both days included', async () => {
  const march = { from: '2026-03-01', till: '2026-03-31' }

  expect(await reported({ ...march, customers: new Set([10]) })).toEqual([
    'bob USD 1 12.1000 1 2.4200 1 6.0500 3.6300 12.1000 8.4700',
  ])
})
