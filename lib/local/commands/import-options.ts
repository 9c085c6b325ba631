import { InvalidArgumentError, Option } from '@commander-js/extra-typings'

const DAYS_CHECKED = '30'

/** The option that checks whether calls of the last days would be left without a rate. */
export const CHECK_USE = new Option(
  '--check-use [days]',
  'also shows the prefixes that were called in the last days and would be left without a rate: it reads calls, the newest first, at most 200,000',
)
  .preset(DAYS_CHECKED)
  .argParser(daysIn)

export const DECIMAL_COMMA = new Option(
  '--decimal-comma',
  'a price of 1,234 is less than two (without this and --decimal-point it is refused)',
).conflicts('decimalPoint')

export const DECIMAL_POINT = new Option('--decimal-point', 'a price of 1,234 is more than a thousand')

function daysIn(text: string): number {
  if (/^\d{1,4}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It takes a number of days.')
}

/**
 * The words of a command line, with a number of days for each `--check-use`. Commander would take any word that follows
 * as the value, and so the path in `--check-use <path>`.
 */
export const withDays = (words: readonly string[]): string[] =>
  words.map((word, at) =>
    word === CHECK_USE.long && !/^\d{1,4}$/.test(words[at + 1] ?? '') ? `${word}=${DAYS_CHECKED}` : word,
  )
