import pMap from 'p-map'
import { RowRefused, reasonIn } from '#lib/domain/row-refused.ts'
import type { Call } from '#lib/store/calls/call.ts'
import type { CallChange } from '#lib/store/calls/call-storage.ts'
import type { Store } from '#lib/store/store.ts'
import { findParty, INTERNAL, PAYERS, type Payer, ratePayers } from './call-rating.ts'
import {
  asOfCallStart,
  type Customer,
  customerOf,
  invoicedDays,
  openRateBook,
  type RateBook,
  VersionGone,
} from './rate-book.ts'

/** The version of each tariff by which calls are re-rated. */
export type VersionChoice = 'active' | 'as-of'

/** The calls and prices to re-rate. */
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

/** The reason why re-rating leaves a call unchanged; a call that was not asked for is `not_selected`. */
export type ReratingSkipReason =
  | 'not_selected'
  | 'invoiced'
  | 'came_priced'
  | 'internal'
  | 'version_gone'
  | 'unknown_rate'

/** The result of re-rating a call: a change, the same prices, or no rating at all. */
export type Verdict = CallChange | 'same' | { readonly skipped: ReratingSkipReason }

/** Re-rates calls, each by itself; the verdicts are in the order of the calls. Shared data is read once. */
export type Rerater = (calls: readonly Call[]) => Promise<Verdict[]>

const RATED_AT_ONCE = 16

export async function openRerater(store: Store, wish: ReratingWish): Promise<Rerater> {
  // A number that became internal since the call stays external for the call.
  const latest = { ...(await openRateBook(store, [])), internal: new Set<string>() }
  const book = wish.with === 'active' ? latest : asOfCallStart(latest)
  const isInvoiced = wish.includeInvoiced ? async () => false : invoicedDays(store)

  const verdictFor = async (call: Call): Promise<Verdict> => {
    const reason = reasonToSkip(call, wish)
    if (reason !== undefined) return skip(reason)
    const customer = await customerOf(book, call, call)
    const payers = await payersOfTariff(book, call, customer, wish.tariff)
    const selected = candidatesOf(call, wish).filter((payer) => payers.includes(payer))
    if (selected.length === 0) return skip('not_selected')
    return (await isInvoiced(call)) ? skip('invoiced') : rerateCall(book, call, customer, selected)
  }

  return async (calls) => {
    await book.accounts(calls.flatMap(({ user_id, owner_id }) => [user_id, owner_id]))
    return pMap(calls, (call) => verdictFor(call).catch(skipUnratable), { concurrency: RATED_AT_ONCE })
  }
}

const skip = (skipped: ReratingSkipReason): Verdict => ({ skipped })

function reasonToSkip(call: Call, wish: ReratingWish): ReratingSkipReason | undefined {
  if (wish.provider !== undefined && call.provider_id !== wish.provider) return 'not_selected'
  if (call.rated === INTERNAL) return 'internal'
  return candidatesOf(call, wish).length === 0 ? 'came_priced' : undefined
}

const candidatesOf = (call: Call, { includePriced }: ReratingWish): readonly Payer[] =>
  includePriced ? PAYERS : ratedPayers(call)

function skipUnratable(error: unknown): Verdict {
  if (error instanceof VersionGone) return skip('version_gone')
  if (error instanceof RowRefused) return skip('unknown_rate')
  throw error
}

/** The payers whose prices were made here. */
const ratedPayers = ({ rated }: Call): Payer[] => PAYERS.filter((payer) => rated.split(' ').includes(payer))

/** The payers that a tariff charges for a call; without a tariff all of them. */
async function payersOfTariff(
  book: RateBook,
  call: Call,
  customer: Customer,
  tariff: number | undefined,
): Promise<readonly Payer[]> {
  if (tariff === undefined) return PAYERS
  const find = (payer: Payer) => findParty(book, call, customer, payer).catch(reasonIn)
  const parties = await Promise.all(PAYERS.map(find))
  return PAYERS.filter((_, place) => {
    const party = parties[place]
    return typeof party === 'object' && party.tariff_id === tariff
  })
}

/** Prices of other payers are kept, and so are prices that can no longer be rated because nobody charges them. */
async function rerateCall(
  book: RateBook,
  call: Call,
  customer: Customer,
  payers: readonly Payer[],
): Promise<Verdict> {
  const prices = await ratePayers(book, call, customer, payers)
  const after = { ...call, ...prices, version: call.version + 1 }
  if (PRICE_COLUMNS.every((column) => after[column] === call[column])) return 'same'
  const ratedNow = payers.filter((payer) => prices[`${payer}_price`] !== undefined)
  const rated = PAYERS.filter((payer) => [...ratedNow, ...ratedPayers(call)].includes(payer))
  return { before: call, after: { ...after, rated: rated.join(' ') } }
}

const PRICE_COLUMNS = [
  'user_rate',
  'user_price',
  'reseller_price',
  'provider_rate',
  'provider_price',
] as const
