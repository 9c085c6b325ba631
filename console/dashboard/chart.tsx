import { useEffect, useRef, useState } from 'preact/hooks'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { Table } from '../ui/table.tsx'
import { chartOptions } from './chart-options.ts'
import type { ChartData } from './traffic-charts.ts'

/** The point under the pointer, and where it is on the screen. */
interface Pointed {
  readonly at: number
  readonly left: number
}

/** Values over time with a tooltip, drawn again for another width or colour scheme; the same as a table below it. */
export function Chart({ chart }: { readonly chart: ChartData }) {
  const place = useRef<HTMLDivElement>(null)
  const [pointed, setPointed] = useState<Pointed>()
  const looks = useLooks()
  useEffect(() => {
    const element = place.current
    if (!element) return
    const onPoint = (at: number | null | undefined, left: number) =>
      setPointed(at === null || at === undefined ? undefined : { at, left })
    const data = [chart.slots.map((_, at) => at), ...chart.series.map(({ values }) => values)]
    const plot = new uPlot(chartOptions(element, chart, onPoint), data as uPlot.AlignedData, element)
    return () => plot.destroy()
  }, [chart, looks])
  const figures = chart.series.map(({ title, figure }) => `${title} ${figure}`).join(', ')
  return (
    <figure class="card card-body chart" aria-label={chart.title}>
      <figcaption>
        <h3>{chart.title}</h3>
        <Figures series={chart.series} />
      </figcaption>
      <div class="plot-place">
        <div ref={place} class="plot" role="img" aria-label={`${chart.title}: ${figures}`} />
        {pointed && <Tooltip chart={chart} pointed={pointed} />}
      </div>
      <details>
        <summary>As a table</summary>
        <Table label={chart.title} columns={columnsOf(chart)} rows={rowsOf(chart)} />
      </details>
    </figure>
  )
}

/** Figures of several series are named, each beside its colour. */
const Figures = ({ series }: Pick<ChartData, 'series'>) => (
  <p class="chart-figures">
    {series.map(({ title, figure }) => (
      <span key={title}>
        <span class="figure">{figure}</span>
        {series.length > 1 && <span class="series-name"> {title.toLowerCase()}</span>}
      </span>
    ))}
  </p>
)

const columnsOf = ({ series }: ChartData) =>
  ['Time', ...series.map(({ title }) => title)].map((key) => ({ key }))

const rowsOf = ({ slots, series }: ChartData) =>
  slots.map((slot, at) => ({
    Time: slotName(slot),
    ...Object.fromEntries(series.map(({ title, texts }) => [title, texts[at] ?? ''])),
  }))

/** `2026-11-22 09` is the hour from 09:00. */
const slotName = (slot: string): string => (slot.length > 10 ? `${slot}:00` : slot)

interface TooltipProps {
  readonly chart: ChartData
  readonly pointed: Pointed
}

/** The tooltip is at the left of the point where there is no room at its right. */
const Tooltip = ({ chart: { slots, series }, pointed: { at, left } }: TooltipProps) => (
  <div class={`tooltip${at > slots.length / 2 ? ' at-left' : ''}`} style={{ left: `${left}px` }}>
    <span class="muted">{slotName(slots[at] ?? '')}</span>
    {series.map(({ title, texts }) => (
      <span key={title}>
        {title} <strong>{texts[at]}</strong>
      </span>
    ))}
  </div>
)

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
