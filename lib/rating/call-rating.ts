import { type Money, roundedQuotient, ZERO } from '#lib/domain/money.ts'
import { ratedDigits } from '#lib/domain/rates/dialled-number.ts'
import { priceOf, type Rate } from '#lib/domain/rates/rating.ts'
import { missingReference, RowRefused } from '#lib/domain/row-refused.ts'
import { type CallRow, isPrice } from '#lib/store/calls/call.ts'
import type { Customer, RateBook } from './rate-book.ts'

/**
 * Fills in the prices that a record arrives without: those of the customer, of its owner, and of the provider where it is
 * known and has a tariff. A record that has the customer's price was rated elsewhere and stays as it is; an internal call
 * costs nothing and is not rated (wire.md 7.3). Throws RowRefused with the reason when a record cannot be rated.
 */
export async function rateCall(book: RateBook, row: CallRow, customer: Customer): Promise<CallRow> {
  if (row.user_price !== undefined) return row
  if (book.internal.has(row.dst)) return { ...row, user_price: ZERO }
  const user = await chargeAccount(book, row, customer.account)
  const owner = await chargeOwner(book, row, customer)
  const provider = await chargeForProvider(book, row)
  return {
    ...row,
    user_rate: user.rate,
    user_price: user.price,
    ...(owner && { reseller_price: owner.price }),
    ...(provider && { provider_rate: provider.rate, provider_price: provider.price }),
  }
}

/** The prices of a call, by who pays. */
export const PAYERS = ['user', 'reseller', 'provider'] as const

/** Which prices of a call were made here: it came as `row`. An internal call has none, and says so. */
export function madeHere(row: CallRow, rated: CallRow): string {
  if (row.user_price !== undefined) return ''
  if (rated.user_rate === undefined && row.billsec > 0) return INTERNAL
  return PAYERS.filter(
    (payer) => row[`${payer}_price`] === undefined && rated[`${payer}_price`] !== undefined,
  ).join(' ')
}

export const INTERNAL = 'internal'

/** What one party is charged for a call, in the default currency. */
interface Charge {
  readonly rate: Money | undefined
  readonly price: Money
}

const chargeAccount = (book: RateBook, row: CallRow, { id, tariff_id }: Customer['account']) =>
  charge(book, row, { name: `account ${id}`, tariff_id })

async function chargeOwner(
  book: RateBook,
  row: CallRow,
  { owner, direct }: Customer,
): Promise<Charge | undefined> {
  if (owner === undefined || direct || row.reseller_price !== undefined) return undefined
  return chargeAccount(book, row, owner)
}

async function chargeForProvider(book: RateBook, row: CallRow): Promise<Charge | undefined> {
  if (row.provider_id === undefined || row.provider_price !== undefined) return undefined
  const provider = await book.provider(row.provider_id)
  if (!provider) throw new RowRefused(missingReference('provider_id', 'provider', row.provider_id))
  const { id, tariff_id } = provider
  return tariff_id === undefined ? undefined : charge(book, row, { name: `provider ${id}`, tariff_id })
}

/** Who is charged, in words, and by which tariff. */
interface Party {
  readonly name: string
  readonly tariff_id: number | undefined
}

/** A call without a second talked costs nothing, whether or not there is anything to rate it by. */
const charge = (book: RateBook, row: CallRow, party: Party): Promise<Charge> =>
  row.billsec === 0
    ? chargeByTariff(book, row, party).catch(nothingToCharge)
    : chargeByTariff(book, row, party)

function nothingToCharge(error: unknown): Charge {
  if (error instanceof RowRefused) return { rate: undefined, price: ZERO }
  throw error
}

async function chargeByTariff(book: RateBook, row: CallRow, { name, tariff_id }: Party): Promise<Charge> {
  if (tariff_id === undefined) throw new RowRefused(`${name} has no tariff to rate by`)
  const { tariff, exchangeRate } = await book.tariff(tariff_id)
  const digits = ratedDigits(row.dst, book.settings)
  const when = { at: row.calldate, zone: book.settings.Timezone, digits }
  const rate = await book.rate(tariff, when)
  if (rate) return chargeOf(rate, exchangeRate, row)
  throw new RowRefused(`tariff ${tariff_id} of ${name} has no rate for ${row.dst || 'a blank dst'}`)
}

/** A charge is in the default currency (wire.md 7.2). */
function chargeOf(rate: Rate, exchangeRate: Money, { billsec }: CallRow): Charge {
  const { price } = priceOf(rate, billsec, exchangeRate)
  const charged = { rate: roundedQuotient(rate.tariff_rate, exchangeRate, RATE_DECIMALS), price }
  if (isPrice(charged.rate) && isPrice(price)) return charged
  throw new RowRefused(`the rate of prefix ${rate.prefix} makes a price of too many digits`)
}

/** As many decimals as are stored; a rate that needs no conversion has fewer. */
const RATE_DECIMALS = 15
