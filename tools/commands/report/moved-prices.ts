import { type Day, type Days, periodOfDay } from '#lib/base/calendar.ts'
import { add, isLessThan, type Money, multiply, ZERO } from '#lib/base/money.ts'
import type { Call } from '#lib/calls/call.ts'
import type { Report } from '#lib/calls/report/report.ts'
import type { Settings } from '#lib/settings/settings.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Store } from '#lib/table/store.ts'
import { bookOfCalls, type CallsToPrice, comparedCalls, resultBy } from './priced-again.ts'

/** What a price is compared with: the versions in force when a day began, and the allowed factor. */
export interface Movement {
  readonly since: Day
  readonly factor: Money
}

/**
 * Lists the answered calls of days whose customer pays more than a factor of what the tariff versions of an
 * earlier day charge, or less than its inverse. A number without a price then is left out.
 */
export async function movedPricesReport(store: Store, days: Days, movement: Movement): Promise<Report> {
  const settings = await settingsOf(store)
  const sums: Sums = { earlier_price: ZERO, price: ZERO }
  return {
    title: `Calls from ${days.from} to ${days.till} (${settings.Timezone}) whose price moved by more than ${movement.factor} since ${movement.since}`,
    currency: settings.Default_Currency,
    columns: { start: 'text', customer: 'text', dst: 'text', earlier_price: 'number', price: 'number' },
    rows: comparedCalls(store, settings, days, (calls, priced) =>
      movedAmong(calls, priced, settings, { ...movement, sums }),
    ),
    total: () => ({ start: 'total', ...sums }),
  }
}

type Sums = Record<'earlier_price' | 'price', Money>

async function* movedAmong(
  calls: readonly Call[],
  priced: CallsToPrice,
  settings: Settings,
  { since, factor, sums }: Movement & { readonly sums: Sums },
) {
  const earlier = await bookOfCalls(priced, settings, calls, periodOfDay(since, settings.Timezone).from)
  for (const call of calls) {
    const { price: before } = await resultBy(earlier, call)
    const { user_price: now = ZERO } = call
    if (before === undefined || !hasMoved(before, now, factor)) continue
    sums.earlier_price = add(sums.earlier_price, before)
    sums.price = add(sums.price, now)
    yield [call, { earlier_price: before, price: now }] as const
  }
}

const hasMoved = (before: Money, now: Money, factor: Money): boolean =>
  isLessThan(multiply(before, factor), now) || isLessThan(multiply(now, factor), before)
