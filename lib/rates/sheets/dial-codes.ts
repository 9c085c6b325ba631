import { RowRefused } from '#lib/base/row-refused.ts'
import { type Cell, type Question, quoteCell } from './question.ts'

export const DASHES = ['range', 'country'] as const

/** The meaning of a dash between two codes of the same length: a range, or a country code before an area code. */
export type Dash = (typeof DASHES)[number]

const MAX_RANGE_CODES = 10_000
const MAX_COUNTRY_CODE_DIGITS = 3

/**
 * The prefixes of a cell with dial codes: lists and ranges such as `44-7400,7401` or `7411-7415`. The country code is in a
 * column of its own or in the cell. Throws RowRefused with the reason.
 */
export function prefixesOf(cell: string, countryCell: string, dash?: Dash): string[] {
  const ofColumn = digitsOf(countryCell)
  const items = cell.split(/[,;/|\n]+|\s+and\s+|\s*&\s*/).map((item) => item.trim())
  const codes: string[] = []
  let country = ofColumn
  for (const item of items.filter((one) => one !== '')) {
    const read = readItem(item, country, dash)
    country = ofColumn || read.country
    for (const code of read.codes) codes.push(country + code)
  }
  return codes.length === 0 && country !== '' ? [country] : codes
}

/** Reads an item of a list. The country code of the same cell applies to the items after it. */
function readItem(
  item: string,
  country: string,
  dash: Dash | undefined,
): { readonly country: string; readonly codes: readonly string[] } {
  const parts = item.split(/\s*[-–—]\s*|\s+to\s+/)
  if (parts.length > 2) return { country, codes: [digitsOf(parts.join(''))] }
  const [first = '', last] = parts.map(digitsOf)
  if (last === undefined) return { country: item.startsWith('+') ? '' : country, codes: [first] }
  if (isRange(first, last) && (country !== '' || dash === 'range' || !couldBeCountry(first)))
    return { country, codes: range(first, last) }
  if (couldBeCountry(first)) return { country: first, codes: [last] }
  throw new RowRefused(
    `${JSON.stringify(item)} is neither a range of codes of the same length from low to high, nor a country code with an area code`,
  )
}

const isRange = (first: string, last: string): boolean => first.length === last.length && first < last

const couldBeCountry = (code: string): boolean => code.length <= MAX_COUNTRY_CODE_DIGITS

function range(first: string, last: string): string[] {
  const count = Number(last) - Number(first) + 1
  if (count > MAX_RANGE_CODES)
    throw new RowRefused(`the range ${first}-${last} has more than ${MAX_RANGE_CODES} codes`)
  return Array.from({ length: count }, (_, step) =>
    String(BigInt(first) + BigInt(step)).padStart(first.length, '0'),
  )
}

/** Joins digits that are grouped as in `+370 6` or `(370) 6`. Two codes with only a space between them are refused. */
function digitsOf(text: string): string {
  const parts = text.replace(/^\+/, '').replace(/[().]/g, ' ').trim().split(/\s+/)
  const digits = parts.join('')
  if (!/^\d{0,30}$/.test(digits))
    throw new RowRefused(`${JSON.stringify(text)} is not a dial code${hintOf(text)}`)
  if (parts.length > 1 && !text.startsWith('+') && !couldBeCountry(parts[0] ?? ''))
    throw new RowRefused(`${JSON.stringify(text)} may be one code or several: separate codes by commas`)
  return digits
}

const hintOf = (text: string): string =>
  /^\d(\.\d+)?E\+\d+$/i.test(text) ? ': a spreadsheet shortened it, format the column as text' : ''

/** Asks for the meaning of an ambiguous dash, in a sheet without a column of country codes. */
export function dashQuestion(cells: Iterable<Cell>): Question | undefined {
  for (const cell of cells) if (isDashUnclear(cell.text)) return askDash(cell)
  return undefined
}

const askDash = (cell: Cell): Question => ({
  about: 'dash',
  asks: `Is this a range of codes, or a country code with an area code: ${quoteCell(cell)}`,
  choices: DASHES,
})

function isDashUnclear(text: string): boolean {
  const [first = ''] = text.split(/[,;/|\n]+/)
  const [, low = '', high = ''] = /^\s*\+?(\d{1,3})\s*[-–—]\s*(\d{1,3})\s*$/.exec(first) ?? []
  return low !== '' && isRange(low, high)
}

export const CODES = ['area', 'whole'] as const

/** The codes next to a column of country codes: area codes, or whole codes that begin with the country code. */
export type Codes = (typeof CODES)[number]

/** A dial code and the country code in the same row. */
export interface CodePair {
  readonly country: string
  readonly code: Cell
}

/** Whether codes are whole codes: all of them begin with their country code, or hardly any. Otherwise it asks. */
export function codesOf(pairs: Iterable<CodePair>): Codes | Question | undefined {
  const area: Cell[] = []
  const whole: Cell[] = []
  for (const pair of withBoth(pairs)) (isWhole(pair) ? whole : area).push(pair.code)
  const [example] = whole
  if (example && area.length === 0) return 'whole'
  if (example && whole.length * CHANCE_RATIO >= area.length) return askCodes(example)
  return area.length > 0 ? 'area' : undefined
}

/** One area code in ten may begin with the digits of its country by chance. */
const CHANCE_RATIO = 10

function* withBoth(pairs: Iterable<CodePair>): Generator<CodePair> {
  for (const pair of pairs) if (/\d/.test(pair.country) && pair.code.text !== '') yield pair
}

const isWhole = ({ country, code }: CodePair): boolean =>
  code.text.replace(/\D/g, '').startsWith(country.replace(/\D/g, ''))

const askCodes = (cell: Cell): Question => ({
  about: 'codes',
  asks: `Do the dial codes begin with the country code of their own column, or are they area codes: ${quoteCell(cell)}`,
  choices: CODES,
})
