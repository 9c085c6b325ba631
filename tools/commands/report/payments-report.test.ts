import { expect, test } from 'vitest'
import { people } from '#test/examples/examples.ts'
import { tariffCurrencies } from '#test/examples/tariffs.ts'
import { aWorld } from '#test/world.ts'
import { type PaymentsOptions, paymentsReport } from './payments-report.ts'

const paid = (id: string, date: string, cells: Readonly<Record<string, string>> = {}) => ({
  id,
  user_id: '10',
  amount: '7',
  currency: 'EUR',
  completed: '1',
  date,
  ...cells,
})

const payments = [
  paid('1', '2026-03-01 12:00:00', { transaction_id: 'T1' }),
  paid('2', '2026-03-02 12:00:00', { transaction_id: 'T2', amount: '7.00' }),
  paid('3', '2026-03-02 12:00:01', { amount: '7.01' }),
  paid('4', '2026-03-02 12:00:01', { currency: 'USD' }),
  paid('5', '2026-03-02 12:00:02', { user_id: '20' }),
  paid('6', '2026-03-03 12:00:01', { completed: '0' }),
  paid('7', '2026-03-05 12:00:00'),
]

async function reported(options: Partial<PaymentsOptions> = {}) {
  const { store } = await aWorld({ users: people, currencies: tariffCurrencies, payments })
  const whole = { from: undefined, till: undefined, customers: undefined, repeated: true, ...options }
  return Array.fromAsync((await paymentsReport(store, whole)).rows)
}

const idsIn = (rows: Awaited<ReturnType<typeof reported>>) => rows.map(({ id }) => id)

test('repeated payments are those with an equal one of the customer within a day', async () => {
  const rows = await reported()

  expect(idsIn(rows)).toEqual([1, 2])
  expect(rows[1]).toEqual({
    customer: 'bob',
    date: '2026-03-02 12:00:00',
    id: 2,
    transaction: 'T2',
    type: '',
    amount: '7',
    currency: 'EUR',
    completed: 'yes',
  })
})

test('payments are listed by customer and date, of days and customers', async () => {
  expect(idsIn(await reported({ repeated: false }))).toEqual([1, 2, 3, 4, 6, 7, 5])
  expect(idsIn(await reported({ repeated: false, from: '2026-03-03' }))).toEqual([6, 7])
  expect(idsIn(await reported({ repeated: false, customers: new Set([20]) }))).toEqual([5])
})
