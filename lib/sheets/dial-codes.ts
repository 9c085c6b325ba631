import { RowRefused } from '#lib/domain/row-refused.ts'
import { type Cell, type Question, shown } from './question.ts'

export const DASHES = ['range', 'country'] as const

/** What a dash between two codes of the same length means: a range, or a country code before an area code. */
export type Dash = (typeof DASHES)[number]

const MOST_IN_A_RANGE = 10_000
const LONGEST_COUNTRY_CODE = 3

/**
 * The prefixes of a cell of dial codes: lists and ranges (`44-7400,7401`, `7411-7415`), behind the country code of a
 * column of its own or of the cell itself. Throws RowRefused with what is wrong.
 */
export function prefixesOf(cell: string, countryCell: string, dash?: Dash): string[] {
  const ofColumn = digitsOf(countryCell)
  const items = cell.split(/[,;/|\n]+|\s+and\s+|\s*&\s*/).map((item) => item.trim())
  const codes: string[] = []
  let country = ofColumn
  for (const item of items.filter((one) => one !== '')) {
    const read = readItem(item, { country, dash })
    country = ofColumn || read.country
    for (const code of read.codes) codes.push(country + code)
  }
  return codes.length === 0 && country !== '' ? [country] : codes
}

/** Codes are behind a country code that stands in the same cell, or none. */
interface Item {
  readonly country: string
  readonly codes: readonly string[]
}

function readItem(item: string, { country, dash }: { country: string; dash: Dash | undefined }): Item {
  const parts = item.split(/\s*[-–—]\s*|\s+to\s+/)
  if (parts.length > 2) return { country, codes: [digitsOf(parts.join(''))] }
  const [first = '', last] = parts.map(digitsOf)
  if (last === undefined) return { country: startsAnew(item) ? '' : country, codes: [first] }
  if (isRange(first, last) && (country !== '' || dash === 'range' || !couldBeCountry(first)))
    return { country, codes: range(first, last) }
  if (couldBeCountry(first)) return { country: first, codes: [last] }
  throw new RowRefused(
    `${JSON.stringify(item)} is neither a range from low to high, of codes of the same length, nor a country code with an area code`,
  )
}

const startsAnew = (item: string): boolean => item.startsWith('+')

const isRange = (first: string, last: string): boolean => first.length === last.length && first < last

const couldBeCountry = (code: string): boolean => code.length <= LONGEST_COUNTRY_CODE

function range(first: string, last: string): string[] {
  const count = Number(last) - Number(first) + 1
  if (count > MOST_IN_A_RANGE)
    throw new RowRefused(`the range ${first}-${last} has more than ${MOST_IN_A_RANGE} codes`)
  return Array.from({ length: count }, (_, step) =>
    String(BigInt(first) + BigInt(step)).padStart(first.length, '0'),
  )
}

/** Digits grouped as in `+370 6` or `(370) 6`; two codes with nothing but a space between them are refused. */
function digitsOf(text: string): string {
  const parts = text.replace(/^\+/, '').replace(/[().]/g, ' ').trim().split(/\s+/)
  const digits = parts.join('')
  if (!/^\d{0,30}$/.test(digits))
    throw new RowRefused(`${JSON.stringify(text)} is not a dial code${hintOf(text)}`)
  if (parts.length > 1 && !text.startsWith('+') && !couldBeCountry(parts[0] ?? ''))
    throw new RowRefused(`${JSON.stringify(text)} may be one code or several: write commas between codes`)
  return digits
}

const hintOf = (text: string): string =>
  /^\d(\.\d+)?E\+\d+$/i.test(text) ? ': a spreadsheet has shortened it, format the column as text' : ''

/** A dash of which nobody can tell what it means, where no country code stands in a column of its own. */
export function dashQuestion(cells: Iterable<Cell>): Question | undefined {
  for (const cell of cells) if (isDashUnclear(cell.text)) return askDash(cell)
  return undefined
}

const askDash = (cell: Cell): Question => ({
  about: 'dash',
  asks: `Is it a range of codes, or a country code and an area code: ${shown(cell)}`,
  choices: DASHES,
})

function isDashUnclear(text: string): boolean {
  const [first = ''] = text.split(/[,;/|\n]+/)
  const [, low = '', high = ''] = /^\s*\+?(\d{1,3})\s*[-–—]\s*(\d{1,3})\s*$/.exec(first) ?? []
  return low !== '' && isRange(low, high)
}

export const CODES = ['area', 'whole'] as const

/** What stands beside the country code of a column of its own: area codes, or codes that begin with it. */
export type Codes = (typeof CODES)[number]

/** A dial code, and the country code beside it. */
export interface CodePair {
  readonly country: string
  readonly code: Cell
}

/** Whether codes begin with the country code beside them: all of them do, or hardly any; else it asks. */
export function codesOf(pairs: Iterable<CodePair>): Codes | Question | undefined {
  const area: Cell[] = []
  const whole: Cell[] = []
  for (const pair of withBoth(pairs)) (isWhole(pair) ? whole : area).push(pair.code)
  const [example] = whole
  if (example && area.length === 0) return 'whole'
  if (example && whole.length * SELDOM >= area.length) return askCodes(example)
  return area.length > 0 ? 'area' : undefined
}

/** An area code begins with the digits of its country by chance. */
const SELDOM = 10

function* withBoth(pairs: Iterable<CodePair>): Generator<CodePair> {
  for (const pair of pairs) if (/\d/.test(pair.country) && pair.code.text !== '') yield pair
}

const isWhole = ({ country, code }: CodePair): boolean =>
  code.text.replace(/\D/g, '').startsWith(country.replace(/\D/g, ''))

const askCodes = (cell: Cell): Question => ({
  about: 'codes',
  asks: `Do the dial codes begin with the country code of their own column, or are they area codes: ${shown(cell)}`,
  choices: CODES,
})
