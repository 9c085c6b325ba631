import { add, type Money, ZERO } from '#lib/base/money.ts'
import type { Call } from '../call.ts'
import type { CallChange } from '../counted-change.ts'
import { PAYERS, type Payer } from './call-rating.ts'
import type { ReratingSkipReason, Verdict } from './rerating.ts'

/** The prices of a customer's changed calls, before and after. */
export interface ReratingSums {
  readonly calls: number
  readonly before: Prices
  readonly after: Prices
}

type Prices = Readonly<Record<Payer, Money>>

const pricesBy = (sumOf: (payer: Payer) => Money) =>
  Object.fromEntries(PAYERS.map((payer) => [payer, sumOf(payer)])) as Prices

const NOTHING = pricesBy(() => ZERO)

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

const sumOf = (sums: Prices, call: Call): Prices =>
  pricesBy((payer) => add(sums[payer], call[`${payer}_price`] ?? ZERO))

export function totalDifference({ customers }: Difference): ReratingSums {
  const all = [...customers.values()]
  const over = (when: 'before' | 'after') => pricesBy((payer) => add(...all.map((sums) => sums[when][payer])))
  return {
    calls: all.reduce((sum, { calls }) => sum + calls, 0),
    before: over('before'),
    after: over('after'),
  }
}
