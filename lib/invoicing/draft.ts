import type { Day } from '#lib/base/calendar.ts'
import { ascending } from '#lib/base/collections.ts'
import { minorDigits } from '#lib/base/currency-digits.ts'
import { add, isZero, type Money, multiply, round, subtract, ZERO } from '#lib/base/money.ts'
import { type KindOfRow, ofNoKind, type Product } from '#lib/billing/invoice-product.ts'
import { documentTotals, rowSum, type Terms, type Totals } from './amounts.ts'
import {
  type BilledMonth,
  type ByTraffic,
  type CallSums,
  type CallsNow,
  chargedFor,
  hasNoCalls,
  isEmptyPart,
  lessSums,
  type OpenPart,
  openPart,
  sumOfCalls,
  sumOfPart,
  TRAFFIC,
  type TrafficKind,
  ZERO_CALLS,
} from './billed.ts'
import type { Month } from './month.ts'
import { englishRowName } from './row-names.ts'

/** The calls of a month that share a row of an invoice. */
export interface LabelledCalls {
  readonly kind: 'calls' | 'incoming' | 'other_destinations'
  readonly destination: string
  /** The origin of the callers that decided; blank for every caller. */
  readonly origin: string
  readonly prefix: string
  readonly sums: CallSums
}

/** A charge, as far as invoices show it. */
export interface BillableCharge {
  readonly id: number
  readonly subscription_id: number
  readonly service_id: number
  readonly from: Day
  readonly quantity: Money
  readonly price: Money
  /** Blank: the default currency. */
  readonly currency: string
  /** The amount in this currency, and in the default one. */
  readonly net: Money
  readonly amount: Money
  /** The name of the service. */
  readonly memo: string
  readonly period: string
}

export interface MonthUse {
  readonly month: Month
  readonly billed: BilledMonth
  /** The days that were read: all of the own month, and changed ones of earlier months. */
  readonly now: CallsNow
  readonly seen: BilledMonth['seen']
  readonly charges: readonly BillableCharge[]
  /** 0 for none. */
  readonly minimum: Money
  /** Only the invoice's own month has rows by destination; a late month has one row. */
  readonly labelled?: ByTraffic<readonly LabelledCalls[]> | undefined
}

/** The part of a month that a document bills. */
export interface MonthPart {
  readonly use: MonthUse
  readonly part: OpenPart
}

/** A document before it has a number. Its net is negative if it gives back more than it bills. */
export interface Draft extends Totals {
  readonly products: readonly Product[]
  readonly total_time: string
  readonly months: readonly MonthPart[]
  /** The amount that the balance was charged for it, in the default currency. */
  readonly charged: Money
}

/** The facts that the rows of a draft share. */
export interface DraftTerms extends Terms {
  readonly default_currency: string
  readonly issue_date: Day
}

/** Drafts a document from its months, its own first. Only the sums of rows are rounded. */
export function draftOf(uses: readonly MonthUse[], terms: DraftTerms): Draft {
  const months = uses.map((use) => ({
    use,
    part: openPart(use.billed, use.now, amountsOf(use.charges), use.minimum),
  }))
  const products = months.flatMap((one) => rowsOf(one, terms))
  return {
    ...documentTotals(
      products.map(({ sum }) => sum),
      terms,
    ),
    products,
    total_time: timeText(products.reduce((sum, { time }) => sum + secondsIn(time), 0)),
    months: months.filter(({ part, use }) => use.labelled !== undefined || !isEmptyPart(part)),
    charged: add(...months.map(({ part }) => chargedFor(part))),
  }
}

/** A draft without amounts, or with amounts below the minor unit alone, uses no number. */
export const isEmptyDraft = ({ products }: Draft): boolean => products.every(({ sum }) => isZero(sum))

const amountsOf = (charges: readonly BillableCharge[]): OpenPart['charges'] =>
  Object.fromEntries(charges.map(({ id, amount }) => [id, amount]))

function rowsOf({ use, part }: MonthPart, terms: DraftTerms): Product[] {
  const { labelled, month } = use
  const late_month = labelled === undefined ? month : ''
  const minimum = () =>
    product(terms, month, { kind: 'minimum', late_month, sum: rowSum(part.minimum, terms) })
  return [
    ...(labelled ? callRows(use, labelled, terms) : lateCallRows(part, month, terms)),
    ...(labelled ? chargeRows(use, terms) : lateChargeRows(use, terms)),
    ...(isZero(part.minimum) ? [] : [minimum()]),
  ]
}

function callRows(
  { billed, month }: MonthUse,
  labelled: ByTraffic<readonly LabelledCalls[]>,
  terms: DraftTerms,
): Product[] {
  const labelOf = (row: LabelledCalls) => englishRowName({ ...ofNoKind, ...row, name: '' }, month)
  const rowsOfTraffic = (traffic: TrafficKind) =>
    labelled[traffic]
      .filter(({ sums }) => !hasNoCalls(sums))
      .toSorted(
        (one, other) => ascending(labelOf(one), labelOf(other)) || ascending(one.prefix, other.prefix),
      )
      .map(({ sums, ...row }) => callProduct(terms, month, sums, { ...row, resold: traffic === 'resold' }))
  const others = Object.values(billed.parts)
    .map((part) => ({ billed_on: part.number, sums: sumOfPart(part) }))
    .filter(({ sums }) => !hasNoCalls(sums))
    .map(({ billed_on, sums }) =>
      callProduct(terms, month, lessSums(ZERO_CALLS, sums), { kind: 'calls_billed', billed_on }),
    )
  return [...TRAFFIC.flatMap(rowsOfTraffic), ...others]
}

const lateCallRows = ({ calls }: OpenPart, late_month: Month, terms: DraftTerms): Product[] =>
  TRAFFIC.map((traffic) => ({ traffic, sums: sumOfCalls(Object.values(calls[traffic])) }))
    .filter(({ sums }) => !hasNoCalls(sums))
    .map(({ traffic, sums }) =>
      callProduct(terms, late_month, sums, { kind: 'calls', late_month, resold: traffic === 'resold' }),
    )

function callProduct(
  terms: DraftTerms,
  month: Month,
  sums: CallSums,
  row: Partial<KindOfRow> & { readonly prefix?: string },
): Product {
  const sum = rowSum(sums.amount, terms)
  return product(terms, month, {
    ...row,
    sum,
    price: sum,
    quantity: String(sums.calls),
    time: timeText(sums.seconds),
  })
}

function chargeRows({ charges, month }: MonthUse, terms: DraftTerms): Product[] {
  const ofOneRow = ({ id, subscription_id, period }: BillableCharge) =>
    period === 'day' ? `days of ${subscription_id}` : String(id)
  return [...Map.groupBy(charges, ofOneRow).values()].map((together) => {
    const [first] = together as [BillableCharge]
    const { memo, service_id, from, price } = first
    return product(terms, month, {
      kind: 'charge',
      name: memo,
      sum: sumOfCharges(together, terms),
      quantity: add(...together.map(({ quantity }) => quantity)),
      price,
      service_id,
      date_added: from,
    })
  })
}

const lateChargeRows = ({ charges, month }: MonthUse, terms: DraftTerms): Product[] =>
  charges.length === 0
    ? []
    : [product(terms, month, { kind: 'charges', late_month: month, sum: sumOfCharges(charges, terms) })]

/** A charge in the document's currency keeps its amount. Others were converted on their day. */
function sumOfCharges(charges: readonly BillableCharge[], terms: DraftTerms): Money {
  const exact = charges.map(({ currency, net, amount }) =>
    (currency || terms.default_currency) === terms.currency ? net : multiply(amount, terms.exchange_rate),
  )
  return round(add(...exact), minorDigits(terms.currency))
}

/** A row of a month. Its name is the English one: the API shows it. */
function product(
  { issue_date }: DraftTerms,
  month: Month,
  given: Partial<Product> & Pick<Product, 'sum'>,
): Product {
  const row = {
    ...ofNoKind,
    name: '',
    quantity: '1',
    price: given.sum,
    discount: ZERO,
    date_added: undefined,
    issue_date,
    time: '',
    service_id: undefined,
    prefix: '',
    ...given,
  }
  return { ...row, name: row.name || englishRowName(row, month) }
}

/** `HH:MM:SS`, with a sign if it is negative. */
export function timeText(seconds: number): string {
  const all = Math.abs(seconds)
  const text = [Math.floor(all / 3600), Math.floor(all / 60) % 60, all % 60]
    .map((part) => String(part).padStart(2, '0'))
    .join(':')
  return seconds < 0 ? `-${text}` : text
}

/** The seconds of `HH:MM:SS`; a blank time has none. */
export function secondsIn(time: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = time.replace('-', '').split(':').map(Number)
  return (time.startsWith('-') ? -1 : 1) * (hours * 3600 + minutes * 60 + seconds)
}

const negated = (amount: Money): Money => subtract(ZERO, amount)

/** Products of a credit note for a draft of negative net. Rows of calls give back calls, too. */
export const negativeProducts = (products: readonly Product[]): Product[] =>
  products.map((row) => ({
    ...row,
    sum: negated(row.sum),
    ...(row.price === row.sum && { price: negated(row.sum) }),
    ...(row.time !== '' && { quantity: negated(row.quantity), time: timeText(-secondsIn(row.time)) }),
  }))
