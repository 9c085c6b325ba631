import { useEffect, useRef, useState } from 'preact/hooks'
import uPlot from 'uplot'
import type { TrafficAnswer } from '#lib/api/console/answers/traffic.ts'
import 'uplot/dist/uPlot.min.css'
import { BLANK } from '../base/format.ts'
import { Table } from '../tables/table.tsx'
import { type MeasureOfDays, sumOfFigures } from './figures.ts'

interface DayChartProps {
  readonly measure: MeasureOfDays
  readonly traffic: TrafficAnswer
  /** The day that is not over. */
  readonly today: string
}

/** A measure by day: bars, the previous period dashed, the running day pale. A table has the same. */
export function DayChart({ measure, traffic, today }: DayChartProps) {
  const place = useRef<HTMLDivElement>(null)
  const looks = useLooks()
  const [pointed, setPointed] = useState<number | null>(null)
  const { days, before, currency } = traffic
  useEffect(() => {
    const element = place.current
    if (!element) return
    const values = (list: TrafficAnswer['days']) => list.map((day) => measure.value(day) ?? null)
    const isRunning = (index: number) => days[index]?.day === today
    const now = values(days)
    const data = [
      days.map((_, index) => index),
      now.map((value, index) => (isRunning(index) ? null : value)),
      now.map((value, index) => (isRunning(index) ? value : null)),
      values(before),
    ]
    const options = dayChartOptions(element, {
      ...{ measure, currency, onPoint: setPointed },
      days: days.map(({ day }) => day),
    })
    const plot = new uPlot(options, data as uPlot.AlignedData, element)
    return () => plot.destroy()
  }, [measure, traffic, looks])
  const text = (list: TrafficAnswer['days']) => {
    const value = measure.value(sumOfFigures(list))
    return value === undefined ? BLANK : measure.write(value, currency)
  }
  return (
    <figure class="chart" aria-label={`${measure.title} by day`}>
      <div ref={place} class="plot" role="img" aria-label={`${measure.title} by day: ${text(days)} in all`} />
      <p class="legend muted" aria-hidden="true">
        {pointed === null ? (
          'Point at a day to read its values.'
        ) : (
          <>
            <strong>{days[pointed]?.day}</strong> {text(days.slice(pointed, pointed + 1))}, before{' '}
            {text(before.slice(pointed, pointed + 1))}
          </>
        )}
      </p>
      <p class="legend muted">
        <span class="key bars" /> this period <span class="key pale" /> today, so far{' '}
        <span class="key dashed" /> the period before{measure.isMoney && `, in ${currency}`}
      </p>
      <details>
        <summary>As a table</summary>
        <Table
          label={`${measure.title} by day`}
          columns={[
            { title: 'Day', text: ([day]) => day?.day },
            { title: measure.title, number: ([day]) => day && text([day]) },
            { title: 'Before', number: ([, earlier]) => text(earlier ? [earlier] : []) },
          ]}
          rows={days.map((day, index) => [day, before[index]] as const)}
        />
      </details>
    </figure>
  )
}

/** Changes with the width of the window and with the colour scheme: a canvas is drawn again. */
function useLooks(): string {
  const [looks, setLooks] = useState('')
  useEffect(() => {
    const dark = matchMedia('(prefers-color-scheme: dark)')
    const look = () => setLooks(`${innerWidth} ${dark.matches} ${document.documentElement.dataset['theme']}`)
    dark.addEventListener('change', look)
    addEventListener('resize', look)
    return () => {
      dark.removeEventListener('change', look)
      removeEventListener('resize', look)
    }
  }, [])
  return looks
}

const HEIGHT = 260

/** The width of a label of the time axis, in points of the screen. */
const LABEL_WIDTH = 52

const bars = uPlot.paths.bars?.({ size: [0.7, 48] })
const line = uPlot.paths.linear?.()

interface DayAxis {
  readonly measure: MeasureOfDays
  readonly days: readonly string[]
  readonly currency: string
  readonly onPoint: (index: number | null) => void
}

/** uPlot's options. Days are numbered: neither the browser's zone nor clock changes move them. */
function dayChartOptions(element: HTMLElement, { measure, days, currency, onPoint }: DayAxis): uPlot.Options {
  const { color, caretColor, borderTopColor, columnRuleColor, fontFamily } = getComputedStyle(element)
  const axis = { stroke: caretColor, font: `11px ${fontFamily}`, ticks: { show: false }, gap: 4 }
  const bar = { paths: bars, points: { show: false } }
  return {
    width: element.clientWidth,
    height: HEIGHT,
    padding: [8, 8, 0, 0],
    legend: { show: false },
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)] },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 } },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 28,
        gap: 8,
        incrs: [
          Math.max(
            1,
            Math.ceil((days.length * LABEL_WIDTH) / Math.max(element.clientWidth - LABEL_WIDTH, 1)),
          ),
        ],
        values: (_plot, splits) => splits.map((index) => days[index]?.slice(5) ?? ''),
      },
      {
        ...axis,
        grid: { stroke: borderTopColor, width: 1 },
        size: 64,
        space: 44,
        values: (_plot, splits) => splits.map((value) => measure.write(value, currency)),
      },
    ],
    scales: {
      x: { time: false, range: (_plot, least, most) => [least - 0.6, most + 0.6] },
      y: { range: (_plot, least, most) => [Math.min(0, least ?? 0), Math.max(most ?? 0, 1) * 1.08] },
    },
    series: [
      {},
      { ...bar, stroke: color, fill: color },
      { ...bar, stroke: color, fill: `color-mix(in srgb, ${color} 35%, transparent)` },
      { paths: line, stroke: columnRuleColor, width: 2, dash: [5, 4], points: { show: days.length < 2 } },
    ] as uPlot.Series[],
  }
}
