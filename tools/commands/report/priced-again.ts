import { findAccounts } from '#lib/accounts/account.ts'
import { ALL_TIME, type Days, formatDateTime } from '#lib/base/calendar.ts'
import { type Money, ZERO } from '#lib/base/money.ts'
import type { Call, CallRow } from '#lib/calls/call.ts'
import { listCallDays, listCalls } from '#lib/calls/call-search.ts'
import { obstacleIn } from '#lib/calls/rating/call-decision.ts'
import { freeReason, isPricedElsewhere, ratePayers } from '#lib/calls/rating/call-rating.ts'
import { numberOfCall } from '#lib/calls/rating/number-of-call.ts'
import { asOfCallStart, customerOf, openRateBook, type RateBook } from '#lib/calls/rating/rate-book.ts'
import { type ReportRow, refuseArchivedDays } from '#lib/calls/report/report.ts'
import type { Settings } from '#lib/settings/settings.ts'
import { batchedLookup } from '#lib/table/entity.ts'
import type { Store } from '#lib/table/store.ts'

/** The rates of a report are read once. */
export interface CallsToPrice {
  readonly store: Store
  readonly shared: RateBook
}

/** A call, and its cells beside its start, its customer and its number. */
type ComparedCall = readonly [call: Call, cells: ReportRow]

/** The answered calls of days that are priced here, of which `compare` lists some, a batch at a time. */
export async function* comparedCalls(
  store: Store,
  settings: Settings,
  days: Days,
  compare: (calls: readonly Call[], priced: CallsToPrice) => AsyncIterable<ComparedCall>,
): AsyncGenerator<ReportRow> {
  refuseArchivedDays(days, settings)
  const priced = { store, shared: await openRateBook(store, [], settings) }
  const accounts = batchedLookup((ids) => findAccounts(store, ids))
  const found = await listCallDays(store, ['everyone'], days)
  for await (const batch of listCalls(store, found, ALL_TIME)) {
    const calls = batch.filter((call) => call.billsec > 0 && !call.incoming && !isPricedElsewhere(call))
    const customers = await accounts(calls.map(({ user_id }) => user_id))
    for await (const [call, cells] of compare(calls, priced))
      yield {
        start: formatDateTime(call.calldate, settings.Timezone),
        customer: customers.get(call.user_id)?.username ?? `account ${call.user_id}`,
        dst: call.dst,
        ...cells,
      }
  }
}

/** A rate book for calls as they came, sharing rates between batches, without versions after `till`. */
export async function bookOfCalls(
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
export async function resultBy(
  book: RateBook,
  call: Call,
): Promise<{ number: string; price: Money | undefined }> {
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
