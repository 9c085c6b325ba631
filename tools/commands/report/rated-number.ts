import { findAccounts } from '#lib/accounts/account.ts'
import { ALL_TIME, type Days, formatDateTime } from '#lib/base/calendar.ts'
import { add, type Money, ZERO } from '#lib/base/money.ts'
import type { Call, CallRow } from '#lib/calls/call.ts'
import { listCallDays, listCalls } from '#lib/calls/call-search.ts'
import { obstacleIn } from '#lib/calls/rating/call-decision.ts'
import { freeReason, isPricedElsewhere, ratePayers } from '#lib/calls/rating/call-rating.ts'
import { numberOfCall } from '#lib/calls/rating/number-of-call.ts'
import { asOfCallStart, customerOf, openRateBook, type RateBook } from '#lib/calls/rating/rate-book.ts'
import { type Report, type ReportRow, refuseArchivedDays } from '#lib/calls/report/report.ts'
import type { Settings } from '#lib/settings/settings.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { batchedLookup } from '#lib/table/entity.ts'
import type { Store } from '#lib/table/store.ts'

/** The values of Rated_Number. */
const RULES = ['dialled', 'carrier'] as const

/** Lists the answered calls to which the two rules of Rated_Number give different prices, with both, by the rates of their time. */
export async function ratedNumberReport(store: Store, days: Days): Promise<Report> {
  const settings = await settingsOf(store)
  const sums: Prices = { dialled_price: ZERO, carrier_price: ZERO }
  return {
    title: `Calls from ${days.from} to ${days.till} (${settings.Timezone}) that the two rules of Rated_Number price differently`,
    currency: settings.Default_Currency,
    columns: {
      start: 'text',
      customer: 'text',
      dst: 'text',
      carrier_dst: 'text',
      dialled_number: 'text',
      dialled_price: 'number',
      carrier_number: 'text',
      carrier_price: 'number',
    },
    rows: differingRows(store, settings, days, sums),
    total: () => ({ start: 'total', ...sums }),
  }
}

type Prices = Record<`${(typeof RULES)[number]}_price`, Money>

async function* differingRows(
  store: Store,
  settings: Settings,
  days: Days,
  sums: Prices,
): AsyncGenerator<ReportRow> {
  refuseArchivedDays(days, settings)
  const shared = await openRateBook(store, [], settings)
  const accounts = batchedLookup((ids) => findAccounts(store, ids))
  const found = await listCallDays(store, ['everyone'], days)
  for await (const batch of listCalls(store, found, ALL_TIME)) {
    const calls = batch.filter((call) => call.billsec > 0 && !call.incoming && !isPricedElsewhere(call))
    const customers = await accounts(calls.map(({ user_id }) => user_id))
    for await (const { call, ...prices } of differingAmong(store, shared, settings, calls)) {
      for (const rule of RULES)
        sums[`${rule}_price`] = add(sums[`${rule}_price`], prices[`${rule}_price`] ?? ZERO)
      yield {
        start: formatDateTime(call.calldate, settings.Timezone),
        customer: customers.get(call.user_id)?.username ?? `account ${call.user_id}`,
        dst: call.dst,
        carrier_dst: call.carrier_dst,
        ...prices,
      }
    }
  }
}

async function* differingAmong(store: Store, shared: RateBook, settings: Settings, calls: readonly Call[]) {
  const bookOf = (Rated_Number: string) => bookOfRule(store, shared, { ...settings, Rated_Number }, calls)
  const [byDialled, byCarrier] = [await bookOf('dialled'), await bookOf('carrier')]
  for (const call of calls) {
    const [dialled, carrier] = [await resultBy(byDialled, call), await resultBy(byCarrier, call)]
    if (dialled.price === carrier.price) continue
    yield {
      call,
      dialled_number: dialled.number,
      dialled_price: dialled.price,
      carrier_number: carrier.number,
      carrier_price: carrier.price,
    }
  }
}

/** A rate book for calls as they came, by a rule, with the rates that all batches share. */
async function bookOfRule(
  store: Store,
  { tariff, rate, history, provider, digitRules }: RateBook,
  settings: Settings,
  calls: readonly Call[],
): Promise<RateBook> {
  const book = await openRateBook(store, calls.map(withoutPrices), settings)
  return asOfCallStart({ ...book, tariff, rate, history, provider, digitRules })
}

/** A call as its CDR brought it. The price of an origination came with the call. */
const withoutPrices = (call: Call): CallRow => ({
  ...call,
  user_price: undefined,
  provider_price: call.rated.split(' ').includes('provider') ? undefined : call.provider_price,
})

/** The number and the price of a call; the reason in place of the number, and no price, if it cannot be rated. */
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
