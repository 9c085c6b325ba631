import type { TrafficAnswer } from '#lib/api/console/answers/calls.ts'
import { daysBefore } from '#lib/base/calendar.ts'
import { type ApiQuery, useQuery } from '../api/use-query.ts'
import type { DayRange } from '../base/range.ts'
import { navigate } from '../base/route.ts'
import { isOperator, type SectionProps } from '../base/section.ts'
import { RangeChoice } from '../links/range-choice.tsx'
import { DayChart } from '../overview/day-chart.tsx'
import { type MeasureOfDays, TILES } from '../overview/figures.ts'
import { LeftOut } from '../overview/left-out.tsx'
import { AgeOfSums } from '../overview/top-groups.tsx'
import { LoadedSums } from '../states/loaded-sums.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { isByTime, reportOf, WAYS, type Way } from './report-rows.ts'
import { ReportTable } from './report-table.tsx'

/** The sums of whole days, by time or by one other thing. All choices are in the address. */
export function Reports({ route, session, range }: SectionProps) {
  const ways = WAYS.filter(([name]) => isByTime(name) || isOperator(session))
  const way = ways.find(([name]) => name === route.values['by'])?.[0] ?? 'day'
  const measures = TILES.filter(({ isMoney }) => !isMoney || session.type !== 'user')
  const compared = way === 'month' ? undefined : measures.find(({ name }) => name === route.values['compare'])
  const charted = compared ?? measures[0]
  const [query, before] = useSums(way, range, compared !== undefined)
  return (
    <div class="stack">
      <PageHeader title="Reports">
        <RangeChoice range={range} />
      </PageHeader>
      <div class="filters cluster">
        <Choice label="Group by" value={way} options={ways} onChoose={(by) => navigate({ by })} />
        {way !== 'month' && (
          <Choice
            label="Compare with the period before"
            value={compared?.name ?? ''}
            options={[['', 'nothing'], ...measures.map(({ name, title }) => [name, title] as const)]}
            onChoose={(compare) => navigate({ compare })}
          />
        )}
      </div>
      <LoadedSums query={query} what="the report" lines={10}>
        {(traffic) => (
          <LoadedSums query={before} what="the period before" lines={10}>
            {(earlier) => (
              <Shown
                {...{ way, range, traffic, compared, charted }}
                today={session.today}
                before={compared ? earlier : undefined}
              />
            )}
          </LoadedSums>
        )}
      </LoadedSums>
    </div>
  )
}

/** The sums of the range and of the one before it. Those of days come with the days before them. */
function useSums(
  way: Way,
  range: DayRange,
  isCompared: boolean,
): readonly [ApiQuery<TrafficAnswer>, ApiQuery<TrafficAnswer>] {
  const by = isByTime(way) ? 'day' : way
  const days = { from: range.from, till: range.till }
  const query = useQuery('/traffic', { ...days, by })
  const isAskedTwice = isCompared && by !== 'day'
  const before = useQuery(isAskedTwice ? '/traffic' : undefined, {
    ...daysBefore(range),
    by,
  })
  return [query, isAskedTwice ? before : query]
}

interface ChoiceProps {
  readonly label: string
  readonly value: string
  readonly options: readonly (readonly [string, string])[]
  readonly onChoose: (value: string) => void
}

const Choice = ({ label, value, options, onChoose }: ChoiceProps) => (
  <label class="choice">
    <span class="muted">{label}</span>
    <select class="input" value={value} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
      {options.map(([name, title]) => (
        <option key={name} value={name}>
          {title}
        </option>
      ))}
    </select>
  </label>
)

interface ShownProps {
  readonly way: Way
  readonly range: DayRange
  readonly traffic: TrafficAnswer
  readonly before: TrafficAnswer | undefined
  readonly compared: MeasureOfDays | undefined
  /** The measure that the chart of days shows. */
  readonly charted: MeasureOfDays | undefined
  readonly today: string
}

function Shown({ way, range, traffic, before, compared, charted, today }: ShownProps) {
  const report = reportOf(way, traffic, before)
  if (report.total.figures.attempts === 0)
    return (
      <Card title="Report">
        <EmptyState
          title="No calls on these days"
          text="Choose other days above, or let a switch send its CDRs."
        />
      </Card>
    )
  return (
    <>
      {way === 'day' && charted && traffic.days.length > 1 && (
        <Card title={`${charted.title} by day`}>
          <DayChart measure={charted} {...{ traffic, today }} />
        </Card>
      )}
      <ReportTable {...{ way, range, report, compared }} traffic={traffic} />
      <LeftOut traffic={traffic} />
      <AgeOfSums grouped={traffic.grouped} />
    </>
  )
}
