import { type Money, subtract, ZERO } from '#lib/base/money.ts'
import type { LimitedScope } from '#lib/base/scope.ts'
import { flag, id, integer, money, oneOf, type Row, rowReader, text } from '#lib/table/columns.ts'
import type { Item } from '#lib/table/items.ts'
import { isSameKey, type Key, keyForm, listedIn } from '#lib/table/keys.ts'
import { absent, type Change, is } from '#lib/table/requests/changes.ts'
import type { Store } from '#lib/table/store.ts'
import { documentQuery, type PlaceRange } from './document.ts'
import { openAmount, type PayableInvoice } from './invoice-payment.ts'

/**
 * The paid part of an invoice is a small item of its own, because an allocation would otherwise
 * write all of its rows again. It has the invoice's place in lists of its own, so that a list of invoices
 * reads it by one query. Without this item, the invoice's own item holds.
 */
export const invoicePaidKey = keyForm(
  'USER#<user_id>',
  'INVOICEPAID#<issue_date>#<ordered_number>#<invoice_id>',
)

const listOfOwner = keyForm(
  'OWNER#<owner_id>#INVOICEPAID',
  'INVOICEPAID#<issue_date>#<ordered_number>#<invoice_id>',
)

const DIGITS = 15

/** Text whose order is the order of the numbers in it: R-9 comes before R-10. */
export const inNumberOrder = (number: string): string =>
  number.replaceAll(/\d+/g, (digits) => digits.padStart(DIGITS, '0'))

interface PlacedInvoice {
  readonly id: number
  readonly user_id: number
  readonly issue_date: string
  readonly number: string
}

const valuesOf = (invoice: PlacedInvoice) => ({
  ...invoice,
  invoice_id: invoice.id,
  ordered_number: inNumberOrder(invoice.number),
})

export const paidKeyOf = (invoice: PlacedInvoice): Key => invoicePaidKey.of(valuesOf(invoice))

const columns = {
  invoice_id: id,
  user_id: id,
  owner_id: id,
  currency: text(),
  is_issued: flag(false),
  status: oneOf(['paid', 'unpaid'], 'unpaid'),
  paid_amount: money(),
  paid_booked: money(),
  paid_by: text(),
  /** The part that it closes of the open amount in the invoice's own item. */
  closes: money(),
  version: integer(),
}

export const readPaid = rowReader(columns)

/** An invoice with what payments pay of it. `paid_version` is that of the paid part, if there is one. */
interface PaidInvoice extends PayableInvoice, PlacedInvoice {
  readonly owner_id: number
  readonly currency: string
  readonly month: string
  readonly paid_version?: number
}

export function withPaidItem<I extends PayableInvoice>(
  invoice: I,
  item: Item | undefined,
): I & { readonly paid_version?: number } {
  if (!item) return invoice
  const { status, paid_amount, paid_booked, paid_by, version } = readPaid(item)
  return { ...invoice, status, paid_amount, paid_booked, paid_by, paid_version: version }
}

/** An invoice as its own item has it. */
export const withoutPaid = <I extends PayableInvoice>(invoice: I): I => ({
  ...invoice,
  status: isUnpaid(invoice) || invoice.credited_by ? invoice.status : 'unpaid',
  ...{ paid_amount: ZERO, paid_booked: ZERO, paid_by: '' },
})

const isUnpaid = ({ paid_amount, paid_booked, paid_by = '' }: PayableInvoice): boolean =>
  paid_amount === ZERO && paid_booked === ZERO && paid_by === ''

/**
 * The changes of the paid part of an invoice. They belong to every change of an invoice: they fail if a
 * payment paid the invoice meanwhile, as a payment fails if the invoice has changed.
 */
export function paidChanges(before: PaidInvoice | undefined, after: PaidInvoice | undefined): Change[] {
  const key = after && paidKeyOf(after)
  const version = before?.paid_version
  const isKept = before && key && isSameKey(paidKeyOf(before), key)
  const removed: Change[] =
    before && version !== undefined && !isKept
      ? [{ remove: paidKeyOf(before), when: { version: is(version) } }]
      : []
  if (!after || !key || (!before && isUnpaid(after))) return removed
  const when = isKept && version !== undefined ? { version: is(version) } : { PK: absent }
  return [...removed, { put: { ...itemOf(after), ...key, version: (version ?? 0) + 1 }, when }]
}

const itemOf = (invoice: PaidInvoice): Omit<Row<typeof columns>, 'version'> => ({
  ...listedIn('GSI1', listOfOwner.of({ ...valuesOf(invoice), owner_id: invoice.owner_id })),
  invoice_id: invoice.id,
  user_id: invoice.user_id,
  owner_id: invoice.owner_id,
  currency: invoice.currency,
  is_issued: invoice.month !== '',
  status: invoice.status,
  paid_amount: invoice.paid_amount,
  paid_booked: invoice.paid_booked,
  paid_by: invoice.paid_by ?? '',
  closes: closedBeside(invoice),
})

const closedBeside = (invoice: PaidInvoice): Money =>
  subtract(openAmount(withoutPaid(invoice)), openAmount(invoice))

/** Whether the own item of an invoice says nothing of its payments. Earlier releases kept them there. */
export const isPaidBeside = (invoice: PaidInvoice): boolean =>
  invoice.paid_version !== undefined || isUnpaid(invoice)

/** The paid parts of the invoices of a list, in the order of the list, page by page. */
export const listPaidItems = (store: Store, scope: LimitedScope, places: PlaceRange) =>
  store.pages(documentQuery('INVOICEPAID', scope, places))
