import { add, fixedSumOfQuotients, type Money, ZERO } from '#lib/domain/money.ts'

/** The types stand in the order in which they are printed (wire.md financial_statements_get). */
const TYPES = ['invoices', 'credit_notes', 'payments'] as const
const STATUSES = ['paid', 'unpaid'] as const

export type StatementType = (typeof TYPES)[number]
export type StatementStatus = (typeof STATUSES)[number]

/** What a document adds to a statement. */
export interface Amounts {
  readonly currency: string
  readonly price: Money
  readonly price_with_vat: Money
}

/** Documents of one type and status: how many, and what they come to in each currency. */
interface Total {
  count: number
  readonly byCurrency: Map<string, Pick<Amounts, 'price' | 'price_with_vat'>>
}

export interface Tally {
  count(type: StatementType, status: StatementStatus, amounts: Amounts): void
  /**
   * In the order of the types; rows that are printed though nothing counts are among them
   * (wire.md financial_statements_get).
   */
  rows(only?: StatementStatus): StatementRow[]
}

export interface StatementRow extends Readonly<Total> {
  readonly type: StatementType
  readonly status: StatementStatus
}

/** Sums up documents one by one: however many there are, only the sums are kept. */
export function createTally(): Tally {
  const totals = new Map(
    TYPES.flatMap((type) =>
      STATUSES.map((status) => [`${type} ${status}`, { type, status, count: 0, byCurrency: new Map() }]),
    ) as [string, StatementRow & Total][],
  )

  return {
    count: (type, status, amounts) => {
      const total = totals.get(`${type} ${status}`)
      if (total) addTo(total, amounts)
    },
    rows: (only) => [...totals.values()].filter((row) => isPrinted(row) && (row.status === only || !only)),
  }
}

function addTo(total: Total, { currency, price, price_with_vat }: Amounts): void {
  const before = total.byCurrency.get(currency) ?? { price: ZERO, price_with_vat: ZERO }
  total.count += 1
  total.byCurrency.set(currency, {
    price: add(before.price, price),
    price_with_vat: add(before.price_with_vat, price_with_vat),
  })
}

const isPrinted = ({ type, count }: StatementRow): boolean => type !== 'credit_notes' || count > 0

/**
 * What a row comes to in the default currency, printed with this many decimals. `rates` has every currency of the row,
 * as units of the currency for one unit of the default one (wire.md 4.4).
 */
export function inDefaultCurrency(
  { byCurrency }: StatementRow,
  rates: ReadonlyMap<string, Money>,
  digits: number,
): { readonly price: string; readonly price_with_vat: string } {
  const sums = [...byCurrency].map(([currency, sum]) => ({ ...sum, rate: rateOf(rates, currency) }))
  return {
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

function rateOf(rates: ReadonlyMap<string, Money>, currency: string): Money {
  const rate = rates.get(currency)
  if (rate === undefined) throw new Error(`There is no exchange rate for ${currency}`)
  return rate
}
