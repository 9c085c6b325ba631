import type { TrafficAnswer } from '#lib/api/console/answers/calls.ts'
import { formatCounted, formatMoney } from '../base/format.ts'
import { linkToRoute } from '../base/route.ts'
import { sumOfFigures } from './figures.ts'

/** Calls of unknown cost, which the margins of a range leave out. Shows nothing if there are none. */
export function LeftOut({ traffic }: { readonly traffic: TrafficAnswer | undefined }) {
  const { unknownCost, unknownRevenue } = sumOfFigures(traffic?.days ?? [])
  if (!traffic || unknownCost === 0) return null
  return (
    <p class="muted">
      Margins leave out{' '}
      <a href={linkToRoute(['calls'], { 'unknown-cost': 'yes' })}>
        {`${formatCounted(unknownCost, 'answered call')} of unknown cost`}
      </a>
      {`, with a revenue of ${formatMoney(unknownRevenue, traffic.currency)}.`}
    </p>
  )
}
