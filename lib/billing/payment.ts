import type { Period } from '#lib/base/calendar.ts'
import type { LimitedScope } from '#lib/base/scope.ts'
import {
  addedLater,
  dateTime,
  flag,
  id,
  money,
  optional,
  optionalId,
  type Row,
  text,
} from '#lib/table/columns.ts'
import type { Stored } from '#lib/table/entity.ts'
import { keyForm, padded } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'
import { bookedInBalance } from './balance-item.ts'
import { defineDocuments, documentPages, documentRate, type OwnedDocument } from './document.ts'

// Shape

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
  /** Its amount with VAT in the invoice's currency, the part that pays the invoice, and what that books. */
  invoice_amount: addedLater(optional(money()), undefined),
  applied: addedLater(optional(money()), undefined),
  applied_booked: addedLater(optional(money()), undefined),
  /** The amount to book instead of its own, in the default currency. */
  net: addedLater(optional(money()), undefined),
  /** The payment that this one takes back, and the one that has taken back this one. */
  takes_back: addedLater(optionalId, undefined),
  taken_back_by: addedLater(optionalId, undefined),
  exchange_rate: documentRate,
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
} as const satisfies Partial<Payment>

// Declaration

const paymentOfInvoiceKey = keyForm('INVOICEPAYMENTS#<invoice_id>', '<id>')

/** Ordered by date, then id. */
export const payments = defineDocuments('PAYMENT', {
  name: 'payment',
  columns: paymentColumns,
  place: '<date>#<id>',
  continues: ({ takes_back }) => takes_back !== undefined,
  copies: [
    {
      key: paymentOfInvoiceKey,
      of: ({ invoice_id }) => (invoice_id === undefined ? [] : [{ invoice_id }]),
    },
  ],
  books: [bookedInBalance('paid')],
})

// Access patterns

/** The payments of a period, ascending by date, then id. */
export const listPayments = (store: Store, scope: LimitedScope, { from, till }: Period) =>
  documentPages(store, payments, { scope, from: padded(from), till: padded(till) })

/** The payments that name an invoice, in the order of their ids. */
export async function listPaymentsOfInvoice(store: Store, invoiceId: number) {
  const items = await store.list(paymentOfInvoiceKey.range(invoiceId))
  const ids = items.map(({ SK }) => Number(SK))
  const found = await payments.findMany(store, ids)
  return found.filter((payment) => payment !== undefined)
}
