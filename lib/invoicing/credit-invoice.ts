import { findWholeAccount } from '#lib/accounts/whole-account.ts'
import { defineAct, type RunContext } from '#lib/acts/act.ts'
import {
  accountInput,
  inputOf,
  optionalInput,
  positiveAmountInput,
  switchInput,
  textInput,
} from '#lib/acts/inputs.ts'
import { addDays, type Day, today } from '#lib/base/calendar.ts'
import { minorDigits } from '#lib/base/currency-digits.ts'
import { add, isPositive, isZero, type Money, round, subtract, ZERO } from '#lib/base/money.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { openBooks } from '#lib/billing/booking.ts'
import { creditNotes, listCreditNotes, listPayersOf } from '#lib/billing/credit-note.ts'
import { invoices, isIssued, type StoredInvoice } from '#lib/billing/invoice.ts'
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
import { documentEvent } from '#lib/billing/notifications/document-events.ts'
import { allocationsOf, type Payment, type StoredPayment, unassignedOf } from '#lib/billing/payment.ts'
import { findNamedInvoice } from '#lib/billing/payment-of-invoice.ts'
import { afterPayment, willAllocate } from '#lib/billing/payments/allocate-oldest.ts'
import { documentTotals, inMinorUnits, type Totals } from '#lib/invoicing/amounts.ts'
import { withoutPart } from '#lib/invoicing/billed.ts'
import { MOST_CARRIED, releasedPayments, withoutSurplus } from '#lib/invoicing/carried-payments.ts'
import { keepBrand } from '#lib/invoicing/documents/brand.ts'
import { presentParties } from '#lib/invoicing/documents/printed-document.ts'
import { adjustmentOf } from '#lib/invoicing/issue.ts'
import { billedKey, billRunKey, readBilled, replaceBilled } from '#lib/invoicing/month-items.ts'
import { nextNumber, openNumbers } from '#lib/invoicing/numbers.ts'
import { frozenParties, partiesText } from '#lib/invoicing/parties.ts'
import { changesOf } from '#lib/table/entity-changes.ts'
import { type Change, is } from '#lib/table/requests/changes.ts'

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    readonly rows_and_amount: Record<never, never>
    readonly credit_of_imported: { readonly number: string }
    readonly creditable_in_part: {
      readonly number: string
      readonly since: 'credited in part' | 'written off'
    }
    readonly credit_of_0: Record<never, never>
    readonly more_than_creditable: { readonly number: string; readonly left: Money }
    readonly no_invoice_row: { readonly number: string; readonly rows: number; readonly row: number }
    readonly credit_too_long: { readonly count: number }
    readonly too_many_payers: { readonly number: string; readonly most: number }
  }
}

/** The credited part of an invoice: all of it, some of its rows (the first is 1), or a net amount. */
type Credited =
  | { readonly kind: 'whole' }
  | { readonly kind: 'rows'; readonly rows: readonly number[] }
  | { readonly kind: 'amount'; readonly net: Money }

interface WantedCredit extends RunContext {
  readonly credited: Credited
  readonly why: string
}

/** A credit note before it has a number. */
interface CreditDraft extends Totals {
  readonly products: readonly Product[] | undefined
  /** The revenue of a whole credit note, whose rows are those of its invoice. */
  readonly revenue?: string
}

const rowsInput = inputOf('numbers of rows with commas between them', 'ROWS', (text) =>
  /^[1-9]\d{0,8}(,[1-9]\d{0,8})*$/.test(text) ? text.split(',').map(Number) : undefined,
)

/**
 * Issues a credit note of an invoice, at its rate and VAT. One by rows or for an amount books its net as an
 * adjustment. A whole one opens the month again: it takes back the month's claim, what the invoice billed,
 * and its adjustment. The calls stay charged, and the invoice's payments wait for the month's next one.
 */
export const creditInvoice = defineAct({
  summary:
    'Credit an invoice: all of it, which opens its month again, some of its rows, or an amount without VAT',
  callers: ['admin'],
  input: {
    invoice: textInput('the invoice'),
    customer: optionalInput(accountInput('its customer, if several sellers have given this number')),
    seller: optionalInput(accountInput('its seller, if the customer had another one before')),
    rows: optionalInput(rowsInput('the numbers of rows, as invoices show prints them (1,3)')),
    amount: optionalInput(positiveAmountInput('an amount without VAT, for goodwill')),
    why: optionalInput(textInput('the reason, which the customer reads')),
    'dry-run': switchInput('only show what would be credited'),
  },
  run: async (context, { rows, amount, why = '', 'dry-run': isDryRun, ...named }) => {
    const { store, settings, now, lostRaces } = context
    if (why === '' && !isDryRun) throw new Refusal('missing_value', { takes: 'text' }, 'why')
    const invoice = await findNamedInvoice(context, named)
    const wanted = { ...context, why, credited: creditedOf(rows, amount) }
    refuseCredit(invoice, wanted.credited)
    const draft = await draftCredit(wanted, invoice)
    const { net, vat, gross } = draft
    const currency = invoice.currency || settings.Default_Currency
    const answer = {
      ...{ number: null as string | null, invoice: invoice.number, net: inMinorUnits(net, currency) },
      ...{ vat: inMinorUnits(vat, currency), gross: inMinorUnits(gross, currency), currency },
    }
    if (isDryRun) return { answer }
    const { owner_id } = invoice
    const day = today(now, settings.Timezone)
    const numbers = await openNumbers(store, settings, owner_id)
    const { number, orderedId: id, taken } = await nextNumber(numbers, 'credit note', day, lostRaces)
    const changesTogether = wanted.credited.kind === 'whole' ? wholeChanges : partChanges
    return {
      changes: [
        ...taken,
        ...changesOf(creditNotes, undefined, {
          ...noteColumns(invoice, draft, why),
          ...{ id, number, owner_id, issue_date: day, pay_date: day, posted_on: day },
          parties: await partiesOfCredit(wanted, invoice),
        }),
        ...(await changesTogether(wanted, invoice, draft, { number, id, day })),
        ...documentEvent(
          settings,
          { ...invoice, is: 'credit_note', id, number, net, vat, gross, due_date: undefined },
          { at: now, owner_id },
        ),
      ],
      answer: { ...answer, number },
      log: { action: `issued credit note ${number} of ${invoice.number}: ${why}` },
      afterwards: () => afterPayment(context, invoice.user_id),
    }
  },
  repeats: async (context, { invoice, net, currency }, { rows, amount, ...named }) => {
    if (rows === undefined && amount === undefined) return undefined
    const { user_id } = await findNamedInvoice(context, named)
    const from = addDays(today(context.now, context.settings.Timezone), -1)
    for await (const page of listCreditNotes(context.store, { user: user_id }, { from })) {
      const equal = page.find(
        ({ invoices, price }) => invoices === invoice && inMinorUnits(price, currency) === net,
      )
      if (equal) return `Credit note ${equal.number} of ${equal.price} for ${invoice}`
    }
    return undefined
  },
})

function creditedOf(rows: readonly number[] | undefined, net: Money | undefined): Credited {
  if (rows && net !== undefined) throw new Refusal('rows_and_amount', {}, 'amount')
  if (rows) return { kind: 'rows', rows }
  return net === undefined ? { kind: 'whole' } : { kind: 'amount', net }
}

/** The parties and facts of the invoice, on the paper and with the look of now. */
async function partiesOfCredit({ store, settings }: WantedCredit, invoice: StoredInvoice): Promise<string> {
  const brand = await keepBrand(store, invoice.owner_id)
  const present = await presentParties({ store, settings }, invoice, brand)
  const { language, vatCategory, noVatReason } = frozenParties(invoice.parties)?.facts ?? present.facts
  return partiesText({ ...present, facts: { ...present.facts, language, vatCategory, noVatReason } })
}

function refuseCredit(invoice: StoredInvoice, credited: Credited): void {
  const { number, credited_by, credited_net } = invoice
  if (!isIssued(invoice)) throw new Refusal('credit_of_imported', { number }, 'invoice')
  if (credited_by !== '') throw new Refusal('invoice_credited', { number, by: credited_by }, 'invoice')
  if (credited.kind === 'whole' && isPositive(credited_net))
    throw new Refusal('creditable_in_part', { number, since: 'credited in part' })
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
  if (!isPositive(totals.net)) throw new Refusal('credit_of_0', {})
  const left = subtract(price, credited_net)
  if (isPositive(subtract(totals.net, left)))
    throw new Refusal('more_than_creditable', { number: invoice.number, left })
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
  const digits = minorDigits(currency)
  if (!isZero(subtract(credited.net, round(credited.net, digits))))
    throw new Refusal('beyond_minor_unit', { amount: credited.net, currency, digits }, 'amount')
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
    throw new Refusal('no_invoice_row', { number: invoice.number, rows: products.length, row }, 'rows')
  })
  if (inPages(found).length <= 1) return found
  throw new Refusal('credit_too_long', { count: found.length }, 'rows')
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

/** The number of a credit note, its id and its day. */
interface CreditNumber {
  readonly number: string
  readonly id: number
  readonly day: Day
}

/** The payments of the credited part are free again, and may pay other invoices. */
async function partChanges(
  wanted: WantedCredit,
  before: StoredInvoice,
  draft: CreditDraft,
  { number, id, day }: CreditNumber,
): Promise<Change[]> {
  const { store, settings } = wanted
  const { user_id, owner_id } = before
  const paid = isZero(overpaidAmount(withCredit(before, draft))) ? [] : await paymentsOf(wanted, before)
  const account = paid.length === 0 ? undefined : await findWholeAccount(store, user_id)
  const books = await openBooks(store, settings, paid)
  const isPrepaid = account?.postpaid === false
  const credited = withCredit(before, draft)
  const { invoice, changes, freed } = withoutSurplus(credited, paid, books, { day, isPrepaid })
  return [
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

/** The payments that name or pay an invoice. A payment that was taken back pays nothing. */
const paymentsOf = async ({ store }: WantedCredit, invoice: StoredInvoice): Promise<StoredPayment[]> =>
  (await listPayersOf(store, invoice)).filter(({ taken_back_by }) => taken_back_by === undefined)

const creditedBy = (invoice: StoredInvoice, number: string, day: Day): StoredInvoice => ({
  ...closedSince(invoice, ZERO, day),
  status: 'paid',
  credited_by: number,
  ...{ paid_amount: ZERO, paid_booked: ZERO, paid_by: '' },
})

/** The unpaid part of an invoice was written off: a credit note would give it to the balance again. */
function refuseWrittenOff({ id, number, paid_amount }: StoredInvoice, paid: readonly Payment[]): void {
  const parts = paid.flatMap(allocationsOf).filter((one) => one.to === 'invoice' && one.id === id)
  const byPayments = parts.reduce((sum, { amount }) => add(sum, amount), ZERO)
  if (isPositive(subtract(paid_amount, byPayments)))
    throw new Refusal('creditable_in_part', { number, since: 'written off' })
}

async function wholeChanges(
  wanted: WantedCredit,
  invoice: StoredInvoice,
  _draft: CreditDraft,
  { number, id, day }: CreditNumber,
): Promise<Change[]> {
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
    throw new Refusal('too_many_payers', { number: invoice.number, most: MOST_CARRIED })
  refuseWrittenOff(invoice, paid)
  const books = await openBooks(wanted.store, wanted.settings, paid)
  const amount = subtract(bookedAtRate(invoice.price, invoice), charged)
  return [
    ...changesOf(invoices, invoice, creditedBy(invoice, number, day)),
    ...releasedPayments(paid, invoice, books, day),
    { remove: billRunKey(month, user_id), when: { id: is(invoiceId) } },
    ...taken,
    ...adjustmentOf(wanted, { id: user_id, owner_id }, id, {
      amount,
      why: `${number}: takes back that of ${invoice.number}`,
      kind: 'rounding',
    }),
  ]
}
