import type { Period } from '#lib/base/calendar.ts'
import { divide, isZero, type Money, multiply, ONE, subtract, ZERO } from '#lib/base/money.ts'
import type { LimitedScope } from '#lib/base/scope.ts'
import {
  addedLater,
  dateTime,
  date as dayColumn,
  flag,
  id,
  money,
  optional,
  optionalId,
  type Row,
  text,
  textLike,
} from '#lib/table/columns.ts'
import type { Stored } from '#lib/table/entity.ts'
import { keyForm, padded } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'
import { bookedInBalance, bookedInLedger, type LedgerEntry } from './balance-item.ts'
import { convertedAmount } from './booking.ts'
import { defineDocuments, documentPages, documentRate, type OwnedDocument } from './document.ts'
import { payersOf } from './invoice-payment.ts'
import { type Posted, type PostedLine, postedAs, sumOfLines } from './journal/posting.ts'
import {
  type Allocation,
  allocationsColumn,
  allocationsIn,
  allPartsIn,
  entriesOfReduction,
  isKept,
  MOST_KEPT,
  MOST_PARTS,
  unallocated,
} from './ledger/allocation.ts'

export const paymentColumns = {
  id,
  user_id: id,
  transaction_id: text(),
  date: dateTime,
  confirm_date: optional(dateTime),
  type: text(),
  amount: money(),
  /** Blank: the amount. */
  amount_with_vat: optional(money()),
  fee: money('0'),
  /** Blank: the default currency. */
  currency: text(),
  completed: flag(false),
  pending_reason: text(),
  comments_for_user: text(),
  /** Added to the balance, in the default currency. Blank: balances do not count it (wire.md 7.5). */
  booked: addedLater(optional(money()), undefined),
  invoice_id: addedLater(optionalId, undefined),
  /**
   * Earlier releases stored these in place of `allocations`: the amount with VAT in the invoice's currency,
   * the part that pays the invoice, and its booking.
   */
  invoice_amount: addedLater(optional(money()), undefined),
  applied: addedLater(optional(money()), undefined),
  applied_booked: addedLater(optional(money()), undefined),
  /** The amount to book instead of its own, in the default currency. */
  net: addedLater(optional(money()), undefined),
  /** The payment that this one takes back, and the one that has taken back this one. */
  takes_back: addedLater(optionalId, undefined),
  taken_back_by: addedLater(optionalId, undefined),
  exchange_rate: documentRate,
  /** The invoices that it pays, and the refunds of it. */
  allocations: allocationsColumn,
  /** The VAT that it includes while no invoice has it, and its balance leaves out. */
  vat_percent: addedLater(optional(money()), undefined),
  /** The payment of which this one gives back a part. */
  refunds: addedLater(optionalId, undefined),
  /** The day on which the journal posts it; blank for one that was stored before entries were. */
  posted_on: addedLater(optional(dayColumn), undefined),
  /** The gain by its rate over the invoice's, in the default currency. */
  exchange_difference: addedLater(optional(money()), undefined),
  /** The row of a bank's statement that it is: its seller books each row once. */
  bank_row: addedLater(textLike('1 to 64 letters and digits', /^[A-Za-z0-9]{1,64}$/, ''), ''),
}

export type Payment = Row<typeof paymentColumns>

export type StoredPayment = Stored<OwnedDocument<Payment>>

/** The columns of a payment that pays no invoice and takes nothing back. */
export const ofNoInvoice = {
  invoice_id: undefined,
  invoice_amount: undefined,
  applied: undefined,
  applied_booked: undefined,
  net: undefined,
  takes_back: undefined,
  taken_back_by: undefined,
  allocations: '',
  vat_percent: undefined,
  refunds: undefined,
  exchange_difference: undefined,
  bank_row: '',
} as const satisfies Partial<Payment>

/** The amount of a payment with VAT, which the ledger counts. */
export const grossOfPayment = ({ amount, amount_with_vat = amount }: Payment): Money => amount_with_vat

/** The parts of a payment, refunds among them. Those of a payment that was taken back pay nothing. */
export const allocationsOf = (payment: Payment): Allocation[] =>
  payment.taken_back_by === undefined ? keptParts(payment).filter(isKept) : []

/** How many parts a payment has room for. */
export const roomForParts = (payment: Payment): number =>
  Math.min(MOST_PARTS - allocationsOf(payment).length, MOST_KEPT - keptParts(payment).length)

/** The parts that a payment has, or had until they were released or it was taken back. */
export function keptParts(payment: Payment): Allocation[] {
  const { allocations, invoice_id, applied = ZERO, applied_booked = ZERO } = payment
  if (allocations !== '') return allPartsIn(allocations)
  if (invoice_id === undefined || (isZero(applied) && isZero(applied_booked))) return []
  const gross = grossOfPayment(payment)
  const { invoice_amount = gross, currency } = payment
  const own = invoice_amount === gross ? applied : divide(multiply(gross, applied), invoice_amount)
  return [{ to: 'invoice', id: invoice_id, own, amount: applied, currency, booked: applied_booked, day: '' }]
}

/** The invoice that a payment names and does not pay. One that it pays lists it (invoice-paid.ts). */
export const namedOnly = ({ invoice_id, allocations }: Payment): readonly number[] =>
  invoice_id === undefined ||
  allocationsIn(allocations).some(({ to, id: paid }) => to === 'invoice' && paid === invoice_id)
    ? []
    : [invoice_id]

/** The part of a payment without an invoice or a refund; 0 if it is not completed, or was taken back. */
export const unassignedOf = (payment: Payment): Money =>
  payment.completed &&
  payment.taken_back_by === undefined &&
  payment.takes_back === undefined &&
  payment.refunds === undefined
    ? unallocated(grossOfPayment(payment), allocationsOf(payment))
    : ZERO

/**
 * Only a completed payment counts. Earlier releases did not note when one that was taken back released its
 * invoices.
 */
export const entriesOfPayment = (payment: Payment): LedgerEntry[] => {
  const counts = (one: Allocation) => payment.taken_back_by === undefined || !isKept(one)
  const parts = keptParts(payment).filter(counts)
  return payment.completed ? entriesOfReduction(payment.currency, grossOfPayment(payment), parts) : []
}

const bankRowKey = keyForm('BANKROW#<owner_id>#<bank_row>', 'BANKROW')

const namingPaymentKey = keyForm('INVOICEPAYMENTS#<invoice_id>', '<id>')

/** Ordered by date, then id. */
export const payments = defineDocuments('PAYMENT', {
  name: 'payment',
  columns: paymentColumns,
  place: '<date>#<id>',
  continues: ({ takes_back }) => takes_back !== undefined,
  copies: [
    {
      key: namingPaymentKey,
      of: (payment) => namedOnly(payment).map((invoice_id) => ({ invoice_id })),
    },
  ],
  claims: [{ key: bankRowKey, of: ({ bank_row }) => (bank_row === '' ? [] : [{}]) }],
  books: [bookedInBalance('paid'), bookedInLedger(entriesOfPayment)],
  posts: [postedAs('payment', postedPayment)],
})

/** The bank against the receivables. Two rates of one amount make a difference. */
function postedPayment(payment: Payment): Posted | undefined {
  const { id, posted_on: day, completed, transaction_id, type, amount, exchange_rate: rate } = payment
  const { amount_with_vat = amount, exchange_difference = ZERO, currency, invoice_id } = payment
  const days = keptParts(payment).map((one) => one.released ?? one.day)
  if (day === undefined || !completed) return undefined
  const all = convertedAmount(amount_with_vat, rate ?? ONE)
  const lines: readonly PostedLine[] = [
    ['bank', type, all],
    ['receivables', '', subtract(exchange_difference, all)],
    ['difference', '', subtract(ZERO, exchange_difference)],
  ]
  return {
    day,
    changed_on: days.sort().at(-1),
    number: transaction_id || String(id),
    currency,
    amount: amount_with_vat,
    rate,
    invoice_id,
    lines: sumOfLines(lines),
  }
}

/** The payments of a period, ascending by date, then id. */
export const listPayments = (store: Store, scope: LimitedScope, { from, till }: Period) =>
  documentPages(store, payments, { scope, from: padded(from), till: padded(till) })

/** The ids of the payments that rows of bank statements were booked as, in the order of the rows. */
export const findPaymentsOfBankRows = async (
  store: Store,
  owner_id: number,
  rows: readonly string[],
): Promise<(number | undefined)[]> =>
  (await store.getMany(rows.map((bank_row) => bankRowKey(owner_id, bank_row)))).map(
    (claim) => claim && Number(claim['id']),
  )

/** The payments that name or pay an invoice, in the order of their ids. */
export async function listPaymentsOfInvoice(
  store: Store,
  invoice: { readonly id: number; readonly paid_by?: string },
) {
  const naming = await store.list(namingPaymentKey.range(invoice.id))
  const ids = [...naming.map((item) => Number(item['id'])), ...payersOf(invoice)]
  const found = await payments.findMany(
    store,
    ids.sort((one, other) => one - other),
  )
  return found.filter((payment) => payment !== undefined)
}
