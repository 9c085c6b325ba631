import { add, createSum, type Money, subtract, ZERO } from '#lib/base/money.ts'
import { type FileName, fileNames } from '#lib/dataset/import/files.ts'
import type { Item } from '#lib/table/items.ts'
import type { Store } from '#lib/table/store.ts'
import { exportedRows, rowsOfItem } from '../commands/export/exported-rows.ts'

/** A figure of the old database: the whole, and the part that is left behind. */
export interface OldFigure {
  readonly what: string
  readonly of: string
  readonly old: Money
  readonly left_behind: Money
}

export interface BalancedFigure extends OldFigure {
  /** The figure of the table. */
  readonly moved: Money
  readonly difference: Money
}

/** Compares the old database's figures with the table's. One that only the table has is 0 in the old. */
export function balanceFigures(
  old: readonly OldFigure[],
  moved: ReadonlyMap<string, Money>,
): BalancedFigure[] {
  const known = new Set(old.map(keyOf))
  const others = [...moved.keys()]
    .filter((key) => !known.has(key))
    .map((key) => {
      const [what = '', of = ''] = key.split(',')
      return { what, of, old: ZERO, left_behind: ZERO }
    })
  return [...old, ...others].map((figure) => {
    const inTable = moved.get(keyOf(figure)) ?? ZERO
    const difference = subtract(figure.old, add(inTable, figure.left_behind))
    return { ...figure, moved: inTable, difference }
  })
}

const keyOf = ({ what, of }: Pick<OldFigure, 'what' | 'of'>): string => `${what},${of}`

/** The amounts of a row, by kind. */
type Amounts = Readonly<Record<string, unknown>>

type CountRow = (row: Item, defaultCurrency: string) => { readonly what: string; readonly amounts: Amounts }

const only =
  (what: string, ...columns: readonly string[]): CountRow =>
  (row) => ({ what, amounts: Object.fromEntries(columns.map((name) => [name, row[name]])) })

const inCurrency = (row: Item, defaultCurrency: string): string => String(row['currency'] || defaultCurrency)

const taxed = ({ price, price_with_vat = price }: Item): Amounts => ({ price, price_with_vat })

/** The columns that are counted of each file. An incoming call has its did_price as its user_price. */
const COUNTED: Partial<Record<FileName, CountRow>> = {
  currencies: only('currencies'),
  users: only('users', 'balance'),
  tariffs: only('tariffs'),
  rates: ({ tariff_id, tariff_rate }) => ({
    what: `rates of tariff ${tariff_id}`,
    amounts: { sum: tariff_rate },
  }),
  destinations: only('destinations'),
  providers: only('providers'),
  devices: only('devices'),
  device_rules: only('device_rules'),
  dids: only('dids'),
  lcrs: only('lcrs'),
  locations: only('locations'),
  location_rules: only('location_rules'),
  calls: ({ incoming, user_price, billsec, provider_price, reseller_price }) => ({
    what: 'calls',
    amounts: { billsec, provider_price, reseller_price, [incoming ? 'did_price' : 'user_price']: user_price },
  }),
  services: only('services'),
  subscriptions: only('subscriptions'),
  payments: (row, defaultCurrency) => ({
    what: `payments in ${inCurrency(row, defaultCurrency)}`,
    amounts: { net: row['amount'], gross: row['amount_with_vat'] ?? row['amount'] },
  }),
  credit_notes: (row) => ({ what: 'credit notes', amounts: taxed(row) }),
  invoices: (row, defaultCurrency) => ({
    what: `invoices in ${inCurrency(row, defaultCurrency)}`,
    amounts: taxed(row),
  }),
  invoice_products: only('lines of invoices'),
}

const FILES = fileNames.flatMap((file) => {
  const exported = exportedRows[file]
  const count = COUNTED[file]
  return count ? [{ exported, count }] : []
})

/** Sums up the rows of a table by the columns `what` and `of`. Reads every item once. */
export async function sumUpTable(
  store: Store,
  pages: AsyncIterable<readonly Item[]>,
  defaultCurrency: string,
): Promise<Map<string, Money>> {
  const sums = new Map<string, ReturnType<typeof createSum>>()
  const sumOf = (key: string) => {
    const sum = sums.get(key) ?? createSum()
    sums.set(key, sum)
    return sum
  }
  for await (const row of rowsIn(store, pages)) {
    const { what, amounts } = row.count(row.cells, defaultCurrency)
    sumOf(`${what},count`).add('1')
    for (const [of, amount] of Object.entries(amounts)) sumOf(`${what},${of}`).add(String(amount ?? ZERO))
  }
  return new Map([...sums].map(([key, sum]) => [key, sum.total()]))
}

/** The rows that count, each with what it counts as. */
async function* rowsIn(store: Store, pages: AsyncIterable<readonly Item[]>) {
  for await (const page of pages)
    for (const item of page)
      for (const { exported, count } of FILES.filter((file) => file.exported.holds(item)))
        yield* countedRows(rowsOfItem(exported, item, store), count)
}

async function* countedRows(batches: AsyncIterable<readonly object[]>, count: CountRow) {
  for await (const rows of batches) for (const row of rows) yield { cells: { ...row } as Item, count }
}
