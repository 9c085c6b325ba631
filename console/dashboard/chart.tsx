import { useEffect, useRef, useState } from 'preact/hooks'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { Table } from '../views/table.tsx'

export interface Point {
  /** `YYYY-MM-DD`, or with the hour behind it. */
  readonly at: string
  readonly value: number
}

/** What a bar stands for, in seconds. */
const UNITS = { hour: 3600, day: 86_400 } as const

export type Unit = keyof typeof UNITS

interface ChartProps {
  readonly title: string
  readonly unit: Unit
  readonly points: readonly Point[]
}

/** Text of the installation's time zone is drawn as if it were UTC: every hour has its place, whatever the browser's zone. */
const secondsOf = (at: string): number =>
  Date.parse(`${at.slice(0, 10)}T${at.slice(11, 13) || '00'}:00:00Z`) / 1000

const HEIGHT = 220

/** Bars over time, drawn again for another width or colour scheme; the same as a table below, for whoever cannot see it. */
export function Chart({ title, unit, points }: ChartProps) {
  const place = useRef<HTMLDivElement>(null)
  const looks = useLooks()
  useEffect(() => {
    const element = place.current
    if (!element || points.length === 0) return
    const data: uPlot.AlignedData = [points.map(({ at }) => secondsOf(at)), points.map(({ value }) => value)]
    const plot = new uPlot(optionsFor(element, UNITS[unit]), data, element)
    return () => plot.destroy()
  }, [points, unit, looks])
  const sum = points.reduce((before, { value }) => before + value, 0)
  return (
    <figure class="card chart" aria-label={title}>
      <h2>{title}</h2>
      <div
        ref={place}
        class="plot"
        role="img"
        aria-label={`${title}: ${Math.round(sum).toLocaleString()} in all`}
      />
      <details>
        <summary>As a table</summary>
        <Table
          caption={title}
          columns={['at', 'value']}
          rows={points.map(({ at, value }) => ({ at, value: String(Math.round(value)) }))}
        />
      </details>
    </figure>
  )
}

/** Changes with the width of the window and with the colour scheme. */
function useLooks(): string {
  const [looks, setLooks] = useState('')
  useEffect(() => {
    const dark = matchMedia('(prefers-color-scheme: dark)')
    const look = () => setLooks(`${innerWidth} ${dark.matches}`)
    dark.addEventListener('change', look)
    addEventListener('resize', look)
    return () => {
      dark.removeEventListener('change', look)
      removeEventListener('resize', look)
    }
  }, [])
  return looks
}

const paths = uPlot.paths.bars?.({ size: [0.8, 60] })
const BARS = paths ? { paths } : {}

function optionsFor(element: HTMLElement, unit: number): uPlot.Options {
  const { color } = getComputedStyle(element)
  const text = getComputedStyle(document.body).color
  const axis = { stroke: text, grid: { show: false } }
  return {
    width: element.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    axes: [axis, axis],
    scales: {
      x: { range: (_plot, least, most) => [least - unit, most + unit] },
      y: { range: (_plot, _least, most) => [0, Math.max(most, 1) * 1.05] },
    },
    series: [{}, { stroke: color, fill: color, points: { show: false }, ...BARS }],
  }
}
