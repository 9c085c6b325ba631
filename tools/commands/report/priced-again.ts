import { ALL_TIME, type Day, type Days, formatDateTime, periodOfDay } from '#lib/base/calendar.ts'
import { add, isLessThan, type Money, multiply, ZERO } from '#lib/base/money.ts'
import type { Call, CallRow } from '#lib/calls/call.ts'
import { listCallDays, listCalls } from '#lib/calls/call-search.ts'
import { freeReason, isPricedElsewhere, ratePayers } from '#lib/calls/rating/call-rating.ts'
import { obstacleIn } from '#lib/calls/rating/change-calls.ts'
import { numberOfCall } from '#lib/calls/rating/number-of-call.ts'
import { asOfCallStart, customerOf, openRateBook, type RateBook } from '#lib/calls/rating/rate-book.ts'
import type { Report, ReportRow } from '#lib/calls/report/report.ts'
import { refuseArchivedDays } from '#lib/calls/retention.ts'
import type { Settings } from '#lib/settings/settings.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Store } from '#lib/table/store.ts'
import { withCustomers } from '../../command-line/named.ts'

/** Lists answered calls that the two values of Rated_Number price differently, by their time's rates. */
export async function ratedNumberReport(store: Store, days: Days): Promise<Report> {
  const settings = await settingsOf(store)
  return comparedReport(store, settings, days, {
    what: 'that the two rules of Rated_Number price differently',
    columns: {
      carrier_dst: 'text',
      dialled_number: 'text',
      dialled_price: 'number',
      carrier_number: 'text',
      carrier_price: 'number',
    },
    compare: async function* (calls, priced) {
      const bookOf = (Rated_Number: string) => bookOfCalls(priced, { ...settings, Rated_Number }, calls)
      const [byDialled, byCarrier] = [await bookOf('dialled'), await bookOf('carrier')]
      for (const call of calls) {
        const [dialled, carrier] = [await resultBy(byDialled, call), await resultBy(byCarrier, call)]
        if (dialled.price === carrier.price) continue
        const numbers = { dialled_number: dialled.number, carrier_number: carrier.number }
        const prices = { dialled_price: dialled.price, carrier_price: carrier.price }
        yield { call, cells: { carrier_dst: call.carrier_dst, ...numbers, ...prices } }
      }
    },
  })
}

/**
 * Lists the answered calls of days whose customer pays more than a factor of what the tariff versions of an
 * earlier day charge, or less than its inverse. A number without a price then is left out.
 */
export async function movedPricesReport(
  store: Store,
  days: Days,
  since: Day,
  factor: Money,
): Promise<Report> {
  const settings = await settingsOf(store)
  const hasMoved = (before: Money, now: Money): boolean =>
    isLessThan(multiply(before, factor), now) || isLessThan(multiply(now, factor), before)
  return comparedReport(store, settings, days, {
    what: `whose price moved by more than ${factor} since ${since}`,
    columns: { earlier_price: 'number', price: 'number' },
    compare: async function* (calls, priced) {
      const earlier = await bookOfCalls(priced, settings, calls, periodOfDay(since, settings.Timezone).from)
      for (const call of calls) {
        const { price: earlier_price } = await resultBy(earlier, call)
        const { user_price: price = ZERO } = call
        if (earlier_price !== undefined && hasMoved(earlier_price, price))
          yield { call, cells: { earlier_price, price } }
      }
    },
  })
}

/** The rates of a report are read once. */
interface CallsToPrice {
  readonly store: Store
  readonly shared: RateBook
}

interface Comparison {
  /** Which calls are listed, in words. */
  readonly what: string
  /** The columns after start, customer and number. Those of numbers are prices. */
  readonly columns: Report['columns']
  /** The calls of a batch that are listed, with their cells. */
  readonly compare: (
    calls: readonly Call[],
    priced: CallsToPrice,
  ) => AsyncIterable<{ readonly call: Call; readonly cells: ReportRow }>
}

/** A report of some answered calls of days that are priced here, with the sums of their prices. */
function comparedReport(
  store: Store,
  settings: Settings,
  days: Days,
  { what, columns, compare }: Comparison,
): Report {
  const names = Object.keys(columns).filter((name) => columns[name] === 'number')
  const sums = Object.fromEntries(names.map((name) => [name, ZERO]))
  async function* rows() {
    const pages = comparedPages(store, settings, days, compare)
    for await (const { calldate, customer, dst, cells } of withCustomers(store, pages)) {
      for (const name of names) sums[name] = add(sums[name] ?? ZERO, String(cells[name] ?? ZERO))
      yield { start: formatDateTime(calldate, settings.Timezone), customer, dst, ...cells }
    }
  }
  return {
    title: `Calls from ${days.from} to ${days.till} (${settings.Timezone}) ${what}`,
    currency: settings.Default_Currency,
    columns: { start: 'text', customer: 'text', dst: 'text', ...columns },
    rows: rows(),
    total: () => ({ start: 'total', ...sums }),
  }
}

async function* comparedPages(store: Store, settings: Settings, days: Days, compare: Comparison['compare']) {
  refuseArchivedDays(days, settings)
  const priced = { store, shared: await openRateBook(store, [], settings) }
  for await (const batch of listCalls(
    store,
    await listCallDays(store, ['everyone'], days, settings),
    ALL_TIME,
  )) {
    const calls = batch.filter((call) => call.billsec > 0 && !call.incoming && !isPricedElsewhere(call))
    yield await Array.fromAsync(compare(calls, priced), ({ call, cells }) => ({ ...call, cells }))
  }
}

/** A rate book for calls as they came, sharing rates between batches, without versions after `till`. */
async function bookOfCalls(
  { store, shared }: CallsToPrice,
  settings: Settings,
  calls: readonly Call[],
  till?: number,
): Promise<RateBook> {
  const { tariff, rate, history, provider, digitRules } = shared
  const book = await openRateBook(store, calls.map(withoutPrices), settings)
  return asOfCallStart({ ...book, tariff, rate, history, provider, digitRules }, till)
}

/** A call as its CDR brought it. The price of an origination came with the call. */
const withoutPrices = (call: Call): CallRow => ({
  ...call,
  user_price: undefined,
  provider_price: call.rated.split(' ').includes('provider') ? undefined : call.provider_price,
})

/** A call's number and price; the reason in place of the number, and no price, if it cannot be rated. */
async function resultBy(book: RateBook, call: Call): Promise<{ number: string; price: Money | undefined }> {
  const row = withoutPrices(call)
  try {
    const customer = await customerOf(book, row, call)
    const free = await freeReason(book, row, customer)
    if (free) return { number: free, price: ZERO }
    const { user_price } = await ratePayers(book, row, customer, ['user'])
    return { number: (await numberOfCall(book, row)).digits, price: user_price }
  } catch (error) {
    return { number: obstacleIn(error).reason, price: undefined }
  }
}
