import { useState } from 'preact/hooks'
import type { CallRowAnswer } from '#lib/api/console/answers/calls.ts'
import { add, ZERO } from '#lib/base/money.ts'
import type { QueryValues } from '../api/console-api.ts'
import { useAction } from '../api/use-action.ts'
import { answerPages } from '../api/use-pages.ts'
import { formatCounted, formatMoney } from '../base/format.ts'
import { CsvButton } from '../states/csv-button.tsx'
import { RefusalNotice } from '../states/refusal-notice.tsx'
import { Button } from '../ui/button.tsx'

interface Totals {
  readonly count: number
  readonly seconds: number
  readonly price: string
}

const NO_CALLS: Totals = { count: 0, seconds: 0, price: ZERO }

const plus = (sums: Totals, calls: readonly CallRowAnswer[]): Totals => ({
  count: sums.count + calls.length,
  seconds: calls.reduce((sum, call) => sum + call.seconds, sums.seconds),
  price: calls.reduce((sum, { price }) => add(sum, price ?? ZERO), sums.price),
})

interface CallTotalsProps {
  readonly queryValues: QueryValues
  /** The calls that have been read so far, and whether these are all. */
  readonly calls: readonly CallRowAnswer[]
  readonly isComplete: boolean
  readonly currency: string
  readonly hasCost: boolean
}

/** The largest page of calls: what is summed up or saved comes in few requests. */
const PAGE_CALLS = 1000

/** The filtered calls' sums and their file. A list read to its end is summed up at once. */
export function CallTotals({ queryValues, calls: listed, isComplete, currency, hasCost }: CallTotalsProps) {
  const asked = JSON.stringify(queryValues)
  const [found, setFound] = useState({ asked: '', totals: NO_CALLS })
  const { run, isUnderWay, problem } = useAction()
  async function* all() {
    let totals = NO_CALLS
    for await (const { calls } of answerPages('/calls', { ...queryValues, count: PAGE_CALLS })) {
      totals = plus(totals, calls)
      yield calls.map((call) => cellsOf(call, hasCost))
    }
    setFound({ asked, totals })
  }
  const sumUp = () =>
    run(async () => {
      for await (const _ of all());
    })
  const totals = isComplete ? plus(NO_CALLS, listed) : found.totals
  const isKnown = isComplete || found.asked === asked
  return (
    <>
      {problem && <RefusalNotice problem={problem} />}
      {isKnown && <span role="status">{inWords(totals, currency)}</span>}
      {!isComplete && (
        <Button small isBusy={isUnderWay} onClick={sumUp}>
          Sum up
        </Button>
      )}
      <CsvButton name="calls" heading={headingFor(hasCost)} pages={all} />
    </>
  )
}

const inWords = ({ count, seconds, price }: Totals, currency: string): string =>
  [
    formatCounted(count, 'call'),
    formatCounted(Math.round(seconds / 60), 'minute'),
    formatMoney(price, currency),
  ].join(' · ')

const headingFor = (hasCost: boolean) => [
  ...['time', 'from', 'to', 'seconds', 'result', 'cause', 'customer_id', 'customer', 'price'],
  ...(hasCost ? ['cost'] : []),
]

const cellsOf = (call: CallRowAnswer, hasCost: boolean): string[] => [
  ...[call.at, call.from, call.to, String(call.seconds), call.disposition, String(call.cause)],
  ...[String(call.customer.id), call.customer.name, call.price ?? ''],
  ...(hasCost ? [call.cost ?? ''] : []),
]
