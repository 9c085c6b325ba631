import { InvalidArgumentError, Option } from '@commander-js/extra-typings'

const DEFAULT_DAYS = '30'

/** The option that checks whether calls of the last days would be left without a rate. */
export const CHECK_USE = new Option(
  '--check-use [days]',
  'also show the prefixes that were called in the last days and would be left without a rate, from the newest 200,000 calls at \
most',
)
  .preset(DEFAULT_DAYS)
  .argParser(daysIn)

export const DECIMAL_COMMA = new Option(
  '--decimal-comma',
  'read a price of 1,234 as less than two (refused without this and --decimal-point)',
).conflicts('decimalPoint')

export const DECIMAL_POINT = new Option('--decimal-point', 'read a price of 1,234 as more than a thousand')

function daysIn(text: string): number {
  if (/^\d{1,4}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Use a number of days.')
}

/**
 * Returns the words of a command line with a number of days for each
 * `--check-use`. Otherwise commander would read the path in `--check-use <path>` as its value.
 */
export const withDays = (words: readonly string[]): string[] =>
  words.map((word, index) =>
    word === CHECK_USE.long && !/^\d{1,4}$/.test(words[index + 1] ?? '') ? `${word}=${DEFAULT_DAYS}` : word,
  )
