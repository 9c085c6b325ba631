import { expect, test } from 'vitest'
import { recordPayment } from '#lib/billing/payments/record-payment.ts'
import { recordActs } from '#lib/dataset/records/record-acts.ts'
import { aBilledWorld, aCall, admin, person } from '#test/invoicing/a-month.ts'
import { damageIn } from '#test/soundness.ts'
import { carryOutAs } from '../../command-line/act-commands.ts'
import { showBalance } from '../balance/balance.ts'
import { billWanted, monthJson } from './month-tool.ts'

const calls = [
  aCall(10, '2026-05-03 10:00:00', '0.2431'),
  aCall(10, '2026-05-21 10:00:00', '0.029134', { dst: '442079460001' }),
]

const services = [
  {
    id: '1',
    owner_id: '0',
    name: 'Line',
    type: 'periodic_fee',
    period: 'monthly',
    price: '10',
    currency: 'EUR',
  },
  { id: '2', owner_id: '0', name: 'Setup', type: 'one_time_fee', period: '', price: '25', currency: 'EUR' },
]

test('subscriptions and calls become an invoice, and the payment that names it leaves nothing', async () => {
  const carol = person(10, { username: 'carol', minimal_month: '5', minimal_from: '2026-05-01' })
  const world = await aBilledWorld({ users: [admin, carol], calls, services }, { Charges_From: '2026-05-01' })
  const act = { as: 'u0', now: world.now }
  for (const service_id of ['line', '2'])
    await carryOutAs(
      world.store,
      recordActs('subscriptions').add,
      { ...act, now: new Date('2026-05-27T08:00:00Z') },
      { user_id: 'carol', service_id, from: '2026-05-27' },
    )
  const wanted = { month: '2026-05', customer: 'carol' }

  const [previewed] = await billWanted(world.store, wanted, { ...act, what: 'preview' })
  const [issued] = await billWanted(world.store, wanted, { ...act, what: 'issue' })

  expect(issued && monthJson(issued)).toMatchObject({
    customer: 'carol',
    number: 'A-2026-1',
    net: '31.61',
    vat: '6.64',
    gross: '38.25',
    rows: [
      { sum: '0.24' },
      { sum: '0.03' },
      { name: 'Line', sum: '1.61' },
      { sum: '25.00' },
      { sum: '4.73' },
    ],
  })
  expect(previewed?.products).toEqual(issued?.products)
  expect((await showBalance(world.store, 'carol')).json).toMatchObject({
    balance: '-31.61',
    fees: '26.612903',
  })
  const paid = { customer: 'carol', amount: '38.25', type: 'bank', invoice: 'A-2026-1' }
  await carryOutAs(world.store, recordPayment, act, paid)
  expect((await showBalance(world.store, 'carol')).json).toMatchObject({ balance: '0' })
  expect(await damageIn(world)).toEqual([])
})
