import type { PayerAccount } from '#lib/accounts/limits.ts'
import { HOUR_SECONDS } from '#lib/base/calendar.ts'
import { paired } from '#lib/base/collections.ts'
import { fixed, fullPrecision, isLessThan, isPositive, type Money, ZERO } from '#lib/base/money.ts'
import { ignoreRefusal } from '#lib/base/row-refused.ts'
import type { CallRow } from '#lib/calls/call.ts'
import { isNewCountry } from '#lib/calls/counters/country-hours.ts'
import {
  findParty,
  freeReason,
  type PartyRate,
  rateByTariff,
  rateInDefaultCurrency,
} from '#lib/calls/rating/call-rating.ts'
import { obstacleIn } from '#lib/calls/rating/change-calls.ts'
import { numberOfCall } from '#lib/calls/rating/number-of-call.ts'
import { type Customer, customerOf, openRateBook, type RateBook } from '#lib/calls/rating/rate-book.ts'
import { emergencyNumbers } from '#lib/devices/extension.ts'
import { readCalled } from '#lib/rates/numbers/called-text.ts'
import type { Settings } from '#lib/settings/settings.ts'
import type { Store } from '#lib/table/store.ts'
import { isLimited } from './limited.ts'
import { type CallRequest, DEFAULT_RESERVE_SECONDS, type HoldPayer, hangupMargin } from './plan.ts'
import { type Reservation, reserve } from './reserve.ts'
import { type Seen, seePayers } from './seen.ts'

/** Why a call cannot begin, in the order of the rules. The cause is one of the original's numbers. */
const REFUSALS = {
  unknown_account: { hangupcause: 201, sip: 403 },
  blocked: { hangupcause: 202, sip: 403 },
  unknown_rate: { hangupcause: null, sip: 404 },
  blocked_destination: { hangupcause: null, sip: 403 },
  new_country: { hangupcause: null, sip: 403 },
  too_dear: { hangupcause: null, sip: 403 },
  calls_limit: { hangupcause: 220, sip: 486 },
  daily_limit: { hangupcause: 211, sip: 402 },
  no_money: { hangupcause: 211, sip: 402 },
} satisfies Readonly<Record<string, { readonly hangupcause: number | null; readonly sip: number }>>

export type RefusalReason = keyof typeof REFUSALS

export const REFUSAL_REASONS = Object.keys(REFUSALS) as readonly RefusalReason[]

export interface AllowedCall {
  readonly allow: true
  readonly seconds: number
  /** With six decimals, in the default currency. */
  readonly reserved: Money
  /** In the default currency, as rate_get prints it. */
  readonly rate: Money
  /** A free call has none. */
  readonly destination?: string
}

export interface RefusedCall {
  readonly allow: false
  readonly reason: RefusalReason
  readonly hangupcause: number | null
  readonly sip: number
}

/** `over`: the seconds of the call's hold are over. */
export type CallVerdict = AllowedCall | RefusedCall | 'over'

/** A call that a switch asks for, answered for a second: without its customer if nothing names one. */
export interface AskedCall {
  readonly row: CallRow
  readonly isUnknown: boolean
  /** The columns of the call cannot be stored. */
  readonly isUnstorable?: boolean
}

/** The longest call where Max_Call_Hours sets no limit. */
const MOST_HOURS = 24

/** The most seconds that any call may last. */
export const longestCall = ({ Max_Call_Hours }: Pick<Settings, 'Max_Call_Hours'>): number =>
  (Max_Call_Hours || MOST_HOURS) * HOUR_SECONDS

const refused = (
  reason: RefusalReason,
  hangupcause: number | null = REFUSALS[reason].hangupcause,
): RefusedCall => ({
  allow: false,
  reason,
  ...REFUSALS[reason],
  hangupcause,
})

/** Decides whether a call may begin, and for how long, and holds its money. */
export async function authorize(store: Store, call: AskedCall, request: CallRequest): Promise<CallVerdict> {
  const decision = await decide(store, call, request)
  if (!('payers' in decision)) return decision.verdict
  return verdictOf(await reserve(store, decision.payers, request), decision.verdict, request)
}

/** The decision by the rules before those of the holds, with the items read on the way. */
export type CallDecision = {
  readonly customer?: Customer
  /** An owner before its customer; none for a free call. */
  readonly rates?: readonly RatedPayer[]
} & (
  | { readonly verdict: AllowedCall | RefusedCall }
  | { readonly verdict: AllowedCall; readonly payers: readonly HoldPayer[] }
)

/** Applies the rules of a call in the order of REFUSAL_REASONS, up to those of its holds. Writes nothing. */
export async function decide(store: Store, call: AskedCall, request: CallRequest): Promise<CallDecision> {
  const { row } = call
  if (call.isUnknown) return { verdict: ofUnknown(row, request) }
  if (call.isUnstorable) return { verdict: refused('unknown_rate') }
  const opened = await openRateBook(store, [row], request.settings)
  const book = forSeconds(opened, secondsAsked(request))
  const customer = await customerOf(book, row, undefined).catch(ignoreRefusal)
  if (!customer) return { verdict: ofUnknown(row, request) }
  const { isEmergency, digits } = await numberOfCall(book, row)
  if (isEmergency) return { verdict: allowed(request), customer }
  if (customer.account.blocked || customer.owner?.blocked) return { verdict: refused('blocked'), customer }
  const rated = await ratesOf(book, row, customer, (payers) => seeLimited(store, payers, request))
  if ('reason' in rated) return { verdict: refused(rated.reason), customer }
  const { payers: rates, seen } = rated
  if (await isBraked(store, rated, digits, request))
    return { verdict: refused('new_country'), customer, rates }
  const limited = rates.filter(
    ({ account, rated }) => isPriced(rated) && isLimited(account, request.settings),
  )
  if (limited.some(isTooDear)) return { verdict: refused('too_dear'), customer, rates }
  const verdict = allowed(request, rates.at(-1)?.rated)
  if (limited.length === 0) return { verdict, customer, rates }
  const payers = limited.map(({ account, isOwner, rated: priced }) => ({
    ...{ account, isOwner, priced, seen: seen.get(account) },
  }))
  return { verdict, customer, rates, payers }
}

/** An invalid caller gets the highest rate of the seconds that the switch asks for, or that are reserved. */
const forSeconds = (book: RateBook, seconds: number): RateBook => ({
  ...book,
  rate: (tariff, number) => book.rate(tariff, { ...number, seconds }),
})

/** A first call of the customer to a country, at a rate for which that is refused. */
async function isBraked(
  store: Store,
  { payers }: RatedPayers,
  digits: string,
  { settings }: CallRequest,
): Promise<boolean> {
  const customer = payers.at(-1)
  if (!customer || !isPriced(customer.rated)) return false
  const rate = rateInDefaultCurrency(customer.rated)
  return isNewCountry(store, customer.account, { digits, rate }, settings)
}

const secondsAsked = ({ cap, settings }: CallRequest): number =>
  cap < longestCall(settings) ? cap : (settings.Reserve_Seconds ?? DEFAULT_RESERVE_SECONDS)

const ofUnknown = (row: CallRow, request: CallRequest): AllowedCall | RefusedCall =>
  isEmergencyCall(row, request.settings) ? allowed(request) : refused('unknown_account')

/** A device may name an account that was deleted. */
const isEmergencyCall = ({ dst, carrier_dst = '' }: CallRow, settings: Settings): boolean =>
  [dst, carrier_dst].some((text) => {
    const called = readCalled(text).text
    return called !== '' && emergencyNumbers(settings).has(called)
  })

const allowed = ({ cap }: CallRequest, rated?: PartyRate): AllowedCall => ({
  allow: true,
  seconds: cap,
  reserved: fixed(ZERO, RESERVED_DECIMALS),
  rate: fullPrecision(rated ? rateInDefaultCurrency(rated) : ZERO),
  ...(rated && isPriced(rated) && { destination: rated.rate.destination }),
})

const RESERVED_DECIMALS = 6

const isPriced = ({ rate }: PartyRate): boolean => isPositive(rate.tariff_rate) || isPositive(rate.con_fee)

/** A payer of a call, and the rate at which it would be charged. */
interface RatedPayer {
  readonly account: PayerAccount
  readonly isOwner: boolean
  readonly rated: PartyRate
}

type UnratedPayer = Omit<RatedPayer, 'rated'>

type SeenByAccount = ReadonlyMap<PayerAccount, Seen | undefined>

/** An owner before its customer; none for a free call. */
interface RatedPayers {
  readonly payers: readonly RatedPayer[]
  readonly seen: SeenByAccount
}

/** The rates that a call would be charged at, and what is read with them; or why it would be suspended. */
async function ratesOf(
  book: RateBook,
  row: CallRow,
  customer: Customer,
  see: (payers: readonly UnratedPayer[]) => Promise<SeenByAccount>,
): Promise<RatedPayers | { readonly reason: 'unknown_rate' | 'blocked_destination' }> {
  try {
    const payers = (await freeReason(book, row, customer)) ? [] : payersOf(customer)
    const rating = Promise.all(payers.map((payer) => rateOf(book, row, customer, payer)))
    const [rates, seen] = await Promise.all([rating, see(payers)])
    return { payers: rates.filter((one) => one !== undefined), seen }
  } catch (error) {
    const { reason } = obstacleIn(error)
    return { reason: reason === 'blocked_destination' ? reason : 'unknown_rate' }
  }
}

/** Holds and money of the payers that are limited. */
async function seeLimited(
  store: Store,
  payers: readonly UnratedPayer[],
  request: CallRequest,
): Promise<SeenByAccount> {
  const limited = payers.map(({ account }) => account).filter((one) => isLimited(one, request.settings))
  return paired(limited, limited.length > 0 ? await seePayers(store, limited, request) : [])
}

const payersOf = ({ account, owner, direct }: Customer): readonly UnratedPayer[] => [
  ...(owner && !direct ? [{ account: owner, isOwner: true }] : []),
  { account, isOwner: false },
]

async function rateOf(
  book: RateBook,
  row: CallRow,
  customer: Customer,
  payer: UnratedPayer,
): Promise<RatedPayer | undefined> {
  const party = await findParty(book, row, customer, payer.isOwner ? 'reseller' : 'user')
  return party && { ...payer, rated: await rateByTariff(book, row, party) }
}

const isTooDear = ({ account: { dearest_rate }, rated }: RatedPayer): boolean =>
  dearest_rate !== undefined && isLessThan(dearest_rate, rateInDefaultCurrency(rated))

/** The answer after the holds: that of a free call with the seconds and the money that are held. */
export function verdictOf(
  reservation: Reservation,
  free: AllowedCall,
  { settings }: CallRequest,
): CallVerdict {
  if (reservation.kind === 'over') return 'over'
  if (reservation.kind === 'refused') return refused(reservation.reason, causeOf(reservation))
  const ofCustomer = [...reservation.holds].find(([{ isOwner }]) => !isOwner)
  return {
    ...free,
    seconds: reservation.seconds - hangupMargin(settings),
    reserved: fixed(ofCustomer?.[1].amount ?? ZERO, RESERVED_DECIMALS),
  }
}

/** Without money: 211 and 212 of the customer, 215 and 216 of its owner; the higher if a call runs. */
function causeOf({ reason, payer, isBusy }: Extract<Reservation, { kind: 'refused' }>): number | null {
  if (reason !== 'no_money') return REFUSALS[reason].hangupcause
  return (payer.isOwner ? 215 : 211) + Number(isBusy)
}
