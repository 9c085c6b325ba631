import { expect, test } from 'vitest'
import { totalOf } from '#lib/base/balance.ts'
import { findBalance } from '#lib/billing/balance.ts'
import { findInvoicesOfNumber } from '#lib/billing/invoice.ts'
import { aBilledWorld, aCall, admin, issue, person, preview } from '#test/invoicing/a-month.ts'
import { damageIn } from '#test/soundness.ts'
import type { World } from '#test/world.ts'

const carol = person(10, { minimal_month: '5', minimal_from: '2026-05-01' })

/** A month with calls, a prorated fee, a fee paid once, and the rest of a minimum. */
const calls = [
  aCall(10, '2026-05-03 10:00:00', '0.0374', { billsec: '61', duration: '61' }),
  aCall(10, '2026-05-03 11:00:00', '0.0187', { billsec: '7' }),
  aCall(10, '2026-05-20 10:00:00', '0.187', { billsec: '600', duration: '600' }),
  aCall(10, '2026-05-21 10:00:00', '0.019792', { dst: '442079460001', billsec: '125', duration: '125' }),
  aCall(10, '2026-05-31 23:59:59', '0.009342', { dst: '442079460001', billsec: '59' }),
]

const charge = {
  user_id: 10,
  subscription_id: 1,
  service_id: 1,
  quantity: '1',
  currency: '',
  period: 'month',
}
const charges = [
  { ...charge, id: 1, from: '2026-05-27', price: '10', net: '1.612903', amount: '1.612903', memo: 'Line' },
  { ...charge, id: 2, from: '2026-05-27', price: '25', net: '25', amount: '25', memo: 'Setup' },
]

const balanceOf = async ({ store }: World, id: number) => {
  const found = await findBalance(store, id)
  return found && totalOf(found.balance)
}

test('the worked example: preview and issue are equal, and the balance holds the rounding and the minimum', async () => {
  const world = await aBilledWorld({ users: [admin, carol], calls })

  const [before] = await preview(world, { charges })
  const outcomes = await issue(world, { charges })

  expect(before?.draft).toMatchObject({ net: '31.61', vat: '6.64', gross: '38.25', charged: '26.885137' })
  expect(outcomes.get(10)).toMatchObject({
    kind: 'issued',
    document: { is: 'invoice', number: 'A-2026-1', net: '31.61', vat: '6.64', gross: '38.25' },
  })
  const [invoice] = await findInvoicesOfNumber(world.store, 'A-2026-1')
  expect(invoice).toMatchObject({
    user_id: 10,
    issue_date: '2026-06-02',
    due_date: '2026-06-16',
    period_from: '2026-05-01',
    period_till: '2026-05-31',
    status: 'unpaid',
    price: '31.61',
    price_with_vat: '38.25',
    currency: 'EUR',
    vat_percent: '21',
    month: '2026-05',
    total_time: '00:14:12',
  })
  expect(invoice?.products).toEqual(before?.draft.products)
  // The calls are charged and the fees are not, because these charges are stored nowhere.
  expect(await balanceOf(world, 10)).toBe('-4.997097')
  expect(await damageIn(world)).toEqual([])
})

test('what is issued is not issued again, and a month without anything uses no number', async () => {
  const world = await aBilledWorld({ users: [admin, carol, person(11)], calls })
  await issue(world)
  const dump = await world.dump()

  const again = await issue(world)

  expect(again.get(10)).toMatchObject({ kind: 'done', run: { outcome: 'invoice', number: 'A-2026-1' } })
  expect(again.get(11)).toMatchObject({ kind: 'done', run: { outcome: 'empty' } })
  expect(await world.dump()).toEqual(dump)
})
