import { formatDateTime, momentAt, secondsOf } from '#lib/domain/calendar.ts'
import { subtract } from '#lib/domain/money.ts'
import { isBelowCost, priceOf, type Rate } from '#lib/domain/rates/rating.ts'
import { readSettings, type Settings } from '#lib/domain/settings.ts'
import { CommandError } from '#lib/local/terminal.ts'
import { type CallExplanation, explainCall, type TariffLookup } from '#lib/rating/call-rating.ts'
import { findCallers } from '#lib/store/accounts/account.ts'
import type { CallRow } from '#lib/store/calls/call.ts'
import { BLANK_CALL } from '#lib/store/calls/call.ts'
import { findSettings } from '#lib/store/installation/settings.ts'
import type { Store } from '#lib/store/store.ts'

/** A call that somebody asks the price of. */
export interface ExplainWish {
  readonly username: string
  readonly number: string
  /** `YYYY-MM-DD HH:MM:SS` in the installation's zone; now where it is not said. */
  readonly at?: string | undefined
  /** Seconds that are talked. */
  readonly seconds: number
  /** The id of the one that would carry it. */
  readonly provider?: number | undefined
}

/** What a call would cost whom, step by step: a line for each. */
export async function explainPrice(store: Store, wish: ExplainWish, now: Date): Promise<string[]> {
  const settings = readSettings(await findSettings(store))
  const [account] = await findCallers(store, [wish.username])
  if (!account) throw new CommandError(`There is no account ${wish.username}`)
  const calldate = wish.at === undefined ? secondsOf(now) : momentOf(wish.at, settings)
  const row = { ...NO_CALL, ...asCall(wish), calldate, user_id: account.id }
  const explanation = await explainCall(store, row)
  return [
    `${wish.username} calls ${wish.number} at ${formatDateTime(calldate, settings.Timezone)} (${settings.Timezone}) for ${wish.seconds} seconds`,
    ...stepsOf(explanation, { settings, seconds: wish.seconds, isCarried: wish.provider !== undefined }),
  ]
}

function momentOf(at: string, { Timezone }: Settings): number {
  const [, day = '', time = ''] = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)$/.exec(at) ?? []
  const moment = momentAt(day, time, Timezone)
  if (moment === undefined)
    throw new CommandError(`--at takes a time such as "2026-03-10 12:00:00", not ${at}`)
  return moment
}

const asCall = ({ number, seconds, provider }: ExplainWish) => ({
  dst: number,
  duration: seconds,
  billsec: seconds,
  provider_id: provider,
})

const NO_CALL = { ...BLANK_CALL, uniqueid: 'none', src: '', disposition: 'ANSWERED', hangupcause: 16 }

interface Told {
  readonly settings: Settings
  readonly seconds: number
  /** Whether a provider was named. */
  readonly isCarried: boolean
}

function stepsOf({ digits, isInternal, customer, lookups, rated }: CallExplanation, told: Told): string[] {
  if (isInternal) return ['it is internal, an extension or an emergency number, and costs nothing']
  const resellers = customer.direct ? [] : [`reseller ${customer.owner?.username ?? customer.owner_id}`]
  const parties = ['customer', ...resellers, 'provider']
  const steps = lookups.map((lookup, place) => inWords(parties[place] ?? '', lookup, told))
  const ending =
    typeof rated === 'string' ? [`it is not rated: ${rated}`] : marginsOf(rated, customer.direct, told)
  return [`looked up: ${digits}`, ...steps, ...ending]
}

function inWords(
  party: string,
  { tariff, exchangeRate, rate }: TariffLookup,
  { settings, seconds }: Told,
): string {
  const { id, name, active } = tariff
  const currency = tariff.currency || settings.Default_Currency
  const from = `${party}: tariff ${id} ${name}, version ${active?.version ?? 'none'}`
  if (!rate) return `${from}: no rate`
  const { billed_seconds, price } = priceOf(rate, seconds, exchangeRate)
  const conversion =
    exchangeRate === '1' ? '' : `, ${exchangeRate} ${currency} for one ${settings.Default_Currency}`
  return [
    `${from}, prefix ${rate.prefix} ${rate.destination}`.trim(),
    `${rate.tariff_rate} ${currency} a minute and ${rate.con_fee} for the connection${conversion}`,
    inForce(rate, settings),
    `${billed_seconds} seconds billed (steps of ${rate.increment}, at least ${rate.min_time})`,
    `${price} ${settings.Default_Currency}`,
  ].join('; ')
}

function inForce({ daytype, start_time, end_time, effective_from }: Rate, { Timezone }: Settings): string {
  const since = effective_from === undefined ? '' : ` since ${formatDateTime(effective_from, Timezone)}`
  return `${daytype} ${start_time} to ${end_time}${since}`
}

function marginsOf(call: CallRow, direct: boolean, { settings, isCarried }: Told): string[] {
  const { user_price = '0', reseller_price, provider_price } = call
  const currency = settings.Default_Currency
  const paidToAdmin = direct ? user_price : reseller_price
  return [
    ...(reseller_price === undefined
      ? []
      : [`margin of the reseller: ${subtract(user_price, reseller_price)} ${currency}`]),
    provider_price === undefined || paidToAdmin === undefined
      ? `margin of the operator: not known, ${isCarried ? 'the provider has no tariff' : 'say who carries it: --provider ID'}`
      : `margin of the operator: ${subtract(paidToAdmin, provider_price)} ${currency}`,
    ...(isBelowCost({ ...call, direct }) ? ['it is sold below its cost'] : []),
  ]
}
