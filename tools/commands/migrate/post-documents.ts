import pMap from 'p-map'
import { type Day, dayOf } from '#lib/base/calendar.ts'
import { add, isZero, type Money, subtract, ZERO } from '#lib/base/money.ts'
import { reasonIn } from '#lib/base/row-refused.ts'
import { type Adjustment, adjustments } from '#lib/billing/adjustment.ts'
import { type Converted, openBooks, withExchangeRate } from '#lib/billing/booking.ts'
import { type CreditNote, creditNotes } from '#lib/billing/credit-note.ts'
import {
  type Document,
  type DocumentEntity,
  type OwnedDocument,
  replaceDocuments,
} from '#lib/billing/document.ts'
import { findInvoices, type Invoice, invoices, isIssued } from '#lib/billing/invoice.ts'
import { revenueText } from '#lib/billing/journal/document-posting.ts'
import { exchangeDifference } from '#lib/billing/ledger/allocating.ts'
import { keptParts, type Payment, payments } from '#lib/billing/payment.ts'
import { type DocumentSource, productsOfDocument } from '#lib/invoicing/documents/printed-document.ts'
import type { FoundDocument } from '#lib/invoicing/documents/rendered.ts'
import { daysOfMonth } from '#lib/invoicing/month.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Item } from '#lib/table/items.ts'
import { isUnder } from '#lib/table/keys.ts'
import { retryingRaces } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import { CONCURRENT_DOCUMENTS } from './change-documents.ts'
import { NO_REPAIR, type Repair } from './new-entries.ts'
import { undamaged } from './rate-documents.ts'

/**
 * Gives the documents among these items that were stored before entries were the day on which the journal
 * posts them, and what else their entries are made of. The change of a document stores its entry.
 */
export async function postDocuments(
  store: Store,
  items: readonly Item[],
  dryRun: boolean,
): Promise<Repair[]> {
  const source = { store, settings: await settingsOf(store) }
  return [
    ...(await postKind(source, { of: invoices, columnsOf: columnsOfInvoice }, items, dryRun)),
    ...(await postKind(source, { of: creditNotes, columnsOf: columnsOfNote }, items, dryRun)),
    ...(await postKind(source, { of: payments, columnsOf: columnsOfPayment }, items, dryRun)),
    ...(await postKind(source, { of: adjustments, columnsOf: columnsOfAdjustment }, items, dryRun)),
  ]
}

interface PostedDocument extends Document {
  readonly posted_on?: Day | undefined
}

/** Documents of one kind, and the columns from which their entries are made. */
interface KindToPost<D extends PostedDocument> {
  readonly of: DocumentEntity<D>
  columnsOf(source: DocumentSource, document: OwnedDocument<D>): Promise<Partial<D>>
}

async function postKind<D extends PostedDocument>(
  source: DocumentSource,
  kind: KindToPost<D>,
  items: readonly Item[],
  dryRun: boolean,
): Promise<Repair[]> {
  const rows = items.filter(isUnder(kind.of.key)).flatMap((item) => undamaged(kind.of, item))
  const unposted = rows.filter(({ posted_on }) => posted_on === undefined)
  return pMap(unposted, ({ id }) => postOne(source, kind, id, dryRun), { concurrency: CONCURRENT_DOCUMENTS })
}

const postOne = <D extends PostedDocument>(
  source: DocumentSource,
  { of, columnsOf }: KindToPost<D>,
  id: number,
  dryRun: boolean,
): Promise<Repair> =>
  retryingRaces(source.store, async () => {
    const found = await of.find(source.store, id)
    if (!found || found.posted_on !== undefined) return NO_REPAIR
    try {
      const before = await withRate(source, found)
      const after = { ...before, ...(await columnsOf(source, before)) }
      if (!dryRun) await replaceDocuments(source.store, of, [{ before: found, after }])
      return { posted: 1 }
    } catch (error) {
      const problem = `${of.name} ${id} cannot be posted (${reasonIn(error)}): add this currency and run this again.`
      return { problem }
    }
  })

/**
 * The document with the rate of now, if it was stored before documents kept theirs. Throws refused_row for a
 * currency without one.
 */
async function withRate<R extends Converted>({ store, settings }: DocumentSource, document: R): Promise<R> {
  const { currency = '', exchange_rate } = document
  if (currency === '' || exchange_rate !== undefined) return document
  return withExchangeRate(document, document, await openBooks(store, settings, [document]))
}

/** An invoice issued here is posted when its month ends, unless a setting says its day. */
const columnsOfInvoice = async (
  source: DocumentSource,
  document: OwnedDocument<Invoice>,
): Promise<Partial<Invoice>> => {
  const { month, issue_date, product_pages } = document
  const isByMonth = isIssued(document) && source.settings.Journal_Invoice_Day !== 'issue'
  return {
    posted_on: isByMonth ? daysOfMonth(month).till : issue_date,
    ...(product_pages > 0 && { revenue: await revenueOf(source, { kind: 'invoice', document }) }),
  }
}

const columnsOfNote = async (
  source: DocumentSource,
  document: OwnedDocument<CreditNote>,
): Promise<Partial<CreditNote>> => {
  const { issue_date: posted_on, products, price } = document
  if (products === undefined)
    return { posted_on, revenue: await revenueOf(source, { kind: 'credit note', document }) }
  // Earlier releases stored a goodwill without a row.
  return { posted_on, ...(products.length === 0 && { revenue: `goodwill=${price}` }) }
}

/** The revenue of a document whose rows are not in its item. */
const revenueOf = async (source: DocumentSource, found: FoundDocument): Promise<string> =>
  revenueText(await productsOfDocument(source, found), isIssued(found.document))

const columnsOfPayment = async (source: DocumentSource, payment: Payment): Promise<Partial<Payment>> => {
  const { takes_back, date } = payment
  const other = takes_back === undefined ? undefined : await payments.find(source.store, takes_back)
  const difference = await differenceOf(source, await withRate(source, other ?? payment))
  const exchange_difference = other ? subtract(ZERO, difference) : difference
  return {
    posted_on: dayOf(date, source.settings.Timezone),
    exchange_difference: isZero(exchange_difference) ? undefined : exchange_difference,
  }
}

/** The gain by the rate of a payment over those of the invoices that it pays, or paid. */
async function differenceOf(source: DocumentSource, payment: Payment): Promise<Money> {
  const parts = keptParts(payment).filter(({ to }) => to === 'invoice')
  const ids = parts.map(({ id }) => id)
  const found = await findInvoices(source.store, ids)
  const differences = parts.map(async (part, index) => {
    const invoice = found[index]
    return invoice ? exchangeDifference(part, payment, await withRate(source, invoice), source) : ZERO
  })
  return add(ZERO, ...(await Promise.all(differences)))
}

const columnsOfAdjustment = async (
  source: DocumentSource,
  { date, written_off }: Adjustment,
): Promise<Partial<Adjustment>> => {
  const posted_on = dayOf(date, source.settings.Timezone)
  const [invoice] = written_off === undefined ? [] : await findInvoices(source.store, [written_off])
  if (!invoice) return { posted_on }
  const { exchange_rate: gross_rate } = await withRate(source, invoice)
  return { posted_on, kind: 'bad_debt', gross_rate }
}
