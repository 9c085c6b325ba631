import { findAccounts } from '#lib/accounts/account.ts'
import { minorDigits } from '#lib/base/currency-digits.ts'
import type { Money } from '#lib/base/money.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { RowRefused } from '#lib/base/row-refused.ts'
import { changesOf } from '#lib/table/entity-changes.ts'
import type { Change } from '#lib/table/requests/changes.ts'
import type { Store } from '#lib/table/store.ts'
import { type Books, withBookedAmount } from './booking.ts'
import { findInvoices, findInvoicesOfAccount, invoices, type StoredInvoice } from './invoice.ts'
import { convertedTo, payInvoice } from './invoice-payment.ts'
import type { Payment } from './payment.ts'

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    readonly no_such_invoice: { readonly number: string; readonly customer: string }
    readonly several_invoices: { readonly number: string; readonly count: number; readonly customer: string }
    readonly invoice_credited: { readonly number: string; readonly by: string }
  }
}

/** The invoice of a customer that a payment may name. Throws Refusal for one that it may not name. */
export async function findPayableInvoice(
  store: Store,
  { id, username }: { readonly id: number; readonly username: string },
  number: string,
): Promise<StoredInvoice> {
  const found = await findInvoicesOfAccount(store, id, number)
  const [invoice, ...others] = found.length > 1 ? await ofPresentSeller(store, id, found) : found
  if (!invoice) throw new Refusal('no_such_invoice', { number, customer: username }, 'invoice')
  if (others.length > 0)
    throw new Refusal('several_invoices', { number, count: found.length, customer: username }, 'invoice')
  if (invoice.credited_by === '') return invoice
  throw new Refusal('invoice_credited', { number, by: invoice.credited_by }, 'invoice')
}

/** A former seller of the account may have given the same number. */
async function ofPresentSeller(store: Store, userId: number, found: readonly StoredInvoice[]) {
  const [account] = await findAccounts(store, [userId])
  return found.filter(({ owner_id }) => owner_id === account?.owner_id)
}

/**
 * Makes a payment one of an invoice, if there is one. A completed one pays it; one that waits for its
 * confirmation only names it. The changes are those of the invoice: they fail if it has changed since it was
 * read. A payment in another currency is converted at the present rates.
 */
export function payingInvoice<P extends Payment>(
  payment: P,
  invoice: StoredInvoice | undefined,
  books: Books,
): { readonly payment: P; readonly changes: readonly Change[] } {
  if (!invoice) return { payment: withBookedAmount(payment, payment, books), changes: [] }
  const named = { ...payment, invoice_id: invoice.id }
  if (!payment.completed) return { payment: named, changes: [] }
  const rates = { from: rateIn(books, payment.currency), to: rateIn(books, invoice.currency) }
  const digits = minorDigits(invoice.currency)
  const invoice_amount = convertedTo(payment.amount_with_vat ?? payment.amount, rates, digits)
  const percent = vatOfPayments(books.settings, invoice)
  const { invoice: after, share } = payInvoice(invoice, invoice_amount, rates.to, percent)
  const paid = withBookedAmount({ ...named, ...share, invoice_amount }, payment, books)
  return { payment: paid, changes: after === invoice ? [] : changesOf(invoices, invoice, after) }
}

/** The VAT that ordinary payments of an account include, by an invoice of it. */
export const vatOfPayments = (
  { Payments_With_VAT }: Books['settings'],
  { vat_percent }: Pick<StoredInvoice, 'vat_percent'>,
): Money | undefined => (Payments_With_VAT ? vat_percent : undefined)

function rateIn({ rates }: Books, currency: string): Money {
  const rate = rates.get(currency)
  if (rate === undefined) throw new RowRefused(`currency: ${currency} has no exchange rate`)
  return rate
}

export const findInvoiceOf = async (
  store: Store,
  { invoice_id }: { readonly invoice_id: number | undefined },
): Promise<StoredInvoice | undefined> =>
  invoice_id === undefined ? undefined : (await findInvoices(store, [invoice_id]))[0]
