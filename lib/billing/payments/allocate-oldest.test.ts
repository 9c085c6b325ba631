import { expect, test } from 'vitest'
import type { GivenTexts } from '#lib/acts/inputs.ts'
import { addDays } from '#lib/base/calendar.ts'
import { listCreditNotes } from '#lib/billing/credit-note.ts'
import { findInvoicesOfNumber, listInvoices } from '#lib/billing/invoice.ts'
import { openAmount } from '#lib/billing/invoice-payment.ts'
import { findFigures } from '#lib/billing/ledger/figures.ts'
import { historyOfInvoice } from '#lib/billing/ledger/invoice-history.ts'
import { payments, unassignedOf } from '#lib/billing/payment.ts'
import { assignCreditNote, assignPayment } from '#lib/billing/payments/assign-payment.ts'
import { recordPayment } from '#lib/billing/payments/record-payment.ts'
import { takeBackPayment } from '#lib/billing/payments/take-back-payment.ts'
import { unassignCreditNote, unassignPayment } from '#lib/billing/payments/unassign-payment.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { aBilledWorld, aCall, admin, issue, person } from '#test/invoicing/a-month.ts'
import { addCreditNote } from '#test/invoicing/credited.ts'
import { damageIn } from '#test/soundness.ts'
import type { World } from '#test/world.ts'
import { carryOutAs } from '#tools/command-line/act-commands.ts'
import { reconcileReport } from '#tools/commands/report/reconcile.ts'
import { method as paymentCreate } from '../../../functions/billing/payment_create.ts'
import { allocationsIn } from '../ledger/allocation.ts'
import { allocateEveryone } from './allocate-oldest.ts'

const OLDEST = { Allocate_Payments: 'oldest' }

const imported = (id: number, cells: Readonly<Record<string, string>> = {}) => ({
  ...{ id: String(id), user_id: '10', number: `I-${id}`, issue_date: addDays('2026-02-01', id) },
  ...{ price: '10', price_with_vat: '12.1', vat_percent: '21', period_from: '2026-01-01' },
  ...{ period_till: '2026-01-31', ...cells },
})

const aWorldWith = (count: number, settings: Readonly<Record<string, string>> = OLDEST) =>
  aBilledWorld(
    {
      users: [admin, person(10)],
      invoices: Array.from({ length: count }, (_, index) => imported(index + 1)),
      currencies: [{ name: 'USD', exchange_rate: '2' }],
    },
    { Payments_With_VAT: '1', ...settings },
  )

const doneBy = (world: World, act: Parameters<typeof carryOutAs>[1], values: GivenTexts) =>
  carryOutAs(world.store, act, { as: 'u0', now: world.now }, values)

/** A second later, so that each has an id of its own. */
async function aPayment(world: World, amount: string, given: GivenTexts = {}): Promise<string> {
  world.now = new Date(world.now.getTime() + 1000)
  const paid = { customer: 'u10', amount, again: 'yes', ...given }
  return String(((await doneBy(world, recordPayment, paid)).answer as { id: number }).id)
}

/** The open amount of each invoice of a customer, and the rest of these payments. */
async function leftIn({ store }: World, ...ids: readonly string[]) {
  const listed = (await Array.fromAsync(listInvoices(store, { user: 10 }))).flat()
  const found = await payments.findMany(store, ids.map(Number))
  return {
    open: listed.map((one) => `${one.number} ${openAmount(one)}`),
    left: found.map((one) => one && unassignedOf(one)),
  }
}

const figuresOf = async ({ store }: World, id = 10) =>
  (await findFigures(store, await settingsOf(store), id)).map(
    (one) => `${one.currency} ${one.owed} = ${one.open} - ${one.unassigned}`,
  )

const resume = async (world: World) =>
  allocateEveryone({ store: world.store, settings: await settingsOf(world.store), now: world.now })

test('while off, payments stay unassigned, and nothing but payment and log is read or written', async () => {
  const world = await aWorldWith(2, {})
  const id = await aPayment(world, '30')
  expect(await leftIn(world, id)).toEqual({ open: ['I-1 12.1', 'I-2 12.1'], left: ['30'] })
  expect((await world.dump()).filter((item) => 'allocates' in item)).toEqual([])
  expect(await resume(world)).toMatchObject({ parts: 0 })
})

test('a payment goes to the oldest open invoices, and what is left to the next one that is issued', async () => {
  const world = await aWorldWith(2)
  await world.given({ calls: [aCall(10, '2026-05-03 10:00:00', '10')] })
  const id = await aPayment(world, '30')
  expect(await leftIn(world, id)).toEqual({ open: ['I-1 0', 'I-2 0'], left: ['5.8'] })

  await issue(world)
  expect(await leftIn(world, id)).toEqual({ open: ['I-1 0', 'I-2 0', 'A-2026-1 6.3'], left: ['0'] })
  expect(await figuresOf(world)).toEqual(['EUR 6.3 = 6.3 - 0'])
  expect((await world.dump()).filter((item) => 'allocates' in item || 'takes' in item)).toEqual([])
  expect(await damageIn(world)).toEqual([])
})

test('one that names an invoice goes there first, also by payment_create; its answer stays', async () => {
  const [on, off] = [await aWorldWith(3), await aWorldWith(3, {})]
  const bodies: string[] = []
  for (const world of [on, off]) {
    await world.set({ Allow_API: '1', API_allow_Payments: '1' })
    const params = { user_id: '10', p_currency: 'EUR', amount: '20', invoice: 'I-3', transaction: 'T-1' }
    const send = () => world.call(paymentCreate, 'u0', params)
    bodies.push(await send())
    expect(await send()).toBe(bodies.at(-1))
  }
  expect(bodies[0]).toContain('<gross>20.0000</gross>')
  expect(bodies[0]).toBe(bodies[1])
  expect((await leftIn(on)).open).toEqual(['I-1 4.2', 'I-2 12.1', 'I-3 0'])
  expect((await leftIn(off)).open).toEqual(['I-1 12.1', 'I-2 12.1', 'I-3 0'])
})

test('one in another currency is converted, and one without a rate is left alone', async () => {
  const world = await aWorldWith(2)
  const id = await aPayment(world, '30', { currency: 'USD' })
  expect(await leftIn(world, id)).toEqual({ open: ['I-1 0', 'I-2 9.2'], left: ['0'] })
  expect(await figuresOf(world)).toEqual(['EUR 9.2 = 9.2 - 0'])
})

test('payments of invoices that were imported as paid are not used again', async () => {
  const world = await aWorldWith(1)
  const paid = { user_id: '10', amount: '12.1', currency: 'EUR', completed: '1', type: 'bank' }
  await world.given({
    invoices: [imported(2, { status: 'paid' })],
    payments: [{ ...paid, id: '7', date: '2026-06-01 10:00:00', confirm_date: '2026-06-01 10:00:00' }],
  })
  const id = await aPayment(world, '5')
  expect(await leftIn(world, '7', id)).toEqual({ open: ['I-1 7.1', 'I-2 0'], left: ['12.1', '0'] })
})

test('25 parts are three transactions', async () => {
  const world = await aWorldWith(25, {})
  const id = await aPayment(world, '400')
  await world.set(OLDEST)
  const second = await aPayment(world, '1')
  expect((await leftIn(world, id, second)).left).toEqual(['97.5', '1'])
})

test('what is released by hand waits for the next reason, and what waits for a credited month for that', async () => {
  const world = await aWorldWith(1)
  await world.given({ calls: [aCall(10, '2026-05-03 10:00:00', '10')] })
  await issue(world)
  const id = await aPayment(world, '12.1')
  await doneBy(world, unassignPayment, { payment: id })
  expect(await resume(world)).toMatchObject({ parts: 0 })
  await doneBy(world, assignPayment, { payment: id, invoices: 'A-2026-1' })
  await addCreditNote(world.store, { invoice: 'A-2026-1', why: 'Wrong' }, { as: 'u0', now: world.now })

  const other = await aPayment(world, '2')
  expect(await leftIn(world, id, other)).toEqual({
    open: ['I-1 10.1', 'A-2026-1 0'],
    left: ['12.1', '0'],
  })
  await issue(world)
  expect(await leftIn(world, id)).toEqual({
    open: ['I-1 10.1', 'A-2026-1 0', 'A-2026-2 0'],
    left: ['0'],
  })
  await doneBy(world, takeBackPayment, { payment: other, why: 'Slip' })
  expect((await leftIn(world)).open[0]).toBe('I-1 12.1')
  expect(await damageIn(world)).toEqual([])
})

/** A prepaid customer with VAT, top-ups of 12.10, and calls of May for 200, with VAT 242. */
async function aPrepaidWorld(topUps: number) {
  const world = await aBilledWorld(
    { users: [admin, person(10, { postpaid: '0' })], calls: [aCall(10, '2026-05-03 10:00:00', '200')] },
    { Payments_With_VAT: '1', Balance_From: '2026-05-01' },
  )
  const ids = []
  for (let count = 0; count < topUps; count += 1) ids.push(await aPayment(world, '12.1'))
  return { world, ids }
}

const reconciled = async ({ store }: World) =>
  (await Array.fromAsync((await reconcileReport(store, undefined)).rows)).find(
    ({ customer }) => customer === 'u10',
  )

test.each([
  [0, 'EUR 0 = 0 - 0'],
  [3, ''],
  [14, ''],
  [25, 'EUR -60.5 = 0 - 60.5'],
])(
  'a prepaid invoice takes %i payments, oldest first, and the balance closes the rest',
  async (count, left) => {
    const { world, ids } = await aPrepaidWorld(count)
    const booked = async () =>
      (await payments.findMany(world.store, ids.map(Number))).map((one) => one?.booked)
    const before = { booked: await booked(), balance: (await reconciled(world))?.['balance'] }
    await issue(world)

    const [invoice] = (await Array.fromAsync(listInvoices(world.store, { user: 10 }))).flat()
    const taken = Math.min(count * 12.1, 242)
    expect(invoice).toMatchObject({ status: 'paid', price_with_vat: '242' })
    expect([Number(invoice?.paid_amount), Number(invoice?.from_balance)]).toEqual([
      expect.closeTo(taken),
      expect.closeTo(242 - taken),
    ])
    expect((await leftIn(world, ...ids)).left).toEqual(ids.map((_, index) => (index < 20 ? '0' : '12.1')))
    expect(await figuresOf(world)).toEqual(left === '' || count === 0 ? [] : [left])
    expect({ booked: await booked(), balance: (await reconciled(world))?.['balance'] }).toEqual(before)
    expect(await damageIn(world)).toEqual([])
  },
)

/** June gives back 2.00 net of May, 2.42 with VAT, which a later call takes out of the month. */
async function aCreditedMonth(settings: Readonly<Record<string, string>>, customer = {}): Promise<World> {
  const world = await aBilledWorld(
    { users: [admin, person(10, customer)], calls: [aCall(10, '2026-05-03 10:00:00', '10')] },
    { Payments_With_VAT: '1', ...settings },
  )
  await issue(world)
  world.now = new Date('2026-07-02T08:00:00Z')
  await world.given({ calls: [aCall(10, '2026-05-03 10:00:00', '8')] })
  expect((await issue(world, { month: '2026-06' })).get(10)).toMatchObject({
    document: { is: 'credit_note', gross: '2.42' },
  })
  return world
}

const noteOf = async ({ store }: World) =>
  (await Array.fromAsync(listCreditNotes(store, { user: 10 }))).flat()[0]

test('what no invoice has of a credit note pays the oldest one, and comes back if that is credited', async () => {
  const world = await aCreditedMonth(OLDEST)
  expect(await leftIn(world)).toMatchObject({ open: ['A-2026-1 9.68'] })
  expect(await figuresOf(world)).toEqual(['EUR 9.68 = 9.68 - 0'])
  const id = await aPayment(world, '9.68')
  expect(await leftIn(world, id)).toEqual({ open: ['A-2026-1 0'], left: ['0'] })
  expect(await damageIn(world)).toEqual([])
  const balances = await Array.fromAsync((await reconcileReport(world.store, undefined)).rows)
  expect(balances.map(({ balance, difference }) => `${balance} ${difference}`)).toEqual([
    '0.000000 0.000000',
    '0.000000 0.000000',
  ])
  const [invoice] = await findInvoicesOfNumber(world.store, 'A-2026-1')
  const history = invoice && (await historyOfInvoice(world.store, invoice, 'UTC'))
  expect(history?.map(({ kind, amount }) => `${kind} ${amount}`)).toEqual([
    'invoice 12.1',
    'credit_note 2.42',
    'payment 9.68',
  ])

  await addCreditNote(world.store, { invoice: 'A-2026-1', why: 'Wrong' }, { as: 'u0', now: world.now })
  expect(await figuresOf(world)).toEqual(['EUR -12.1 = 0 - 12.1'])
  expect(allocationsIn((await noteOf(world))?.allocations ?? 'none')).toEqual([])
  expect(await damageIn(world)).toEqual([])
})

test('by hand, a credit note pays a part of an invoice, and is released again', async () => {
  const world = await aCreditedMonth({})
  const [before] = await figuresOf(world)
  const { number = '' } = (await noteOf(world)) ?? {}
  const assign = (invoices: string) => doneBy(world, assignCreditNote, { note: number, invoices })
  const release = (invoice?: string) => doneBy(world, unassignCreditNote, { note: number, invoice })

  await assign('A-2026-1=1.42')
  expect(await leftIn(world)).toMatchObject({ open: ['A-2026-1 10.68'] })
  expect((await figuresOf(world))[0]?.split(' = ')[0]).toBe(before?.split(' = ')[0])
  await assign('A-2026-1')
  expect(await leftIn(world)).toMatchObject({ open: ['A-2026-1 9.68'] })
  expect(await damageIn(world)).toEqual([])
  await expect(assign('A-2026-1')).rejects.toMatchObject({ code: 'nothing_unassigned' })

  await release('A-2026-1')
  expect(await leftIn(world)).toMatchObject({ open: ['A-2026-1 12.1'] })
  expect(await figuresOf(world)).toEqual([before])
  expect(await damageIn(world)).toEqual([])
  await expect(release()).rejects.toMatchObject({ code: 'pays_no_invoice' })
  await expect(assign('A-2026-1=3')).rejects.toMatchObject({ code: 'more_than_unassigned' })
  await expect(doneBy(world, assignCreditNote, { note: 'none', invoices: 'A-2026-1' })).rejects.toMatchObject(
    {
      code: 'unknown_credit_note',
    },
  )
})

test('while off, a credit note waits; a prepaid invoice takes it before its balance closes the rest', async () => {
  const world = await aCreditedMonth({}, { postpaid: '0', balance: '100' })
  expect(await figuresOf(world)).toEqual(['EUR -2.42 = 0 - 2.42'])
  await world.given({ calls: [aCall(10, '2026-07-03 10:00:00', '10')] })
  world.now = new Date('2026-08-02T08:00:00Z')
  await issue(world, { month: '2026-07' })
  const [invoice] = await findInvoicesOfNumber(world.store, 'A-2026-2')
  expect(invoice).toMatchObject({ status: 'paid', paid_amount: '2.42', from_balance: '9.68' })
  expect(await figuresOf(world)).toEqual([])
  expect(await damageIn(world)).toEqual([])
})
