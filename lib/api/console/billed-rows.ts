import type { Account } from '#lib/accounts/account.ts'
import type { Actor } from '#lib/base/account-types.ts'
import { formatDateTime } from '#lib/base/calendar.ts'
import { createSum } from '#lib/base/money.ts'
import { documentScope, isOwnCustomer, type LimitedScope } from '#lib/base/scope.ts'
import { type CreditNote, unassignedOfNote } from '#lib/billing/credit-note.ts'
import { dueDayOf, type Invoice } from '#lib/billing/invoice.ts'
import { openAmount } from '#lib/billing/invoice-payment.ts'
import { grossOfPayment, type Payment, unassignedOf } from '#lib/billing/payment.ts'
import type { Settings } from '#lib/settings/settings.ts'
import type { BilledRow } from './answers/billing.ts'
import { visibleCustomer } from './customer-scope.ts'
import { unknownThing } from './refusals.ts'
import type { ConsoleRequest } from './resource.ts'

/** A document before the name of its customer is known. */
export type UnnamedDocument = Omit<BilledRow, 'customer'> & { readonly user_id: number }

const currencyOf = ({ currency }: { readonly currency: string }, { Default_Currency }: Settings): string =>
  currency || Default_Currency

export const invoiceRow = (invoice: Invoice, settings: Settings): UnnamedDocument => ({
  id: invoice.id,
  user_id: invoice.user_id,
  number: invoice.number,
  date: invoice.issue_date,
  due: dueDayOf(invoice),
  status: invoice.status === 'paid' ? 'paid' : 'unpaid',
  amount: invoice.price,
  amountWithVat: invoice.price_with_vat ?? invoice.price,
  open: openAmount(invoice),
  currency: currencyOf(invoice, settings),
  comment: null,
})

export const creditNoteRow = (note: CreditNote, settings: Settings): UnnamedDocument => ({
  id: note.id,
  user_id: note.user_id,
  number: note.number,
  date: note.issue_date,
  due: null,
  status: note.pay_date === undefined ? 'unpaid' : 'paid',
  amount: note.price,
  amountWithVat: note.price_with_vat ?? note.price,
  open: unassignedOfNote(note),
  currency: currencyOf(note, settings),
  comment: note.comment || null,
})

export const paymentRow = (payment: Payment, settings: Settings): UnnamedDocument => ({
  id: payment.id,
  user_id: payment.user_id,
  number: payment.transaction_id || `${payment.type} ${payment.id}`,
  date: formatDateTime(payment.date, settings.Timezone),
  due: null,
  status: payment.completed ? 'completed' : 'pending',
  amount: payment.amount,
  amountWithVat: grossOfPayment(payment),
  open: unassignedOf(payment),
  currency: currencyOf(payment, settings),
  comment: payment.pending_reason || payment.comments_for_user || null,
})

/** Makes rows of these documents, with the names of their customers. */
export async function billedRowMaker(
  { link }: Pick<ConsoleRequest, 'link'>,
  documents: readonly UnnamedDocument[],
): Promise<(document: UnnamedDocument) => BilledRow> {
  const customerLink = await link(documents.map(({ user_id }) => user_id))
  return ({ user_id, ...row }) => ({ ...row, customer: customerLink(user_id) })
}

export function totalsByCurrency(rows: readonly UnnamedDocument[]) {
  const sums = new Map<string, { count: number; amount: Sum; amountWithVat: Sum }>()
  for (const { currency, amount, amountWithVat } of rows) {
    const known = sums.get(currency) ?? { count: 0, amount: createSum(), amountWithVat: createSum() }
    sums.set(currency, known)
    known.count += 1
    known.amount.add(amount)
    known.amountWithVat.add(amountWithVat)
  }
  return [...sums].map(([currency, { count, amount, amountWithVat }]) => ({
    currency,
    count,
    amount: amount.total(),
    amountWithVat: amountWithVat.total(),
  }))
}

type Sum = ReturnType<typeof createSum>

/**
 * The documents that an account may list: those of its customers, or its own if it is a plain user; with a
 * customer named, those of this one (wire.md 5.1). An admin may name any account.
 */
export async function billingScope(
  request: Pick<ConsoleRequest, 'store' | 'caller' | 'clock'>,
  customer: number | undefined,
): Promise<LimitedScope> {
  const { caller } = request
  const account: Account | undefined =
    customer === undefined ? undefined : await visibleCustomer(request, customer)
  if (account && caller.usertype === 'admin') return { user: account.id }
  const scope = documentScope(caller, customer, account)
  if (!scope) throw unknownThing('customer', customer ?? '')
  return scope
}

export const maySeeDocument = (
  caller: Actor,
  { user_id: id, owner_id }: { readonly user_id: number; readonly owner_id: number },
): boolean =>
  caller.usertype === 'admin' ||
  (caller.usertype === 'user' ? id === caller.id : isOwnCustomer(caller, { id, owner_id }))
