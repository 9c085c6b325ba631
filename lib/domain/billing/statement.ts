import { add, fixedSumOfQuotients, type Money, ZERO } from '#lib/domain/money.ts'

/** The types stand in the order in which they are printed (wire.md financial_statements_get). */
const TYPES = ['invoices', 'credit_notes', 'payments'] as const
const STATUSES = ['paid', 'unpaid'] as const

export type StatementType = (typeof TYPES)[number]
export type StatementStatus = (typeof STATUSES)[number]

/** What a document adds to a statement. */
export interface Amounts {
  readonly id: number
  readonly currency: string
  readonly price: Money
  readonly price_with_vat: Money
}

/** Documents of one type, status and currency. */
interface Total extends Pick<Amounts, 'price' | 'price_with_vat'> {
  readonly count: number
  /** Those that came first; more are only counted. */
  readonly ids: readonly number[]
}

export interface Tally {
  count(type: StatementType, status: StatementStatus, amounts: Amounts): void
  /** In the order of the types, also those in which nothing counts. */
  rows(only?: StatementStatus): StatementRow[]
}

export interface StatementRow {
  readonly type: StatementType
  readonly status: StatementStatus
  readonly byCurrency: ReadonlyMap<string, Total>
}

/** Sums up documents one by one: however many there are, only the sums are kept. */
export function createTally(): Tally {
  const totals = new Map(
    TYPES.flatMap((type) =>
      STATUSES.map((status) => [`${type} ${status}`, { type, status, byCurrency: new Map() }] as const),
    ),
  )

  return {
    count: (type, status, amounts) => {
      const row = totals.get(`${type} ${status}`)
      if (row) addTo(row.byCurrency, amounts)
    },
    rows: (only) => [...totals.values()].filter(({ status }) => status === only || !only),
  }
}

const NONE: Total = { count: 0, price: ZERO, price_with_vat: ZERO, ids: [] }
const MOST_IDS = 5

function addTo(byCurrency: Map<string, Total>, { id, currency, price, price_with_vat }: Amounts): void {
  const before = byCurrency.get(currency) ?? NONE
  byCurrency.set(currency, {
    count: before.count + 1,
    price: add(before.price, price),
    price_with_vat: add(before.price_with_vat, price_with_vat),
    ids: before.ids.length < MOST_IDS ? [...before.ids, id] : before.ids,
  })
}

/** Units of a currency for one unit of the default one (wire.md 4.4). */
type Rates = ReadonlyMap<string, Money>

/** A row as it is printed. */
export interface Statement extends Pick<StatementRow, 'type' | 'status'> {
  readonly count: number
  readonly price: string
  readonly price_with_vat: string
}

/** Invoices and payments have both rows, credit notes only those that count something (wire.md financial_statements_get). */
export const isPrinted = ({ type, count }: Statement): boolean => type !== 'credit_notes' || count > 0

/** What a row comes to in the default currency, with this many decimals. What has no rate is left out (`withoutRate`). */
export function inDefaultCurrency(
  { type, status, byCurrency }: StatementRow,
  rates: Rates,
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

/** Documents in a currency that has no rate, with the ids of the first ones. */
export type WithoutRate = Pick<Total, 'count' | 'ids'> &
  Pick<StatementRow, 'type'> & { readonly currency: string }

export const withoutRate = (rows: readonly StatementRow[], rates: Rates): WithoutRate[] =>
  rows.flatMap(({ type, byCurrency }) =>
    [...byCurrency].flatMap(([currency, { count, ids }]) =>
      rates.has(currency) ? [] : [{ type, currency, count, ids }],
    ),
  )
