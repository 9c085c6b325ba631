import { findWholeAccount, type WholeAccount } from '#lib/accounts/whole-account.ts'
import { addDays, secondsOf } from '#lib/base/calendar.ts'
import { hexDigest } from '#lib/base/digest.ts'
import { isPositive, isZero, subtract, ZERO } from '#lib/base/money.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { type Adjustment, adjustments, OF_DOCUMENTS, ofNoWriteOff } from '#lib/billing/adjustment.ts'
import { type Books, openBooks, withBookedAmount } from '#lib/billing/booking.ts'
import { changesOfPayer, creditNotes } from '#lib/billing/credit-note.ts'
import { invoices } from '#lib/billing/invoice.ts'
import { bookedAtRate, closedByBalance, openAmount, unpaid } from '#lib/billing/invoice-payment.ts'
import { digestWith, inPages, putProductPages } from '#lib/billing/invoice-product.ts'
import { revenueText } from '#lib/billing/journal/document-posting.ts'
import { MOST_AT_ONCE } from '#lib/billing/ledger/allocation.ts'
import { type DocumentEvent, documentEvent } from '#lib/billing/notifications/document-events.ts'
import { watchBalances } from '#lib/billing/notifications/watched-balances.ts'
import {
  allocateSoon,
  findUnassignedOf,
  NOTHING_UNASSIGNED,
  payInTurn,
  type Unassigned,
  willAllocate,
  willTake,
} from '#lib/billing/payments/allocate-oldest.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { changesOf } from '#lib/table/entity-changes.ts'
import { type Change, combined } from '#lib/table/requests/changes.ts'
import { retryingRaces } from '#lib/table/requests/retries.ts'
import type { Totals } from './amounts.ts'
import { withPart } from './billed.ts'
import {
  type CarriedPayment,
  findCarried,
  MOST_CARRIED,
  paidByCarried,
  unnamedPayments,
} from './carried-payments.ts'
import { isEmptyDraft, negativeProducts } from './draft.ts'
import { type Mailable, mailAtIssue } from './mailing.ts'
import { daysOfMonth } from './month.ts'
import { type BillRun, claimMonth, replaceBilled } from './month-items.ts'
import { type CustomerMonth, type MonthRun, readCustomerMonth } from './month-run.ts'
import { type Numbers, storeNumbered } from './numbers.ts'
import { buyerOf, factsOf, partiesText } from './parties.ts'

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    /** Between its reading and its issue, the customer went to another seller. */
    readonly sold_by_another: Record<never, never>
  }
}

export type MonthOutcome =
  | { readonly kind: 'issued'; readonly document: IssuedDocument }
  | { readonly kind: 'done'; readonly run: BillRun }
  | { readonly kind: 'empty' }
  | { readonly kind: 'refused'; readonly reason: Refusal }

/** A document that was issued. The amounts of a credit note are positive. */
export interface IssuedDocument extends Totals {
  readonly is: 'invoice' | 'credit_note'
  readonly id: number
  readonly number: string
}

/**
 * Issues the document of a customer for the month: one transaction takes its number and claims the month,
 * stores it, notes what it has billed, and books the rounding and the minimum. It can be killed anywhere and
 * repeated, and two at once do no harm. `read` is the month as it was read, for the first attempt.
 */
export async function issueDocument(
  run: MonthRun,
  numbers: Numbers,
  read: CustomerMonth,
): Promise<MonthOutcome> {
  const { id, alert_at } = read.account
  const outcome = await retryingRaces(run.store, async (lostRaces): Promise<MonthOutcome> => {
    const found = lostRaces === 0 ? read : await readAgain(run, id)
    return found
      ? issueFound(run, numbers, found, lostRaces)
      : { kind: 'refused', reason: new Refusal('sold_by_another', {}) }
  })
  if (alert_at !== '') await watchBalances(run, [id])
  return outcome
}

async function issueFound(
  begun: MonthRun,
  numbers: Numbers,
  found: CustomerMonth,
  lostRaces: number,
): Promise<MonthOutcome> {
  const { done, refusal, draft, account, stored } = found
  if (done) return { kind: 'done', run: done }
  if (refusal !== undefined) return { kind: 'refused', reason: refusal }
  // Balance_From may have moved since the run began.
  const run = { ...begun, settings: await settingsOf(begun.store) }
  const carried = await findCarried(run.store, stored[0]?.billed.credited ?? [])
  if (carried instanceof Refusal) return { kind: 'refused', reason: carried }
  const taken =
    account.postpaid || isEmptyDraft(draft) ? NOTHING_UNASSIGNED : await findUnassignedOf(run, account)
  const paying = [...carried.map(({ payment }) => payment), ...taken.paying]
  const documents = [...paying, { currency: found.terms.currency }]
  const books = await openBooks(run.store, run.settings, paying.length > 0 ? documents : [])
  if (isEmptyDraft(draft)) {
    await run.store.transact(emptyMonth(run, found, carried, books))
    return { kind: 'empty' }
  }
  const id = documentIdOf(`${run.month} of ${account.id}, ${stored[0]?.version} ${lostRaces}`)
  const issue = draft.net.startsWith('-') ? issueCreditNote : issueInvoice
  return {
    kind: 'issued',
    document: await issue(run, numbers, { ...found, carried, taken, books, lostRaces }, id),
  }
}

/** The claim of a month without anything to bill. */
function emptyMonth(
  run: MonthRun,
  { account, stored: [own], terms }: CustomerMonth,
  carried: readonly CarriedPayment[],
  books: Books,
): Change[] {
  const claim = claimMonth(run.month, account.id, { outcome: 'empty' })
  if (!own || carried.length === 0) return [claim]
  return combined([
    claim,
    replaceBilled(account.id, own, { ...own.billed, credited: [] }),
    ...unnamedPayments(carried, books, terms.issue_date),
  ])
}

async function readAgain(run: MonthRun, accountId: number): Promise<CustomerMonth | undefined> {
  const account = await findWholeAccount(run.store, accountId)
  return account?.owner_id === run.owner_id ? readCustomerMonth(run, account) : undefined
}

const FIRST_ID = 200_000_000_000_000
const HEX_DIGITS = 12

/** An id between those of datasets, which are small, and the largest one. Equal texts have equal ids. */
const documentIdOf = (text: string): number =>
  FIRST_ID + Number.parseInt(hexDigest(text).slice(0, HEX_DIGITS), 16)

/** A document makes at most one adjustment. */
export const adjustmentIdOf = (document: number): number => documentIdOf(`adjustment of ${document}`)

interface MonthToIssue extends CustomerMonth {
  readonly carried: readonly CarriedPayment[]
  /** The unassigned payments of a prepaid account. */
  readonly taken: Unassigned
  readonly books: Books
  readonly lostRaces: number
}

type Issue = (run: MonthRun, numbers: Numbers, found: MonthToIssue, id: number) => Promise<IssuedDocument>

const issueInvoice: Issue = async (run, numbers, found, id) => {
  const { draft, terms } = found
  const pages = inPages(draft.products)
  const unpaidInvoice = { ...columnsOf(run, found, id), ...columnsOfInvoice(run, found, id, pages.length) }
  const { invoice, changes, isAllocating } = paidAtIssue(run, found, unpaidInvoice)
  const { net, vat, gross } = draft
  if (invoice.product_pages > 0) await putProductPages(run.store, invoice, pages)
  const document = await storeNumbered(numbers, 'invoice', terms.issue_date, (number) => ({
    changes: combined([
      ...changesOf(invoices, undefined, { ...invoice, number }),
      ...changes,
      ...changesTogether(run, found, { id, number, is: 'invoice' }),
      ...mailOf(run, found.account, 'invoice', { id, number }),
      ...eventsOf(run, { ...invoice, net, vat, gross, open: openAmount(invoice), is: 'invoice', number }),
    ]),
    document: { is: 'invoice' as const, id, number, net, vat, gross },
  }))
  if (isAllocating) await allocateSoon(run, found.account.id)
  return document
}

/**
 * A new invoice with what pays it at once: the payments of a credited one of its month, and of a prepaid
 * account what it has paid before. The balance of that account closes the rest.
 */
function paidAtIssue<I extends Parameters<typeof paidByCarried>[0] & { readonly user_id: number }>(
  { settings }: MonthRun,
  { account, terms, carried, taken, books }: MonthToIssue,
  unpaidInvoice: I,
) {
  const options = { day: terms.issue_date, isPrepaid: !account.postpaid }
  const { invoice, changes } = paidByCarried(unpaidInvoice, carried, books, options)
  if (account.postpaid) {
    const marks = willAllocate(settings, invoice, openAmount(invoice))
    return { invoice, changes: [...changes, ...marks], isAllocating: marks.length > 0 }
  }
  const most = Math.min(MOST_AT_ONCE, MOST_CARRIED - carried.length)
  const { paying, open, parts } = payInTurn(taken.paying, [invoice], books, { ...options, most })
  const [paid = invoice] = open
  const hasMore = taken.hasMore || parts < taken.paying.length
  const isAllocating = hasMore && isPositive(openAmount(paid))
  const taking = taken.paying.flatMap((one, index) => changesOfPayer(one, paying[index]))
  const marks = isAllocating ? [willTake(invoice)] : []
  return { invoice: closedByBalance(paid), changes: [...changes, ...taking, ...marks], isAllocating }
}

/** For a draft that gives back more than it bills: names the newest document of each corrected month. */
const issueCreditNote: Issue = async (run, numbers, found) => {
  const { draft, terms } = found
  const corrects = draft.months.flatMap(({ use }) => Object.values(use.billed.parts).at(-1)?.number ?? [])
  const [net, vat, gross] = [draft.net, draft.vat, draft.gross].map((amount) => subtract(ZERO, amount))
  const totals = { net, vat, gross } as Totals
  const note = {
    ...columnsOf(run, found, 0),
    price: totals.net,
    price_with_vat: totals.gross,
    pay_date: terms.issue_date,
    comment: '',
    allocations: '',
    invoices: [...new Set(corrects)].join(', '),
    products: negativeProducts(draft.products),
  }
  const changesFor = (number: string, id: number) => ({
    changes: combined([
      ...changesOf(creditNotes, undefined, { ...note, id, number }),
      ...unnamedPayments(found.carried, found.books, terms.issue_date),
      ...changesTogether(run, found, { id, number, is: 'credit_note' }),
      ...mailOf(run, found.account, 'credit note', { id, number }),
      ...eventsOf(run, { ...note, ...totals, id, is: 'credit_note', number }),
      ...willAllocate(run.settings, { id, user_id: note.user_id }, totals.gross),
    ]),
    document: { is: 'credit_note' as const, id, number, ...totals },
  })
  const issued = await storeNumbered(numbers, 'credit note', terms.issue_date, changesFor, found.lostRaces)
  if (run.settings.Allocate_Payments === 'oldest') await allocateSoon(run, note.user_id)
  return issued
}

const mailOf = (
  { settings, now, owner_id }: MonthRun,
  account: WholeAccount,
  kind: Mailable['kind'],
  document: { readonly id: number; readonly number: string },
): Change[] =>
  mailAtIssue(settings, { kind, document: { ...document, user_id: account.id, owner_id } }, account, now)

const eventsOf = ({ settings, now, owner_id }: MonthRun, document: DocumentEvent): Change[] =>
  documentEvent(settings, document, { at: now, owner_id })

/** The columns that both kinds of document have. */
const columnsOf = (run: MonthRun, found: CustomerMonth, id: number) => ({
  id,
  owner_id: run.owner_id,
  user_id: found.account.id,
  issue_date: found.terms.issue_date,
  currency: found.terms.currency,
  exchange_rate:
    found.terms.currency === found.terms.default_currency ? undefined : found.terms.exchange_rate,
  vat_percent: found.terms.vat_percent,
  month: run.month,
  charged: found.draft.charged,
  parties: partiesOf(run, found),
  posted_on: found.terms.issue_date,
  revenue: '',
})

/** Parties and facts are kept as they are at the issue. */
function partiesOf({ settings, seller, brand }: MonthRun, { account, draft, terms }: CustomerMonth) {
  const parties = { seller, buyer: buyerOf(account) }
  const { username } = account
  const printable = { username, vat: draft.vat, vatPercent: terms.vat_percent, brand }
  return partiesText({ ...parties, facts: factsOf(settings, parties, printable) })
}

function columnsOfInvoice({ month, settings }: MonthRun, found: CustomerMonth, id: number, pages: number) {
  const { draft, terms } = found
  const isPaged = pages > 1
  const { from, till } = daysOfMonth(month)
  return {
    ...unpaid,
    credited_by: '',
    price: draft.net,
    price_with_vat: draft.gross,
    total_time: draft.total_time,
    period_from: from,
    period_till: till,
    due_date: addDays(terms.issue_date, settings.Payment_Days ?? 0),
    // A service is earned, and its VAT is due, when the month ends.
    posted_on: settings.Journal_Invoice_Day === 'issue' ? terms.issue_date : till,
    revenue: isPaged ? revenueText(draft.products, true) : '',
    products: isPaged ? [] : draft.products,
    product_pages: isPaged ? pages : 0,
    products_digest: draft.products.reduce(
      (digest, row) => digestWith(digest, { invoice_id: id, ...row }),
      '',
    ),
    products_sum: draft.net,
    status: isZero(draft.gross) ? ('paid' as const) : ('unpaid' as const),
  }
}

/** The month's claim, the billed sums of each month, and rounding and minimum as one adjustment. */
function changesTogether(
  run: MonthRun,
  { account, draft, stored, terms }: CustomerMonth,
  document: { readonly id: number; readonly number: string; readonly is: IssuedDocument['is'] },
): Change[] {
  const { id, number, is } = document
  const versions = new Map(stored.map((one) => [one.month, one]))
  const billed = draft.months.flatMap(({ use, part }) => {
    const before = versions.get(use.month)
    const after = withPart(use.billed, { id, number }, part, use)
    const carries = use.month === run.month ? { ...after, credited: [] } : after
    return before ? [replaceBilled(account.id, before, carries)] : []
  })
  const difference = subtract(draft.charged, bookedAtRate(draft.net, terms))
  return [
    claimMonth(run.month, account.id, { outcome: is, id, number }),
    ...billed,
    ...adjustmentOf(run, account, id, {
      amount: difference,
      why: `${number}: rounding and minimum`,
      kind: 'rounding',
    }),
  ]
}

/** An entry of the journal that a document makes; none for an amount of 0. */
export function adjustmentOf(
  { now, settings }: Pick<MonthRun, 'now' | 'settings'>,
  { id: user_id, owner_id }: { readonly id: number; readonly owner_id: number },
  documentId: number,
  { amount, why, kind }: Pick<Adjustment, 'amount' | 'why' | 'kind'>,
): Change[] {
  if (isZero(amount)) return []
  const row = {
    ...ofNoWriteOff,
    id: adjustmentIdOf(documentId),
    user_id,
    owner_id,
    date: secondsOf(now),
    amount,
    who: OF_DOCUMENTS,
    why,
    kind,
  }
  const after = withBookedAmount(row, undefined, { settings, rates: new Map() })
  return changesOf(adjustments, undefined, after)
}
