import { type Account, findAccounts } from '#lib/accounts/account.ts'
import type { ActContext } from '#lib/acts/context.ts'
import { idIn } from '#lib/acts/inputs.ts'
import type { Day } from '#lib/base/calendar.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { changesOf } from '#lib/table/entity-changes.ts'
import type { Change } from '#lib/table/requests/changes.ts'
import type { Store } from '#lib/table/store.ts'
import { type Books, withBookedAmount } from './booking.ts'
import {
  findInvoices,
  findInvoicesOfAccount,
  findInvoicesOfNumber,
  invoices,
  type StoredInvoice,
} from './invoice.ts'
import { allocate } from './ledger/allocating.ts'
import type { Payment } from './payment.ts'

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    /** `customer` is blank unless one is named. `found` has the customer of each of several invoices. */
    readonly unknown_invoice: {
      readonly number: string
      readonly customer: string
      readonly found: readonly string[]
    }
    readonly invoice_credited: { readonly number: string; readonly by: string }
    /** A payment belongs to one seller, and pays no invoice of another one. */
    readonly other_seller: { readonly number: string }
  }
}

/** The invoices that a text names: by their number where names are typed, otherwise by their id. */
export async function invoicesNamed(
  { store, namesAreTyped }: Pick<ActContext, 'store' | 'namesAreTyped'>,
  text: string,
  customer?: number | undefined,
): Promise<StoredInvoice[]> {
  const ofNumber = () =>
    customer === undefined ? findInvoicesOfNumber(store, text) : findInvoicesOfAccount(store, customer, text)
  const id = idIn(text)
  const byNumber = namesAreTyped ? await ofNumber() : []
  const found = byNumber.length > 0 || id === undefined ? byNumber : await findInvoices(store, [id])
  return found.filter((one) => one !== undefined)
}

/** The only invoice of those that were found. Throws Refusal for none, and for several with one number. */
export async function onlyInvoice(
  store: Store,
  invoices: readonly StoredInvoice[],
  number: string,
  customer: string,
  field: string,
): Promise<StoredInvoice> {
  const [invoice, another] = invoices
  if (invoice && !another) return invoice
  const ids = invoices.map(({ user_id }) => user_id)
  const found = (await findAccounts(store, ids)).map((one) => one?.username ?? '')
  throw new Refusal('unknown_invoice', { number, customer, found }, field)
}

/** One of any seller. Throws Refusal. */
export async function findNamedInvoice(
  context: Pick<ActContext, 'store' | 'namesAreTyped'>,
  {
    invoice: text,
    customer,
    seller,
  }: Readonly<Record<'customer' | 'seller', Pick<Account, 'id' | 'username'> | undefined>> & {
    readonly invoice: string
  },
): Promise<StoredInvoice> {
  const found = (await invoicesNamed(context, text, customer?.id)).filter(
    ({ user_id, owner_id }) => (!customer || user_id === customer.id) && (!seller || owner_id === seller.id),
  )
  return onlyInvoice(context.store, found, text, customer?.username ?? '', 'invoice')
}

/**
 * The invoice of a customer that a payment to its seller may name. Throws Refusal for one that it may not
 * name.
 */
export async function findPayableInvoice(
  store: Store,
  { id, username, owner_id }: { readonly id: number; readonly username: string; readonly owner_id: number },
  number: string,
  field = 'invoice',
): Promise<StoredInvoice> {
  const found = await findInvoicesOfAccount(store, id, number)
  const own = found.filter((one) => one.owner_id === owner_id)
  if (found[0] && !own[0]) throw new Refusal('other_seller', { number }, field)
  const invoice = await onlyInvoice(store, own, number, username, field)
  if (invoice.credited_by === '') return invoice
  throw new Refusal('invoice_credited', { number, by: invoice.credited_by }, field)
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
  day: Day,
): { readonly payment: P; readonly changes: readonly Change[] } {
  const counted = withBookedAmount(payment, payment, books)
  if (!invoice) return { payment: counted, changes: [] }
  const named = { ...counted, invoice_id: invoice.id }
  if (!payment.completed) return { payment: named, changes: [] }
  const paid = allocate(named, invoice, books, { day })
  return {
    payment: paid.payment,
    changes: paid.part ? changesOf(invoices, invoice, paid.invoice) : [],
  }
}

export const findInvoiceOf = async (
  store: Store,
  { invoice_id }: { readonly invoice_id: number | undefined },
): Promise<StoredInvoice | undefined> =>
  invoice_id === undefined ? undefined : (await findInvoices(store, [invoice_id]))[0]
