import pMap from 'p-map'
import { paired } from '#lib/base/collections.ts'
import { ZERO } from '#lib/base/money.ts'
import type { Refusal } from '#lib/base/refusal.ts'
import { reasonIn } from '#lib/base/row-refused.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Store } from '#lib/table/store.ts'
import type { Call } from '../call.ts'
import type { CallChange } from '../counted-change.ts'
import { findParty, freeReasonIn, ratePayers } from './call-rating.ts'
import { changeCalls, obstacleIn } from './change-calls.ts'
import {
  PAYERS,
  type Payer,
  type PriceChanges,
  pricesBy,
  type SkippedCalls,
  sumOfChanges,
} from './price-changes.ts'
import {
  asOfCallStart,
  type Customer,
  customerOf,
  invoiceCheck,
  MAX_PARALLEL_RATINGS,
  openRateBook,
  type RateBook,
  watchedAmong,
} from './rate-book.ts'

export interface ReratingOptions {
  /** The tariff version: the active one, or the one in force when the call began. */
  readonly with: 'active' | 'as-of'
  /** Limits re-rating to prices that this tariff makes. */
  readonly tariff?: number | undefined
  /** Limits re-rating to calls that this provider carried. */
  readonly provider?: number | undefined
  readonly includeInvoiced: boolean
  /** Replaces prices that came with a call, too. */
  readonly includePriced: boolean
}

/** The reason why re-rating leaves a call unchanged; a call that was not asked for is `not_selected`. */
export type ReratingSkipReason = 'not_selected' | SkippedCalls

/** The result of re-rating a call: a change, the same prices, or no rating. */
export type Verdict = CallChange | 'same' | { readonly skipped: ReratingSkipReason }

/** Re-rates calls independently. Returns the verdicts in the order of the calls. */
export type Rerater = (calls: readonly Call[]) => Promise<Verdict[]>

export async function openRerater(store: Store, options: ReratingOptions): Promise<Rerater> {
  // A stored call stays external even if its number has become an extension since.
  const unchanging = { internal: new Set<string>(), noteUnknownMargin: throwUnlessBlocked }
  const latest = { ...(await openRateBook(store, [])), ...unchanging }
  const book = options.with === 'active' ? latest : asOfCallStart(latest)
  const isInvoiced = invoiceCheck(store, book.settings)

  const verdictFor = async (call: Call): Promise<Verdict> => {
    const reason = reasonToSkip(call, options)
    if (reason !== undefined) return skip(reason)
    const customer = await customerOf(book, call, call)
    const payers = await payersOfTariff(book, call, customer, options.tariff)
    const selected = candidatesOf(call, options).filter((payer) => payers.includes(payer))
    if (selected.length === 0) return skip('not_selected')
    if (!options.includeInvoiced && (await isInvoiced(call))) return skip('invoiced')
    return rerateCall(book, call, customer, selected)
  }

  return async (calls) => {
    await book.accounts(calls.flatMap(({ user_id, owner_id }) => [user_id, owner_id]))
    return pMap(calls, (call) => verdictFor(call).catch((error) => skip(obstacleIn(error).reason)), {
      concurrency: MAX_PARALLEL_RATINGS,
    })
  }
}

/** A price that a provider's tariff no longer makes is kept. */
function throwUnlessBlocked(refused: Refusal<'refused_row'>): void {
  if (refused.values.reason !== 'blocked_destination') throw refused
}

const skip = (skipped: ReratingSkipReason): Verdict => ({ skipped })

function reasonToSkip(call: Call, options: ReratingOptions): ReratingSkipReason | undefined {
  if (options.provider !== undefined && call.provider_id !== options.provider) return 'not_selected'
  const free = call.incoming ? 'incoming' : freeReasonIn(call)
  if (free) return free
  return candidatesOf(call, options).length === 0 ? 'came_priced' : undefined
}

const candidatesOf = (call: Call, { includePriced }: ReratingOptions): readonly Payer[] =>
  includePriced ? PAYERS : ratedPayers(call)

/** The payers whose prices this service made. */
const ratedPayers = ({ rated }: Call): Payer[] => PAYERS.filter((payer) => rated.split(' ').includes(payer))

/** The payers whom a tariff charges for a call; all payers if no tariff is given. */
async function payersOfTariff(
  book: RateBook,
  call: Call,
  customer: Customer,
  tariff: number | undefined,
): Promise<readonly Payer[]> {
  if (tariff === undefined) return PAYERS
  const find = (payer: Payer) => findParty(book, call, customer, payer).catch(reasonIn)
  const parties = await Promise.all(PAYERS.map(find))
  return PAYERS.filter((_, index) => {
    const party = parties[index]
    return typeof party === 'object' && party.tariff_id === tariff
  })
}

/** Keeps other payers' prices, and prices that can no longer be rated, as they are not charged. */
async function rerateCall(
  book: RateBook,
  call: Call,
  customer: Customer,
  payers: readonly Payer[],
): Promise<Verdict> {
  const prices = await ratePayers(book, call, customer, payers)
  const after = { ...call, ...prices, version: call.version + 1 }
  if (RATED_COLUMNS.every((column) => after[column] === call[column])) return 'same'
  const ratedNow = payers.filter((payer) => prices[`${payer}_price`] !== undefined)
  const rated = PAYERS.filter((payer) => [...ratedNow, ...ratedPayers(call)].includes(payer))
  return { before: call, watched: watchedAmong(book, customer), after: { ...after, rated: rated.join(' ') } }
}

const RATED_COLUMNS = [
  'user_rate',
  'user_price',
  'reseller_price',
  'provider_rate',
  'provider_price',
  'origin',
  'provider_origin',
] as const

/** Makes planned changes, rating calls again that changed since the plan. Returns the changes made. */
export async function storeRerated(
  store: Store,
  rerate: Rerater,
  planned: readonly CallChange[],
): Promise<CallChange[]> {
  const calls = planned.map((change) => ({ identity: change.after, input: change, before: change.before }))
  const settings = await settingsOf(store)
  const decided = await changeCalls({ store, settings }, calls, async (open) => {
    const others = open.flatMap(({ input, before }) => (before && before !== input.before ? [before] : []))
    const verdicts = paired(others, await rerate(others))
    return open.map(({ input, before }) => {
      const verdict = before === input.before ? input : before && verdicts.get(before)
      return { change: isChange(verdict) ? verdict : undefined }
    })
  })
  return [...decided.values()].flatMap(({ change }) => change ?? [])
}

export const isChange = (verdict: Verdict | undefined): verdict is CallChange =>
  typeof verdict === 'object' && 'after' in verdict

/** The changes of each customer, by its id. */
export type ChangesOfCustomers = Map<number, PriceChanges>

export function noteChange(customers: ChangesOfCustomers, { before, after }: CallChange): void {
  const known = customers.get(after.user_id)
  const change = { calls: 1, before: pricesOf(before), after: pricesOf(after) }
  customers.set(after.user_id, known ? sumOfChanges([known, change]) : change)
}

const pricesOf = (call: Call | undefined) => pricesBy((payer) => call?.[`${payer}_price`] ?? ZERO)
