import * as v from 'valibot'
import { isMoneyFromZero, type Money, moneyOf, ZERO } from '#lib/base/money.ts'
import { brokenRule, type RowProblem, rowRefused } from '#lib/base/row-refused.ts'
import {
  type Column,
  dateTime,
  flag,
  id,
  integer,
  labelled,
  oneOf,
  optional,
  text,
  textLike,
} from '#lib/table/columns.ts'
import { prefixOf } from './code.ts'
import { originName } from './origins/origins.ts'
import { AFTER_ENDS, BLOCKED_RATE, DAY_TYPES, type DayType, END_OF_DAY, type Rate } from './rating.ts'

const MAX_NAME_LENGTH = 255

/** Without tabs, which separate the cells of a stored rate: they become blanks. */
const name: Column<string> = {
  ...text(),
  fromCell: (cell) => cell.replaceAll(/[\t\r\n]+/g, ' ').trim(),
  describes: `one line of at most ${MAX_NAME_LENGTH} characters`,
  schema: v.pipe(v.string(), v.maxLength(MAX_NAME_LENGTH), v.regex(/^[^\t\r\n]*$/)),
}

/** The cell may contain spaces, dashes or a plus sign, because carriers write prefixes with them. */
const prefix: Column<string> = {
  describes: 'at most 30 digits',
  schema: v.pipe(v.string(), v.regex(/^\d{1,30}$/)),
  fromCell: (cell, dialling) => prefixOf(cell, dialling) ?? cell,
}

/** The meaning of a comma before three digits. With `undefined` such a cell becomes a question. */
type Comma = 'decimal' | 'thousands' | undefined

/** An amount of at least 0; a blank cell means 0. The cell may have a decimal comma. */
const fee = (comma: Comma): Column<Money> => ({
  describes: 'decimal number from 0 of at most 30 digits',
  schema: v.pipe(v.string(), v.check(isMoneyFromZero)),
  fromCell: (cell) => amountIn(cell, comma),
  isAmount: true,
  blank: { value: ZERO },
})

/** The price of a minute. `blocked` and -1 mean that calls to the prefix are not sold. */
const minuteRate = (comma: Comma): Column<Money> => ({
  describes: 'decimal number from 0 of at most 30 digits, or blocked (or -1) for a prefix that is not sold',
  schema: v.pipe(
    v.string(),
    v.check((amount) => amount === BLOCKED_RATE || isMoneyFromZero(amount)),
  ),
  isAmount: true,
  fromCell: (cell) => (/^\s*blocked\s*$/i.test(cell) ? BLOCKED_RATE : amountIn(cell, comma)),
})

const amountIn = (cell: string, comma: Comma): string => moneyOf(withPoint(cell.trim(), comma)) ?? cell

function withPoint(cell: string, comma: Comma): string {
  if (!/^[^.,]*,[^.,]*$/.test(cell)) return cell
  const mayBeThousands = /^[1-9]\d{0,2},\d{3}$/.test(cell)
  if (mayBeThousands && comma === undefined) throw rowRefused(commaQuestion(cell))
  return cell.replace(',', mayBeThousands && comma === 'thousands' ? '' : '.')
}

const commaQuestion = (cell: string): string =>
  `${cell} may be ${cell.replace(',', '.')} or ${cell.replace(',', '')}: pass --decimal-comma or --decimal-point`

const MAX_SECONDS = 86_400

const seconds = (blank: number): Column<number> => ({
  ...integer(blank),
  describes: `whole number from 0 to ${MAX_SECONDS}`,
  schema: v.pipe(integer(blank).schema, v.minValue(0), v.maxValue(MAX_SECONDS)),
})

/** The cells `8:00` and `08:00` mean `08:00:00`. The end of a day may be written as 24:00:00. */
const timeOfDay = (blank: string): Column<string> => ({
  ...textLike('HH:MM:SS', /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/),
  fromCell: (cell) => {
    const [, hours = '', minutes = '', rest = '00'] =
      /^(\d{1,2}):(\d{2})(?::(\d{2}))?$/.exec(cell.trim()) ?? []
    const time = `${hours.padStart(2, '0')}:${minutes}:${rest}`
    return time === '24:00:00' ? END_OF_DAY : time
  },
  blank: { value: blank },
})

/** The cell may use the abbreviations of other systems. */
const daytype: Column<DayType> = {
  ...oneOf(DAY_TYPES, 'everyday'),
  fromCell: (cell) => DAY_TYPE_NAMES.get(cell.trim().toLowerCase()) ?? cell,
}

const DAY_TYPE_NAMES = new Map<string, DayType>([
  ...DAY_TYPES.map((name) => [name, name] as const),
  ['all', 'everyday'],
  // Numeric exports of MySQL's enum('','FD','WD') have 1 for the blank value, which means any day.
  ['1', 'everyday'],
  ['wd', 'weekday'],
  ['weekdays', 'weekday'],
  ['fd', 'weekend'],
  ['weekends', 'weekend'],
])

const callersOrigin: Column<string> = {
  ...originName,
  describes: `${originName.describes}, or blank`,
  schema: v.union([v.literal(''), originName.schema]),
  blank: { value: '' },
}

export const rateColumnsWith = (comma: Comma) => ({
  tariff_id: id,
  direction: name,
  destination: name,
  prefix,
  code: name,
  tariff_rate: minuteRate(comma),
  con_fee: fee(comma),
  increment: seconds(1),
  min_time: seconds(0),
  start_time: timeOfDay('00:00:00'),
  end_time: timeOfDay(END_OF_DAY),
  daytype,
  effective_from: optional(dateTime),
  ends_at: optional(dateTime),
  after_end: oneOf(AFTER_ENDS, 'fallback'),
  origin: labelled(callersOrigin, 'Origin', 'the callers whom it charges; blank for all'),
  adds: labelled(flag(false), 'Adds', 'added to the rate of the call, for its origin'),
})

export const rateColumns = rateColumnsWith(undefined)

export type RateRow = Rate & { readonly tariff_id: number }

/** The reason to refuse a rate that is never in force, or an addition that is not an amount for an origin. */
export function rateProblem(rate: Rate): RowProblem | undefined {
  const { effective_from = 0, ends_at } = rate
  if (ends_at !== undefined && ends_at <= effective_from)
    return brokenRule('ends_at', 'must be after effective_from')
  return rate.adds ? additionProblem(rate) : undefined
}

function additionProblem({ origin, increment, min_time, tariff_rate, after_end }: Rate) {
  if (origin === '') return brokenRule('adds', 'needs an origin: without one, raise the rate itself')
  if (increment !== 1) return brokenRule('increment', 'is that of the rate to which this one adds')
  if (min_time !== 0) return brokenRule('min_time', 'is that of the rate to which this one adds')
  if (tariff_rate === BLOCKED_RATE)
    return brokenRule('tariff_rate', 'blocks no calls with adds: a rate of its own blocks an origin')
  return after_end === 'blocked' ? brokenRule('after_end', 'takes only fallback with adds') : undefined
}

export const destinationColumns = { prefix, direction: name, destination: name }
