import type uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { TrafficAnswer } from '#lib/api/console/answers/calls.ts'
import { BLANK } from '../base/format.ts'
import { Table } from '../tables/table.tsx'
import { type MeasureOfDays, sumOfFigures } from './figures.ts'

export interface BarChartProps {
  readonly title: string
  /** A bar each, in its order. */
  readonly names: readonly string[]
  /** A name as the axis has it. */
  readonly short: (name: string) => string
  /** Null where a value is unknown. */
  readonly values: readonly (number | null)[]
  /** The values of the period before, dashed. */
  readonly before?: readonly (number | null)[]
  /** The bar that is not over, which is pale. */
  readonly running: string
  readonly write: (value: number) => string
  readonly words: ChartWords
}

interface ChartWords {
  /** The noun of a bar: a day, a month. */
  readonly bar: string
  readonly summary: string
  readonly asTable: string
  readonly now: string
  readonly running: string
  readonly before?: { readonly title: string; readonly legend: string }
}

/** Bars, the previous period dashed, the running one pale. A table has the same. */
export function BarChart({ title, names, short, values, before = [], running, write, words }: BarChartProps) {
  const place = useRef<HTMLDivElement>(null)
  const looks = useLooks()
  const [pointed, setPointed] = useState<Pointed | null>(null)
  const plotted = useRef<uPlot>(null)
  useEffect(() => {
    const element = place.current
    if (!element) return
    const isRunning = (index: number) => names[index] === running
    const data = [
      names.map((_, index) => index),
      values.map((value, index) => (isRunning(index) ? null : value)),
      values.map((value, index) => (isRunning(index) ? value : null)),
      ...[1, 2].map(() => names.map((_, index) => before[index] ?? null)),
    ]
    const bars = { names: names.map(short), write, onPoint: setPointed }
    return drawInto(element, plotted, data as uPlot.AlignedData, bars)
  }, [title, names, values, before, looks])
  const text = (value: number | null | undefined) =>
    value === undefined || value === null ? BLANK : write(value)
  const last = names.length - 1
  const index = pointed?.index ?? last
  const earlier = words.before && { ...words.before, text: text(before[index]) }
  const move = ({ key }: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[key]
    const plot = plotted.current
    if (step === undefined || !plot) return
    const next = Math.max(0, Math.min(last, (pointed?.index ?? last + 1) + step))
    plot.setCursor({ left: plot.valToPos(next, 'x'), top: 0 })
  }
  return (
    <figure class="chart" aria-label={title}>
      <div
        ref={place}
        class="plot"
        role="slider"
        tabIndex={0}
        aria-label={words.summary}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={index}
        aria-valuetext={`${names[index]}: ${text(values[index])}${earlier ? `, before ${earlier.text}` : ''}`}
        onKeyDown={move}
      />
      {pointed && (
        <p class="at-pointer" aria-hidden="true" style={{ left: `${pointed.left}px` }}>
          {names[index]}
          <strong>{text(values[index])}</strong>
          {earlier && <span class="muted">before {earlier.text}</span>}
        </p>
      )}
      <p class="legend muted">
        <span class="key bars" /> {words.now} <span class="key pale" /> {words.running}
        {words.before && (
          <>
            {' '}
            <span class="key dashed" /> {words.before.legend}
          </>
        )}
      </p>
      <details>
        <summary>{words.asTable}</summary>
        <Table
          label={title}
          columns={[
            { title: words.bar, text: (at) => names[at] },
            { title, number: (at) => text(values[at]) },
            ...(words.before
              ? [{ title: words.before.title, number: (at: number) => text(before[at]) }]
              : []),
          ]}
          rows={names.map((_, at) => at)}
        />
      </details>
    </figure>
  )
}

interface DayChartProps {
  readonly measure: MeasureOfDays
  readonly traffic: TrafficAnswer
  /** The day that is not over. */
  readonly today: string
}

/** A measure by day, and the period before. */
export function DayChart({ measure, traffic, today }: DayChartProps) {
  const { days, before, currency } = traffic
  const valuesOf = (list: TrafficAnswer['days']) => list.map((day) => measure.value(day) ?? null)
  const write = (value: number) => measure.write(value, currency)
  const [title, total] = [`${measure.title} by day`, measure.value(sumOfFigures(days))]
  const shown = useMemo(
    () => ({ names: days.map(({ day }) => day), values: valuesOf(days), before: valuesOf(before) }),
    [measure, traffic],
  )
  return (
    <BarChart
      {...{ title, write, running: today, ...shown }}
      short={(day) => day.slice(5)}
      words={{
        bar: 'Day',
        summary: `${title}: ${total === undefined ? BLANK : write(total)} in all`,
        asTable: 'As a table',
        now: 'this period',
        running: 'today, so far',
        before: {
          title: 'Before',
          legend: `the period before${measure.isMoney ? `, in ${currency}` : ''}`,
        },
      }}
    />
  )
}

/** A bar, and where it is drawn. */
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

interface BarAxis {
  readonly names: readonly string[]
  readonly write: (value: number) => string
  readonly onPoint: (pointed: Pointed | null) => void
}

/** Half of the width of what is shown at the pointer. */
const HALF_WIDTH = 80

function pointedIn({ cursor: { idx }, valToPos, over }: uPlot, { clientWidth }: HTMLElement): Pointed | null {
  if (idx === null || idx === undefined) return null
  const left = over.offsetLeft + valToPos(idx, 'x')
  return { index: idx, left: Math.max(HALF_WIDTH, Math.min(clientWidth - HALF_WIDTH, left)) }
}

/** Draws as soon as uPlot is loaded; offline, the table remains. Returns what takes the drawing away. */
function drawInto(
  element: HTMLElement,
  plotted: { current: uPlot | null },
  data: uPlot.AlignedData,
  bars: BarAxis,
): () => void {
  let isGone = false
  import('uplot').then(
    ({ default: Plot }) => {
      if (!isGone) plotted.current = new Plot(chartOptions(element, Plot.paths, bars), data, element)
    },
    () => undefined,
  )
  return () => {
    isGone = true
    plotted.current?.destroy()
  }
}

/** uPlot's options. Bars are numbered: neither the browser's zone nor clock changes move them. */
function chartOptions(
  element: HTMLElement,
  paths: typeof uPlot.paths,
  { names, write, onPoint }: BarAxis,
): uPlot.Options {
  const { color, caretColor, backgroundColor, borderTopColor, columnRuleColor, fontFamily } =
    getComputedStyle(element)
  const axis = { stroke: caretColor, font: `11px ${fontFamily}`, ticks: { show: false }, gap: 4 }
  const line = { paths: paths.linear?.(), points: { show: false } }
  const bar = { paths: paths.bars?.({ size: [0.7, 48] }), points: { show: false } }
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
            Math.ceil((names.length * LABEL_WIDTH) / Math.max(element.clientWidth - LABEL_WIDTH, 1)),
          ),
        ],
        values: (_plot, splits) => splits.map((index) => names[index] ?? ''),
      },
      {
        ...axis,
        grid: { stroke: borderTopColor, width: 1 },
        size: 64,
        space: 44,
        values: (_plot, splits) => splits.map(write),
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
      // The dashes are seen on a bar, too.
      { ...line, stroke: backgroundColor, width: 5 },
      { ...line, stroke: columnRuleColor, width: 2, dash: [5, 4], points: { show: names.length < 2 } },
    ] as uPlot.Series[],
  }
}
