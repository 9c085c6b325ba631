import { isCharged } from '#lib/base/balance.ts'
import { add, isZero, subtract, ZERO } from '#lib/base/money.ts'
import { adjustments } from '#lib/billing/adjustment.ts'
import { balanceKey } from '#lib/billing/balance-item.ts'
import { isCounted } from '#lib/billing/booking.ts'
import { charges } from '#lib/billing/charges/charge.ts'
import { chargeRunKey, chargeTermsKey } from '#lib/billing/charges/charge-run.ts'
import { creditNotes } from '#lib/billing/credit-note.ts'
import { invoices } from '#lib/billing/invoice.ts'
import { invoicePaidKey, readPaid } from '#lib/billing/invoice-paid.ts'
import { invoiceProductKey, keysOfPages } from '#lib/billing/invoice-product.ts'
import {
  POSTED_SINCE,
  type PostedKind,
  type PostedLine,
  totalOfLine,
  unpostedKey,
} from '#lib/billing/journal/posting.ts'
import { type Allocation, allocationsIn } from '#lib/billing/ledger/allocation.ts'
import { allocationsOf, payments } from '#lib/billing/payment.ts'
import {
  paymentRequestKey,
  paymentSignatureKey,
  paymentTransactionKey,
} from '#lib/billing/payment-booking.ts'
import { chargedFor } from '#lib/invoicing/billed.ts'
import { brandKey, keptBrandKey } from '#lib/invoicing/documents/brand.ts'
import {
  documentFilesKey,
  filedDayKey,
  readDocumentFiles,
  readFiledDay,
  wrongFile,
} from '#lib/invoicing/documents/stored-files.ts'
import {
  closedMonthKey,
  closedTill,
  journalKey,
  journalMonthKey,
  readEntry,
  readJournalMonth,
  readUnposted,
} from '#lib/invoicing/journal/entry.ts'
import { mailingKey, readMailing } from '#lib/invoicing/mailing.ts'
import {
  billedKey,
  billRunKey,
  presentSeriesKey,
  readBilled,
  readBillRun,
  readPresentSeries,
  readSeries,
  seriesKey,
} from '#lib/invoicing/month-items.ts'
import { LEDGER_SINCE } from '#lib/settings/settings.ts'
import type { Entity } from '#lib/table/entity.ts'
import { currencyKey, type KeyValues } from '#lib/table/keys.ts'
import { balanceRule, bookedRule, totalName } from './balance-rules.ts'
import { checkProductPage } from './checked-rows.ts'
import {
  alone,
  type Circumstances,
  type Expectation,
  expectItem,
  type FormRule,
  type Rule,
  readable,
  under,
} from './expectation.ts'

/** The currency of a document has a rate. A document without a currency is in the default currency. */
const currencyRule =
  (documents: Entity): Rule =>
  (item, { settings }) => {
    const { id, currency } = documents.read(item)
    if (currency === undefined || currency === '' || currency === settings.Default_Currency) return []
    const otherwise = `${documents.name} ${id} is in ${currency}, a currency without a rate.`
    return [expectItem(currencyKey(String(currency)), otherwise)]
  }

/** Each number of a series belongs to a document that was issued here. */
const NUMBERS = 'numbers of issued documents'

const billedBy = (id: number | string): string => `what document ${id} bills of calls and charges`

const paidOf = (id: number): string => `what payments pay of invoice ${id}`

/** Each month notes the part that a document bills of it. A credited document bills nothing. */
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
const invoiceRule: Rule = (item) => {
  const invoice = invoices.read(item)
  const { id, month, paid_amount } = invoice
  return [
    ...keysOfPages(invoice).map((key) => expectItem(key, `invoice ${id} has lost products.`)),
    ...issuedExpectations(invoice),
    ...(month === '' ? [] : [{ total: paidOf(id), counts: paid_amount }]),
  ]
}

/** The paid part of an invoice closes a part of the open amount in the invoice's item. */
const paidRule: Rule<KeyValues<typeof invoicePaidKey>> = (item, { format }) => {
  const { invoice_id, user_id, owner_id, currency, is_issued, paid_amount, closes } = readPaid(item)
  const open = totalName(`open#${owner_id}#${currency}`, balanceKey(user_id, 0).PK)
  const otherwise = `Payments pay invoice ${invoice_id}, which does not exist.`
  return [
    ...(invoices.pointer ? [expectItem(invoices.pointer(invoice_id), otherwise)] : []),
    ...(is_issued ? [{ total: paidOf(invoice_id), counts: paid_amount }] : []),
    ...(format < LEDGER_SINCE || isZero(closes) ? [] : [{ total: open, adds: subtract(ZERO, closes) }]),
  ]
}

const creditNoteRule: Rule = (item) => {
  const note = creditNotes.read(item)
  return [...issuedExpectations(note), ...paidBy(allocationsIn(note.allocations))]
}

const paidBy = (parts: readonly Allocation[]): Expectation[] =>
  parts.flatMap(({ to, id, amount }) =>
    to === 'invoice' ? [{ total: paidOf(id), adds: amount, mayBeUncounted: true }] : [],
  )

/** A payment that was taken back pays nothing. */
const paymentRule: Rule = (item) => paidBy(allocationsOf(payments.read(item)))

const adjustmentRule: Rule = (item) => {
  const { written_off, gross = ZERO } = adjustments.read(item)
  return written_off === undefined ? [] : [{ total: paidOf(written_off), adds: gross, mayBeUncounted: true }]
}

const seriesRule: Rule = (item) => {
  const { first = 0, next = 0 } = readSeries(item) ?? {}
  return [{ total: NUMBERS, counts: next - first }]
}

const billedRule: Rule<KeyValues<typeof billedKey>> = (item, _circumstances, { month }) =>
  Object.entries(readBilled(month, item).billed.parts).map(([id, part]) => ({
    total: billedBy(id),
    adds: chargedFor(part),
  }))

/** The document of a claimed month exists. */
const billRunRule: Rule<KeyValues<typeof billRunKey>> = (item, _circumstances, values) => {
  const { outcome, id } = readBillRun(item) ?? { outcome: 'empty' }
  if (outcome === 'empty' || id === undefined) return []
  const { pointer } = outcome === 'invoice' ? invoices : creditNotes
  const otherwise = `${values.month} of account ${Number(values.account_id)} is claimed by ${outcome} ${id}, which does not exist.`
  return pointer ? [expectItem(pointer(id), otherwise)] : []
}

/** The totals of entries, to compare with the postings of their documents. */
const postedTotals = (
  kind: PostedKind,
  document: number,
  lines: readonly PostedLine[],
  { format }: Circumstances,
): Expectation[] =>
  format < POSTED_SINCE
    ? []
    : lines.map((line) => ({ total: totalOfLine(kind, document, line), adds: line[2] }))

const unpostedRule: Rule<KeyValues<typeof unpostedKey>> = (item, circumstances, { kind, document }) =>
  postedTotals(kind as PostedKind, Number(document), readUnposted(item).lines, circumstances)

/** The lines of an entry add up to 0, and its month has counted it. */
const journalRule: Rule<KeyValues<typeof journalKey>> = (item, circumstances, { seller, month, number }) => {
  const { kind, document, lines } = readEntry(item)
  const sum = add(ZERO, ...lines.map(({ amount }) => amount))
  const name = `Entry ${Number(number)} of ${month} of seller ${seller}`
  return [
    ...(isZero(sum) ? [] : [{ wrong: `${name} does not balance: its lines add up to ${sum}.` }]),
    { total: entriesOf(seller, month), adds: 1 },
    expectItem(journalMonthKey(Number(seller), month), `${name} is in a month that counts none.`),
    ...postedTotals(
      kind,
      document,
      lines.map(({ of, word, exact }) => [of, word, exact] as const),
      circumstances,
    ),
  ]
}

const entriesOf = (seller: string, month: string): string => `entries of ${month} of seller ${seller}`

const journalMonthRule: Rule<KeyValues<typeof journalMonthKey>> = (
  item,
  _circumstances,
  { seller, month },
) => [{ total: entriesOf(seller, month), counts: readJournalMonth(item).last }]

/** The files of a document are in the archive, as they were given. */
const filesRule: Rule = (item, { bucket }) =>
  Object.values(readDocumentFiles(item)).flatMap((file) =>
    file && bucket ? [{ wrongIf: () => wrongFile(bucket, file) }] : [],
  )

export const rulesOfBilling: readonly FormRule[] = [
  ...alone(
    paymentTransactionKey,
    paymentRequestKey,
    paymentSignatureKey,
    chargeTermsKey,
    chargeRunKey,
    brandKey,
    keptBrandKey,
  ),
  under(balanceKey, balanceRule),
  under(payments.key, currencyRule(payments), bookedRule(payments, isCounted), paymentRule),
  under(adjustments.key, bookedRule(adjustments, isCounted), adjustmentRule),
  under(
    charges.key,
    currencyRule(charges),
    bookedRule(charges, ({ date }, settings) => isCharged(date, settings)),
  ),
  under(invoices.key, invoiceRule, currencyRule(invoices)),
  under(invoicePaidKey, paidRule),
  under(invoiceProductKey, readable(checkProductPage)),
  under(creditNotes.key, currencyRule(creditNotes), creditNoteRule),
  under(billRunKey, billRunRule),
  under(seriesKey, seriesRule),
  under(presentSeriesKey, readable(readPresentSeries)),
  under(billedKey, billedRule),
  under(unpostedKey, unpostedRule),
  under(journalKey, journalRule),
  under(journalMonthKey, journalMonthRule),
  under(closedMonthKey, readable(closedTill)),
  under(documentFilesKey, filesRule),
  under(mailingKey, readable(readMailing)),
  under(filedDayKey, readable(readFiledDay)),
]
