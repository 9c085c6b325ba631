import { valueAt } from '#lib/accounts/account-history.ts'
import { type Money, ZERO } from '#lib/base/money.ts'
import { isRefusal } from '#lib/base/refusal.ts'
import { ignoreRefusal, missingReference, reasonIn, refusedFor, rowRefused } from '#lib/base/row-refused.ts'
import { type CallerNumber, readCallerNumber } from '#lib/rates/numbers/caller-number.ts'
import { LETTERS_BEFORE_NUMBER, type NumberDecision } from '#lib/rates/numbers/rated-number.ts'
import { type CallRate, describeCaller, describeParts } from '#lib/rates/origins/matching.ts'
import {
  FREE_REASONS,
  type FreeReason,
  isBlocked,
  minuteInDefaultCurrency,
  priceOf,
  ratedDigits,
  ratingMoment,
} from '#lib/rates/rating.ts'
import type { Tariff } from '#lib/rates/tariff.ts'
import type { Store } from '#lib/table/store.ts'
import { type CallRow, isPrice } from '../call.ts'
import { numberOfCall, refusedNumber } from './number-of-call.ts'
import { PAYERS, type Payer } from './price-changes.ts'
import { type Customer, customerOf, openRateBook, type RateBook, type RatingTariff } from './rate-book.ts'

export const unpricedPayers = (row: CallRow): Payer[] =>
  PAYERS.filter((payer) => row[`${payer}_price`] === undefined)

/**
 * The prices for these payers, as columns of the call; none for a payer who is not charged. Throws
 * refused_row if one of them cannot be rated.
 */
export async function ratePayers(
  book: RateBook,
  row: CallRow,
  customer: Customer,
  payers: readonly Payer[],
): Promise<PriceColumns> {
  const columns: PriceColumns = {}
  for (const payer of payers) {
    const party = await findParty(book, row, customer, payer)
    if (!party) continue
    const charge = await chargeByTariff(book, row, party).catch((error: unknown) =>
      chargeWithoutRate(book, row, payer, error),
    )
    if (charge) Object.assign(columns, COLUMNS_OF[payer](charge))
  }
  return { ...columns, rated_dst: await otherDigits(book, row) }
}

/** The digits that a call is rated by; `undefined` if its printed number has them. */
async function otherDigits(book: RateBook, row: CallRow): Promise<string | undefined> {
  const { digits } = await numberOfCall(book, row)
  return digits === ratedDigits(row.dst, book.settings) ? undefined : digits
}

const COLUMNS_OF: Readonly<Record<Payer, (charge: Charge) => PriceColumns>> = {
  user: ({ rate, price, origin }) => ({ user_rate: rate, user_price: price, origin }),
  reseller: ({ price }) => ({ reseller_price: price }),
  provider: ({ rate, price, origin }) => ({
    provider_rate: rate,
    provider_price: price,
    provider_origin: origin,
  }),
}

export type PriceColumns = Partial<
  Pick<
    CallRow,
    | 'user_rate'
    | 'user_price'
    | 'reseller_price'
    | 'provider_rate'
    | 'provider_price'
    | 'rated_dst'
    | 'origin'
    | 'provider_origin'
  >
>

/** The account or provider whose tariff charges a payer. */
interface Party {
  readonly name: string
  readonly tariff_id: number | undefined
}

/**
 * The party whose tariff charges a payer for a call; `undefined` if the payer is not charged. Throws
 * refused_row if the provider does not exist.
 */
export async function findParty(
  book: RateBook,
  row: CallRow,
  { account, owner, direct }: Customer,
  payer: Payer,
): Promise<Party | undefined> {
  if (payer === 'user') return accountParty(account, row)
  if (payer === 'reseller') return owner === undefined || direct ? undefined : accountParty(owner, row)
  return row.provider_id === undefined ? undefined : findProviderParty(book, row.provider_id)
}

/** The tariff is the one that the account had when the call began (wire.md 7.1). */
const accountParty = (account: Customer['account'], { calldate }: CallRow): Party => ({
  name: `account ${account.id}`,
  tariff_id: valueAt(account, 'tariff_id', calldate),
})

async function findProviderParty(book: RateBook, id: number): Promise<Party | undefined> {
  const provider = await book.provider(id)
  if (!provider) throw rowRefused(missingReference('provider_id', 'provider', id))
  const { tariff_id } = provider
  return tariff_id === undefined ? undefined : { name: `provider ${id}`, tariff_id }
}

/** The reason why a stored call is free; `undefined` if it came with its price or was rated. */
export const freeReasonIn = ({ rated }: { readonly rated: string }): FreeReason | undefined =>
  FREE_REASONS.find((reason) => reason === rated)

/** The call was stored with the customer's price, so it was not rated here. */
export const isPricedElsewhere = ({ rated }: { readonly rated: string }): boolean =>
  freeReasonIn({ rated }) === undefined && !rated.split(' ').includes('user')

/**
 * The reason why a call costs nothing; `undefined` for a call that tariffs rate. Throws refused_row if no
 * number of an answered call can be rated.
 */
export async function freeReason(
  book: RateBook,
  row: CallRow,
  customer: Customer,
): Promise<FreeReason | undefined> {
  if (row.incoming) return 'incoming'
  const number = await numberOfCall(book, row)
  const { form, problem } = number
  if (problem && (row.billsec > 0 || problem.isOfUnanswered)) throw refusedNumber(problem, number)
  if (form === 'number' || problem) return undefined
  return form !== 'internal' && (await isRatedWhole(book, row, customer)) ? undefined : form
}

/** Returns whether the customer's tariff has a rate for exactly this short number. */
async function isRatedWhole(book: RateBook, row: CallRow, { account }: Customer): Promise<boolean> {
  const { tariff_id } = accountParty(account, row)
  if (tariff_id === undefined) return false
  const { tariff } = await book.tariff(tariff_id)
  return (await findRate(book, tariff, row)) !== undefined
}

/**
 * The rate of a number in force. A rate with a shorter prefix does not rate a text that is not a phone
 * number. Throws refused_row if the number is not known.
 */
async function findRate(book: RateBook, tariff: Tariff, row: CallRow): Promise<CallRate | undefined> {
  const number = await numberOfCall(book, row)
  if (number.problem) throw refusedNumber(number.problem, number)
  const { digits, form, mayBeNumber } = number
  const rate = await book.rate(tariff, {
    ...ratingMoment(row.calldate, book.settings),
    ...{ digits, seconds: row.billsec, caller: () => callerOfCall(book, row) },
  })
  if (mayBeNumber && rate && row.billsec > 0) throw refusedNumber(LETTERS_BEFORE_NUMBER, number)
  return form === 'number' || (form === 'short_number' && rate?.prefix === digits) ? rate : undefined
}

/** The caller of a call. Only the call's own device is read, for a text that may be its name. */
export const callerOfCall = (
  book: RateBook,
  { src, carrier_src, device_id }: CallRow,
): Promise<CallerNumber> =>
  readCallerNumber({ src, carrier_src }, book.settings, async () =>
    device_id === undefined ? undefined : book.device(device_id),
  )

/** The charge of one party for a call, in the default currency. */
interface Charge {
  readonly rate: Money | undefined
  readonly price: Money
  /** The origin of the caller that decided. */
  readonly origin?: string | undefined
}

/**
 * 0 billed seconds cost nothing, even with a blocked prefix or without tariff or rate. A provider that blocks
 * the number, or has no rate for it, leaves its price blank: the call was carried (wire.md 7.1).
 */
function chargeWithoutRate(
  book: RateBook,
  { billsec }: CallRow,
  payer: Payer,
  error: unknown,
): Charge | undefined {
  if (!isRefusal(error, 'refused_row')) throw error
  if (billsec === 0) return { rate: undefined, price: ZERO }
  if (payer !== 'provider') throw error
  book.noteUnknownMargin(error)
  return undefined
}

const chargeByTariff = async (book: RateBook, row: CallRow, party: Party): Promise<Charge> =>
  chargeAt(await rateByTariff(book, row, party), row)

/** The rate at which a party charges a call, and the exchange rate of its currency. */
export interface PartyRate {
  readonly rate: CallRate
  readonly exchangeRate: Money
}

/** Throws refused_row if the party has no tariff or no rate for the number, or blocks it. */
export async function rateByTariff(
  book: RateBook,
  row: CallRow,
  { name, tariff_id }: Party,
): Promise<PartyRate> {
  if (tariff_id === undefined) throw rowRefused(`${name} has no tariff to rate by`)
  const { tariff, exchangeRate } = await book.tariff(tariff_id)
  const rate = await findRate(book, tariff, row)
  const of = `tariff ${tariff_id} of ${name}`
  if (rate && isBlocked(rate))
    throw refusedFor(
      'blocked_destination',
      `${of} blocks the prefix ${rate.prefix}${bracketed(rate.parts ? describeParts(rate.parts) : [])}`,
    )
  if (rate) return { rate, exchangeRate }
  const reasons = [...(await otherNumber(book, row)), ...(await decidingCaller(book, tariff, row))]
  throw rowRefused(`${of} has no rate for ${row.dst || 'a blank dst'}${bracketed(reasons)}`)
}

const bracketed = (reasons: readonly string[]): string =>
  reasons.length === 0 ? '' : ` (${reasons.join('; ')})`

/** Says by which number a call is rated, if it is not the printed one. */
const otherNumber = async (book: RateBook, row: CallRow): Promise<readonly string[]> =>
  (await otherDigits(book, row)) === undefined ? [] : (await numberOfCall(book, row)).steps

/** Says by which caller a tariff with origins rates. */
async function decidingCaller(book: RateBook, { active }: Tariff, row: CallRow): Promise<readonly string[]> {
  if (!active?.origins) return []
  const { digits, detail } = await callerOfCall(book, row)
  return [describeCaller({ detail, isInvalid: digits === undefined })]
}

/** A charge is in the default currency (wire.md 7.2). */
function chargeAt(at: PartyRate, { billsec }: CallRow): Charge {
  const { rate, exchangeRate } = at
  const { price } = priceOf(rate, billsec, exchangeRate)
  const charged = { rate: rateInDefaultCurrency(at), price, origin: rate.parts?.decided || undefined }
  if (isPrice(charged.rate) && isPrice(price)) return charged
  throw rowRefused(`the rate of prefix ${rate.prefix} makes a price with too many digits`)
}

export const rateInDefaultCurrency = ({ rate, exchangeRate }: PartyRate): Money =>
  minuteInDefaultCurrency(rate.tariff_rate, exchangeRate)

export interface TariffLookup extends RatingTariff {
  readonly payer: Payer
  /** `undefined` if the tariff has no rate for the number. */
  readonly rate: CallRate | undefined
}

/** The rating of a call, step by step. */
export interface CallExplanation {
  readonly number: NumberDecision
  /** The reason why the call costs nothing; `undefined` if tariffs rate it. */
  readonly free: FreeReason | undefined
  readonly customer: Customer
  /** For the customer, then its reseller if it has one, then the provider. A failure ends the list. */
  readonly lookups: readonly TariffLookup[]
  /** The call with its prices, or the reason why it has none. */
  readonly rated: CallRow | string
}

/** Rates a hypothetical call as if it arrived now. Stores nothing. */
export async function explainCall(store: Store, row: CallRow): Promise<CallExplanation> {
  const book = await openRateBook(store, [row])
  const customer = await customerOf(book, row, undefined)
  const lookups: TariffLookup[] = []
  const free = await freeReason(book, row, customer).catch(ignoreRefusal)
  const rated = free
    ? { ...row, user_price: ZERO }
    : await rateRecording(book, row, customer, lookups).catch(reasonIn)
  return { number: await numberOfCall(book, row), free, customer, lookups, rated }
}

/** A tariff that cannot be read is reported by the rating. */
/** Rates a call payer by payer, and adds the lookups of each to the list. */
async function rateRecording(
  book: RateBook,
  row: CallRow,
  customer: Customer,
  lookups: TariffLookup[],
): Promise<CallRow> {
  let rated = row
  for (const payer of unpricedPayers(row)) {
    const recording = withRecordedLookups(book, payer, lookups)
    rated = { ...rated, ...(await ratePayers(recording, row, customer, [payer])) }
  }
  return rated
}

const withRecordedLookups = (book: RateBook, payer: Payer, lookups: TariffLookup[]): RateBook => ({
  ...book,
  rate: async (tariff, call) => {
    const rate = await book.rate(tariff, call)
    const { exchangeRate } = await book.tariff(tariff.id)
    lookups.push({ payer, tariff, exchangeRate, rate })
    return rate
  },
})
