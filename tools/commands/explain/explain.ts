import { type Command, InvalidArgumentError } from '@commander-js/extra-typings'
import { formatDateTime, momentAt, secondsOf } from '#lib/base/calendar.ts'
import { subtract } from '#lib/base/money.ts'
import { ASKED_CALL, ratingOf } from '#lib/calls/rating/price-steps.ts'
import { mayCall } from '#lib/control/may-call.ts'
import { findIdsOfDevices } from '#lib/devices/device-stored.ts'
import type { Settings } from '#lib/settings/settings.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Store } from '#lib/table/store.ts'
import { showAction } from '../../command-line/actions.ts'
import { shownFormat } from '../../command-line/listing.ts'
import { findAccountNamed, findProvidersNamed } from '../../command-line/named.ts'
import { withTableOptions } from '../../command-line/over-table.ts'
import { usageError } from '../../machine/terminal.ts'

export const declare = (command: Command) =>
  withTableOptions(command)
    .description(
      'It shows the rate in each tariff, the price for the customer, the reseller and the operator, and why the call could not begin now. Nothing is stored.',
    )
    .argument('<username>', 'the caller')
    .argument('<number>', 'the dialled number')
    .option(
      '--at <TIME>',
      'the start of the call, as "2026-03-10 12:00:00" in the time zone of the installation (default: now)',
    )
    .option('--seconds <N>', 'the seconds of conversation', wholeNumber, 60)
    .option('--provider <ID>', 'the carrier of the call: also show the margin of the operator', wholeNumber)
    .option('--called <TEXT>', 'what the carrier was called with, if it is not the dialled number')
    .option(
      '--device <NAME>',
      'the device that calls: its digit rules are applied if Apply_Number_Rules is on',
    )
    .option('--caller <NUMBER>', 'the number that calls: it decides in a tariff with origins')
    .option('--rules', 'show each rule that decides whether the call may begin now')
    .addOption(shownFormat())
    .action(
      showAction(async (store, username, number, call) => {
        const price = await explainPrice(store, { username, number, ...call }, new Date())
        return { json: price, lines: [...priceLines(price), ...mayCallLines(price, call.rules)] }
      }),
    )

function wholeNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Use a whole number.')
}

export interface ExplainOptions {
  readonly username: string
  readonly number: string
  /** `YYYY-MM-DD HH:MM:SS` in the installation's time zone; by default now. */
  readonly at?: string | undefined
  readonly seconds: number
  readonly provider?: number | undefined
  readonly called?: string | undefined
  readonly device?: string | undefined
  readonly caller?: string | undefined
}

type ExplainedPrice = Awaited<ReturnType<typeof explainPrice>>

type PriceStep = ExplainedPrice['steps'][number]

/** An operator sees every step. */
const OPERATOR = { id: 0, usertype: 'admin', owner_id: 0 } as const

/** Rates a call without storing it: its steps for each payer, and the operator's margin. */
export async function explainPrice(store: Store, options: ExplainOptions, now: Date) {
  const settings = await settingsOf(store)
  const account = await findAccountNamed(store, options.username)
  if (options.provider !== undefined) await findProvidersNamed(store, [String(options.provider)])
  const calldate = options.at === undefined ? secondsOf(now) : momentOf(options.at, settings)
  const device_id = options.device === undefined ? undefined : await findDeviceNamed(store, options.device)
  const row = { ...ASKED_CALL, ...asCall(options), calldate, user_id: account.id, device_id }
  return {
    username: account.username,
    number: options.number,
    at: formatDateTime(calldate, settings.Timezone),
    zone: settings.Timezone,
    seconds: options.seconds,
    provider: options.provider ?? null,
    currency: settings.Default_Currency,
    ...(await ratingOf(store, settings, row, OPERATOR)),
    mayCall: await mayCall(store, row, settings, now),
  }
}

async function findDeviceNamed(store: Store, name: string): Promise<number> {
  const [id] = await findIdsOfDevices(store, [name])
  if (id === undefined)
    throw usageError(`There is no device ${JSON.stringify(name)}: npx tollgate export shows them`)
  return id
}

function momentOf(at: string, { Timezone }: Settings): number {
  const [, day = '', time = ''] = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)$/.exec(at) ?? []
  const moment = momentAt(day, time, Timezone)
  if (moment === undefined) throw usageError(`--at "${at}" is not a time: write it as "2026-03-10 12:00:00"`)
  return moment
}

const asCall = ({ number, seconds, provider, called, caller = '' }: ExplainOptions) => ({
  src: caller,
  dst: number,
  carrier_dst: called,
  duration: seconds,
  billsec: seconds,
  provider_id: provider,
})

/** The lines of an explained price: one for the call, some for each who pays, and the margins. */
export const priceLines = (price: ExplainedPrice): string[] => [
  `${price.username} calls ${price.number} at ${price.at} (${price.zone}) for ${price.seconds} seconds`,
  // The first step is the dialled text, the last one the result.
  ...price.numberSteps.slice(1, -1).map((step) => `  ${step}`),
  ...(price.free === null ? ratedLines(price) : [price.free]),
]

const STATES = { passed: 'passed', refused: 'REFUSED', not_asked: '-' } as const

/** Why the call could not begin now, if rating does not say it already; with `all` each rule in its order. */
export function mayCallLines(
  { mayCall: { allow, seconds, isAsked, rules }, problem }: ExplainedPrice,
  all = false,
) {
  const refused = rules.find(({ state }) => state === 'refused')
  const answer = refused ? `no: ${refused.rule}, ${refused.says}` : `yes, for ${seconds} seconds`
  const isTold = all || (!allow && problem === null)
  return [
    ...(isTold
      ? [`may it begin now? ${answer}${isAsked ? '' : ' (Call_Control is off: no switch asks)'}`]
      : []),
    ...(all
      ? rules.map(({ rule, state, says }) =>
          `  ${rule.padEnd(20)}${STATES[state].padEnd(9)}${says}`.trimEnd(),
        )
      : []),
  ]
}

const ratedLines = (price: ExplainedPrice): string[] => [
  `number to rate: ${price.digits}`,
  ...price.steps.flatMap((step) => stepLines(step, price.currency)),
  ...(price.problem === null ? marginLines(price) : [`the call is not rated: ${price.problem}`]),
]

function stepLines(step: PriceStep, currency: string): string[] {
  const { payer, tariff, version, rate, caller, exchangeRate, billedSeconds, price } = step
  const heading = `${payer}: tariff ${tariff.id} ${tariff.name}, version ${version ?? 'none'}`
  if (!rate) return [heading, '  rate      none']
  const ofCaller = caller ? [`  ${caller.join('; ')}`] : []
  const prefix = `  prefix    ${`${rate.prefix} ${rate.destination}`.trim()}`
  if (rate.isBlocked) return [heading, ...ofCaller, `${prefix}, blocked`]
  const conversion = exchangeRate === null ? '' : `, at ${exchangeRate} ${rate.currency} for 1 ${currency}`
  return [
    heading,
    ...ofCaller,
    prefix,
    `  rate      ${rate.perMinute} ${rate.currency} a minute, ${rate.fee} ${rate.currency} for the connection; ${rate.hours}`,
    `  seconds   ${billedSeconds} billed, in steps of ${rate.increment}, at least ${rate.minimum}`,
    `  price     ${price} ${currency}${conversion}`,
  ]
}

function marginLines({ steps, margin, provider, currency, ...price }: ExplainedPrice): string[] {
  const priceFor = (payer: PriceStep['payer']) => steps.find((step) => step.payer === payer)?.price
  const [paid, reseller] = [priceFor('customer'), priceFor('reseller')]
  const unknown = provider === null ? 'name the provider with --provider ID' : price.unknownCost
  return [
    ...(paid && reseller ? [`margin of the reseller: ${subtract(paid, reseller)} ${currency}`] : []),
    `margin of the operator: ${margin === null ? `unknown, ${unknown}` : `${margin} ${currency}`}`,
    ...(price.isBelowCost ? ['the call is sold below its cost'] : []),
  ]
}
