import { add, isZero, type Money, subtract, ZERO } from '#lib/base/money.ts'
import type { Call } from '#lib/calls/call.ts'
import type { CallChange } from '#lib/calls/counted-change.ts'
import { PAYERS, type Payer } from '#lib/calls/rating/call-rating.ts'
import { countOf } from '#tools/machine/terminal.ts'
import type { ReratingSkipReason } from './rerating.ts'

/** The prices of a customer's changed calls, before and after. */
interface Sums {
  readonly calls: number
  readonly before: Prices
  readonly after: Prices
}

type Prices = Readonly<Record<Payer, Money>>

const NOTHING: Prices = { user: ZERO, reseller: ZERO, provider: ZERO }

/** The changes by customer, and the number of skipped calls. */
export interface Difference {
  readonly customers: Map<number, Sums>
  readonly skipped: Map<ReratingSkipReason, number>
  /** Calls whose prices stay the same. */
  same: number
}

export const noDifference = (): Difference => ({ customers: new Map(), skipped: new Map(), same: 0 })

export function noteChange({ customers }: Difference, { before, after }: CallChange): void {
  const known = customers.get(after.user_id) ?? { calls: 0, before: NOTHING, after: NOTHING }
  customers.set(after.user_id, {
    calls: known.calls + 1,
    before: before ? sumOf(known.before, before) : known.before,
    after: sumOf(known.after, after),
  })
}

/** Counts a skipped call, unless the operator did not select it. */
export function noteSkipped({ skipped }: Difference, reason: ReratingSkipReason): void {
  if (reason !== 'not_selected') skipped.set(reason, (skipped.get(reason) ?? 0) + 1)
}

const sumOf = (sums: Prices, call: Call): Prices => ({
  user: add(sums.user, call.user_price ?? ZERO),
  reseller: add(sums.reseller, call.reseller_price ?? ZERO),
  provider: add(sums.provider, call.provider_price ?? ZERO),
})

/** The sums of all customers. */
export function totalDifference({ customers }: Difference): Sums {
  const all = [...customers.values()]
  const over = (when: 'before' | 'after'): Prices => ({
    user: add(...all.map((sums) => sums[when].user)),
    reseller: add(...all.map((sums) => sums[when].reseller)),
    provider: add(...all.map((sums) => sums[when].provider)),
  })
  return {
    calls: all.reduce((sum, { calls }) => sum + calls, 0),
    before: over('before'),
    after: over('after'),
  }
}

/** A line for each customer, by name, then the total, and a line for each reason to skip calls. */
export function describeDifference(
  difference: Difference,
  usernameOf: (user: number) => string,
  currency: string,
): string[] {
  const customers = [...difference.customers].map(
    ([user, sums]) => `${usernameOf(user)}: ${describeSums(sums, currency)}`,
  )
  const skipped = [...difference.skipped].map(
    ([reason, count]) => `${countOf(count, 'call')} skipped: ${REASONS[reason]}`,
  )
  return [
    ...customers.sort(),
    `total: ${describeSums(totalDifference(difference), currency)}`,
    `${countOf(difference.same, 'call')} unchanged`,
    ...skipped.sort(),
  ]
}

const describeSums = ({ calls, before, after }: Sums, currency: string): string => {
  const money = PAYERS.filter((payer) => payer === 'user' || before[payer] !== after[payer]).map(
    (payer) =>
      `${LABELS[payer]}${before[payer]} -> ${after[payer]} ${currency} (${signed(subtract(after[payer], before[payer]))})`,
  )
  return `${countOf(calls, 'call')}, ${money.join(', ')}`
}

/** The reasons in words; some name the option that overrides them. */
const REASONS: Readonly<Record<ReratingSkipReason, string>> = {
  not_selected: 'not selected',
  invoiced: 'invoiced (--include-invoiced overrides this)',
  came_priced: 'came with a price (--include-priced overrides this)',
  internal: 'internal',
  incoming: 'incoming',
  feature_code: 'feature code',
  short_number: 'short number',
  version_gone: 'tariff version no longer kept',
  unknown_rate: 'unknown rate',
  ambiguous_number: 'number not known',
  unreadable: 'no number',
  blocked_destination: 'blocked prefix',
}

const LABELS = { user: '', reseller: 'reseller ', provider: 'provider ' } as const

const signed = (amount: Money): string => (amount.startsWith('-') || isZero(amount) ? amount : `+${amount}`)
