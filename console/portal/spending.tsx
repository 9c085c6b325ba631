import { useMemo } from 'preact/hooks'
import type { PortalMonthsAnswer } from '#lib/api/console/answers/portal.ts'
import { add } from '#lib/base/money.ts'
import { useQuery } from '../api/use-query.ts'
import { BarChart } from '../overview/day-chart.tsx'
import { Loaded } from '../states/loaded.tsx'
import { Card } from '../ui/card.tsx'
import { usePortal } from './portal-session.ts'

/** The cost of each month, from the first one that cost something; none while that is the present one. */
export const PortalSpending = () => (
  <Loaded query={useQuery('/own/months')} block>
    {({ months, currency }) => {
      const first = months.findIndex(({ spent, fees }) => Number(spent) + Number(fees) !== 0)
      const shown = first < 0 ? [] : months.slice(first)
      return shown.length > 1 && <Months months={shown} currency={currency} />
    }}
  </Loaded>
)

function Months({ months, currency }: PortalMonthsAnswer) {
  const { t, amount, formats } = usePortal()
  const title = `${t('spending')}, ${currency}`
  const shown = useMemo(
    () => ({
      names: months.map(({ month }) => formats.month(month)),
      values: months.map(({ spent, fees }) => (spent === null ? null : Number(add(spent, fees)))),
    }),
    [months, formats],
  )
  const running = shown.names.at(-1) ?? ''
  return (
    <Card title={t('spending')}>
      <BarChart
        {...{ title, running, ...shown }}
        short={(name) => name.slice(0, 3)}
        write={(value) => amount(value.toFixed(2), 2)}
        words={{
          bar: t('month'),
          summary: title,
          asTable: t('asTable'),
          now: `${currency}, ${t('withoutVat')}`,
          running: t('soFar'),
        }}
      />
    </Card>
  )
}
