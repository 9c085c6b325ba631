import type { Actor } from '#lib/base/account-types.ts'
import { formatDateTime } from '#lib/base/calendar.ts'
import { type Money, subtract } from '#lib/base/money.ts'
import { ignoreRefusal } from '#lib/base/row-refused.ts'
import { seesEveryone } from '#lib/base/scope.ts'
import { type CallRate, describeParts } from '#lib/rates/origins/matching.ts'
import { type FreeReason, isBelowCost, isBlocked, priceOf, type Rate } from '#lib/rates/rating.ts'
import type { Settings } from '#lib/settings/settings.ts'
import type { Store } from '#lib/table/store.ts'
import { BLANK_CALL, type CallRow } from '../call.ts'
import { type CallExplanation, explainCall, type TariffLookup } from './call-rating.ts'
import type { Payer } from './price-changes.ts'

/** The columns of an answered call that somebody asks about, and that is never stored. */
export const ASKED_CALL = {
  ...BLANK_CALL,
  ...{ uniqueid: 'none', src: '', disposition: 'ANSWERED', hangupcause: 16 },
}

/**
 * The price of a call step by step, as far as an account may see it: a customer sees its own tariff, a
 * reseller also what it pays, and the operator everything.
 */
export async function ratingOf(store: Store, settings: Settings, row: CallRow, viewer: Actor) {
  const explained = await explainCall(store, row)
  const { number, free, customer, lookups, rated } = explained
  const seen = lookups.filter(({ payer }) => maySee(viewer, payer))
  const isPriced = typeof rated !== 'string'
  return {
    digits: number.digits,
    numberSteps: seesEveryone(viewer) ? [...number.steps] : [],
    free: free === undefined ? null : FREE_CALLS[free],
    steps: seen.map((lookup) => priceStep(lookup, row.billsec, settings)),
    problem: isPriced ? null : problemFor(viewer, rated),
    margin: (isPriced ? marginFor(viewer, rated, explained) : undefined) ?? null,
    unknownCost: isPriced && seesEveryone(viewer) ? whyCostIsUnknown(rated, explained) : null,
    isBelowCost: isPriced && seesEveryone(viewer) && isBelowCost({ ...rated, direct: customer.direct }),
  }
}

const FREE_CALLS: Readonly<Record<FreeReason, string>> = {
  internal: 'The call is internal, to an extension or an emergency number, and free.',
  incoming: 'The call is incoming, and free.',
  feature_code: 'The call is free: a number with *, # or letters is a feature code.',
  short_number:
    'The call is free: the number is shorter than Shortest_Rated_Number, and no rate has it as its prefix.',
}

const maySee = (viewer: Actor, payer: Payer): boolean =>
  seesEveryone(viewer) || payer === 'user' || (payer === 'reseller' && viewer.usertype !== 'user')

/** A reason may name the tariff of somebody else. */
const problemFor = (viewer: Actor, reason: string): string =>
  seesEveryone(viewer) ? reason : 'There is no price for this number.'

function marginFor(viewer: Actor, row: CallRow, { customer }: CallExplanation): Money | undefined {
  if (viewer.usertype === 'user') return undefined
  const { user_price, reseller_price, provider_price } = row
  if (!seesEveryone(viewer)) return difference(user_price, reseller_price)
  return difference(customer.direct ? user_price : reseller_price, provider_price)
}

/** The reason why the margin of the operator is unknown; null if it is known, or if the call is free. */
function whyCostIsUnknown(row: CallRow, { free, lookups }: CallExplanation): string | null {
  if (free !== undefined || row.billsec === 0 || row.provider_price !== undefined) return null
  if (row.provider_id === undefined) return 'the provider of the call is not known'
  const isLookedUp = lookups.some(({ payer }) => payer === 'provider')
  return isLookedUp
    ? 'the tariff of the provider has no rate for it, or blocks its prefix'
    : 'the provider has no tariff'
}

const difference = (paid: Money | undefined, cost: Money | undefined): Money | undefined =>
  paid === undefined || cost === undefined ? undefined : subtract(paid, cost)

const PAYER_NAMES = { user: 'customer', reseller: 'reseller', provider: 'provider' } as const

/** The prices of a lookup for a number of seconds. Prices are in the default currency. */
function priceStep(lookup: TariffLookup, seconds: number, settings: Settings) {
  const { payer, tariff, exchangeRate, rate } = lookup
  const priced = rate && !isBlocked(rate) ? priceOf(rate, seconds, exchangeRate) : undefined
  return {
    payer: PAYER_NAMES[payer],
    tariff: { id: tariff.id, name: tariff.name },
    version: tariff.active?.version ?? null,
    rate: rate ? describeRate(rate, tariff.currency || settings.Default_Currency, settings) : null,
    caller: rate?.parts ? describeParts(rate.parts) : null,
    exchangeRate: exchangeRate === '1' ? null : exchangeRate,
    billedSeconds: priced?.billed_seconds ?? null,
    price: priced?.price ?? null,
  }
}

const describeRate = (rate: CallRate, currency: string, settings: Settings) => ({
  prefix: rate.prefix,
  destination: rate.destination,
  perMinute: rate.tariff_rate,
  fee: rate.con_fee,
  currency,
  increment: rate.increment,
  minimum: rate.min_time,
  hours: hoursOfRate(rate, settings),
  isBlocked: isBlocked(rate),
})

/** The hours and days of a rate, since when it is in force if it was not always, and its end. */
function hoursOfRate(
  { daytype, start_time, end_time, effective_from, ends_at }: Rate,
  { Timezone }: Pick<Settings, 'Timezone'>,
): string {
  const since = effective_from === undefined ? '' : ` since ${formatDateTime(effective_from, Timezone)}`
  const until = ends_at === undefined ? '' : ` until ${formatDateTime(ends_at, Timezone)}`
  return `${daytype} ${start_time} to ${end_time}${since}${until}`
}

/** The same for a stored call; `undefined` if it cannot be explained, because its account is gone. */
export const ratingOfStored = (store: Store, settings: Settings, row: CallRow, viewer: Actor) =>
  ratingOf(store, settings, row, viewer).catch(ignoreRefusal)
