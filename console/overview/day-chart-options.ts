import uPlot from 'uplot'
import type { MeasureOfDays } from './figures.ts'

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
export function dayChartOptions(
  element: HTMLElement,
  { measure, days, currency, onPoint }: DayAxis,
): uPlot.Options {
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
      { ...bar, stroke: color, fill: () => hatchedWith(color) },
      { paths: line, stroke: columnRuleColor, width: 2, dash: [5, 4], points: { show: days.length < 2 } },
    ] as uPlot.Series[],
  }
}

const HATCH_PIXELS = 8

/** A pattern of slanted lines, or the plain colour where a canvas has none. */
function hatchedWith(colour: string): CanvasPattern | string {
  const canvas = document.createElement('canvas')
  canvas.width = HATCH_PIXELS
  canvas.height = HATCH_PIXELS
  const context = canvas.getContext('2d')
  if (!context) return colour
  context.strokeStyle = colour
  context.lineWidth = 2
  context.beginPath()
  context.moveTo(0, HATCH_PIXELS)
  context.lineTo(HATCH_PIXELS, 0)
  context.stroke()
  return context.createPattern(canvas, 'repeat') ?? colour
}
