import type { Seconds } from '#lib/base/calendar.ts'
import { DAY_TYPES, type DayType, type Rate } from './rating.ts'

/**
 * A rate as a line of a page: its cells, separated by tabs. Lines sort by prefix, then effective_from, then
 * start_time: a tab comes before every digit, and seconds are padded.
 */
export const toLine = (rate: Rate): string =>
  [
    rate.prefix,
    effectiveCell(rate.effective_from),
    rate.start_time,
    rate.end_time,
    DAY_TYPES.indexOf(rate.daytype),
    rate.tariff_rate,
    rate.con_fee,
    rate.increment,
    rate.min_time,
    rate.direction,
    rate.destination,
    rate.code,
    ...endCells(rate),
  ].join('\t')

/** A rate without an end has no cells for it, as in tables of earlier versions. */
const endCells = ({ ends_at, after_end }: Rate): string[] =>
  ends_at === undefined ? [] : [effectiveCell(ends_at), ...(after_end === 'blocked' ? [after_end] : [])]

const SECONDS_DIGITS = 12

const effectiveCell = (effective: number | undefined): string =>
  effective === undefined ? '' : String(effective).padStart(SECONDS_DIGITS, '0')

/** The cells of a line by the columns of a rate. */
export const RATE_CELLS = [
  'prefix',
  'effective_from',
  'start_time',
  'end_time',
  'daytype',
  'tariff_rate',
  'con_fee',
  'increment',
  'min_time',
  'direction',
  'destination',
  'code',
  'ends_at',
  'after_end',
] as const satisfies readonly (keyof Rate)[]

/** The number of cells that identify a rate: prefix, effective_from, start_time, end_time and daytype. */
export const KEY_CELLS = 5

/** The part of a line that is unique within a tariff. */
export function keyOfLine(line: string): string {
  let end = -1
  for (let cell = 0; cell < KEY_CELLS; cell += 1) end = line.indexOf('\t', end + 1)
  return line.slice(0, end)
}

/** The start of a rate, and its hours and days. */
interface LineTimes {
  /** In Unix seconds; 0 for a rate without effective_from. */
  readonly from: Seconds
  readonly window: string
}

export function lineTimes(line: string): LineTimes {
  const [, effective = '', start, end, daytype] = line.split('\t', 5)
  return { from: Number(effective), window: `${start} ${end} ${daytype}` }
}

const ENDS_AT = RATE_CELLS.indexOf('ends_at')

/** The end of a rate; infinity if it has none. */
export const endOfLine = (line: string): Seconds =>
  Number(line.split('\t', ENDS_AT + 1)[ENDS_AT] ?? Number.POSITIVE_INFINITY)

/** The line of a rate that ends at this moment, and gives way to a shorter prefix. */
export const lineUntil = (line: string, ends_at: Seconds): string =>
  endOfLine(line) <= ends_at ? line : toLine({ ...fromLine(line), ends_at, after_end: 'fallback' })

export function fromLine(line: string): Rate {
  const [prefix = '', effective = '', start_time = '', end_time = '', daytype = '0', ...rest] =
    line.split('\t')
  const [tariff_rate = '0', con_fee = '0', increment = '1', min_time = '0', ...names] = rest
  const [direction = '', destination = '', code = '', ends = '', after_end] = names
  return {
    prefix,
    effective_from: effective === '' ? undefined : Number(effective),
    start_time,
    end_time,
    daytype: DAY_TYPES[Number(daytype)] ?? unknownDayType(line),
    tariff_rate,
    con_fee,
    increment: Number(increment),
    min_time: Number(min_time),
    direction,
    destination,
    code,
    ends_at: ends === '' ? undefined : Number(ends),
    after_end: after_end === 'blocked' ? after_end : 'fallback',
  }
}

function unknownDayType(line: string): DayType {
  throw new Error(`A stored rate has no day type: ${line}`)
}
