import { findWholeAccount } from '#lib/accounts/whole-account.ts'
import { type Day, today } from '#lib/base/calendar.ts'
import { minorDigits } from '#lib/base/currency-digits.ts'
import { add, isPositive, isZero, type Money, round, subtract, ZERO } from '#lib/base/money.ts'
import { openBooks } from '#lib/billing/booking.ts'
import { creditNotes, listPayersOf } from '#lib/billing/credit-note.ts'
import { findInvoices, invoices, isIssued, type StoredInvoice } from '#lib/billing/invoice.ts'
import {
  bookedAtRate,
  bookedByCredit,
  closedSince,
  grossOf,
  overpaidAmount,
  withCredit,
} from '#lib/billing/invoice-payment.ts'
import { inPages, ofNoKind, type Product, productsOf } from '#lib/billing/invoice-product.ts'
import { revenueText } from '#lib/billing/journal/document-posting.ts'
import { afterPayment, willAllocate } from '#lib/billing/ledger/allocate-oldest.ts'
import { documentEvent } from '#lib/billing/notifications/document-events.ts'
import { allocationsOf, type Payment, type StoredPayment, unassignedOf } from '#lib/billing/payment.ts'
import { documentTotals, type Totals } from '#lib/invoicing/amounts.ts'
import { withoutPart } from '#lib/invoicing/billed.ts'
import { MOST_CARRIED, releasedPayments, withoutSurplus } from '#lib/invoicing/carried-payments.ts'
import { keepBrand } from '#lib/invoicing/documents/brand.ts'
import { presentParties } from '#lib/invoicing/documents/printed-document.ts'
import { adjustmentOf, type IssuedDocument } from '#lib/invoicing/issue.ts'
import { billedKey, billRunKey, readBilled, replaceBilled } from '#lib/invoicing/month-items.ts'
import { openNumbers, storeNumbered } from '#lib/invoicing/numbers.ts'
import { frozenParties, partiesText } from '#lib/invoicing/parties.ts'
import type { Settings } from '#lib/settings/settings.ts'
import { changesOf } from '#lib/table/entity-changes.ts'
import { type Change, combined, is } from '#lib/table/requests/changes.ts'
import { retryingRaces } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'

/** A credit note cannot be made as it was asked for. The message names the remedy. */
export class CreditRefused extends Error {}

/** The credited part of an invoice: all of it, some of its rows (the first is 1), or a net amount. */
export type Credited =
  | { readonly kind: 'whole' }
  | { readonly kind: 'rows'; readonly rows: readonly number[] }
  | { readonly kind: 'amount'; readonly net: Money }

export interface WantedCredit {
  readonly store: Store
  readonly settings: Settings
  readonly now: Date
  readonly invoiceId: number
  readonly credited: Credited
  readonly why: string
  readonly logged: (number: string) => Change
  /** Nothing is stored, and the credit note has no number. */
  readonly isDryRun?: boolean
}

/** A credit note before it has a number. */
interface CreditDraft extends Totals {
  readonly products: readonly Product[] | undefined
  /** The revenue of a whole credit note, whose rows are those of its invoice. */
  readonly revenue?: string
}

/**
 * Issues a credit note of an invoice, at its rate and VAT. One by rows or for an amount books its net as an
 * adjustment. A whole one opens the month again: it takes back the month's claim, what the invoice billed,
 * and its adjustment. The calls stay charged, and the invoice's payments wait for the month's next one.
 */
export const creditInvoice = (wanted: WantedCredit): Promise<IssuedDocument> =>
  retryingRaces(wanted.store, async (lostRaces) => {
    const { store, settings, now } = wanted
    const [invoice] = await findInvoices(store, [wanted.invoiceId])
    if (!invoice) throw new CreditRefused(`there is no invoice ${wanted.invoiceId}`)
    refuseCredit(invoice, wanted.credited)
    const draft = await draftCredit(wanted, invoice)
    const { net, vat, gross } = draft
    if (wanted.isDryRun) return { is: 'credit_note', id: 0, number: '', net, vat, gross }
    const day = today(now, settings.Timezone)
    const together =
      wanted.credited.kind === 'whole'
        ? await wholeChanges(wanted, invoice, day)
        : await partChanges(wanted, invoice, draft, day)
    const parties = await partiesOfCredit(wanted, invoice)
    const numbers = openNumbers(store, settings, invoice.owner_id)
    const changesFor = (number: string, id: number) => ({
      changes: combined([
        ...changesOf(creditNotes, undefined, {
          ...noteColumns(invoice, draft, wanted.why),
          parties,
          id,
          number,
          owner_id: invoice.owner_id,
          issue_date: day,
          pay_date: day,
          posted_on: day,
        }),
        ...together(number, id),
        wanted.logged(number),
        ...documentEvent(
          settings,
          { ...invoice, is: 'credit_note', id, number, net, vat, gross, due_date: undefined },
          { at: now, owner_id: invoice.owner_id },
        ),
      ]),
      document: { is: 'credit_note' as const, id, number, net, vat, gross },
    })
    const issued = await storeNumbered(numbers, 'credit note', day, changesFor, lostRaces)
    await afterPayment({ store, settings, now }, invoice.user_id)
    return issued
  })

/** The parties and facts of the invoice, on the paper and with the look of now. */
async function partiesOfCredit({ store, settings }: WantedCredit, invoice: StoredInvoice): Promise<string> {
  const brand = await keepBrand(store, invoice.owner_id)
  const present = await presentParties({ store, settings }, invoice, brand)
  const { language, vatCategory, noVatReason } = frozenParties(invoice.parties)?.facts ?? present.facts
  return partiesText({ ...present, facts: { ...present.facts, language, vatCategory, noVatReason } })
}

function refuseCredit(invoice: StoredInvoice, credited: Credited): void {
  const { number, credited_by, credited_net } = invoice
  if (!isIssued(invoice))
    throw new CreditRefused(
      `${number} was imported: credit it where it was issued, and import the credit note`,
    )
  if (credited_by !== '') throw new CreditRefused(`${number} is credited by ${credited_by} already`)
  if (credited.kind === 'whole' && isPositive(credited_net))
    throw new CreditRefused(`${number} is credited in part: credit its other rows, not all of it`)
}

const noteColumns = (invoice: StoredInvoice, draft: CreditDraft, why: string) => ({
  user_id: invoice.user_id,
  comment: why,
  price: draft.net,
  price_with_vat: draft.gross,
  currency: invoice.currency,
  exchange_rate: invoice.exchange_rate,
  vat_percent: invoice.vat_percent,
  invoices: invoice.number,
  month: invoice.month,
  charged: ZERO,
  products: draft.products,
  revenue: draft.revenue ?? '',
  allocations: '',
})

async function draftCredit(wanted: WantedCredit, invoice: StoredInvoice): Promise<CreditDraft> {
  const { credited } = wanted
  const { price, credited_net } = invoice
  const gross = grossOf(invoice)
  if (credited.kind === 'whole')
    return {
      products: undefined,
      revenue: await revenueOf(wanted, invoice),
      net: price,
      gross,
      vat: subtract(gross, price),
    }
  refuseDecimals(invoice, credited)
  const products = await creditedProducts(wanted, invoice)
  const sums = credited.kind === 'rows' ? products.map(({ sum }) => sum) : [credited.net]
  const totals = documentTotals(sums, { ...invoice, exchange_rate: invoice.exchange_rate ?? '1' })
  if (!isPositive(totals.net)) throw new CreditRefused('the credited amount is not above 0')
  const left = subtract(price, credited_net)
  if (isPositive(subtract(totals.net, left)))
    throw new CreditRefused(`only ${left} of ${invoice.number} is left to credit, without VAT`)
  // The last part has the rest of the VAT, so that no cent is left.
  if (totals.net !== left) return { products, ...totals }
  const rest = subtract(gross, invoice.credited)
  return { products, net: left, gross: rest, vat: subtract(rest, left) }
}

const revenueOf = async ({ store }: WantedCredit, invoice: StoredInvoice): Promise<string> =>
  invoice.revenue || revenueText((await Array.fromAsync(productsOf(store, invoice))).flat(), true)

/** All amounts of a document are in whole minor units. */
function refuseDecimals({ currency }: StoredInvoice, credited: Credited): void {
  if (credited.kind !== 'amount') return
  const whole = round(credited.net, minorDigits(currency))
  if (!isZero(subtract(credited.net, whole)))
    throw new CreditRefused(`${currency} has no amount ${credited.net}: credit ${whole}`)
}

async function creditedProducts(
  { store, credited, why }: WantedCredit,
  invoice: StoredInvoice,
): Promise<Product[]> {
  if (credited.kind === 'whole') return []
  if (credited.kind === 'amount') return [goodwillOf(credited.net, why)]
  const products = (await Array.fromAsync(productsOf(store, invoice))).flat()
  const found = [...new Set(credited.rows)].map((row) => {
    const product = products[row - 1]
    if (product) return product
    throw new CreditRefused(`${invoice.number} has ${products.length} rows: there is no row ${row}`)
  })
  if (inPages(found).length <= 1) return found
  throw new CreditRefused(`${found.length} rows are too many for a credit note: credit some of them at once`)
}

const goodwillOf = (sum: Money, why: string): Product => ({
  ...ofNoKind,
  kind: 'goodwill',
  name: why,
  quantity: '1',
  price: sum,
  discount: undefined,
  date_added: undefined,
  issue_date: undefined,
  time: '',
  service_id: undefined,
  prefix: '',
  sum,
})

/** What paid the credited part before is free again, and may pay other invoices. */
async function partChanges(wanted: WantedCredit, before: StoredInvoice, draft: CreditDraft, day: Day) {
  const { store, settings } = wanted
  const { user_id, owner_id } = before
  const paid = isZero(overpaidAmount(withCredit(before, draft))) ? [] : await paymentsOf(wanted, before)
  const account = paid.length === 0 ? undefined : await findWholeAccount(store, user_id)
  const books = await openBooks(store, settings, paid)
  const isPrepaid = account?.postpaid === false
  const credited = withCredit(before, draft)
  const { invoice, changes, freed } = withoutSurplus(credited, paid, books, { day, isPrepaid })
  return (number: string, id: number): Change[] => [
    ...changesOf(invoices, before, invoice),
    ...changes,
    ...freed.flatMap((payment) => willAllocate(settings, payment, unassignedOf(payment))),
    ...adjustmentOf(wanted, { id: user_id, owner_id }, id, {
      amount: bookedByCredit(before, draft.net),
      why: `${number}: credit of ${before.number}`,
      kind: 'goodwill',
    }),
  ]
}

/** What names or pays an invoice. A payment that was taken back pays nothing. */
const paymentsOf = async ({ store }: WantedCredit, invoice: StoredInvoice): Promise<StoredPayment[]> =>
  (await listPayersOf(store, invoice)).filter(({ taken_back_by }) => taken_back_by === undefined)

const creditedBy = (invoice: StoredInvoice, number: string, day: Day): StoredInvoice => ({
  ...closedSince(invoice, ZERO, day),
  status: 'paid',
  credited_by: number,
  ...{ paid_amount: ZERO, paid_booked: ZERO, paid_by: '' },
})

/** What payments do not pay of an invoice is written off: the balance would get that again. */
function refuseWrittenOff({ id, number, paid_amount }: StoredInvoice, paid: readonly Payment[]): void {
  const parts = paid.flatMap(allocationsOf).filter((one) => one.to === 'invoice' && one.id === id)
  const byPayments = parts.reduce((sum, { amount }) => add(sum, amount), ZERO)
  if (isPositive(subtract(paid_amount, byPayments)))
    throw new CreditRefused(`${number} is written off: credit rows or an amount of it, not all of it`)
}

async function wholeChanges(wanted: WantedCredit, invoice: StoredInvoice, day: Day) {
  const { id: invoiceId, user_id, owner_id, month, charged = ZERO } = invoice
  const items = await wanted.store.list(billedKey.range(user_id))
  const stored = items.map((item) => readBilled(String(item['SK']), item))
  const taken = stored.flatMap((one) => {
    const isOwn = one.month === month
    if (!isOwn && !(invoiceId in one.billed.parts)) return []
    const after = withoutPart(one.billed, invoiceId)
    // The month that is open again has no minimum until it is issued.
    const opened = { ...after, credited: [...after.credited, invoiceId], minimum: ZERO }
    return [replaceBilled(user_id, one, isOwn ? opened : after)]
  })
  const paid = await paymentsOf(wanted, invoice)
  if (paid.length > MOST_CARRIED)
    throw new CreditRefused(`more than ${MOST_CARRIED} payments pay ${invoice.number}: release some first`)
  refuseWrittenOff(invoice, paid)
  const books = await openBooks(wanted.store, wanted.settings, paid)
  const amount = subtract(bookedAtRate(invoice.price, invoice), charged)
  return (number: string, id: number): Change[] => [
    ...changesOf(invoices, invoice, creditedBy(invoice, number, day)),
    ...releasedPayments(paid, invoice, books),
    { remove: billRunKey(month, user_id), when: { id: is(invoiceId) } },
    ...taken,
    ...adjustmentOf(wanted, { id: user_id, owner_id }, id, {
      amount,
      why: `${number}: takes back that of ${invoice.number}`,
      kind: 'rounding',
    }),
  ]
}
