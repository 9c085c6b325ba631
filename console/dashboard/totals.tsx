import { find, textIn } from '../api/xml.ts'
import { formatCount, formatMinutes, formatMoney } from '../format.ts'
import { Card } from '../ui/card.tsx'
import { Notice } from '../ui/notice.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import type { Viewer } from './viewer.ts'

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

/** quickstats_get: answered calls and minutes, and money where the account may see it. */
export function Totals({ viewer }: { readonly viewer: Viewer | undefined }) {
  if (viewer && !viewer.stats)
    return (
      <Notice tone="info" title="The totals of today and of the month are not for this type of account." />
    )
  return (
    <>
      {PERIODS.map(([name, title]) => (
        <Card key={name} title={title}>
          {viewer ? <Figures viewer={viewer} period={name} /> : <Skeleton what="the totals" lines={2} />}
        </Card>
      ))}
    </>
  )
}

interface FiguresProps {
  readonly viewer: Viewer
  readonly period: string
}

const Figures = ({ viewer: { stats, currency }, period }: FiguresProps) => (
  <dl class="figures">
    {Object.entries(FIGURES)
      .map(([name, figure]) => [figure, textIn(stats && find(stats, period), name)] as const)
      .filter(([, text]) => text !== '')
      .map(([[title, show], text]) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd title={text}>{show(text, currency)}</dd>
        </div>
      ))}
  </dl>
)
