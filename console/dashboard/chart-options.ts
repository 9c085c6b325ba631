import uPlot from 'uplot'
import type { ChartData } from './traffic-charts.ts'

const HEIGHT = 150

/** The width of a label of the time axis, in points of the screen. */
const LABEL_WIDTH = 48

const bars = uPlot.paths.bars?.({ size: [0.7, 40] })
const line = uPlot.paths.linear?.()

type OnPoint = (at: number | null | undefined, left: number) => void

/** The options of uPlot. Slots are numbered, so that no zone of a browser and no change of the clocks moves them. */
export function chartOptions(element: HTMLElement, chart: ChartData, onPoint: OnPoint): uPlot.Options {
  const { color, caretColor, borderTopColor, columnRuleColor } = getComputedStyle(element)
  const colours = chart.series.length > 1 ? [columnRuleColor, color] : [color]
  const axis = { stroke: caretColor, font: '11px sans-serif', ticks: { show: false }, gap: 4 }
  const margin = chart.isCount ? 0.6 : 0.2
  return {
    width: element.clientWidth,
    height: HEIGHT,
    padding: [8, 18, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 } },
    hooks: { setCursor: [({ cursor, over }) => onPoint(cursor.idx, (cursor.left ?? 0) + over.offsetLeft)] },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 28,
        gap: 8,
        incrs: slotSteps(element, chart.slots.length),
        values: (_plot, splits) => splits.map((at) => axisName(chart.slots[at])),
      },
      {
        ...axis,
        grid: { stroke: borderTopColor, width: 1 },
        size: 44,
        space: 36,
        incrs: chart.axis.steps,
        values: (_plot, splits) => splits.map(chart.axis.write),
      },
    ],
    scales: {
      x: { time: false, range: (_plot, least, most) => [least - margin, most + margin] },
      y: { range: (_plot, _least, most) => [0, Math.max(most ?? 0, 1) * 1.08] },
    },
    series: [
      {},
      ...colours.map((colour) => ({
        stroke: colour,
        points: { show: !chart.isCount && chart.slots.length < 2 },
        ...(chart.isCount ? { fill: colour, paths: bars } : { width: 2, paths: line }),
      })),
    ] as uPlot.Series[],
  }
}

/** The one step between labels at which all of them have room. */
function slotSteps(element: HTMLElement, slots: number): number[] {
  const room = Math.max(1, Math.floor((element.clientWidth - LABEL_WIDTH) / LABEL_WIDTH))
  return [Math.max(1, Math.ceil(slots / room))]
}

/** A day as `11-22`, an hour as `09:00`: a 24-hour clock. */
function axisName(slot = ''): string {
  return slot.length > 10 ? `${slot.slice(11)}:00` : slot.slice(5)
}
