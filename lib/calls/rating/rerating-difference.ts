import { add, type Money, ZERO } from '#lib/base/money.ts'
import type { Call } from '../call.ts'
import type { CallChange } from '../counted-change.ts'
import type { Payer } from './call-rating.ts'
import type { ReratingSkipReason, Verdict } from './rerating.ts'

/** The prices of a customer's changed calls, before and after. */
export interface ReratingSums {
  readonly calls: number
  readonly before: Prices
  readonly after: Prices
}

type Prices = Readonly<Record<Payer, Money>>

const NOTHING: Prices = { user: ZERO, reseller: ZERO, provider: ZERO }

export interface Difference {
  readonly customers: Map<number, ReratingSums>
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

export function noteVerdict(difference: Difference, verdict: Verdict): void {
  if (verdict === 'same') difference.same += 1
  else if ('skipped' in verdict) noteSkipped(difference, verdict.skipped)
  else noteChange(difference, verdict)
}

/** Counts a skipped call, unless the operator did not select it. */
function noteSkipped({ skipped }: Difference, reason: ReratingSkipReason): void {
  if (reason !== 'not_selected') skipped.set(reason, (skipped.get(reason) ?? 0) + 1)
}

const sumOf = (sums: Prices, call: Call): Prices => ({
  user: add(sums.user, call.user_price ?? ZERO),
  reseller: add(sums.reseller, call.reseller_price ?? ZERO),
  provider: add(sums.provider, call.provider_price ?? ZERO),
})

export function totalDifference({ customers }: Difference): ReratingSums {
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
