import { add, type Money } from '#lib/base/money.ts'
import { countOf } from '#lib/base/text.ts'

/** The payers of a call: the customer, the reseller above it, and the operator, whom the provider charges. */
export const PAYERS = ['user', 'reseller', 'provider'] as const

export type Payer = (typeof PAYERS)[number]

type Prices = Readonly<Record<Payer, Money>>

export const pricesBy = (priceOf: (payer: Payer) => Money): Prices => ({
  user: priceOf('user'),
  reseller: priceOf('reseller'),
  provider: priceOf('provider'),
})

/** Calls that get other prices, and the sums of their prices before and after. */
export interface PriceChanges {
  readonly calls: number
  readonly before: Prices
  readonly after: Prices
}

export const sumOfChanges = (some: readonly PriceChanges[]): PriceChanges => {
  const over = (when: 'before' | 'after') => pricesBy((payer) => add(...some.map((one) => one[when][payer])))
  return { calls: countCalls(some), before: over('before'), after: over('after') }
}

export const countCalls = (some: readonly { readonly calls: number }[]): number =>
  some.reduce((sum, { calls }) => sum + calls, 0)

/** Why re-rating leaves a call as it is, and the input that overrides it. */
const SKIPPED = {
  invoiced: ['invoiced', 'includeInvoiced'],
  came_priced: ['came with a price', 'includePriced'],
  internal: ['internal'],
  incoming: ['incoming'],
  feature_code: ['feature code'],
  short_number: ['short number'],
  former_owner: ['from before its customer had its present owner'],
  unknown_rate: ['unknown rate'],
  ambiguous_number: ['number not known'],
  unreadable: ['no number'],
  blocked_destination: ['blocked prefix'],
} as const satisfies Readonly<Record<string, readonly [why: string, overriddenBy?: string]>>

export type SkippedCalls = keyof typeof SKIPPED

export const SKIP_REASONS = /* @__PURE__ */ Object.keys(SKIPPED) as SkippedCalls[]

/** Calls that keep their prices, and prices by the oldest kept version of a tariff. */
export interface KeptPrices {
  readonly same: number
  readonly skipped: readonly { readonly reason: SkippedCalls; readonly calls: number }[]
  readonly oldest: number
}

/** A sentence each. `named` is an input that overrides a reason, as the reader knows it. */
export const describeKept = (
  { same, skipped, oldest }: KeptPrices,
  named: (input: 'includeInvoiced' | 'includePriced') => string,
): string[] => [
  `${countOf(same, 'call')} unchanged`,
  ...skipped.map(({ reason, calls }) => skippedLine(calls, SKIPPED[reason], named)).sort(),
  ...describeOldest(oldest),
]

const skippedLine = (
  calls: number,
  [why, override]: (typeof SKIPPED)[SkippedCalls],
  named: Parameters<typeof describeKept>[1],
): string =>
  `${countOf(calls, 'call')} skipped: ${why}${override ? ` (${named(override)} overrides this)` : ''}`

/** Says how many prices are by another version than that of the call's start; nothing without any. */
export const describeOldest = (prices: number): string[] =>
  prices > 0
    ? [`${countOf(prices, 'price')} by the oldest kept version of a tariff: that of the call's start is gone`]
    : []
