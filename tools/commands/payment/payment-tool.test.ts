import { expect, test } from 'vitest'
import { findInvoicesOfNumber } from '#lib/billing/invoice.ts'
import { payments } from '#lib/billing/payment.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld, type World } from '#test/world.ts'
import { changeBalanceDay, showBalance } from '../balance/balance.ts'
import { addPayment, assignPayment, takePaymentBack } from './payment-tool.ts'

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
  await changeBalanceDay(world.store, '2026-03-10', act(world))
  return world
}

const act = ({ now }: World) => ({ as: 'p0', now })

const said = { account: 'p10', currency: '', type: 'bank', reference: '', comment: '' }

const pay = (world: World, given: Partial<Parameters<typeof addPayment>[1]>) =>
  addPayment(world.store, { ...said, amount: '38.25', ...given }, act(world))

const idIn = ([line = '']: readonly string[]): number => Number(/Payment (\d+)/.exec(line)?.[1])

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
  await expect(pay(world, { date: '2026-03-11' })).rejects.toThrow('2026-03-11 is in the future')
})

test('a second equal payment within a day needs --again', async () => {
  const world = await anInvoicedWorld()
  await pay(world, { date: '2026-03-06' })

  await expect(pay(world, {})).rejects.toThrow('was recorded within a day: pass --again')
  await pay(world, { again: true })
  await pay(world, { account: 'p11' })
  world.now = new Date(world.now.getTime() + 86_400_000)
  await pay(world, {})
  expect(await paidOf(world)).toBe('114.75')
})

test('a payment names an invoice afterwards', async () => {
  const world = await anInvoicedWorld()
  const id = idIn(await pay(world, { amount: '40' }))

  await assignPayment(world.store, { id, number: 'A-1' }, act(world))

  expect(await paidOf(world)).toBe('33.36')
  await expect(assignPayment(world.store, { id, number: 'A-1' }, act(world))).rejects.toThrow(
    'names an invoice already',
  )
  expect(await damageIn(world)).toEqual([])
})

test('a payment is taken back once, by an entry that says why, and its invoice is open again', async () => {
  const world = await anInvoicedWorld()
  const id = idIn(await pay(world, { invoice: 'A-1' }))
  const why = { id, why: 'Chargeback' }

  const [line] = await takePaymentBack(world.store, why, act(world))

  expect(line).toMatch(/^Payment \d+ of -38.25 USD takes back payment \d+$/)
  expect(await paidOf(world)).toBe('0')
  expect(await invoiceOf(world)).toMatchObject({ status: 'unpaid', paid_amount: '0', paid_booked: '0' })
  await expect(takePaymentBack(world.store, why, act(world))).rejects.toThrow('was taken back by payment')
  await pay(world, { invoice: 'A-1' })
  expect(await paidOf(world)).toBe('31.61')
  expect(await damageIn(world)).toEqual([])
})

test('an invoice of another customer, and an unknown one, cannot be paid', async () => {
  const world = await anInvoicedWorld()
  const before = await world.dump()

  for (const given of [{ account: 'p11', invoice: 'A-1' }, { invoice: 'A-2' }])
    await expect(pay(world, given)).rejects.toThrow(`there is no invoice ${given.invoice} of this customer`)
  expect(await world.dump()).toEqual(before)
})

test('with Payments_With_VAT a payment that names no invoice books its amount without VAT', async () => {
  const world = await anInvoicedWorld({ Payments_With_VAT: '1' })

  await pay(world, { amount: '48.4', currency: 'EUR' })

  expect(await paidOf(world)).toBe('50')
})
