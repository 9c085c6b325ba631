import { namesIn } from './collections.ts'
import { ZONE } from './iso-moment.ts'

/** Whether the day or the month comes first in dates whose year comes last. */
export const DATE_ORDERS = ['day-month', 'month-day'] as const

export type DateOrder = (typeof DATE_ORDERS)[number]

/** `11/22/2026 10:00:48 PM`, `22.11.2026 22:00:48`; what follows, such as a zone, stays. */
const YEAR_LAST =
  /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})(?:,? |T)(\d{1,2})(:\d\d:\d\d(?:[.,]\d+)?)(?: ?([AP])\.?M\.?)?( ?[A-Z+-].*)?$/i

/** `11222026 220048`: no month is 19 or 20, so a date of eight digits cannot begin with such a year. */
const YEAR_LAST_IN_DIGITS = /^(\d\d)(\d\d)((?:19|20)\d\d) ?(\d\d):?(\d\d):?(\d\d)(?!\d)/

/** Returns whether a time has its year after day and month, so that it can be read in two ways. */
export const isYearLast = (text: string): boolean => YEAR_LAST.test(text) || YEAR_LAST_IN_DIGITS.test(text)

/** The time with its year first, and with 24 hours; another text as it is. */
export function withYearFirst(text: string, order: DateOrder): string {
  const [all, first = '', second = '', year, hour = '', rest, half, zone = ''] =
    YEAR_LAST.exec(text.replace(YEAR_LAST_IN_DIGITS, '$1/$2/$3 $4:$5:$6')) ?? []
  if (all === undefined || (half && Number(hour) > 12)) return text
  const [month, day] = order === 'month-day' ? [first, second] : [second, first]
  return `${year}-${twoDigits(month)}-${twoDigits(day)} ${hourOfDay(hour, half)}${rest}${zone}`
}

/** The hour of a day of 24 hours, in two digits. `half` is AM or PM, or undefined. */
export function hourOfDay(hour: string, half: string | undefined): string {
  const noon = half && /p/i.test(half) ? 12 : 0
  return twoDigits(half ? (Number(hour) % 12) + noon : hour)
}

const twoDigits = (number: string | number): string => String(number).padStart(2, '0')

/** Longer texts are not times. */
const MAX_CHARACTERS = 60

const CLOCK = /(?<!\d)(\d{1,2})(:\d\d:\d\d(?:[.,]\d{1,9})?)(?: ?([AP])M(?![a-z]))?(?!:?\d)/i

const MONTHS = 'january february march april may june july august september october november december'.split(
  ' ',
)

/** The number of a month by its name, also of three letters or `Sept`; 0 for another word. */
export function monthNumberOf(name: string): number {
  const start = name.toLowerCase().slice(0, 4).replace('sept', 'sep')
  return MONTHS.findIndex((month) => month.startsWith(start)) + 1
}

/** The parts of a date without its clock time, each of which it has at most once. */
const DATE_PARTS = {
  date: /^\d{4}[-/]\d\d[-/]\d\d$/,
  year: /^(?:19|20)\d\d$/,
  day: /^\d{1,2}$/,
  month: new RegExp(
    `^(?:${MONTHS.map((name) => `${name.slice(0, 3)}(?:${name.slice(3)})?`).join('|')}|sept)$`,
    'i',
  ),
  weekday: /^(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?$/i,
  zone: new RegExp(`^(?:${ZONE})$`, 'i'),
}

/**
 * Puts the year first in a time whose month is a word: `Sun, 22 Nov 2026 22:00:48 +0000` of RFC 2822,
 * `22-Nov-2026 22:00:48`, Cisco's `22:00:48.123 UTC Sun Nov 22 2026`; also `2026-11-22 10:00:48 PM`.
 */
export function withMonthNumber(text: string): string {
  const [clock, hour = '', rest, half] = CLOCK.exec(text.slice(0, MAX_CHARACTERS + 1)) ?? []
  if (clock === undefined || text.length > MAX_CHARACTERS || (half && Number(hour) > 12)) return text
  const parts = datePartsOf(text.replace(clock, ' ').replace(/^[*.]/, ''))
  if (!parts) return text
  const { year, month = '', day = '', zone = '' } = parts
  const date = parts.date ?? `${year}-${twoDigits(monthNumberOf(month))}-${twoDigits(day)}`
  return `${date} ${hourOfDay(hour, half)}${rest}${zone}`
}

type DateParts = { [part in keyof typeof DATE_PARTS]?: string }

/** `undefined` if a part is missing, or something else stands there. */
function datePartsOf(text: string): DateParts | undefined {
  const parts: DateParts = {}
  for (const word of text.replace(/([a-z])[/-]|[/-](?=[a-z])/gi, '$1 ').split(/[\s,]+|:(?=\s|$)/)) {
    const part = namesIn(DATE_PARTS).find((name) => parts[name] === undefined && DATE_PARTS[name].test(word))
    if (part !== undefined) parts[part] = word
    else if (word !== '') return undefined
  }
  const found = [parts.date, parts.year, parts.month, parts.day].map((part) => (part === undefined ? 0 : 1))
  return ['1000', '0111'].includes(found.join('')) ? parts : undefined
}
