import type { Day } from '#lib/base/calendar.ts'
import { minorDigits } from '#lib/base/currency-digits.ts'
import {
  add,
  isPositive,
  isZero,
  type Money,
  multiply,
  ONE,
  round,
  roundedQuotient,
  subtract,
  ZERO,
} from '#lib/base/money.ts'
import type { LedgerEntry } from './balance-item.ts'
import { BOOKED_DECIMALS } from './booking.ts'
import type { Allocation } from './ledger/allocation.ts'

/** The columns of an invoice for its payments. Amounts are in its currency, unless they are booked. */
export interface PayableInvoice {
  readonly price: Money
  /** Blank: the price. */
  readonly price_with_vat?: Money | undefined
  /** Blank: 1. */
  readonly exchange_rate?: Money | undefined
  readonly status: 'paid' | 'unpaid'
  /** The payments that name it, with VAT, and what they have booked for it. */
  readonly paid_amount: Money
  readonly paid_booked: Money
  /** The ids of these payments and credit notes, with blanks between them. */
  readonly paid_by?: string
  /** The credit notes by rows or for goodwill, without and with VAT. */
  readonly credited_net: Money
  readonly credited: Money
  /** The number of the credit note that takes all of it back: then nothing is open. */
  readonly credited_by?: string | undefined
  /** The part that the balance of a prepaid account has closed. */
  readonly from_balance?: Money
  /** The later part by the day after the issue: `2026-06-10:-2.42`, with blanks between them. */
  readonly from_balance_later?: string
}

/** The columns of an invoice without payments. */
export const unpaid = {
  ...{ paid_amount: ZERO, paid_booked: ZERO, credited_net: ZERO, credited: ZERO },
  ...{ from_balance: ZERO, from_balance_later: '' },
} as const

export const grossOf = ({
  price,
  price_with_vat = price,
}: Pick<PayableInvoice, 'price' | 'price_with_vat'>): Money => price_with_vat

/** The VAT between the printed net and total: those of an imported document may have further decimals. */
export function printedVat(net: Money, gross: Money, currency: string): Money {
  const digits = minorDigits(currency)
  return subtract(round(gross, digits), round(net, digits))
}

/** An amount of an invoice in the default currency, at the rate of its issue. */
export const bookedAtRate = (
  amount: Money,
  { exchange_rate = ONE }: Pick<PayableInvoice, 'exchange_rate'>,
): Money => roundedQuotient(amount, exchange_rate, BOOKED_DECIMALS)

export function openAmount(invoice: PayableInvoice): Money {
  if (invoice.status === 'paid' || invoice.credited_by) return ZERO
  const { credited, paid_amount, from_balance = ZERO } = invoice
  const open = subtract(grossOf(invoice), add(credited, paid_amount, from_balance))
  return isPositive(open) ? open : ZERO
}

/** A prepaid account has paid what is open from its balance. */
export const closedByBalance = <I extends PayableInvoice>(invoice: I): I => ({
  ...invoice,
  from_balance: openAmount(invoice),
  status: 'paid',
})

/** The same invoice before that, which payments may pay. */
export const beforeClosing = <I extends PayableInvoice>(invoice: I): I =>
  isZero(invoice.from_balance ?? ZERO) ? invoice : { ...invoice, from_balance: ZERO, status: 'unpaid' }

/** The parts that the balance of a prepaid account has closed of an invoice, by day: first at its issue. */
export function closingsOf({
  issue_date: day,
  from_balance = ZERO,
  from_balance_later: text = '',
}: Pick<PayableInvoice, 'from_balance' | 'from_balance_later'> & { readonly issue_date: Day }) {
  const later = laterClosings(text)
  const first = subtract(from_balance, add(ZERO, ...later.map(({ amount }) => amount)))
  return [{ day, amount: first }, ...later].filter(({ amount }) => !isZero(amount))
}

/** The day of the last of these; `undefined` if all came at the issue. */
export const lastClosing = ({
  from_balance_later: text = '',
}: Pick<PayableInvoice, 'from_balance_later'>): Day | undefined => laterClosings(text).at(-1)?.day

const laterClosings = (text: string) =>
  text.split(' ').flatMap((one) => {
    const [day, amount] = one.split(':')
    return day && amount ? [{ day, amount }] : []
  })

/** From this day on, the balance closes this amount of the invoice. The amount closed before stays. */
export function closedSince<I extends PayableInvoice>(invoice: I, from_balance: Money, day: Day): I {
  const by = subtract(from_balance, invoice.from_balance ?? ZERO)
  if (isZero(by)) return invoice
  const from_balance_later = [invoice.from_balance_later ?? '', `${day}:${by}`].join(' ').trim()
  return { ...invoice, from_balance, from_balance_later }
}

/** The ledger entries of an invoice. */
export const entriesOfInvoice = (invoice: PayableInvoice & { readonly currency: string }): LedgerEntry[] => [
  {
    currency: invoice.currency,
    owed: subtract(grossOf(invoice), invoice.from_balance ?? ZERO),
    open: openAmount(invoice),
  },
]

/**
 * Pays an invoice with an amount in its currency, as far as it is open. The payment books the net of the
 * invoice in proportion, and the payment that pays the rest books the rest, so that nothing is left. The
 * applied amount is in the currency of the invoice, with VAT.
 */
export function payInvoice<I extends PayableInvoice>(
  invoice: I,
  amount: Money,
  payment?: number,
): { readonly invoice: I; readonly applied: Money; readonly applied_booked: Money } {
  const open = openAmount(invoice)
  const isRest = !isPositive(subtract(open, amount))
  const applied = isRest ? open : amount
  const applied_booked = isRest ? openBooked(invoice) : inProportion(invoice, amount)
  const paid = withPaid(invoice, applied, applied_booked)
  const ids = new Set([...allPayers(invoice), ...(payment === undefined ? [] : [payment])])
  const paid_by = [...ids].join(' ')
  return { invoice: paid === invoice ? invoice : { ...paid, paid_by }, applied, applied_booked }
}

/** An invoice without what a payment that was taken back or released paid of it. */
export function withoutParts<I extends PayableInvoice & { readonly id: number }>(
  invoice: I,
  parts: readonly Allocation[],
  payment: number,
): I {
  const own = parts.filter(({ to, id }) => to === 'invoice' && id === invoice.id)
  const others = allPayers(invoice).filter((id) => id !== payment)
  const less = (name: 'amount' | 'booked') => subtract(ZERO, add(ZERO, ...own.map((one) => one[name])))
  if (own.length === 0) return invoice
  return { ...withPaid(invoice, less('amount'), less('booked')), paid_by: others.join(' ') }
}

/** The ids of the payments that pay an invoice. */
export const payersOf = (invoice: Pick<PayableInvoice, 'paid_by'>): number[] =>
  allPayers(invoice).filter((id) => id > 0)

/** The ids of the credit notes of others that pay it. */
export const notesPaying = (invoice: Pick<PayableInvoice, 'paid_by'>): number[] =>
  allPayers(invoice)
    .filter((id) => id < 0)
    .map(payerOfNote)

/** In `paid_by`, credit notes are below 0. */
export const payerOfNote = (id: number): number => -id

const allPayers = ({ paid_by = '' }: Pick<PayableInvoice, 'paid_by'>): number[] =>
  paid_by === '' ? [] : paid_by.split(' ').map(Number)

/** The booking of a credit note by rows or for goodwill, so that all booked adds up to the invoice. */
export function bookedByCredit(invoice: PayableInvoice, net: Money): Money {
  const left = subtract(invoice.price, invoice.credited_net)
  return subtract(bookedAtRate(left, invoice), bookedAtRate(subtract(left, net), invoice))
}

/** The invoice after a credit note by rows or for goodwill. */
export const withCredit = <I extends PayableInvoice>(
  invoice: I,
  { net, gross }: { readonly net: Money; readonly gross: Money },
): I => {
  const credited_net = add(invoice.credited_net, net)
  const after = { ...invoice, credited_net, credited: add(invoice.credited, gross) }
  return invoice.status === 'paid' ? after : settled(after)
}

/** The amount beyond an invoice's own: a credit note came after its payments. */
export function overpaidAmount(invoice: PayableInvoice): Money {
  const { credited, paid_amount, from_balance = ZERO } = invoice
  const over = subtract(add(credited, paid_amount, from_balance), grossOf(invoice))
  return isPositive(over) ? over : ZERO
}

/** The balance of a prepaid account closes less of an invoice, as far as the invoice has too much. */
export function closedByLess<I extends PayableInvoice>(invoice: I, day: Day): I {
  const rest = subtract(invoice.from_balance ?? ZERO, overpaidAmount(invoice))
  return closedSince(invoice, isPositive(rest) ? rest : ZERO, day)
}

function withPaid<I extends PayableInvoice>(invoice: I, applied: Money, booked: Money): I {
  if (isZero(applied) && isZero(booked)) return invoice
  return settled({
    ...invoice,
    paid_amount: add(invoice.paid_amount, applied),
    paid_booked: add(invoice.paid_booked, booked),
  })
}

const settled = <I extends PayableInvoice>(invoice: I): I => ({
  ...invoice,
  status: isZero(openAmount({ ...invoice, status: 'unpaid' })) ? 'paid' : 'unpaid',
})

function openBooked(invoice: PayableInvoice): Money {
  if (invoice.status === 'paid') return ZERO
  const { price, credited_net, paid_booked } = invoice
  return subtract(bookedAtRate(subtract(price, credited_net), invoice), paid_booked)
}

/** The net that an amount with VAT pays. */
function inProportion(invoice: PayableInvoice, amount: Money): Money {
  const net = multiply(bookedAtRate(invoice.price, invoice), amount)
  return roundedQuotient(net, grossOf(invoice), BOOKED_DECIMALS)
}

/** An amount in an invoice's currency, at present rates: units of it for one of the default currency. */
export const convertedTo = (
  amount: Money,
  rates: { readonly from: Money; readonly to: Money },
  decimals: number,
): Money =>
  rates.from === rates.to ? amount : roundedQuotient(multiply(amount, rates.to), rates.from, decimals)
