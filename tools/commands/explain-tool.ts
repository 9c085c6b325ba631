import { formatDateTime, momentAt, secondsOf } from '#lib/domain/calendar.ts'
import { subtract } from '#lib/domain/money.ts'
import { isBelowCost, isBlocked, priceOf, type Rate } from '#lib/domain/rates/rating.ts'
import { readSettings, type Settings } from '#lib/domain/settings.ts'
import {
  type CallExplanation,
  explainCall,
  type FreeReason,
  type TariffLookup,
} from '#lib/rating/call-rating.ts'
import type { CallRow } from '#lib/store/calls/call.ts'
import { BLANK_CALL } from '#lib/store/calls/call.ts'
import { findSettings } from '#lib/store/installation/settings.ts'
import type { Store } from '#lib/store/store.ts'
import { UsageError } from '#tools/machine/terminal.ts'
import { findAccountNamed } from './named.ts'

/** A call to rate. */
export interface ExplainOptions {
  readonly username: string
  readonly number: string
  /** `YYYY-MM-DD HH:MM:SS` in the installation's time zone; by default now. */
  readonly at?: string | undefined
  /** The seconds of conversation. */
  readonly seconds: number
  /** The id of the provider that carries the call. */
  readonly provider?: number | undefined
}

/** Rates a call without storing it and returns a line for each step. */
export async function explainPrice(store: Store, options: ExplainOptions, now: Date): Promise<string[]> {
  const settings = readSettings(await findSettings(store))
  const account = await findAccountNamed(store, options.username)
  const calldate = options.at === undefined ? secondsOf(now) : momentOf(options.at, settings)
  const row = { ...NO_CALL, ...asCall(options), calldate, user_id: account.id }
  const explanation = await explainCall(store, row)
  return [
    `${account.username} calls ${options.number} at ${formatDateTime(calldate, settings.Timezone)} (${settings.Timezone}) for ${options.seconds} seconds`,
    ...stepsOf(explanation, {
      settings,
      seconds: options.seconds,
      isCarried: options.provider !== undefined,
    }),
  ]
}

function momentOf(at: string, { Timezone }: Settings): number {
  const [, day = '', time = ''] = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)$/.exec(at) ?? []
  const moment = momentAt(day, time, Timezone)
  if (moment === undefined)
    throw new UsageError(`--at "${at}" is not a time: write it as "2026-03-10 12:00:00"`)
  return moment
}

const asCall = ({ number, seconds, provider }: ExplainOptions) => ({
  dst: number,
  duration: seconds,
  billsec: seconds,
  provider_id: provider,
})

const NO_CALL = { ...BLANK_CALL, uniqueid: 'none', src: '', disposition: 'ANSWERED', hangupcause: 16 }

interface RatingContext {
  readonly settings: Settings
  readonly seconds: number
  /** Whether a provider was named. */
  readonly isCarried: boolean
}

function stepsOf(
  { digits, free, customer, lookups, rated }: CallExplanation,
  context: RatingContext,
): string[] {
  if (free) return [FREE_CALLS[free]]
  const resellers = customer.direct ? [] : [`reseller ${customer.owner?.username ?? customer.owner_id}`]
  const parties = ['customer', ...resellers, 'provider']
  const steps = lookups.map((lookup, index) => describeLookup(parties[index] ?? '', lookup, context))
  const ending =
    typeof rated === 'string'
      ? [`the call is not rated: ${rated}`]
      : describeMargins(rated, customer.direct, context)
  return [`number to rate: ${digits}`, ...steps, ...ending]
}

const FREE_CALLS: Readonly<Record<FreeReason, string>> = {
  internal: 'the call is internal, to an extension or an emergency number, and free',
  incoming: 'the call is incoming, and free',
  feature_code: 'the call is free: a number with *, # or letters is a feature code',
  short_number:
    'the call is free: the number is shorter than Shortest_Rated_Number, and no rate has it as its prefix',
}

function describeLookup(
  party: string,
  { tariff, exchangeRate, rate }: TariffLookup,
  { settings, seconds }: RatingContext,
): string {
  const { id, name, active } = tariff
  const currency = tariff.currency || settings.Default_Currency
  const from = `${party}: tariff ${id} ${name}, version ${active?.version ?? 'none'}`
  if (!rate) return `${from}: no rate`
  const match = `${from}, prefix ${rate.prefix} ${rate.destination}`.trim()
  if (isBlocked(rate)) return `${match}: blocked`
  const { billed_seconds, price } = priceOf(rate, seconds, exchangeRate)
  const conversion =
    exchangeRate === '1' ? '' : `, ${exchangeRate} ${currency} for 1 ${settings.Default_Currency}`
  return [
    match,
    `${rate.tariff_rate} ${currency} a minute and ${rate.con_fee} ${currency} for the connection${conversion}`,
    describePeriod(rate, settings),
    `${billed_seconds} seconds billed (steps of ${rate.increment}, at least ${rate.min_time})`,
    `${price} ${settings.Default_Currency}`,
  ].join('; ')
}

function describePeriod(
  { daytype, start_time, end_time, effective_from }: Rate,
  { Timezone }: Settings,
): string {
  const since =
    effective_from === undefined ? '' : ` since ${formatDateTime(effective_from, Timezone)} (${Timezone})`
  return `${daytype} ${start_time} to ${end_time}${since}`
}

function describeMargins(call: CallRow, direct: boolean, { settings, isCarried }: RatingContext): string[] {
  const { user_price = '0', reseller_price, provider_price } = call
  const currency = settings.Default_Currency
  const paidToAdmin = direct ? user_price : reseller_price
  return [
    ...(reseller_price === undefined
      ? []
      : [`margin of the reseller: ${subtract(user_price, reseller_price)} ${currency}`]),
    provider_price === undefined || paidToAdmin === undefined
      ? `margin of the operator: unknown, ${isCarried ? 'the provider has no tariff, or blocks the prefix' : 'name the provider with --provider ID'}`
      : `margin of the operator: ${subtract(paidToAdmin, provider_price)} ${currency}`,
    ...(isBelowCost({ ...call, direct }) ? ['the call is sold below its cost'] : []),
  ]
}
