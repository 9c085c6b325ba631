import { add, divide, fixedSumOfQuotients, isZero, type Money, multiply, ZERO } from '#lib/base/money.ts'
import { convertedAmount } from './booking.ts'

/** Types are printed in this order (wire.md financial_statements_get). */
const TYPES = ['invoices', 'credit_notes', 'payments'] as const
const STATUSES = ['paid', 'unpaid'] as const

export type StatementType = (typeof TYPES)[number]
export type StatementStatus = (typeof STATUSES)[number]

/** The columns of a document that a statement sums up. */
export interface DocumentAmounts {
  readonly id: number
  readonly currency: string
  readonly price: Money
  readonly price_with_vat: Money
  /** Absent for the default currency, and for documents stored before they kept their rate. */
  readonly exchange_rate?: Money | undefined
  /** The amount that the document added to a balance. */
  readonly booked?: Money | undefined
}

/** The sum over the documents of one type, status and currency. */
interface Total extends Pick<DocumentAmounts, 'price' | 'price_with_vat'> {
  readonly count: number
  /** The ids of the first few documents; the others are only counted. */
  readonly ids: readonly number[]
}

export interface StatementRow {
  readonly type: StatementType
  readonly status: StatementStatus
  /** Documents with known amounts in the default currency (the blank name), and the others. */
  readonly byCurrency: ReadonlyMap<string, Total>
}

/** Sums up documents one by one; memory does not grow with their number. */
export function createStatementTotals() {
  const rows = TYPES.flatMap((type) =>
    STATUSES.map((status) => ({ type, status, byCurrency: new Map<string, Total>() })),
  )

  return {
    count: (type: StatementType, status: StatementStatus, amounts: DocumentAmounts): void => {
      for (const row of rows) {
        if (row.type === type && row.status === status) addTo(row.byCurrency, withOwnRate(amounts))
      }
    },
    /** Rows in the order of the types, including empty ones. */
    rows: (only?: StatementStatus): StatementRow[] => rows.filter(({ status }) => status === only || !only),
  }
}

/** Converts a document by its effect on a balance, otherwise by its own rate, unrounded. */
function withOwnRate({ exchange_rate, booked, ...amounts }: DocumentAmounts): DocumentAmounts {
  const { id, price, price_with_vat } = amounts
  const isByRate = exchange_rate !== undefined && convertedAmount(price, exchange_rate) === booked
  if (booked !== undefined && !isByRate && !isZero(price)) {
    const withVat = divide(multiply(price_with_vat, booked), price)
    return { id, currency: '', price: booked, price_with_vat: withVat }
  }
  if (exchange_rate === undefined) return amounts
  const [net, gross] = [divide(price, exchange_rate), divide(price_with_vat, exchange_rate)]
  return { id, currency: '', price: net, price_with_vat: gross }
}

const NONE: Total = { count: 0, price: ZERO, price_with_vat: ZERO, ids: [] }
const MAX_LISTED_IDS = 5

function addTo(
  byCurrency: Map<string, Total>,
  { id, currency, price, price_with_vat }: DocumentAmounts,
): void {
  const before = byCurrency.get(currency) ?? NONE
  byCurrency.set(currency, {
    count: before.count + 1,
    price: add(before.price, price),
    price_with_vat: add(before.price_with_vat, price_with_vat),
    ids: before.ids.length < MAX_LISTED_IDS ? [...before.ids, id] : before.ids,
  })
}

/** Units of each currency for one unit of the default currency (wire.md 4.4). */
type ExchangeRates = ReadonlyMap<string, Money>

/** A row in the default currency, as it is printed. */
export interface Statement extends Pick<StatementRow, 'type' | 'status'> {
  readonly count: number
  readonly price: string
  readonly price_with_vat: string
}

/** Credit notes are printed only if there are any (wire.md financial_statements_get). */
export const isStatementPrinted = ({ type, count }: Statement): boolean =>
  type !== 'credit_notes' || count > 0

/**
 * Converts a row to the default currency, with this many decimals. Currencies without a rate are left out;
 * see `withoutRate`.
 */
export function inDefaultCurrency(
  { type, status, byCurrency }: StatementRow,
  rates: ExchangeRates,
  digits: number,
): Statement {
  const sums = [...byCurrency].flatMap(([currency, sum]) => {
    const rate = rates.get(currency)
    return rate === undefined ? [] : [{ ...sum, rate }]
  })
  return {
    type,
    status,
    count: sums.reduce((all, { count }) => all + count, 0),
    price: fixedSumOfQuotients(
      sums.map(({ price, rate }) => [price, rate]),
      digits,
    ),
    price_with_vat: fixedSumOfQuotients(
      sums.map(({ price_with_vat, rate }) => [price_with_vat, rate]),
      digits,
    ),
  }
}

/** Documents in a currency that has no exchange rate, with the ids of the first ones. */
export type WithoutRate = Pick<Total, 'count' | 'ids'> &
  Pick<StatementRow, 'type'> & { readonly currency: string }

export const withoutRate = (rows: readonly StatementRow[], rates: ExchangeRates): WithoutRate[] =>
  rows.flatMap(({ type, byCurrency }) =>
    [...byCurrency].flatMap(([currency, { count, ids }]) =>
      rates.has(currency) ? [] : [{ type, currency, count, ids }],
    ),
  )
