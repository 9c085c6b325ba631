import { expect, test } from 'vitest'
import type { GivenTexts } from '#lib/acts/inputs.ts'
import { findInvoicesOfNumber } from '#lib/billing/invoice.ts'
import { openAmount } from '#lib/billing/invoice-payment.ts'
import { findFigures } from '#lib/billing/ledger/figures.ts'
import { payments, unassignedOf } from '#lib/billing/payment.ts'
import { assignPayment } from '#lib/billing/payments/assign-payment.ts'
import { recordPayment } from '#lib/billing/payments/record-payment.ts'
import { refundPayment } from '#lib/billing/payments/refund-payment.ts'
import { takeBackPayment } from '#lib/billing/payments/take-back-payment.ts'
import { unassignPayment } from '#lib/billing/payments/unassign-payment.ts'
import { writeOffInvoice } from '#lib/billing/payments/write-off.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld, type World } from '#test/world.ts'
import { carryOutAs } from '#tools/command-line/act-commands.ts'
import { showBalance } from '#tools/commands/balance/balance.ts'

const user = (id: number, usertype: string) => ({
  ...{ id: String(id), username: `p${id}`, usertype, owner_id: '0', vat_percent: '19' },
  password_hash: '0'.repeat(40),
})

const invoice = (id: number, cells: Readonly<Record<string, string>> = {}) => ({
  ...{ id: String(id), user_id: '10', number: `A-${id}`, issue_date: `2026-03-0${id}`, vat_percent: '19' },
  ...{ price: '100', price_with_vat: '119', ...cells },
})

/** Three invoices of 119.00, and one of 59.50 euros, which are 1.25 dollars each. */
const aWorldOfInvoices = (settings: Readonly<Record<string, string>> = {}) =>
  aWorld(
    {
      users: [user(0, 'admin'), user(10, 'user')],
      currencies: [{ name: 'EUR', exchange_rate: '0.8' }],
      invoices: [
        ...[1, 2, 3].map((id) => invoice(id)),
        invoice(4, { price: '50', price_with_vat: '59.5', currency: 'EUR', exchange_rate: '0.5' }),
      ],
    },
    { Balance_From: '2026-03-01', ...settings },
  )

const act = ({ now }: World) => ({ as: 'p0', now })

async function aPayment(world: World, amount: string, given: GivenTexts = {}): Promise<string> {
  const paid = { customer: 'p10', amount, again: 'yes', ...given }
  return String((await carryOutAs(world.store, recordPayment, act(world), paid)).answer.id)
}

const assign = (world: World, payment: string, ...invoices: readonly string[]) =>
  carryOutAs(world.store, assignPayment, act(world), { payment, invoices: invoices.join('\n') })

const release = (world: World, payment: string, invoice?: string) =>
  carryOutAs(world.store, unassignPayment, act(world), { payment, invoice })

const refund = (world: World, payment: string, amount?: string) =>
  carryOutAs(world.store, refundPayment, act(world), { payment, amount })

/** The open amount of each invoice, unassigned of each payment, owed by currency, and the balance. */
async function booksOf(world: World, ...paid: readonly string[]) {
  const { store } = world
  const open = async (number: string) => (await findInvoicesOfNumber(store, number)).map(openAmount)
  const found = await payments.findMany(store, paid.map(Number))
  const figures = await findFigures(store, await settingsOf(store), 10)
  const { json } = await showBalance(store, 'p10')
  return {
    open: (await Promise.all(['A-1', 'A-2', 'A-3', 'A-4'].map(open))).flat(),
    unassigned: found.map((one) => one && unassignedOf(one)),
    owed: figures.map((one) => `${one.currency} ${one.owed} = ${one.open} - ${one.unassigned}`),
    balance: (json as { readonly balance: string }).balance,
  }
}

test('a payment pays several invoices, in part too, and is released from one or all of them', async () => {
  const world = await aWorldOfInvoices()
  const id = await aPayment(world, '300')
  expect(await booksOf(world, id)).toMatchObject({ unassigned: ['300'], balance: '300' })

  const { log } = await assign(world, id, 'A-2=19', 'A-1')
  expect(log).toEqual({ action: `assigned payment ${id} of p10 to A-2 (19 USD), A-1 (119 USD)` })
  expect(await booksOf(world, id)).toEqual({
    open: ['0', '100', '119', '59.5'],
    unassigned: ['162'],
    owed: ['EUR 59.5 = 59.5 - 0', 'USD 57 = 219 - 162'],
    balance: '277.966387',
  })
  await assign(world, id, 'A-2')
  expect(await booksOf(world, id)).toMatchObject({ open: ['0', '0', '119', '59.5'], balance: '262' })

  await release(world, id, 'a-1')
  expect(await booksOf(world, id)).toMatchObject({ open: ['119', '0', '119', '59.5'], balance: '281' })
  await release(world, id)
  expect(await booksOf(world, id)).toMatchObject({ unassigned: ['300'], balance: '300' })
  expect(await damageIn(world)).toEqual([])
})

test('what is unassigned books without VAT where payments include it, and the last part the rest', async () => {
  const world = await aWorldOfInvoices({ Payments_With_VAT: '1' })
  const id = await aPayment(world, '238')

  const balances = [(await booksOf(world)).balance]
  for (const number of ['A-1=0.01', 'A-1', 'A-2']) {
    await assign(world, id, number)
    balances.push((await booksOf(world)).balance)
  }
  expect(balances).toEqual(['200', '200', '200', '200'])
  await release(world, id)
  expect((await booksOf(world)).balance).toBe('200')
  expect(await damageIn(world)).toEqual([])
})

test('a payment in another currency is converted: both currencies say so, and a release takes it back', async () => {
  const world = await aWorldOfInvoices()
  const id = await aPayment(world, '100')
  const before = await booksOf(world, id)

  await assign(world, id, 'A-4=40')
  expect(await booksOf(world, id)).toMatchObject({
    open: ['119', '119', '119', '19.5'],
    unassigned: ['50'],
    owed: ['EUR 19.5 = 19.5 - 0', 'USD 307 = 357 - 50'],
  })
  expect(await damageIn(world)).toEqual([])
  await release(world, id)
  expect(await booksOf(world, id)).toEqual(before)
})

test('an unassigned part is refunded by an entry of its own, in ledger and balance, and no more', async () => {
  const world = await aWorldOfInvoices({ Payments_With_VAT: '1' })
  const id = await aPayment(world, '238', { invoice: 'A-1' })

  const { answer } = await refund(world, id, '19')
  expect(answer).toMatchObject({ amount: '-19', booked: '-15.966387', refunds: Number(id) })
  expect(await booksOf(world, id)).toMatchObject({
    unassigned: ['100'],
    owed: ['EUR 59.5 = 59.5 - 0', 'USD 138 = 238 - 100'],
    balance: '184.033613',
  })
  await expect(refund(world, id, '100.01')).rejects.toMatchObject({
    code: 'more_than_unassigned',
    values: { amount: '100.01', unassigned: '100' },
  })
  await refund(world, id)
  expect(await booksOf(world, id)).toMatchObject({ unassigned: ['0'], balance: '100' })
  await expect(refund(world, id)).rejects.toMatchObject({ code: 'nothing_unassigned' })
  const back = { payment: id, why: 'Wrong' }
  await expect(carryOutAs(world.store, takeBackPayment, act(world), back)).rejects.toMatchObject({
    code: 'refunded',
  })
  await expect(assign(world, String(answer.id), 'A-2')).rejects.toMatchObject({ code: 'refunds_other' })
  expect(await damageIn(world)).toEqual([])
})

test('a write-off closes what is open, and the balance gets its net', async () => {
  const world = await aWorldOfInvoices()
  const id = await aPayment(world, '19', { invoice: 'A-1' })
  const wanted = { invoice: 'A-1', why: 'Bankrupt' }

  const { answer } = await carryOutAs(world.store, writeOffInvoice, act(world), wanted)
  expect(answer).toMatchObject({ number: 'A-1', gross: '100', net: '84.033613' })
  expect(await booksOf(world, id)).toMatchObject({
    open: ['0', '119', '119', '59.5'],
    owed: ['EUR 59.5 = 59.5 - 0', 'USD 238 = 238 - 0'],
    balance: '100',
  })
  await expect(carryOutAs(world.store, writeOffInvoice, act(world), wanted)).rejects.toMatchObject({
    code: 'invoice_paid',
  })
  expect(await damageIn(world)).toEqual([])
})

test('a payment of a paid invoice is recorded, unassigned, and says so; taking back opens all that it paid', async () => {
  const world = await aWorldOfInvoices()
  const first = await aPayment(world, '238')
  await assign(world, first, 'A-1', 'A-2')
  const paid = { customer: 'p10', amount: '119', invoice: 'A-1' }
  const { answer, remarks } = await carryOutAs(world.store, recordPayment, act(world), paid)

  expect(remarks).toEqual(['119 USD of it is unassigned: that was not open of A-1'])
  expect(await booksOf(world, String(answer.id))).toMatchObject({ unassigned: ['119'], balance: '319' })

  await carryOutAs(world.store, takeBackPayment, act(world), { payment: first, why: 'Returned' })
  expect(await booksOf(world, first)).toMatchObject({
    open: ['119', '119', '119', '59.5'],
    unassigned: ['0'],
    balance: '119',
  })
  expect(await damageIn(world)).toEqual([])
})

test('refused assignments name the invoice and what is left, and change nothing', async () => {
  const world = await aWorldOfInvoices()
  const id = await aPayment(world, '100', { invoice: 'A-1' })
  const other = await aPayment(world, '100')
  const before = await world.dump()

  const refused: readonly (readonly [string, readonly string[], object])[] = [
    [id, ['A-2'], { code: 'nothing_unassigned' }],
    [other, ['A-9'], { code: 'unknown_invoice', field: 'invoices' }],
    [other, ['A-2', 'A-2'], { code: 'invoice_paid' }],
    [other, ['A-1=20'], { code: 'more_than_open', values: { number: 'A-1', amount: '20', open: '19' } }],
    [other, ['A-2=90', 'A-3=11'], { code: 'more_than_unassigned', values: { unassigned: '10' } }],
    [other, ['A-2=0'], { code: 'wrong_value' }],
    [other, ['A-2=x'], { code: 'wrong_value' }],
    [other, Array.from({ length: 11 }, (_, index) => `A-${index}`), { code: 'too_many_invoices' }],
  ]
  for (const [payment, numbers, refusal] of refused)
    await expect(assign(world, payment, ...numbers)).rejects.toMatchObject(refusal)
  await expect(release(world, other)).rejects.toMatchObject({ code: 'pays_no_invoice' })
  expect(await world.dump()).toEqual(before)
})

test('a payment that was released 40 times pays no further invoice', async () => {
  const world = await aWorldOfInvoices()
  const released = (count: number) =>
    Array.from({ length: count }, () => 'i1:1:1::1:2026-03-02:2026-03-03').join(' ')
  const paid = { user_id: '10', date: '2026-03-02 10:00:00', amount: '300', completed: '1' }
  await world.given({
    payments: [
      { ...paid, id: '50', allocations: released(40) },
      { ...paid, id: '51', allocations: released(39) },
    ],
  })

  await expect(assign(world, '50', 'A-1')).rejects.toMatchObject({ code: 'too_many_invoices' })
  await assign(world, '51', 'A-1')
  expect(await booksOf(world, '50', '51')).toMatchObject({ unassigned: ['300', '181'] })
})

test('an allocation costs 8 write units and the entry of the log, however many rows its invoice has', async () => {
  const world = await aWorldOfInvoices()
  const rows = Array.from({ length: 60 }, (_, row) => ({
    ...{ invoice_id: '1', name: `Destination ${row}`, sum: '1', price: '1', quantity: '1', time: '00:10:00' },
  }))
  await world.given({ invoice_products: rows })
  const id = await aPayment(world, '300')
  const spentBy = async (work: () => Promise<unknown>) => {
    const before = world.meter.spent.write
    await work()
    return world.meter.spent.write - before
  }

  expect(await spentBy(() => assign(world, id, 'A-1=19'))).toBe(10)
  expect(await spentBy(() => assign(world, id, 'A-1', 'A-2'))).toBe(13)
  expect(await spentBy(() => release(world, id, 'A-1'))).toBe(10)
  expect(await spentBy(() => aPayment(world, '5', { invoice: 'A-3' }))).toBe(16)
  expect(await damageIn(world)).toEqual([])
})
