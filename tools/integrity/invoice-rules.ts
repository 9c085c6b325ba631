import { creditNotes } from '#lib/billing/credit-note.ts'
import { invoices } from '#lib/billing/invoice.ts'
import { keysOfPages } from '#lib/billing/invoice-product.ts'
import { payments } from '#lib/billing/payment.ts'
import { chargedFor } from '#lib/invoicing/billed.ts'
import {
  type billedKey,
  type billRunKey,
  readBilled,
  readBillRun,
  readSeries,
} from '#lib/invoicing/month-items.ts'
import type { KeyValues } from '#lib/table/keys.ts'
import { type Expectation, expectItem, type Rule } from './expectation.ts'

/** Each number of a series belongs to a document that was issued here. */
const NUMBERS = 'numbers of issued documents'

const billedBy = (id: number | string): string => `what document ${id} bills of calls and charges`

const paidOf = (id: number): string => `what payments pay of invoice ${id}`

/** What an issued document bills is noted in the months that it bills. A credited one bills nothing. */
const issuedExpectations = (document: {
  readonly id: number
  readonly month: string
  readonly charged?: string | undefined
  readonly credited_by?: string
}): Expectation[] => {
  const { id, month, charged, credited_by } = document
  if (month === '') return []
  const counts = credited_by ? 0 : charged
  return [{ total: NUMBERS, adds: 1 }, ...(counts === undefined ? [] : [{ total: billedBy(id), counts }])]
}

/** The pages of an invoice's products exist. Payments have paid what an issued invoice says. */
export const invoiceRule: Rule = (item) => {
  const invoice = invoices.read(item)
  const { id, month, paid_amount } = invoice
  return [
    ...keysOfPages(invoice).map((key) => expectItem(key, `invoice ${id} has lost products.`)),
    ...issuedExpectations(invoice),
    ...(month === '' ? [] : [{ total: paidOf(id), counts: paid_amount }]),
  ]
}

export const creditNoteRule: Rule = (item) => issuedExpectations(creditNotes.read(item))

/** A payment that was taken back pays nothing. */
export const paymentRule: Rule = (item) => {
  const { invoice_id, applied, taken_back_by } = payments.read(item)
  if (invoice_id === undefined || applied === undefined || taken_back_by !== undefined) return []
  return [{ total: paidOf(invoice_id), adds: applied, mayBeUncounted: true }]
}

export const seriesRule: Rule = (item) => {
  const { first = 0, next = 0 } = readSeries(item) ?? {}
  return [{ total: NUMBERS, counts: next - first }]
}

export const billedRule: Rule<KeyValues<typeof billedKey>> = (item, _circumstances, { month }) =>
  Object.entries(readBilled(month, item).billed.parts).map(([id, part]) => ({
    total: billedBy(id),
    adds: chargedFor(part),
  }))

/** The document of a claimed month exists. */
export const billRunRule: Rule<KeyValues<typeof billRunKey>> = (item, _circumstances, values) => {
  const { outcome, id } = readBillRun(item) ?? { outcome: 'empty' }
  if (outcome === 'empty' || id === undefined) return []
  const { pointer } = outcome === 'invoice' ? invoices : creditNotes
  const otherwise = `${values.month} of account ${Number(values.account_id)} is claimed by ${outcome} ${id}, which does not exist.`
  return pointer ? [expectItem(pointer(id), otherwise)] : []
}
