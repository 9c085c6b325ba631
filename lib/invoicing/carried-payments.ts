import { minorDigits } from '#lib/base/currency-digits.ts'
import { type Money, ONE, ZERO } from '#lib/base/money.ts'
import { type Books, withBookedAmount, withoutVat } from '#lib/billing/booking.ts'
import { findInvoices, invoices, type StoredInvoice } from '#lib/billing/invoice.ts'
import { convertedTo, type PayableInvoice, payInvoice } from '#lib/billing/invoice-payment.ts'
import { listPaymentsOfInvoice, ofNoInvoice, payments, type StoredPayment } from '#lib/billing/payment.ts'
import { vatOfPayments } from '#lib/billing/payment-of-invoice.ts'
import { changesOf } from '#lib/table/entity-changes.ts'
import { CHANGES_IN_ONE_TRANSACTION, type Change } from '#lib/table/requests/changes.ts'
import type { Store } from '#lib/table/store.ts'

/** The payments of an invoice that was credited whole. They count for the next invoice of its month. */
export interface CarriedPayment {
  readonly payment: StoredPayment
  readonly invoice: StoredInvoice
}

/** A payment is up to four changes of the transaction, and the rest of an issue has up to 40. */
const MOST_CARRIED = Math.floor((CHANGES_IN_ONE_TRANSACTION - 40) / 4)

/** These invoices' payments that were not taken back, by date; a sentence if they are too many. */
export async function findCarried(
  store: Store,
  invoiceIds: readonly number[],
): Promise<CarriedPayment[] | string> {
  const credited = (await findInvoices(store, invoiceIds)).filter((invoice) => invoice !== undefined)
  const paymentsOf = async (invoice: StoredInvoice) =>
    (await listPaymentsOfInvoice(store, invoice.id)).map((payment) => ({ payment, invoice }))
  const named = (await Promise.all(credited.map(paymentsOf))).flat()
  const carried = named.filter(({ payment }) => payment.taken_back_by === undefined)
  if (carried.length <= MOST_CARRIED)
    return carried.sort((one, other) => one.payment.date - other.payment.date)
  return `more than ${MOST_CARRIED} payments name the credited invoice: take some back with npx tollgate payment take-back`
}

/** Payments of credited invoices become ordinary ones, because their month has no invoice any more. */
export const releasedPayments = (
  carried: readonly CarriedPayment[],
  settings: Books['settings'],
): readonly Change[] => [
  ...withNothingPaid(carried),
  ...carried.flatMap(({ payment, invoice }) => {
    const percent = vatOfPayments(settings, invoice)
    const net = percent && withoutVat(payment.amount, percent, payment.exchange_rate ?? ONE)
    const ordinary = { ...payment, ...ofNoInvoice, net, booked: undefined }
    return changesOf(payments, payment, withBookedAmount(ordinary, undefined, { settings, rates: new Map() }))
  }),
]

function withNothingPaid(carried: readonly CarriedPayment[]): Change[] {
  const credited = new Map(carried.map((one) => [one.invoice.id, one.invoice]))
  const nothing = { paid_amount: ZERO, paid_booked: ZERO }
  return [...credited.values()].flatMap((one) => changesOf(invoices, one, { ...one, ...nothing }))
}

/** The invoice that carried payments have paid, and their changes: what they book is computed again. */
export function paidByCarried<
  I extends PayableInvoice & Pick<StoredInvoice, 'id' | 'currency' | 'vat_percent'>,
>(
  invoice: I,
  carried: readonly CarriedPayment[],
  presentRate: Money,
  { settings }: Pick<Books, 'settings'>,
): { readonly invoice: I; readonly changes: readonly Change[] } {
  let paid = invoice
  const changes = withNothingPaid(carried)
  for (const { payment, invoice: before } of carried) {
    const named = { ...payment, invoice_id: invoice.id }
    if (payment.invoice_amount === undefined) {
      changes.push(...changesOf(payments, payment, named))
      continue
    }
    const from = before.currency === invoice.currency ? presentRate : (before.exchange_rate ?? ONE)
    const rates = { from, to: presentRate }
    const invoice_amount = convertedTo(payment.invoice_amount, rates, minorDigits(invoice.currency))
    const percent = vatOfPayments(settings, invoice)
    const { invoice: after, share } = payInvoice(paid, invoice_amount, presentRate, percent)
    paid = after
    const booked = withBookedAmount({ ...named, ...share, invoice_amount }, payment, {
      settings,
      rates: new Map(),
    })
    changes.push(...changesOf(payments, payment, booked))
  }
  return { invoice: paid, changes }
}
