import { expect, test } from 'vitest'
import { asOf } from '#lib/accounts/account-history.ts'
import { findWholeAccount, type WholeAccount } from '#lib/accounts/whole-account.ts'
import { alertKeys, waitingIn } from '#lib/alerts/event.ts'
import { totalOf } from '#lib/base/balance.ts'
import { secondsOf } from '#lib/base/calendar.ts'
import { findBalance } from '#lib/billing/balance.ts'
import { findInvoicesOfNumber } from '#lib/billing/invoice.ts'
import { anEndpoint } from '#test/acts/endpoints.ts'
import { withIndexesBehind } from '#test/faults/indexes-behind.ts'
import { aBilledWorld, aCall, admin, aMonthRun, issue, person, preview } from '#test/invoicing/a-month.ts'
import { addCreditNote } from '#test/invoicing/credited.ts'
import { damageIn } from '#test/soundness.ts'
import type { World } from '#test/world.ts'
import { billMonth, openIssue } from './bill-month.ts'

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

test('a document that is issued later has the VAT and currency of the last day of its month', async () => {
  const currencies = [{ name: 'USD', exchange_rate: '1.1' }]
  const world = await aBilledWorld({ users: [admin, carol], calls, currencies })
  const terms = async () => (await preview(world, { charges }))[0]?.terms
  const before = await terms()
  await world.given({ users: [person(10, { ...carol, vat_percent: '7', currency: 'USD' })] })
  expect(await terms()).toMatchObject({ vat_percent: before?.vat_percent, currency: before?.currency })

  const account = await findWholeAccount(world.store, 10)
  expect(asOf(account as WholeAccount, secondsOf(world.now))).toMatchObject({
    vat_percent: '7',
    currency: 'USD',
  })
})

test('the worked example: preview equals issue, and the balance holds rounding and minimum', async () => {
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

const june = { month: '2026-06' }

test('a late call and a changed price are rows of the next invoice; a lower one a credit note', async () => {
  const world = await aBilledWorld({ users: [admin, person(10)], calls })
  await issue(world)
  world.now = new Date('2026-07-01T08:00:00Z')
  await world.given({
    calls: [
      aCall(10, '2026-05-30 10:00:00', '0.5'),
      aCall(10, '2026-05-20 10:00:00', '1.187', { billsec: '600', duration: '600' }),
    ],
  })

  const outcomes = await issue(world, june)

  expect(outcomes.get(10)).toMatchObject({ kind: 'issued', document: { number: 'A-2026-2', net: '1.5' } })
  const [invoice] = await findInvoicesOfNumber(world.store, 'A-2026-2')
  expect(invoice?.products.map(({ name, quantity, sum }) => [name, quantity, sum])).toEqual([
    ['Calls, May 2026, late', '1', '1.5'],
  ])
  world.now = new Date('2026-08-01T08:00:00Z')
  await world.given({ calls: [aCall(10, '2026-05-30 10:00:00', '0.1')] })
  expect((await issue(world, { month: '2026-07' })).get(10)).toMatchObject({
    kind: 'issued',
    document: { is: 'credit_note', number: 'C-2026-1', net: '0.4' },
  })
  // Everything is billed: 0.272234 + 0.5 + 1 - 0.4 = 1.372234, in documents of 0.27, 1.5 and -0.4.
  expect(await balanceOf(world, 10)).toBe('-1.37')
  expect(await damageIn(world)).toEqual([])
})

test('--late also bills what is older than Late_Months, once, and an older month that was not issued first', async () => {
  const world = await aBilledWorld({ users: [admin, person(10)], calls }, { Late_Months: '0' })
  await issue(world)
  for (const month of ['2026-06', '2026-07']) {
    world.now = new Date(`${month.slice(0, 5)}0${Number(month.slice(5)) + 1}-02T08:00:00Z`)
    if (month === '2026-06') await issue(world, { month })
  }
  await world.given({
    calls: [aCall(10, '2026-05-30 10:00:00', '0.5'), aCall(10, '2026-07-05 10:00:00', '2')],
  })
  const july = { month: '2026-07', isLate: true }
  expect((await preview(world, { month: '2026-07' }))[0]?.draft.net).toBe('2')
  expect((await preview(world, july))[0]?.draft.net).toBe('2.5')

  const outcomes = await issue(world, july)
  expect(outcomes.get(10)).toMatchObject({ kind: 'issued', document: { number: 'A-2026-2', net: '2.5' } })
  const [invoice] = await findInvoicesOfNumber(world.store, 'A-2026-2')
  expect(invoice?.products.map(({ name, sum }) => [name, sum])).toEqual([
    ['Germany mobile', '2'],
    ['Calls, May 2026, late', '0.5'],
  ])
  world.now = new Date('2026-09-02T08:00:00Z')
  expect((await issue(world, { month: '2026-08', isLate: true })).get(10)).toEqual({ kind: 'empty' })
  await world.given({ calls: [aCall(10, '2026-05-29 10:00:00', '0.25')] })
  expect(await damageIn(world)).toEqual([])

  const never = await aBilledWorld({ users: [admin, person(10)], calls }, { Late_Months: '0' })
  never.now = new Date('2026-08-02T08:00:00Z')
  expect((await issue(never, july)).get(10)).toMatchObject({
    kind: 'refused',
    reason: { code: 'earlier_month_unbilled', values: { named: 'May 2026' } },
  })
})

test('refused: an open earlier month, suspended calls, or an imported invoice without a period', async () => {
  const world = await aBilledWorld({ users: [admin, person(10)], calls })
  world.now = new Date('2026-07-01T08:00:00Z')

  expect((await issue(world, june)).get(10)).toMatchObject({
    kind: 'refused',
    reason: { code: 'earlier_month_unbilled', values: { month: '2026-05', customer: 'u10' } },
  })
  const suspended = new Map([[10, 2]])
  expect((await issue(world, { suspended })).get(10)).toMatchObject({
    reason: { code: 'calls_in_suspense', values: { count: 2 } },
  })
  const invoice = { id: '1', user_id: '10', number: 'OLD-1', issue_date: '2026-06-01', price: '1' }
  await world.given({ invoices: [invoice] })
  expect((await issue(world)).get(10)).toMatchObject({
    reason: { code: 'invoice_without_period', values: { number: 'OLD-1' } },
  })
  await world.given({ invoices: [{ ...invoice, period_from: '2026-05-01', period_till: '2026-05-30' }] })
  expect((await issue(world, { suspended, isDespiteSuspense: true })).get(10)).toMatchObject({
    document: { net: '0.01' },
  })
})

test('a series continues the numbers of imported invoices', async () => {
  const old = {
    id: '1',
    user_id: '10',
    issue_date: '2026-04-30',
    price: '1',
    period_from: '2026-04-01',
    period_till: '2026-04-30',
  }
  const world = await aBilledWorld({
    users: [admin, person(10)],
    calls,
    invoices: [{ ...old, number: 'A-2026-41' }],
  })

  expect((await issue(world)).get(10)).toMatchObject({ document: { number: 'A-2026-42' } })
})

test('calls that an index does not have yet are billed with the next month, once', async () => {
  const world = await aBilledWorld({
    users: [admin, person(2, { usertype: 'reseller' }), person(20, { owner_id: '2' })],
    calls: [aCall(20, '2026-05-03 10:00:00', '9', { reseller_price: '3' })],
  })
  const behind = await aMonthRun(world, { store: withIndexesBehind(world).store })

  const [may] = await Array.fromAsync(billMonth(behind, [2], await openIssue(behind)))
  world.now = new Date('2026-07-02T08:00:00Z')
  const first = await issue(world, june)
  world.now = new Date('2026-08-02T08:00:00Z')
  const second = await issue(world, { month: '2026-07' })

  expect(may).toMatchObject({ outcome: 'empty' })
  expect(first.get(2)).toMatchObject({ kind: 'issued', document: { net: '3' } })
  expect(second.get(2)).toEqual({ kind: 'empty' })
})

test('a minimum and a credit note change the balance, so thresholds are told and armed again', async () => {
  const limits = { postpaid: '1', balance: '60', credit: '0', alert_at: '20', vat_percent: '' }
  const minimum = { minimal_month: '50', minimal_from: '2026-05-01' }
  const world = await aBilledWorld({ users: [admin, person(10, { ...limits, ...minimum })] })
  const { store, now } = world
  await anEndpoint(world, { events: ['balance.low'] })
  const told = async () => {
    const { told: threshold, ...item } = (await store.get(alertKeys.item(10))) ?? {}
    return [threshold, waitingIn(item).length]
  }

  await issue(world)
  expect(await told()).toEqual(['20', 1])
  await addCreditNote(store, { invoice: 'A-2026-1', why: 'Wrong' }, { as: 'u0', now })
  expect(await told()).toEqual([undefined, 1])
  await issue(world)
  expect(await told()).toEqual(['20', 2])
})

test.each([
  [1500, '-1', 'x'.repeat(200), { code: 'too_many_credit_rows', values: { count: 1500 } }],
  [10_001, '1', 'Line', { code: 'too_many_charges', values: { month: 'May 2026' } }],
])(
  '%i rows of %s that no item has room for are refused before anything is written',
  async (count, net, memo, why) => {
    const world = await aBilledWorld({ users: [admin, person(10)] })
    const before = await world.dump()
    const many = Array.from({ length: count }, (_, id) => ({ ...charges[0], id, net, amount: net, memo }))

    const outcomes = await issue(world, { charges: many as typeof charges })
    expect(outcomes.get(10)).toMatchObject({ kind: 'refused', reason: why })
    expect(await world.dump()).toEqual(before)
  },
)
