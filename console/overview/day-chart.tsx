import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { TrafficAnswer } from '#lib/api/console/answers/calls.ts'
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
  const [pointed, setPointed] = useState<Pointed | null>(null)
  const plotted = useRef<uPlot>(null)
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
    plotted.current = plot
    return () => plot.destroy()
  }, [measure, traffic, looks])
  const text = (list: TrafficAnswer['days']) => {
    const value = measure.value(sumOfFigures(list))
    return value === undefined ? BLANK : measure.write(value, currency)
  }
  const last = days.length - 1
  const index = pointed?.index ?? last
  const at = (list: TrafficAnswer['days']) => text(list.slice(index, index + 1))
  const move = ({ key }: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[key]
    const plot = plotted.current
    if (step === undefined || !plot) return
    const next = Math.max(0, Math.min(last, (pointed?.index ?? last + 1) + step))
    plot.setCursor({ left: plot.valToPos(next, 'x'), top: 0 })
  }
  return (
    <figure class="chart" aria-label={`${measure.title} by day`}>
      <div
        ref={place}
        class="plot"
        role="slider"
        tabIndex={0}
        aria-label={`${measure.title} by day: ${text(days)} in all`}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={index}
        aria-valuetext={`${days[index]?.day}: ${at(days)}, before ${at(before)}`}
        onKeyDown={move}
      />
      {pointed && (
        <p class="at-pointer" aria-hidden="true" style={{ left: `${pointed.left}px` }}>
          {days[index]?.day}
          <strong>{at(days)}</strong>
          <span class="muted">before {at(before)}</span>
        </p>
      )}
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

/** A day, and where it is drawn. */
interface Pointed {
  readonly index: number
  readonly left: number
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
  readonly onPoint: (pointed: Pointed | null) => void
}

/** Half of the width of what is shown at the pointer. */
const HALF_WIDTH = 80

function pointedIn({ cursor: { idx }, valToPos, over }: uPlot, { clientWidth }: HTMLElement): Pointed | null {
  if (idx === null || idx === undefined) return null
  const left = over.offsetLeft + valToPos(idx, 'x')
  return { index: idx, left: Math.max(HALF_WIDTH, Math.min(clientWidth - HALF_WIDTH, left)) }
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
    hooks: { setCursor: [(plot) => onPoint(pointedIn(plot, element))] },
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
