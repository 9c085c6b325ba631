import { addDays, momentAt } from '#lib/base/calendar.ts'
import { DATE_ORDERS, type DateOrder, hourOfDay, monthNumberOf } from '#lib/base/date-order.ts'
import { AFTER_ENDS } from '../rating.ts'
import { type Cell, type CellEvidence, chooseReading, type Question, questionOfFirst } from './question.ts'

/** The common order of all dates of a sheet, or a question if they do not show it. */
export const dateOrderOf = (cells: Iterable<Cell>): DateOrder | Question | undefined =>
  chooseReading(
    {
      about: 'dates',
      ways: DATE_ORDERS,
      asks: 'Does the day or the month come first in dates? The sheet does not show it',
      evidenceIn: orderIn,
    },
    cells,
  )

/** Only two numbers before a year are ambiguous. Between dots the day always comes first. */
function orderIn(cell: string): CellEvidence<DateOrder> {
  const [, first, second] = NUMBERS.exec(cell.trim()) ?? []
  if (first === undefined || cell.includes('.') || Number(first) === Number(second)) return undefined
  if (Number(first) > 12) return 'day-month'
  return Number(second) > 12 ? 'month-day' : 'either'
}

const NUMBERS = /^(\d{1,2})[/. -](\d{1,2})[/. -](\d{4}|\d{2})(?!\d)/

/**
 * Reads a date as carriers write it (`2026-12-01`, `01.12.2026`, `1/12/26 06:00`, `01-Dec-2026`, `Dec 1,
 * 2026`, `20261201`, a spreadsheet's day number). Returns `YYYY-MM-DD HH:MM:SS` with the offset, if there is
 * one; a blank text for a blank cell or `immediate`, which mean at once; `undefined` for another text.
 */
export function dateTimeOf(cell: string, order: DateOrder): string | undefined {
  const text = cell.trim().replace(/\s+/g, ' ')
  if (/^(immediate(ly)?|now|asap)?$/i.test(text)) return ''
  const { index = text.length } = /[T, ]\d{1,2}:\d{2}/.exec(text) ?? {}
  const day = dayOf(text.slice(0, index).trim().replace(/,$/, ''), order)
  const time = timeOf(text.slice(index + 1))
  if (day === undefined || time === undefined) return undefined
  return momentAt(day, time.slice(0, 8), 'UTC') === undefined ? undefined : `${day} ${time}`
}

/** The words for a rate that does not end. */
const NO_END =
  /^(?:-+|n\/?a|none|never|open|unlimited|indefinite(?:ly)?|until further notice|ufn|no end(?: date)?|0000-00-00.*|9999.*)?$/i

/**
 * Reads the end of a rate as the first moment without it: a day without a time is the last one of the rate,
 * and 23:59 its last minute. Returns a blank text without an end; `undefined` for another text.
 */
export function endOf(cell: string, order: DateOrder): string | undefined {
  if (NO_END.test(cell.trim())) return ''
  const moment = dateTimeOf(cell, order)
  if (!moment) return undefined
  const isWholeDay = !/\d:\d/.test(cell) || /^23:59:(?:00|59)$/.test(moment.slice(11, 19))
  return isWholeDay ? `${addDays(moment.slice(0, 10), 1)} 00:00:00${moment.slice(19)}` : moment
}

/** Asks what happens after the end of a rate. */
export const endQuestion = (cells: Iterable<Cell>): Question | undefined =>
  questionOfFirst(cells, ({ text }) => !NO_END.test(text), {
    about: 'after_end',
    asks: 'After the end of a rate, does a shorter prefix rate its numbers, or are they blocked',
    choices: AFTER_ENDS,
  })

/** Days whose parts the text alone tells apart: `2026-12-01` or `20261201`, `01-Dec-2026`, `Dec 1, 2026`. */
const CLEAR_DAYS = [
  /^(?<year>\d{4})([/.-]?)(?<month>\d{1,2})\2(?<day>\d{1,2})$/,
  /^(?<day>\d{1,2})(?:st|nd|rd|th)?[\s./-]*(?<month>[a-z]{3,9})[\s.,/-]*(?<year>\d{4}|\d{2})$/i,
  /^(?<month>[a-z]{3,9})[\s./-]*(?<day>\d{1,2})(?:st|nd|rd|th)?[\s.,/-]+(?<year>\d{4}|\d{2})$/i,
]

function dayOf(date: string, order: DateOrder): string | undefined {
  for (const form of CLEAR_DAYS) {
    const { year, month = '', day = '' } = form.exec(date)?.groups ?? {}
    if (year !== undefined) return written(year, /\d/.test(month) ? month : String(monthNumberOf(month)), day)
  }
  const [all, first = '', second = '', year = ''] = NUMBERS.exec(date) ?? []
  if (all !== date || isYearFirst(first, year)) return spreadsheetDay(date)
  const isDayFirst = order === 'day-month' || date.includes('.')
  return isDayFirst ? written(year, second, first) : written(year, first, second)
}

/** `26/12/01` may be of 2026: no sheet or statement has days of twenty years ago. */
const isYearFirst = (first: string, year: string): boolean => Number(first) >= 20 && Number(year) < 16

/** Spreadsheets count days from 30 December 1899. The limits are the years 2000 to 2099. */
function spreadsheetDay(date: string): string | undefined {
  const days = /^\d{5}(\.0+)?$/.test(date) ? Number(date) : 0
  return days < 36_526 || days > 73_050 ? undefined : addDays('1899-12-30', days)
}

const written = (year: string, month: string, day: string): string =>
  `${year.length === 2 ? `20${year}` : year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`

const CLOCK =
  /^(\d{1,2}):(\d{2})(?::(\d{2}))?(?:\.\d+)? ?([ap]m)? ?(?:(Z|UTC|GMT)? ?([+-]\d{2}(?::?\d{2})?)?)$/i

function timeOf(clock: string): string | undefined {
  if (clock === '') return '00:00:00'
  const [all, hours = '', minutes = '', seconds = '00', half, utc, offset] = CLOCK.exec(clock) ?? []
  if (all === undefined) return undefined
  return `${hourOfDay(hours, half)}:${minutes}:${seconds}${offset ?? (utc ? 'Z' : '')}`
}
