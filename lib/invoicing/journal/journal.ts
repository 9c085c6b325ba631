import { findWholeAccounts, type WholeAccount } from '#lib/accounts/whole-account.ts'
import { type Day, dayOf } from '#lib/base/calendar.ts'
import { minorDigits } from '#lib/base/currency-digits.ts'
import { add, isZero, type Money, multiply, round, roundedQuotient, subtract, ZERO } from '#lib/base/money.ts'
import type { LimitedScope } from '#lib/base/scope.ts'
import { rateOfDocument } from '#lib/billing/booking.ts'
import { listCreditNotes } from '#lib/billing/credit-note.ts'
import { findInvoices, type Invoice, isIssued, listInvoices } from '#lib/billing/invoice.ts'
import { grossOf } from '#lib/billing/invoice-payment.ts'
import { grossOfPayment, keptParts, listPayments, type Payment, payments } from '#lib/billing/payment.ts'
import { exchangeRatesOf } from '#lib/rates/currency.ts'
import { batchedLookup, type RowLookup } from '#lib/table/entity.ts'
import { type DocumentSource, productsOfDocument } from '../documents/printed-document.ts'
import type { FoundDocument } from '../documents/rendered.ts'
import { daysOfMonth, type Month, periodOfMonth } from '../month.ts'
import { revenueKindOf } from '../row-names.ts'
import { accountFor, JournalRefused } from './journal-accounts.ts'

/** A document or payment in the books: its account is debited, and its parts' accounts credited. */
export interface JournalEntry {
  readonly kind: 'invoice' | 'credit note' | 'payment'
  readonly day: Day
  /** The day on which it is to be paid. */
  readonly due?: Day | undefined
  /** Of the document; of a payment that of the invoice that it names, or its transaction. */
  readonly number: string
  readonly customer: string
  /** The customer, and its account of debtors; blank for the one that follows from its id. */
  readonly debtor: { readonly id: number; readonly account: string }
  readonly account: string
  /** The document's currency, its amount with VAT, and units of it for one of the default currency. */
  readonly currency: string
  readonly amount: Money
  readonly exchange_rate: Money
  readonly parts: readonly JournalPart[]
}

/** A negative part is credited to the account of the entry, and debited to its own. */
export interface JournalPart {
  readonly account: string
  /** A kind of revenue, `VAT`, `receivables` or `difference`. */
  readonly what: string
  /** In the default currency, rounded to its minor unit. */
  readonly amount: Money
}

export interface WantedJournal {
  readonly month: Month
  /** The documents that were issued in the month, in place of those that bill it. */
  readonly isByIssue: boolean
}

interface Journal extends DocumentSource {
  readonly accounts: RowLookup<Pick<WholeAccount, 'username' | 'debtor_account'>>
  readonly scope: LimitedScope
}

/** Yields the entries of a month: invoices, credit notes, payments. Throws JournalRefused. */
export async function* journalOf(
  source: DocumentSource,
  scope: LimitedScope,
  wanted: WantedJournal,
): AsyncGenerator<JournalEntry> {
  const journal = { ...source, scope, accounts: batchedLookup((ids) => findWholeAccounts(source.store, ids)) }
  for await (const found of documentsIn(journal, wanted))
    yield* withParts(await documentEntry(journal, found, wanted))
  const period = periodOfMonth(wanted.month, source.settings.Timezone)
  const paid = rowsIn(listPayments(source.store, scope, period), ({ completed }) => completed)
  for await (const payment of paid) yield* withParts(await paymentEntry(journal, payment))
}

/** An entry of nothing is left out. */
function* withParts(entry: JournalEntry): Generator<JournalEntry> {
  const parts = entry.parts.filter(({ amount }) => !isZero(amount))
  if (parts.length > 0) yield { ...entry, parts }
}

// Documents

/**
 * An invoice issued here is of the month that it bills, an imported one of that of its issue. A credit note
 * is of the month of its own day: a change of an amount belongs to the period in which it occurs (section 17
 * UStG).
 */
async function* documentsIn({ store, scope }: Journal, { month, isByIssue }: WantedJournal) {
  const { from, till } = daysOfMonth(month)
  const isIn = (one: Invoice) => (isIssued(one) ? one.month === month : one.issue_date <= till)
  const billing = listInvoices(store, scope, isByIssue ? { from, till } : { from })
  for await (const document of rowsIn(billing, (one) => isByIssue || isIn(one)))
    yield { kind: 'invoice', document } as const
  for await (const page of listCreditNotes(store, scope, { from, till }))
    for (const document of page) yield { kind: 'credit note', document } as const
}

async function* rowsIn<R>(pages: AsyncIterable<readonly R[]>, isIn: (row: R) => boolean): AsyncGenerator<R> {
  for await (const page of pages) yield* page.filter(isIn)
}

async function documentEntry(
  journal: Journal,
  found: FoundDocument,
  { month, isByIssue }: WantedJournal,
): Promise<JournalEntry> {
  const { settings } = journal
  const { kind, document } = found
  const isByMonth = kind === 'invoice' && isIssued(document) && !isByIssue
  const rate = await rateOf(journal, document, document.number)
  const sign = kind === 'invoice' ? 1 : -1
  const parts = await partsOfDocument(journal, found, rate)
  return {
    ...(await commonColumns(journal, document)),
    kind,
    // What is used is earned, and its VAT is due, when the month ends.
    day: isByMonth ? daysOfMonth(month).till : document.issue_date,
    due: found.kind === 'invoice' ? found.document.due_date : undefined,
    number: document.number,
    account: accountFor(settings, 'Journal_Receivables'),
    amount: signed(grossOf(document), sign),
    exchange_rate: rate,
    parts: parts.map((part) => ({ ...part, amount: signed(part.amount, sign) })),
  }
}

const signed = (amount: Money, sign: 1 | -1): Money => (sign === 1 ? amount : subtract(ZERO, amount))

/** Converts and rounds total and VAT; the last kind of revenue has the rest, to balance the entry. */
async function partsOfDocument(journal: Journal, found: FoundDocument, rate: Money): Promise<JournalPart[]> {
  const { settings } = journal
  const { document } = found
  const { price: net, vat_percent = ZERO } = document
  const inBooks = (amount: Money) => inDefault(journal, amount, rate)
  const vat = inBooks(subtract(grossOf(document), net))
  const percent = round(vat_percent, 2)
  const kinds = await revenueOf(journal, found)
  let left = subtract(inBooks(grossOf(document)), vat)
  const revenue = kinds.map(([what, sum], index) => {
    const amount = index === kinds.length - 1 ? left : inBooks(sum)
    left = subtract(left, amount)
    return {
      what,
      amount,
      account: accountFor(settings, 'Journal_Revenue', wordsOf(what, percent)),
    }
  })
  return isZero(vat)
    ? revenue
    : [...revenue, { what: 'VAT', amount: vat, account: accountFor(settings, 'Journal_VAT', [percent]) }]
}

/** Goodwill without an account of its own is posted as other revenue. */
const wordsOf = (what: string, percent: Money): string[] => [
  ...[`${what}/${percent}`, `/${percent}`, what],
  ...(what === 'goodwill' ? ['other'] : []),
]

/** The net of a document by kind of revenue. What its rows do not say is of kind `other`. */
async function revenueOf(journal: Journal, found: FoundDocument): Promise<(readonly [string, Money])[]> {
  const { document } = found
  // A goodwill of before rows had kinds: its only row would be named by its reason.
  if (document.products?.length === 0 && found.kind === 'credit note') return [['goodwill', document.price]]
  const products = await productsOfDocument(journal, found)
  const byKind = Map.groupBy(products, (product) => revenueKindOf(product, isIssued(document)))
  const sums = [...byKind].map(([kind, some]) => [kind, add(...some.map(({ sum }) => sum))] as const)
  const rest = subtract(document.price, add(ZERO, ...sums.map(([, sum]) => sum)))
  return isZero(rest) && sums.length > 0 ? sums : [...sums, ['other', rest]]
}

// Payments

async function paymentEntry(journal: Journal, payment: Payment): Promise<JournalEntry> {
  const rate = await rateOf(journal, payment, `payment ${payment.id}`)
  const amount = payment.amount_with_vat ?? payment.amount
  const [invoice] =
    payment.invoice_id === undefined ? [] : await findInvoices(journal.store, [payment.invoice_id])
  return {
    ...(await commonColumns(journal, payment)),
    kind: 'payment',
    day: dayOf(payment.date, journal.settings.Timezone),
    number: invoice?.number ?? (payment.transaction_id || String(payment.id)),
    account: accountFor(journal.settings, 'Journal_Bank', [payment.type]),
    amount,
    exchange_rate: rate,
    parts: await partsOfPayment(journal, payment, rate),
  }
}

/** A payment that takes back another one is its opposite. */
async function partsOfPayment(journal: Journal, payment: Payment, rate: Money): Promise<JournalPart[]> {
  const before =
    payment.takes_back === undefined ? undefined : await payments.find(journal.store, payment.takes_back)
  if (before) {
    const parts = await partsOfPayment(journal, before, await rateOf(journal, before, `payment ${before.id}`))
    return parts.map((part) => ({ ...part, amount: signed(part.amount, -1) }))
  }
  const all = inDefault(journal, payment.amount_with_vat ?? payment.amount, rate)
  const receivables = await receivablesOf(journal, payment, all)
  const { settings } = journal
  return [
    { what: 'receivables', amount: receivables, account: accountFor(settings, 'Journal_Receivables') },
    {
      what: 'difference',
      amount: subtract(all, receivables),
      account: accountFor(settings, 'Journal_Differences'),
    },
  ]
}

/**
 * What a payment takes from the receivables: an invoice's part at the invoice's rate, the rest, with its VAT,
 * as it is. So only two rates of one amount make a difference.
 */
async function receivablesOf(journal: Journal, payment: Payment, all: Money): Promise<Money> {
  const parts = keptParts(payment).filter(({ to }) => to === 'invoice')
  const found = await findInvoices(
    journal.store,
    parts.map(({ id }) => id),
  )
  const { Default_Currency } = journal.settings
  let sum = all
  for (const [index, { own, amount }] of parts.entries()) {
    const invoice = found[index]
    if (!invoice) continue
    const gross = grossOfPayment(payment)
    const paid = roundedQuotient(multiply(all, own), gross, minorDigits(Default_Currency))
    const owed = inDefault(journal, amount, await rateOf(journal, invoice, invoice.number))
    sum = add(subtract(sum, paid), owed)
  }
  return sum
}

// Amounts

const inDefault = ({ settings }: Journal, amount: Money, rate: Money): Money =>
  roundedQuotient(amount, rate, minorDigits(settings.Default_Currency))

async function rateOf(
  { store, settings }: Journal,
  document: { readonly currency: string; readonly exchange_rate?: Money | undefined },
  name: string,
): Promise<Money> {
  const { currency, exchange_rate } = document
  const rates =
    exchange_rate === undefined
      ? await exchangeRatesOf(store, [currency], settings.Default_Currency)
      : new Map()
  const rate = rateOfDocument(document, { settings, rates })
  if (rate !== undefined) return rate
  throw new JournalRefused(`${name}: ${currency} has no exchange rate: import currencies.csv with it`)
}

async function commonColumns(
  { accounts, settings }: Journal,
  { user_id, currency }: { readonly user_id: number; readonly currency: string },
) {
  const account = (await accounts([user_id])).get(user_id)
  return {
    customer: account?.username ?? `account ${user_id}`,
    debtor: { id: user_id, account: account?.debtor_account ?? '' },
    currency: currency || settings.Default_Currency,
  }
}
