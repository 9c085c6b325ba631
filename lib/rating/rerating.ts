import pMap from 'p-map'
import type { Rate } from '#lib/domain/rates/rating.ts'
import { RowRefused } from '#lib/domain/row-refused.ts'
import type { Call } from '#lib/store/calls/call.ts'
import type { CallChange } from '#lib/store/calls/call-storage.ts'
import { findRatesFor, rateAmong, type Tariff } from '#lib/store/rates/tariff.ts'
import type { Store } from '#lib/store/store.ts'
import { INTERNAL, madeHere, PAYERS, rateCall } from './call-rating.ts'
import { invoicedDays } from './invoiced-days.ts'
import { type Customer, customerOf, openRateBook, type RateBook } from './rate-book.ts'
import { openVersionsOfThen } from './version-of-then.ts'

/** By which version of a tariff calls are priced again. */
export type VersionChoice = 'active' | 'as-of'

/** Which calls are priced again, and how. */
export interface ReratingWish {
  readonly with: VersionChoice
  /** Only prices that this tariff makes. */
  readonly tariff?: number | undefined
  /** Only calls that this provider carried. */
  readonly provider?: number | undefined
  /** Also calls that were invoiced. */
  readonly includeInvoiced: boolean
  /** Also prices that came with the calls, or may have. */
  readonly includePriced: boolean
}

/** Why a call stays as it is, though it was meant. */
export type Left = 'invoiced' | 'came priced' | 'internal' | 'version gone' | 'not rated'

/** What pricing a call again comes to: a change, nothing new, not meant at all, or a reason to leave it. */
export type Verdict = CallChange | 'same' | 'not meant' | { readonly left: Left }

/** Prices calls again, each by itself, in their order; what several of them need is read once. */
export type Rerater = (calls: readonly Call[]) => Promise<Verdict[]>

const PRICED_AT_ONCE = 16

export async function openRerater(store: Store, wish: ReratingWish): Promise<Rerater> {
  const book = withVersions(await openRateBook(store, []), wish.with)
  const isInvoiced = wish.includeInvoiced ? async () => false : invoicedDays(store)
  const world = { book, isInvoiced, tariff: wish.tariff }

  const verdictFor = (call: Call): Verdict | Promise<Verdict> => {
    const payers = wish.includePriced ? PAYERS : payersIn(call)
    if (!isCarriedBy(call, wish.provider)) return 'not meant'
    return reasonToLeave(call, payers) ?? verdictOn(world, call, payers)
  }

  return async (calls) => {
    await book.accounts(calls.flatMap(({ user_id, owner_id }) => [user_id, owner_id]))
    return pMap(calls, verdictFor, { concurrency: PRICED_AT_ONCE })
  }
}

interface Rerating {
  readonly book: RateBook
  readonly isInvoiced: (call: Call) => Promise<boolean>
  readonly tariff: number | undefined
}

async function verdictOn(
  { book, isInvoiced, tariff }: Rerating,
  call: Call,
  payers: readonly Payer[],
): Promise<Verdict> {
  const customer = await customerOf(book, call, call)
  const meant = await payersOfTariff(book, { call, customer, payers }, tariff)
  if (meant.length === 0) return 'not meant'
  if (await isInvoiced(call)) return { left: 'invoiced' }
  return priced(book, { call, customer, payers: meant }).catch(leftFor)
}

const isCarriedBy = (call: Call, provider: number | undefined): boolean =>
  provider === undefined || call.provider_id === provider

function reasonToLeave({ rated }: Call, payers: readonly Payer[]): Verdict | undefined {
  if (rated === INTERNAL) return { left: 'internal' }
  return payers.length === 0 ? { left: 'came priced' } : undefined
}

type Payer = (typeof PAYERS)[number]

/** A call, and those whose prices are made again. */
interface Meant {
  readonly call: Call
  readonly customer: Customer
  readonly payers: readonly Payer[]
}

const payersIn = ({ rated }: Call): Payer[] => PAYERS.filter((payer) => rated.split(' ').includes(payer))

/** With a tariff named, only those that it charges. */
async function payersOfTariff(book: RateBook, { call, customer, payers }: Meant, tariff: number | undefined) {
  if (tariff === undefined) return payers
  const provider = call.provider_id === undefined ? undefined : await book.provider(call.provider_id)
  const tariffs: Readonly<Record<Payer, number | undefined>> = {
    user: customer.account.tariff_id,
    reseller: customer.direct ? undefined : customer.owner?.tariff_id,
    provider: provider?.tariff_id,
  }
  return payers.filter((payer) => tariffs[payer] === tariff)
}

/** The prices of others stay; so does one that nothing makes any more. */
async function priced(book: RateBook, { call, customer, payers }: Meant): Promise<Verdict> {
  const blank = Object.fromEntries(payers.flatMap(columnsOf).map((column) => [column, undefined]))
  const bare = { ...call, ...blank, user_price: undefined }
  const rated = await rateCall(book, bare, customer)
  const made = payers.filter((payer) => rated[`${payer}_price`] !== undefined)
  const news = Object.fromEntries(made.flatMap(columnsOf).map((column) => [column, rated[column]]))
  const after = { ...call, ...news, version: call.version + 1 }
  if (made.flatMap(columnsOf).every((column) => after[column] === call[column])) return 'same'
  return { before: call, after: { ...after, rated: bothOf(call.rated, madeHere(bare, rated), made) } }
}

const bothOf = (before: string, now: string, made: readonly Payer[]): string => {
  if (now === INTERNAL) return now
  return PAYERS.filter((payer) => made.includes(payer) || before.split(' ').includes(payer)).join(' ')
}

type PriceColumn = 'user_rate' | 'user_price' | 'reseller_price' | 'provider_rate' | 'provider_price'

const COLUMNS: Readonly<Record<Payer, readonly PriceColumn[]>> = {
  user: ['user_rate', 'user_price'],
  reseller: ['reseller_price'],
  provider: ['provider_rate', 'provider_price'],
}

const columnsOf = (payer: Payer): readonly PriceColumn[] => COLUMNS[payer]

/** The version that counted when the call was made is not kept any more, or there was none. */
class VersionGone extends Error {}

function leftFor(error: unknown): Verdict {
  if (error instanceof VersionGone) return { left: 'version gone' }
  if (error instanceof RowRefused) return { left: 'not rated' }
  throw error
}

const MOST_NUMBERS = 20_000

/** No number is internal now that was not when it was called. */
function withVersions(book: RateBook, choice: VersionChoice): RateBook {
  const versionOfThen = openVersionsOfThen(book.store)
  const ratesFor = rememberingRates(book.store)
  const asOf = async (tariff: Tariff, at: number): Promise<Tariff> => {
    const active = await versionOfThen(tariff.id, at)
    if (!active) throw new VersionGone(`the version of tariff ${tariff.id} of then is gone`)
    return { ...tariff, active }
  }
  return {
    ...book,
    internal: new Set(),
    rate: async (tariff, call) => {
      const header = choice === 'active' ? tariff : await asOf(tariff, call.at)
      return rateAmong(await ratesFor(header, call.digits), call)
    },
  }
}

/** A number that is called often is looked up once. */
function rememberingRates(store: Store): (tariff: Tariff, digits: string) => Promise<Rate[]> {
  let known = new Map<string, Promise<Rate[]>>()
  return (tariff, digits) => {
    const name = `${tariff.id} ${tariff.active?.version} ${digits}`
    if (known.size > MOST_NUMBERS) known = new Map()
    const rates = known.get(name) ?? findRatesFor(store, tariff, digits)
    known.set(name, rates)
    return rates
  }
}
