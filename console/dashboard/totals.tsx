import { useEffect } from 'preact/hooks'
import type { Ask } from '../api/ask.ts'
import { useAnswer } from '../api/use-answer.ts'
import { find, textIn, type XmlNode } from '../api/xml.ts'
import { formatCount, formatMinutes, formatMoney } from '../format.ts'
import { Card } from '../ui/card.tsx'
import { Notice } from '../ui/notice.tsx'
import { Problem } from '../ui/problem.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { currencyOf } from './currency.ts'

const PERIODS = [
  ['today', 'Today'],
  ['this_month', 'This month'],
] as const

type Show = (text: string, currency: string) => string

const FIGURES: Readonly<Record<string, readonly [title: string, show: Show]>> = {
  calls: ['Answered calls', (text) => formatCount(Number(text))],
  duration: ['Minutes', (text) => formatMinutes(text)],
  revenue: ['Revenue', formatMoney],
  self_cost: ['Cost', formatMoney],
  profit: ['Profit', formatMoney],
  margin: ['Margin', (text) => `${text} %`],
}

interface Known {
  readonly stats: XmlNode
  readonly currency: string
}

/** The refusal of quickstats_get to accountants and partners. */
const NOT_FOR_THEM = 'Access Denied'

/** quickstats_get: answered calls and minutes, and money where the account may see it. */
export function Totals({ ask }: { readonly ask: Ask }) {
  const [{ value, problem }, put] = useAnswer<Known>()
  useEffect(() => {
    put(async () => {
      const [stats, currency] = await Promise.all([ask('quickstats_get'), currencyOf(ask)])
      return { stats, currency }
    })
  }, [ask, put])
  if (problem === NOT_FOR_THEM)
    return (
      <Notice tone="info" title="The totals of today and of the month are not for this type of account." />
    )
  if (problem) return <Problem text={problem} />
  return (
    <>
      {PERIODS.map(([name, title]) => (
        <Card key={name} title={title}>
          {value ? <Figures known={value} period={name} /> : <Skeleton what="the totals" lines={2} />}
        </Card>
      ))}
    </>
  )
}

interface FiguresProps {
  readonly known: Known
  readonly period: string
}

const Figures = ({ known: { stats, currency }, period }: FiguresProps) => (
  <dl class="figures">
    {Object.entries(FIGURES)
      .map(([name, figure]) => [figure, textIn(find(stats, period), name)] as const)
      .filter(([, text]) => text !== '')
      .map(([[title, show], text]) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd title={text}>{show(text, currency)}</dd>
        </div>
      ))}
  </dl>
)
