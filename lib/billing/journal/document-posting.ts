import type { Day } from '#lib/base/calendar.ts'
import { add, isZero, type Money, ONE, round, roundedQuotient, subtract, ZERO } from '#lib/base/money.ts'
import { BOOKED_DECIMALS } from '../booking.ts'
import { lastClosing } from '../invoice-payment.ts'
import type { KindOfRow, Product } from '../invoice-product.ts'
import { type Posted, type PostedLine, reversed, sumOfLines } from './posting.ts'

/** The kind of a row's revenue, as the setting Journal_Revenue names it. */
export type RevenueKind = 'calls' | 'fees' | 'minimum' | 'goodwill' | 'other'

const REVENUE: Readonly<Record<Exclude<KindOfRow['kind'], ''>, RevenueKind>> = {
  calls: 'calls',
  incoming: 'calls',
  other_destinations: 'calls',
  calls_billed: 'calls',
  charge: 'fees',
  charges: 'fees',
  minimum: 'minimum',
  goodwill: 'goodwill',
}

/** `other`: of an imported document that does not say it. */
export function revenueKindOf(
  { kind, name, time, service_id }: Pick<Product, 'kind' | 'name' | 'time' | 'service_id'>,
  isIssued: boolean,
): RevenueKind {
  if (kind !== '') return REVENUE[kind]
  if (time !== '') return 'calls'
  if (service_id !== undefined || (isIssued && name.startsWith('Charges,'))) return 'fees'
  return isIssued && name.startsWith('Minimum,') ? 'minimum' : 'other'
}

/** The net of rows by kind of revenue, as a document without its rows keeps it: `calls=1.01,fees=10`. */
export function revenueText(products: readonly Product[], isIssued: boolean): string {
  const byKind = Map.groupBy(products, (product) => revenueKindOf(product, isIssued))
  return [...byKind].map(([kind, some]) => `${kind}=${add(...some.map(({ sum }) => sum))}`).join(',')
}

/** An invoice or a credit note as the journal posts it. */
export interface PostedDocument {
  readonly number: string
  readonly issue_date: Day
  readonly posted_on?: Day | undefined
  readonly price: Money
  readonly price_with_vat?: Money | undefined
  readonly currency: string
  readonly exchange_rate?: Money | undefined
  readonly vat_percent?: Money | undefined
  readonly due_date?: Day | undefined
  readonly period_till?: Day | undefined
  readonly month: string
  readonly products?: readonly Product[] | undefined
  readonly revenue: string
}

/** Receivables with VAT, against revenue by kind and VAT. The last kind has what the others leave. */
export function postedDocument(document: PostedDocument): Posted | undefined {
  const { number, issue_date, posted_on: day, price, price_with_vat = price } = document
  if (day === undefined) return undefined
  const { currency, exchange_rate: rate, vat_percent = ZERO, due_date: due, period_till } = document
  const booked = (amount: Money) => roundedQuotient(amount, rate ?? ONE, BOOKED_DECIMALS)
  const percent = round(vat_percent, 2)
  const gross = booked(price_with_vat)
  const vat = booked(subtract(price_with_vat, price))
  const kinds = revenueOf(document)
  const first = kinds.slice(0, -1).map(([kind, net]) => [kind, booked(net)] as const)
  const rest = subtract(subtract(gross, vat), add(ZERO, ...first.map(([, net]) => net)))
  const revenue = [...first, [kinds.at(-1)?.[0] ?? 'other', rest] as const]
  const lines: PostedLine[] = [
    ['receivables', '', gross],
    ...reversed([...revenue.map(([kind, net]): PostedLine => [kind, percent, net]), ['VAT', percent, vat]]),
  ]
  return {
    day,
    document_day: issue_date === day ? undefined : issue_date,
    number,
    currency,
    amount: price_with_vat,
    rate,
    due,
    period_till,
    lines: lines.filter(([, , amount]) => !isZero(amount)),
  }
}

/** The posting of the part of an invoice that the balance of a prepaid account has closed: it is paid. */
export function postedFromBalance(
  invoice: PostedDocument & { readonly from_balance: Money; readonly from_balance_later: string },
): Posted | undefined {
  const last = lastClosing(invoice)
  const posted = isZero(invoice.from_balance) && !last ? undefined : postedDocument(invoice)
  if (!posted) return undefined
  const closed = roundedQuotient(invoice.from_balance, posted.rate ?? ONE, BOOKED_DECIMALS)
  return {
    ...posted,
    ...(last !== undefined && { day: last, document_day: invoice.issue_date }),
    amount: invoice.from_balance,
    lines: sumOfLines([
      ['prepaid', '', closed],
      ['receivables', '', subtract(ZERO, closed)],
    ]),
  }
}

/** A credit note takes receivables and revenue back. */
export function postedCreditNote(note: PostedDocument): Posted | undefined {
  const posted = postedDocument(note)
  return posted && { ...posted, amount: subtract(ZERO, posted.amount), lines: reversed(posted.lines) }
}

/** The net of a document by kind of revenue. A row without a kind is of kind `other`. */
function revenueOf({ price, products, revenue, month }: PostedDocument): (readonly [RevenueKind, Money])[] {
  const text = revenue || revenueText(products ?? [], month !== '')
  const sums = text.split(',').flatMap((item) => {
    const [kind, net] = item.split('=')
    return net === undefined ? [] : [[kind as RevenueKind, net] as const]
  })
  const rest = subtract(price, add(ZERO, ...sums.map(([, net]) => net)))
  return isZero(rest) && sums.length > 0 ? sums : [...sums, ['other', rest]]
}
