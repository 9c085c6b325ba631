import { expect, test } from 'vitest'
import type { GivenTexts } from '#lib/acts/inputs.ts'
import { findInvoicesOfNumber } from '#lib/billing/invoice.ts'
import { payments } from '#lib/billing/payment.ts'
import { assignPayment } from '#lib/billing/payments/assign-payment.ts'
import { recordPayment } from '#lib/billing/payments/record-payment.ts'
import { takeBackPayment } from '#lib/billing/payments/take-back-payment.ts'
import { balancesFrom } from '#test/acts/carry-out.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld, type World } from '#test/world.ts'
import { carryOutAs, outcomeLine } from '#tools/command-line/act-commands.ts'
import { showBalance } from '#tools/commands/balance/balance.ts'

const user = (id: number, usertype: string) => ({
  id: String(id),
  username: `p${id}`,
  usertype,
  owner_id: '0',
  vat_percent: '21',
  password_hash: '0'.repeat(40),
})

/** An imported invoice of 31.61, 38.25 with VAT. */
async function anInvoicedWorld(settings = {}): Promise<World> {
  const invoice = {
    user_id: '10',
    issue_date: '2026-03-01',
    period_from: '2026-02-01',
    period_till: '2026-02-28',
  }
  const world = await aWorld(
    {
      users: [user(0, 'admin'), user(10, 'user'), user(11, 'user')],
      currencies: [{ name: 'EUR', exchange_rate: '0.8' }],
      invoices: [{ id: '1', number: 'A-1', price: '31.61', price_with_vat: '38.25', ...invoice }],
    },
    settings,
  )
  await balancesFrom(world, '2026-03-10')
  return world
}

const act = ({ now }: World) => ({ as: 'p0', now })

const pay = (world: World, given: GivenTexts) =>
  carryOutAs(world.store, recordPayment, act(world), { customer: 'p10', amount: '38.25', ...given })

const idIn = ({ answer }: Awaited<ReturnType<typeof pay>>): number => answer.id

const assign = (world: World, id: number, invoice: string) =>
  carryOutAs(world.store, assignPayment, act(world), { payment: String(id), invoices: invoice })

const takeBack = (world: World, id: number) =>
  carryOutAs(world.store, takeBackPayment, act(world), { payment: String(id), why: 'Chargeback' })

const paidOf = async ({ store }: World) =>
  ((await showBalance(store, 'p10')).json as { readonly paid: string }).paid

const invoiceOf = async ({ store }: World) => (await findInvoicesOfNumber(store, 'a-1'))[0]

test('a payment that names an invoice books its net, in parts too', async () => {
  const world = await anInvoicedWorld()

  await pay(world, { amount: '10', invoice: 'A-1' })
  expect(await paidOf(world)).toBe('8.264052')
  await pay(world, { amount: '28.25', invoice: 'A-1' })

  expect(await paidOf(world)).toBe('31.61')
  expect(await invoiceOf(world)).toMatchObject({ status: 'paid', paid_amount: '38.25', paid_booked: '31.61' })
  expect(await damageIn(world)).toEqual([])
})

test('a payment of Friday is dated on Friday and counts from Wednesday', async () => {
  const world = await anInvoicedWorld()
  const id = idIn(await pay(world, { date: '2026-03-06' }))

  expect(await payments.find(world.store, id)).toMatchObject({
    date: Date.UTC(2026, 2, 6) / 1000,
    confirm_date: world.now.getTime() / 1000,
    booked: '38.25',
  })
  await expect(pay(world, { date: '2026-03-11' })).rejects.toMatchObject({
    code: 'day_in_future',
    field: 'date',
  })
})

test.each([
  ['10.505', 'EUR', 2],
  ['10.50', 'EUR', undefined],
  ['10.500', '', undefined],
  ['1000.5', 'JPY', 0],
  ['1000', 'JPY', undefined],
  ['1.0005', 'KWD', 3],
  ['1.005', 'KWD', undefined],
] as const)(
  'a payment of %s %s is refused if its money has no such part',
  async (amount, currency, digits) => {
    const world = await anInvoicedWorld()
    await world.given({ currencies: ['JPY', 'KWD'].map((name) => ({ name, exchange_rate: '2' })) })
    const paid = pay(world, { amount, ...(currency && { currency }) })

    if (digits === undefined) expect(idIn(await paid)).toBeGreaterThan(0)
    else
      await expect(paid).rejects.toMatchObject({
        code: 'beyond_minor_unit',
        field: 'amount',
        values: { amount, currency, digits },
      })
  },
)

test('a second equal payment within a day needs --again', async () => {
  const world = await anInvoicedWorld()
  await pay(world, { date: '2026-03-06' })

  await expect(pay(world, {})).rejects.toMatchObject({ code: 'repeated' })
  await pay(world, { again: 'yes' })
  await pay(world, { customer: 'p11' })
  world.now = new Date(world.now.getTime() + 86_400_000)
  await pay(world, {})
  expect(await paidOf(world)).toBe('114.75')
})

test('a second equal payment of an invoice in its own currency is asked about, too', async () => {
  const world = await anInvoicedWorld()
  const invoice = { id: '2', user_id: '10', issue_date: '2026-03-01', currency: 'EUR' }
  await world.given({ invoices: [{ ...invoice, number: 'B-1', price: '10' }] })
  await pay(world, { amount: '4', invoice: 'B-1' })

  await expect(pay(world, { amount: '4', invoice: 'B-1' })).rejects.toMatchObject({ code: 'repeated' })
  await pay(world, { amount: '4' })
  expect(await damageIn(world)).toEqual([])
})

test('a payment names an invoice afterwards', async () => {
  const world = await anInvoicedWorld()
  const id = idIn(await pay(world, { amount: '40' }))

  await assign(world, id, 'A-1')

  expect(await paidOf(world)).toBe('33.36')
  await expect(assign(world, id, 'A-1')).rejects.toMatchObject({ code: 'invoice_paid' })
  expect(await damageIn(world)).toEqual([])
})

test('a payment is taken back once, by an entry that says why, and its invoice is open again', async () => {
  const world = await anInvoicedWorld()
  const id = idIn(await pay(world, { invoice: 'A-1' }))

  expect(outcomeLine(await takeBack(world, id))).toMatch(
    /^Took back payment \d+ by payment \d+ of -38.25 USD: Chargeback$/,
  )
  expect(await paidOf(world)).toBe('0')
  expect(await invoiceOf(world)).toMatchObject({ status: 'unpaid', paid_amount: '0', paid_booked: '0' })
  await expect(takeBack(world, id)).rejects.toMatchObject({ code: 'taken_back' })
  await pay(world, { invoice: 'A-1' })
  expect(await paidOf(world)).toBe('31.61')
  expect(await damageIn(world)).toEqual([])
})

test('an invoice of another customer, and an unknown one, cannot be paid', async () => {
  const world = await anInvoicedWorld()
  const before = await world.dump()

  for (const given of [{ customer: 'p11', invoice: 'A-1' }, { invoice: 'A-2' }])
    await expect(pay(world, given)).rejects.toMatchObject({ code: 'unknown_invoice' })
  expect(await world.dump()).toEqual(before)
})

test('with Payments_With_VAT a payment that names no invoice books its amount without VAT', async () => {
  const world = await anInvoicedWorld({ Payments_With_VAT: '1' })

  await pay(world, { amount: '48.4', currency: 'EUR' })

  expect(await paidOf(world)).toBe('50')
})
