/** Whether the day or the month comes first in dates whose year comes last. */
export const DATE_ORDERS = ['day-month', 'month-day'] as const

export type DateOrder = (typeof DATE_ORDERS)[number]

/** `11/22/2026 10:00:48 PM`, `22.11.2026 22:00:48`; what follows, such as a zone, stays. */
const YEAR_LAST =
  /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})(?:,? |T)(\d{1,2})(:\d\d:\d\d(?:[.,]\d+)?)(?: ?([AP])\.?M\.?)?( ?[A-Z+-].*)?$/i

/** Tells whether a time has its year after day and month, so that it can be read in two ways. */
export const isYearLast = (text: string): boolean => YEAR_LAST.test(text)

/** The time with its year first, and with 24 hours; another text as it is. */
export function withYearFirst(text: string, order: DateOrder): string {
  const [all, first = '', second = '', year, hour = '', rest, half, zone = ''] = YEAR_LAST.exec(text) ?? []
  if (all === undefined || (half && Number(hour) > 12)) return text
  const [month, day] = order === 'month-day' ? [first, second] : [second, first]
  const noon = half && /p/i.test(half) ? 12 : 0
  const hours = half ? (Number(hour) % 12) + noon : hour
  return `${year}-${twoDigits(month)}-${twoDigits(day)} ${twoDigits(hours)}${rest}${zone}`
}

const twoDigits = (number: string | number): string => String(number).padStart(2, '0')
