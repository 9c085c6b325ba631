import {
  addDays,
  type Day,
  type Days,
  firstOfMonth,
  monthOf,
  type Period,
  periodOfDays,
  today,
} from '#lib/base/calendar.ts'

/** A calendar month of the installation's zone: `YYYY-MM`. */
export type Month = string

export const isMonth = (text: string): boolean => /^\d{4}-(0[1-9]|1[0-2])$/.test(text)

/** The month that is a number of months later, or earlier for a negative number. */
export const addMonths = (month: Month, months: number): Month => monthOf(firstOfMonth(month, months))

export const daysOfMonth = (month: Month): Days => ({
  from: `${month}-01`,
  till: addDays(`${addMonths(month, 1)}-01`, -1),
})

/** Whether the last day of the month is over in the zone. */
export const isMonthOver = (month: Month, now: Date, zone: string): boolean =>
  month < monthOf(today(now, zone))

/** The newest month that is over in the zone. */
export const lastMonthBefore = (now: Date, zone: string): Month => addMonths(monthOf(today(now, zone)), -1)

/** From January to December, as rows of documents name them. */
export const MONTH_NAMES: readonly string[] = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
]

/** `April 2026` */
export const monthInWords = (month: Month): string =>
  `${MONTH_NAMES[Number(month.slice(5)) - 1]} ${month.slice(0, 4)}`

/** A month's first and last second; the zone's clock changes make it an hour shorter or longer. */
export const periodOfMonth = (month: Month, zone: string): Period => periodOfDays(daysOfMonth(month), zone)

/** The days of a period, one by one. */
export function* daysBetween({ from, till }: Days): Generator<Day> {
  for (let day = from; day <= till; day = addDays(day, 1)) yield day
}
