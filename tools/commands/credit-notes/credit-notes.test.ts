import { expect, test } from 'vitest'
import type { GivenTexts } from '#lib/acts/inputs.ts'
import { totalOf } from '#lib/base/balance.ts'
import { ALL_TIME } from '#lib/base/calendar.ts'
import { add, ZERO } from '#lib/base/money.ts'
import { findBalance } from '#lib/billing/balance.ts'
import { listCreditNotes } from '#lib/billing/credit-note.ts'
import { findInvoicesOfNumber, type Invoice } from '#lib/billing/invoice.ts'
import { openAmount } from '#lib/billing/invoice-payment.ts'
import { ageingOn } from '#lib/billing/ledger/ageing.ts'
import { accountStatements } from '#lib/billing/ledger/movements.ts'
import { allocationsOf, listPayments, unassignedOf } from '#lib/billing/payment.ts'
import { recordPayment } from '#lib/billing/payments/record-payment.ts'
import { takeBackPayment } from '#lib/billing/payments/take-back-payment.ts'
import { writeOffInvoice } from '#lib/billing/payments/write-off.ts'
import { journalKey, readEntry } from '#lib/invoicing/journal/entry.ts'
import { numberEntries } from '#lib/invoicing/journal/number-entries.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { aBilledWorld, aCall, admin, issue, person } from '#test/invoicing/a-month.ts'
import { addCreditNote } from '#test/invoicing/credited.ts'
import { damageIn } from '#test/soundness.ts'
import type { World } from '#test/world.ts'
import { carryOutAs } from '../../command-line/act-commands.ts'
import { showInvoice } from '../invoices/show-tool.ts'
import { creditNotesListing } from './credit-notes.ts'

/** Calls of 31.61 in two rows, 38.25 with VAT. */
async function anIssuedMonth(settings = {}): Promise<World> {
  const calls = [
    aCall(10, '2026-05-03 10:00:00', '10.001'),
    aCall(10, '2026-05-04 10:00:00', '21.612', { dst: '441' }),
  ]
  const world = await aBilledWorld({ users: [admin, person(10)], calls }, settings)
  await issue(world)
  return world
}

const act = ({ now }: World) => ({ as: 'u0', now })

const credit = (world: World, given: GivenTexts = {}) =>
  addCreditNote(world.store, { invoice: 'A-2026-1', why: 'Wrong rate', ...given }, act(world))

const pay = (world: World, amount: string, invoice?: string) =>
  carryOutAs(world.store, recordPayment, act(world), {
    ...{ customer: 'u10', amount, type: 'bank' },
    ...(invoice !== undefined && { invoice }),
  })

async function balanceOf({ store }: World): Promise<number> {
  const found = await findBalance(store, 10)
  return found ? Number(totalOf(found.balance)) : Number.NaN
}

const invoiceOf = async ({ store }: World, number: string) => (await findInvoicesOfNumber(store, number))[0]

const listPaymentsOf = async ({ store }: World) =>
  (await Array.fromAsync(listPayments(store, { user: 10 }, ALL_TIME))).flat()

test('who pays an invoice exactly has a balance of 0', async () => {
  const world = await anIssuedMonth()

  expect(await balanceOf(world)).toBe(-31.61)
  await pay(world, '38.25', 'A-2026-1')
  expect(await balanceOf(world)).toBe(0)
  expect(await damageIn(world)).toEqual([])
})

test('credit notes are listed with what they correct', async () => {
  const world = await anIssuedMonth()
  await credit(world, { rows: '1' })

  const { rows } = await creditNotesListing(world.store, { owner: 0 })
  expect(await Array.fromAsync(rows)).toMatchObject([
    { number: 'C-2026-1', customer: 'u10', invoices: 'A-2026-1', why: 'Wrong rate', currency: 'EUR' },
  ])
})

test('what is written off of an invoice is not credited with all of it; a row of it is', async () => {
  const world = await anIssuedMonth()
  await pay(world, '10', 'A-2026-1')
  await carryOutAs(world.store, writeOffInvoice, act(world), { invoice: 'A-2026-1', why: 'Bankrupt' })

  await expect(credit(world)).rejects.toMatchObject({
    code: 'creditable_in_part',
    values: { since: 'written off' },
  })
  await credit(world, { rows: '1' })
  expect(await damageIn(world)).toEqual([])
})

test('credit notes by rows and for goodwill book their net, never more than the invoice', async () => {
  const world = await anIssuedMonth()

  const first = { number: 'C-2026-1', net: '10.00', vat: '2.10', gross: '12.10', currency: 'EUR' }
  expect(await credit(world, { rows: '1' })).toEqual({ ...first, invoice: 'A-2026-1' })
  expect(await balanceOf(world)).toBe(-21.61)
  const refused = (given: GivenTexts) => expect(credit(world, given)).rejects
  await refused({ rows: '3' }).toMatchObject({ code: 'no_invoice_row', values: { rows: 2, row: 3 } })
  await refused({ amount: '21.62' }).toMatchObject({
    code: 'more_than_creditable',
    values: { left: '21.61' },
  })
  await refused({}).toMatchObject({ values: { since: 'credited in part' } })
  await refused({ amount: '1.005' }).toMatchObject({ code: 'beyond_minor_unit', values: { digits: 2 } })
  await refused({ rows: '1', amount: '1' }).toMatchObject({ code: 'rows_and_amount' })
  await refused({ amount: '1', why: ' ' }).toMatchObject({ code: 'missing_value', field: 'why' })
  await credit(world, { amount: '9' })
  await refused({ amount: '9' }).toMatchObject({
    values: { what: 'Credit note C-2026-2 of 9 for A-2026-1' },
  })
  await credit(world, { amount: '9', again: 'yes' })
  await credit(world, { amount: '2.61' })
  await pay(world, '1.21', 'A-2026-1')

  expect(await balanceOf(world)).toBe(0)
  expect(await invoiceOf(world, 'A-2026-1')).toMatchObject({ status: 'paid', price: '31.61' })
  expect(await damageIn(world)).toEqual([])
})

test('of two sellers with one number, the customer says which invoice is meant', async () => {
  const world = await aBilledWorld({
    users: [admin, person(2, { usertype: 'reseller' }), person(10), person(20, { owner_id: '2' })],
    calls: [
      aCall(10, '2026-05-03 10:00:00', '1'),
      aCall(20, '2026-05-03 10:00:00', '2', { reseller_price: '0' }),
    ],
  })
  await issue(world)
  await issue(world, { owner_id: 2 })

  const several = {
    code: 'unknown_invoice',
    values: { number: 'A-2026-1', customer: '', found: ['u10', 'u20'] },
  }
  await expect(credit(world)).rejects.toMatchObject(several)
  await expect(showInvoice(world.store, 'A-2026-1')).rejects.toMatchObject(several)
  await expect(credit(world, { customer: 'u2' })).rejects.toMatchObject({
    ...{ code: 'unknown_invoice', values: { number: 'A-2026-1', customer: 'u2', found: [] } },
  })
  expect((await showInvoice(world.store, 'A-2026-1', 'u20')).json).toMatchObject({ net: '2.00' })
  expect(await credit(world, { customer: 'u10' })).toMatchObject({ net: '1.00' })
})

test('a dry run of a credit note stores nothing', async () => {
  const world = await anIssuedMonth()
  const dump = await world.dump()

  expect(await credit(world, { 'dry-run': 'yes' })).toMatchObject({ number: null, gross: '38.25' })
  expect(await world.dump()).toEqual(dump)
})

test('a whole credit note opens the month again, and payments count for its next invoice', async () => {
  const world = await anIssuedMonth()
  const { answer } = await pay(world, '40', 'A-2026-1')

  await credit(world)
  const again = await issue(world)

  expect(again.get(10)).toMatchObject({ kind: 'issued', document: { number: 'A-2026-2', gross: '38.25' } })
  expect(await invoiceOf(world, 'A-2026-1')).toMatchObject({ credited_by: 'C-2026-1', paid_amount: '0' })
  expect(await invoiceOf(world, 'A-2026-2')).toMatchObject({ status: 'paid', paid_amount: '38.25' })
  expect(await balanceOf(world)).toBe(1.75)
  expect(await damageIn(world)).toEqual([])
  const takenBack = { payment: String(answer.id), why: 'Chargeback' }
  await carryOutAs(world.store, takeBackPayment, act(world), takenBack)
  expect(await balanceOf(world)).toBe(-31.61)
  expect(await invoiceOf(world, 'A-2026-2')).toMatchObject({ status: 'unpaid' })
  await expect(credit(world)).rejects.toMatchObject({ code: 'invoice_credited', values: { by: 'C-2026-1' } })
  const [notes = []] = await Array.fromAsync(listCreditNotes(world.store, { user: 10 }))
  expect(notes).toMatchObject([
    { number: 'C-2026-1', invoices: 'A-2026-1', price: '31.61', pay_date: '2026-06-02' },
  ])
  expect(await damageIn(world)).toEqual([])
})

test.each([
  ['empty', '0'],
  ['credit_note', '-1'],
])('payments of a credited invoice are ordinary ones if its month has %s instead', async (outcome, late) => {
  const world = await anIssuedMonth()
  await pay(world, '38.25', 'A-2026-1')
  world.now = new Date('2026-07-02T08:00:00Z')
  if (late !== '0') {
    // June bills 1.00 of May as late, which goes away again.
    await world.given({
      calls: [aCall(10, '2026-05-09 10:00:00', '1'), aCall(10, '2026-06-09 10:00:00', '1')],
    })
    await issue(world, { month: '2026-06' })
  }
  await credit(world)
  const gone = [
    '2026-05-03 10:00:00',
    '2026-05-04 10:00:00',
    ...(late === '0' ? [] : ['2026-05-09 10:00:00']),
  ]
  await world.given({ calls: gone.map((at) => aCall(10, at, '0', { disposition: 'NO ANSWER' })) })

  const again = await issue(world)

  expect(again.get(10)).toMatchObject(
    outcome === 'empty' ? { kind: 'empty' } : { kind: 'issued', document: { is: outcome, net: '1' } },
  )
  const [payment] = await listPaymentsOf(world)
  expect(payment).toMatchObject({ booked: '38.25', invoice_id: undefined, applied: undefined })
  expect(await invoiceOf(world, 'A-2026-1')).toMatchObject({ paid_amount: '0', paid_booked: '0' })
  expect(await damageIn(world)).toEqual([])
})

test('where payments include VAT, so does what is too much, and a payment whose invoice is gone', async () => {
  const world = await anIssuedMonth({ Payments_With_VAT: '1' })
  await pay(world, '50.35', 'A-2026-1')
  // 12.10 is 10.00 and 21 %.
  expect(await balanceOf(world)).toBe(10)

  await credit(world)
  expect((await issue(world)).get(10)).toMatchObject({ document: { number: 'A-2026-2' } })
  expect(await balanceOf(world)).toBe(10)

  await credit(world, { invoice: 'A-2026-2' })
  const gone = ['2026-05-03 10:00:00', '2026-05-04 10:00:00'].map((at) => aCall(10, at, '0'))
  await world.given({ calls: gone })
  expect((await issue(world)).get(10)).toEqual({ kind: 'empty' })
  expect(await balanceOf(world)).toBe(41.61157)
  expect(await damageIn(world)).toEqual([])
})

test.each([
  [{ Payments_With_VAT: '1' }, 'off'],
  [{ Payments_With_VAT: '1', Allocate_Payments: 'oldest' }, 'oldest'],
])('what a part of a paid invoice gives back is free for other invoices: %j', async (settings, allocates) => {
  const world = await anIssuedMonth(settings)
  const open = { price: '10', price_with_vat: '12.1', vat_percent: '21', issue_date: '2026-05-01' }
  await world.given({ invoices: [{ id: '9', user_id: '10', number: 'I-9', ...open }] })
  await pay(world, '30', 'A-2026-1')
  await pay(world, '8.25', 'A-2026-1')

  await credit(world, { rows: '1' })

  const parts = (await listPaymentsOf(world)).map((one) =>
    allocationsOf(one).map(({ id, amount }) => [id, amount]),
  )
  const isFree = allocates === 'off'
  const { id } = (await invoiceOf(world, 'A-2026-1')) ?? { id: 0 }
  expect(parts).toEqual([
    isFree
      ? [[id, '26.15']]
      : [
          [id, '26.15'],
          [9, '3.85'],
        ],
    isFree ? [] : [[9, '8.25']],
  ])
  expect(await invoiceOf(world, 'A-2026-1')).toMatchObject({
    ...{ status: 'paid', paid_amount: '26.15', credited: '12.1', paid_booked: '21.61' },
  })
  // The credit note books 10.00; the payments 31.61 as before.
  expect(await balanceOf(world)).toBe(10)
  expect(await damageIn(world)).toEqual([])
})

test.each([
  ['whole', {}],
  ['by a row', { rows: '1' }],
])('what a credit note %s releases stays what it was on the days before', async (_, given) => {
  const currencies = [{ name: 'USD', exchange_rate: '1.25' }]
  const calls = [
    aCall(10, '2026-05-03 10:00:00', '10'),
    aCall(10, '2026-05-04 10:00:00', '20', { dst: '441' }),
  ]
  const world = await aBilledWorld({ users: [admin, person(10)], currencies, calls })
  await issue(world)
  const { store } = world
  const settings = await settingsOf(store)
  const paid = { customer: 'u10', amount: '45.38', currency: 'USD', invoice: 'A-2026-1' }
  await carryOutAs(store, recordPayment, act(world), paid)
  const day = world.now.toISOString().slice(0, 10)
  const toldOf = async () => [
    await ageingOn(store, settings, { user: 10 }, { day }),
    await accountStatements(store, settings, { user: 10 }, { from: '2026-01-01', till: day }),
  ]
  const before = await toldOf()
  expect(before[1]?.map(({ currency, ...one }) => [currency, 'closing' in one && one.closing])).toEqual([
    ['EUR', '0'],
    ['USD', '0'],
  ])

  world.now = new Date('2026-07-09T08:00:00Z')
  await credit(world, given)

  expect(await toldOf()).toEqual(before)
  expect(await damageIn(world)).toEqual([])
})

/** Calls of 10.00, 12.10 with VAT, of a prepaid customer who has paid this much before. */
async function aPrepaidMonth(paid: string | undefined): Promise<World> {
  const calls = [aCall(10, '2026-05-03 10:00:00', '10')]
  const prepaid = person(10, { postpaid: '0', balance: '100' })
  const world = await aBilledWorld({ users: [admin, prepaid], calls }, { Payments_With_VAT: '1' })
  if (paid !== undefined) await pay(world, paid)
  await issue(world)
  return world
}

test.each([
  ['in part', [{ amount: '2' }], [['2026-07-09', '2.42']]],
  [
    'twice',
    [{ amount: '2' }, { amount: '8' }],
    [
      ['2026-07-09', '2.42'],
      ['2026-07-09', '9.68'],
    ],
  ],
  ['whole', [{}], [['2026-07-09', '12.1']]],
])(
  'a prepaid invoice credited %s gives its balance back that day: no day before changes',
  async (_, credits, backs) => {
    const world = await aPrepaidMonth(undefined)
    const { store } = world
    const settings = await settingsOf(store)
    const source = { store, settings }
    const days = { from: '2026-01-01', till: '2026-12-31' }
    const closings = async () =>
      (await accountStatements(store, settings, { user: 10 }, days))
        ?.flatMap(({ entries }) => entries)
        .filter(({ kind }) => kind === 'from_balance')
        .map(({ day, owed }) => [day, owed])
    const agedOn = (day: string) => ageingOn(store, settings, { user: 10 }, { day })
    const before = await agedOn('2026-06-30')
    expect(await closings()).toEqual([['2026-06-02', '-12.1']])
    await numberEntries(source, 0, '2026-06')
    const posted = await journalItems(world, '2026-05')

    world.now = new Date('2026-07-09T08:00:00Z')
    for (const given of credits) await credit(world, { ...given, again: 'yes' })
    await numberEntries(source, 0)

    expect(await closings()).toEqual([['2026-06-02', '-12.1'], ...backs])
    expect(await agedOn('2026-06-30')).toEqual(before)
    expect(await agedOn('2026-07-09')).toEqual(before)
    expect(await journalItems(world, '2026-05')).toEqual(posted)
    expect(await journalItems(world, '2026-06')).toEqual([])
    const entries = await journalItems(world, '2026-07')
    const receivables = entries
      .flatMap(({ lines }) => lines)
      .filter(({ of }) => of === 'receivables')
      .map(({ exact }) => exact)
    expect(add(ZERO, ...receivables)).toBe(ZERO)
    expect(entries.filter(({ kind }) => kind === 'from balance').map(({ day }) => day)).toEqual([
      '2026-07-09',
    ])
    expect(await damageIn(world)).toEqual([])
  },
)

const journalItems = async ({ store }: World, month: string) =>
  (await store.list(journalKey.range(0, month))).map(readEntry)

test('of a prepaid invoice, the balance closes less, and the journal takes as much back', async () => {
  const world = await aPrepaidMonth('6.05')
  expect(await invoiceOf(world, 'A-2026-1')).toMatchObject({ paid_amount: '6.05', from_balance: '6.05' })

  await credit(world, { amount: '2' })
  expect(await invoiceOf(world, 'A-2026-1')).toMatchObject({ paid_amount: '6.05', from_balance: '3.63' })
  await credit(world, { amount: '4' })
  expect(await invoiceOf(world, 'A-2026-1')).toMatchObject({ paid_amount: '4.84', from_balance: '0' })
  expect(await balanceOf(world)).toBe(101)
  expect((await listPaymentsOf(world)).map(unassignedOf)).toEqual(['1.21'])
  expect(await damageIn(world)).toEqual([])
})

test('in another currency too, credit notes and payments of an invoice leave nothing', async () => {
  const world = await aBilledWorld({
    users: [admin, person(10, { currency: 'JPY' })],
    currencies: [{ name: 'JPY', exchange_rate: '163.27' }],
    calls: [aCall(10, '2026-05-03 10:00:00', '10'), aCall(10, '2026-05-04 10:00:00', '20', { dst: '441' })],
  })
  await issue(world)

  await credit(world, { amount: '100' })
  await credit(world, { amount: '1234' })
  await credit(world, { rows: '1' })
  const open = openAmount((await findInvoicesOfNumber(world.store, 'A-2026-1'))[0] as Invoice)
  await pay(world, '7', 'A-2026-1')
  await pay(world, String(Number(open) - 7), 'A-2026-1')

  expect(await balanceOf(world)).toBe(0)
})

test('the minimum of a credited month is not billed as late once the account has none', async () => {
  const carol = person(10, { minimal_month: '5', minimal_from: '2026-05-01' })
  const world = await aBilledWorld({ users: [admin, carol] })
  await issue(world)
  await credit(world)
  await world.given({ users: [{ ...carol, minimal_month: '', minimal_from: '' }] })
  world.now = new Date('2026-07-02T08:00:00Z')

  expect((await issue(world, { month: '2026-06' })).get(10)).toEqual({ kind: 'empty' })
  expect(await balanceOf(world)).toBe(0)
})

test('the credit notes of a day are listed in the order of their numbers', async () => {
  const world = await anIssuedMonth()
  for (let count = 1; count <= 11; count += 1) await credit(world, { amount: `0.${10 + count}` })

  const listed = (await Array.fromAsync(listCreditNotes(world.store, { user: 10 }))).flat()
  expect(listed.map(({ number }) => number)).toEqual(
    Array.from({ length: 11 }, (_, index) => `C-2026-${index + 1}`),
  )
  expect(await damageIn(world)).toEqual([])
})
