import { InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { addDays, type Day, momentAt, today } from '#lib/base/calendar.ts'
import { type Money, typedAmount } from '#lib/base/money.ts'
import { isMonth, type Month } from '#lib/invoicing/month.ts'

export function dayArgument(day: string): Day {
  if (day.length === 10 && momentAt(day, '00:00:00', 'UTC') !== undefined) return day
  throw new InvalidArgumentError('Use a day of the calendar: YYYY-MM-DD.')
}

const DAY_WORDS: Readonly<Record<string, number>> = { today: 0, yesterday: -1 }

/** Reads the value of an option as a day, `today` or `yesterday`; `nameDays` replaces the words. */
export const dayOption = (text: string): Day => (Object.hasOwn(DAY_WORDS, text) ? text : dayArgument(text))

/** The day that a value of `dayOption` means, in the zone of the installation. */
export const dayNamed = (text: string, now: Date, zone: string): Day =>
  Object.hasOwn(DAY_WORDS, text) ? addDays(today(now, zone), DAY_WORDS[text] ?? 0) : text

export function monthArgument(text: string): Month {
  if (isMonth(text)) return text
  throw new InvalidArgumentError('Use a month: YYYY-MM.')
}

/** Reads a whole number above 0. */
export function countArgument(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Use a whole number above 0.')
}

/** Reads a path. A blank one comes from a variable of the shell that is not set. */
export function pathArgument(path: string): string {
  if (path !== '') return path
  throw new InvalidArgumentError('The path is blank.')
}

export function amountArgument(text: string): Money {
  const amount = typedAmount(text)
  if (amount !== undefined) return amount
  throw new InvalidArgumentError('Use a decimal number, such as 12.50, 12,50 or -3; 1,234 could mean two.')
}

/** The option `--port` of a command that serves something on this machine. */
export const portOption = (description: string, port: number) =>
  new Option('--port <N>', description).argParser(portIn).default(port)

function portIn(text: string): number {
  const port = Number(text)
  if (Number.isInteger(port) && port >= 1 && port <= 65_535) return port
  throw new InvalidArgumentError('Use a number from 1 to 65535.')
}
