import type { Day } from '#lib/base/calendar.ts'
import { minorDigits } from '#lib/base/currency-digits.ts'
import {
  add,
  divide,
  isLessThan,
  isZero,
  type Money,
  multiply,
  ONE,
  roundedQuotient,
  subtract,
  ZERO,
} from '#lib/base/money.ts'
import { rowRefused } from '#lib/base/row-refused.ts'
import { type Books, rateOfDocument, withBookedAmount, withoutVat } from '../booking.ts'
import type { StoredInvoice } from '../invoice.ts'
import { convertedTo, type PayableInvoice, payInvoice, withoutParts } from '../invoice-payment.ts'
import { grossOfPayment, keptParts, type Payment, unassignedOf } from '../payment.ts'
import { type Allocation, allocationsText, isKept, unallocated } from './allocation.ts'

export type InvoiceToPay = PayableInvoice & Pick<StoredInvoice, 'id' | 'currency' | 'vat_percent'>

interface Wanted {
  readonly day: Day
  /** The most to allocate, in the invoice's currency; without it, all that both have. */
  readonly most?: Money | undefined
  /** A prepaid account's invoice does not change what its payments booked. */
  readonly isPrepaid?: boolean
}

/**
 * Lets the unassigned part of a completed payment pay what is open of an invoice. It books the invoice's net
 * in proportion. The unassigned rest books as an ordinary payment would. An amount in another currency is
 * converted at the present rates. Without anything left of one of them, both stay as they are.
 */
export function allocate<P extends Payment, I extends InvoiceToPay>(
  payment: P,
  invoice: I,
  books: Books,
  { day, most, isPrepaid = false }: Wanted,
): { readonly payment: P; readonly invoice: I; readonly part: Allocation | undefined } {
  const left = unassignedOf(payment)
  const rates = { from: rateIn(books, payment.currency), to: rateIn(books, invoice.currency) }
  const converted = convertedTo(left, rates, minorDigits(invoice.currency))
  const wanted = most !== undefined && isLessThan(most, converted) ? most : converted
  const { invoice: after, applied: amount, applied_booked } = payInvoice(invoice, wanted, payment.id)
  if (isZero(amount) && isZero(applied_booked)) return { payment, invoice, part: undefined }
  const back = { from: rates.to, to: rates.from }
  const rest = convertedTo(amount, back, minorDigits(payment.currency))
  const own = amount === converted || isLessThan(left, rest) ? left : rest
  const percent = vatOfPayment(payment, invoice, books)
  const freed = subtract(
    unassignedBooked(payment, left, percent, books),
    unassignedBooked(payment, subtract(left, own), percent, books),
  )
  const booked = isPrepaid ? freed : applied_booked
  const part: Allocation = {
    ...{ to: 'invoice', id: invoice.id, own, amount, currency: invoice.currency, day, booked },
  }
  const paying = withDifference(payment, exchangeDifference(part, payment, invoice, books))
  const paid_booked = add(invoice.paid_booked, booked)
  return {
    payment: withParts(paying, [...keptParts(payment), part], percent, books),
    ...{ invoice: { ...after, paid_booked }, part },
  }
}

/** Releases the parts that pay an invoice: since this day they are unassigned. */
export function releasePayment<P extends Payment, I extends InvoiceToPay>(
  payment: P,
  invoice: I,
  books: Books,
  day: Day,
): { readonly payment: P; readonly invoice: I } {
  const parts = keptParts(payment)
  const isOf = (one: Allocation) => one.to === 'invoice' && one.id === invoice.id && isKept(one)
  const released = parts.filter(isOf)
  const after = parts.map((one) => (isOf(one) ? { ...one, released: day } : one))
  const differences = released.map((part) => exchangeDifference(part, payment, invoice, books))
  const without = withDifference(payment, subtract(ZERO, add(ZERO, ...differences)))
  return {
    payment: withParts(without, after, vatOfPayment(payment, invoice, books), books),
    invoice: withoutParts(invoice, released, payment.id),
  }
}

/** The value of a part at the payment's rate, less its value at the invoice's, in the default currency. */
export function exchangeDifference(
  { own, amount }: Pick<Allocation, 'own' | 'amount'>,
  payment: Payment,
  { exchange_rate = ONE }: Pick<PayableInvoice, 'exchange_rate'>,
  { settings }: Pick<Books, 'settings'>,
): Money {
  const inDefault = (sum: Money, rate: Money) =>
    roundedQuotient(sum, rate, minorDigits(settings.Default_Currency))
  const gross = grossOfPayment(payment)
  const paid = inDefault(multiply(inDefault(gross, payment.exchange_rate ?? ONE), own), gross)
  return subtract(paid, inDefault(amount, exchange_rate))
}

function withDifference<P extends Payment>(payment: P, by: Money): P {
  const sum = add(payment.exchange_difference ?? ZERO, by)
  return { ...payment, exchange_difference: isZero(sum) ? undefined : sum }
}

/** The columns of earlier releases are blank if there are `allocations`. */
const UNSAID = { invoice_amount: undefined, applied: undefined, applied_booked: undefined } as const

/** The payment with these parts, and what it books with them. */
export function withParts<P extends Payment>(
  payment: P,
  parts: readonly Allocation[],
  percent: Money | undefined,
  books: Books,
): P {
  const row = { ...payment, ...UNSAID, allocations: allocationsText(parts), booked: undefined }
  const kept = parts.filter(isKept)
  const left = unallocated(grossOfPayment(payment), kept)
  const isOrdinary = kept.length === 0 && percent === undefined
  const net = isOrdinary
    ? undefined
    : add(...kept.map(({ booked }) => booked), unassignedBooked(payment, left, percent, books))
  return withBookedAmount({ ...row, net }, undefined, books)
}

/** The booking of a payment's unassigned amount: without the VAT that payments of its customer include. */
export function unassignedBooked(
  payment: Payment,
  left: Money,
  percent: Money | undefined,
  books: Books,
): Money {
  const gross = grossOfPayment(payment)
  const amount = gross === payment.amount ? left : divide(multiply(left, payment.amount), gross)
  return withoutVat(amount, percent ?? ZERO, rateOfDocument(payment, books) ?? ONE)
}

/** The VAT that a payment includes while no invoice has it. */
const vatOfPayment = (
  { vat_percent }: Payment,
  invoice: Pick<InvoiceToPay, 'vat_percent'>,
  { settings }: Books,
): Money | undefined => vat_percent ?? (settings.Payments_With_VAT ? invoice.vat_percent : undefined)

function rateIn({ rates }: Books, currency: string): Money {
  const rate = rates.get(currency)
  if (rate === undefined) throw rowRefused(`currency: ${currency} has no exchange rate`)
  return rate
}
