import { type Money, roundedQuotient, ZERO } from '#lib/domain/money.ts'
import { priceOf, type Rate, ratedDigits } from '#lib/domain/rates/rating.ts'
import { missingReference, RowRefused } from '#lib/domain/row-refused.ts'
import { type CallRow, isPrice } from '#lib/store/calls/call.ts'
import type { Customer, RateBook } from './rate-book.ts'

/** Everybody who is charged for a call: the customer, the reseller above it, and the operator by its provider. */
export const PAYERS = ['user', 'reseller', 'provider'] as const

export type Payer = (typeof PAYERS)[number]

/**
 * Fills in the prices that a record arrives without: those of the customer, of its owner, and of the provider where it is
 * known and has a tariff. A record that has the customer's price was rated elsewhere and stays as it is; an internal call
 * costs nothing and is not rated (wire.md 7.3). Throws RowRefused with the reason when a record cannot be rated.
 */
export async function rateCall(book: RateBook, row: CallRow, customer: Customer): Promise<CallRow> {
  if (row.user_price !== undefined) return row
  if (book.internal.has(row.dst)) return { ...row, user_price: ZERO }
  const unpriced = PAYERS.filter((payer) => row[`${payer}_price`] === undefined)
  return { ...row, ...(await ratePayers(book, row, customer, unpriced)) }
}

/** The charges of these payers, as columns of the call. Throws RowRefused when one of them cannot be rated. */
export async function ratePayers(
  book: RateBook,
  row: CallRow,
  customer: Customer,
  payers: readonly Payer[],
): Promise<PriceColumns> {
  const columns: PriceColumns = {}
  for (const payer of payers) Object.assign(columns, await ratePayer(book, row, customer, payer))
  return columns
}

/** No columns for a payer that nobody charges for the call. */
async function ratePayer(
  book: RateBook,
  row: CallRow,
  customer: Customer,
  payer: Payer,
): Promise<PriceColumns> {
  const party = await findParty(book, row, customer, payer)
  if (!party) return {}
  const { rate, price } = await charge(book, row, party)
  if (payer === 'user') return { user_rate: rate, user_price: price }
  return payer === 'reseller' ? { reseller_price: price } : { provider_rate: rate, provider_price: price }
}

type PriceColumns = Partial<
  Pick<CallRow, 'user_rate' | 'user_price' | 'reseller_price' | 'provider_rate' | 'provider_price'>
>

/** A payer in words, and the tariff that charges it. */
interface Party {
  readonly name: string
  readonly tariff_id: number | undefined
}

/**
 * The party by whose tariff a payer is charged for a call; `undefined` when nobody charges it. Throws RowRefused when the
 * provider does not exist.
 */
export async function findParty(
  book: RateBook,
  row: CallRow,
  { account, owner, direct }: Customer,
  payer: Payer,
): Promise<Party | undefined> {
  if (payer === 'user') return accountParty(account)
  if (payer === 'reseller') return owner === undefined || direct ? undefined : accountParty(owner)
  return row.provider_id === undefined ? undefined : findProviderParty(book, row.provider_id)
}

const accountParty = ({ id, tariff_id }: Customer['account']): Party => ({ name: `account ${id}`, tariff_id })

async function findProviderParty(book: RateBook, id: number): Promise<Party | undefined> {
  const provider = await book.provider(id)
  if (!provider) throw new RowRefused(missingReference('provider_id', 'provider', id))
  const { tariff_id } = provider
  return tariff_id === undefined ? undefined : { name: `provider ${id}`, tariff_id }
}

/** What `rated` says of an internal call, of which no price was made. */
export const INTERNAL = 'internal'

/** The charge of one party for a call, in the default currency. */
interface Charge {
  readonly rate: Money | undefined
  readonly price: Money
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
