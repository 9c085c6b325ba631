import { isZero, type Money, subtract } from '#lib/base/money.ts'
import { PAYERS } from '#lib/calls/rating/call-rating.ts'
import type { ReratingSkipReason } from '#lib/calls/rating/rerating.ts'
import { type Difference, type ReratingSums, totalDifference } from '#lib/calls/rating/rerating-difference.ts'
import { countOf } from '#tools/machine/terminal.ts'

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

const describeSums = ({ calls, before, after }: ReratingSums, currency: string): string => {
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
