import { listAccounts, listOwnerIds } from '#lib/accounts/account.ts'
import { ALL_TIME, type Day, type Days } from '#lib/base/calendar.ts'
import { ascending } from '#lib/base/collections.ts'
import { createSum, type Money, ZERO } from '#lib/base/money.ts'
import { listInvoiceRows } from '#lib/billing/invoice.ts'
import { listPayments } from '#lib/billing/payment.ts'
import type { Call } from '#lib/calls/call.ts'
import { listCallDays, listCalls } from '#lib/calls/call-search.ts'
import type { Report, ReportRow } from '#lib/calls/report/report.ts'
import { refuseArchivedDays } from '#lib/calls/retention.ts'
import { listDids } from '#lib/devices/did.ts'
import { pagesOf } from '#lib/rates/prefix-versions.ts'
import { fromLine, listTariffs, ratesOf } from '#lib/rates/tariff.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Store } from '#lib/table/store.ts'

/** The kinds of data whose totals can be compared with those of another installation. */
export const TOTALS = ['calls', 'incoming', 'rates', 'payments', 'invoices', 'objects'] as const

type TotalsKind = (typeof TOTALS)[number]

/** Sums up everything of one kind, in the order of the first columns. The days limit calls only. */
export function totalsOf(store: Store, kind: TotalsKind, days: Days): Report {
  const { columns, rows } = READERS[kind]
  return { columns, rows: rows(store, days) }
}

interface TotalsReader {
  readonly columns: Report['columns']
  rows(store: Store, days: Days): AsyncGenerator<ReportRow>
}

const CALL_COLUMNS = {
  day: 'text',
  user_id: 'number',
  count: 'number',
  billsec: 'number',
  user_price: 'number',
  provider_price: 'number',
  reseller_price: 'number',
} as const

const PRICES = ['user_price', 'provider_price', 'reseller_price'] as const

const READERS: Readonly<Record<TotalsKind, TotalsReader>> = {
  calls: { columns: CALL_COLUMNS, rows: (store, days) => callTotals(store, days, false) },
  incoming: { columns: CALL_COLUMNS, rows: (store, days) => callTotals(store, days, true) },
  rates: { columns: { tariff_id: 'number', count: 'number', sum: 'number' }, rows: rateTotals },
  payments: {
    columns: { currency: 'text', count: 'number', amount: 'number', amount_with_vat: 'number' },
    rows: (store) =>
      documentTotals(
        store,
        (owner) => listPayments(store, { owner }, ALL_TIME),
        ({ amount, amount_with_vat = amount }) => ({ amount, amount_with_vat }),
      ),
  },
  invoices: {
    columns: { currency: 'text', count: 'number', price: 'number', price_with_vat: 'number' },
    rows: (store) =>
      documentTotals(
        store,
        (owner) => listInvoiceRows(store, { owner }),
        ({ price, price_with_vat = price }) => ({ price, price_with_vat }),
      ),
  },
  objects: { columns: { object: 'text', count: 'number' }, rows: objectTotals },
}

/** Calls come in the order of time, so memory holds the customers of one day. */
async function* callTotals(store: Store, days: Days, incoming: boolean): AsyncGenerator<ReportRow> {
  const settings = await settingsOf(store)
  refuseArchivedDays(days, settings)
  const found = await listCallDays(store, ['everyone'], days, settings)
  let totals = createDayTotals('')
  for await (const calls of listCalls(store, found, ALL_TIME)) {
    const wanted = calls.filter((call) => call.incoming === incoming)
    for (const [day, callsOfDay] of Map.groupBy(wanted, (call) => call.day)) {
      if (day !== totals.day) {
        yield* totals.rows()
        totals = createDayTotals(day)
      }
      callsOfDay.forEach(totals.add)
    }
  }
  yield* totals.rows()
}

function createDayTotals(day: Day) {
  const noCalls = () => ({ count: 0, billsec: 0, sums: PRICES.map(createSum) })
  const customers = new Map<number, ReturnType<typeof noCalls>>()
  return {
    day,
    add: (call: Call): void => {
      const { user_id, billsec } = call
      const total = customers.get(user_id) ?? noCalls()
      customers.set(user_id, total)
      total.count += 1
      total.billsec += billsec
      for (const [index, name] of PRICES.entries()) total.sums[index]?.add(call[name] ?? ZERO)
    },
    rows: (): ReportRow[] =>
      [...customers]
        .sort(([one], [other]) => one - other)
        .map(([user_id, { count, billsec, sums }]) => ({
          day,
          user_id,
          count,
          billsec,
          ...Object.fromEntries(PRICES.map((name, index) => [name, sums[index]?.total()])),
        })),
  }
}

/** The active rates of each tariff that has any. A blocked prefix counts with its rate of -1. */
async function* rateTotals(store: Store): AsyncGenerator<ReportRow> {
  for (const tariff of await listTariffs(store)) {
    const sum = createSum()
    let count = 0
    for await (const lines of pagesOf(store, ratesOf(tariff.id), tariff.active)) {
      for (const line of lines) sum.add(fromLine(line).tariff_rate)
      count += lines.length
    }
    if (count > 0) yield { tariff_id: tariff.id, count, sum: sum.total() }
  }
}

/** Counts documents and sums up their amounts by currency. A blank currency is the default one. */
async function* documentTotals<D extends { readonly currency: string }>(
  store: Store,
  pagesOf: (owner: number) => AsyncIterable<readonly D[]>,
  amountsOf: (document: D) => Readonly<Record<string, Money>>,
): AsyncGenerator<ReportRow> {
  const { Default_Currency } = await settingsOf(store)
  const totals = new Map<string, ReturnType<typeof createTotal>>()
  for (const owner of await listOwnerIds(store))
    for await (const page of pagesOf(owner))
      for (const document of page) {
        const currency = document.currency || Default_Currency
        const total = totals.get(currency) ?? createTotal()
        totals.set(currency, total)
        total.add(amountsOf(document))
      }
  const inOrder = [...totals].sort(([one], [other]) => ascending(one, other))
  yield* inOrder.map(([currency, total]) => ({ currency, ...total.cells() }))
}

function createTotal() {
  const sums = new Map<string, ReturnType<typeof createSum>>()
  let count = 0
  return {
    add: (amounts: Readonly<Record<string, Money>>): void => {
      count += 1
      for (const [name, amount] of Object.entries(amounts)) {
        const sum = sums.get(name) ?? createSum()
        sums.set(name, sum)
        sum.add(amount)
      }
    },
    cells: (): ReportRow => ({
      count,
      ...Object.fromEntries([...sums].map(([name, sum]) => [name, sum.total()])),
    }),
  }
}

async function* objectTotals(store: Store): AsyncGenerator<ReportRow> {
  let [users, devices, dids] = [0, 0, 0]
  for await (const { device_count } of listAccounts(store)) {
    users += 1
    devices += device_count
  }
  for await (const page of listDids(store)) dids += page.length
  yield* Object.entries({ devices, dids, users }).map(([object, count]) => ({ object, count }))
}
