import { isRefusal, type Refusal } from '#lib/base/refusal.ts'
import { refusedFor, rowRefused } from '#lib/base/row-refused.ts'
import { countryCodeOf } from '../code.ts'
import {
  BLANKS,
  type Blanks,
  blankParts,
  type CodeItem,
  codeItemsIn,
  groupsIn,
  isRange,
  readCodeItem,
} from './code-items.ts'
import { type Cell, type Question, questionOfFirst, quoteCell } from './question.ts'

export const DASHES = ['range', 'country'] as const

/** A dash between two codes of one length: a range, or a country code before an area code. */
type Dash = (typeof DASHES)[number]

export const LISTS = ['country', 'whole', 'grouped'] as const

/**
 * The meaning of `39` in `6138, 39`, whose first code is one of Australia: an area code of that country, or a
 * whole code, that of Italy. Commas may also only group digits, as in `6,138`.
 */
export type Lists = (typeof LISTS)[number]

export const CODES = ['area', 'whole'] as const

/** Codes next to a column of country codes: area codes, or whole codes that begin with it. */
type Codes = (typeof CODES)[number]

/** How the codes of a sheet are read, as far as it is known. */
interface CodeReading {
  readonly dash?: Dash | undefined
  readonly blanks?: Blanks | undefined
  readonly lists?: Lists | undefined
  readonly codes?: Codes | undefined
}

const MAX_RANGE_CODES = 10_000

/** The most codes that the ranges of a cell may have, and those of a sheet. */
export const MAX_CODES_OF_RANGES = 100_000

/** A code, or all codes from the first to the last, after a country code. */
type CodeSpan = Pick<CodeItem, 'country' | 'first' | 'last'>

/** The prefixes of a cell, and the number of those from ranges. */
export interface ReadPrefixes {
  readonly prefixes: readonly string[]
  readonly ofRanges: number
}

/**
 * The prefixes of a cell with dial codes: lists and ranges such as `44-7400,7401`, `61 38,39` or `7411-7415`.
 * The country code is in a column of its own or in the cell. Throws refused_row with the reason.
 */
export function prefixesOf(cell: string, countryCell: string, reading: CodeReading = {}): ReadPrefixes {
  const spans = spansOf(cell, countryCell, reading)
  const ofRanges = spans.reduce((sum, span) => sum + (span.last === undefined ? 0 : sizeOf(span)), 0)
  if (ofRanges > MAX_CODES_OF_RANGES)
    throw rowRefused(`its ranges have more than ${MAX_CODES_OF_RANGES} codes`)
  return { prefixes: spans.flatMap(codesIn), ofRanges }
}

function sizeOf({ first, last = first }: CodeSpan): number {
  const size = Number(last) - Number(first) + 1
  if (size > MAX_RANGE_CODES)
    throw rowRefused(`the range ${first}-${last} has more than ${MAX_RANGE_CODES} codes`)
  return size
}

function codesIn({ country, first, last }: CodeSpan): string[] {
  if (last === undefined) return [country + first]
  return Array.from(
    { length: sizeOf({ country, first, last }) },
    (_, step) => country + String(BigInt(first) + BigInt(step)).padStart(first.length, '0'),
  )
}

/** The country that the items of a cell belong to. */
interface ListCountry {
  readonly code: string
  /** The cell or its row names the country: further items need not begin with it. */
  readonly isNamed: boolean
}

/** Throws refused_row `unclear_list` if the list may reach another country and the reading leaves it open. */
function spansOf(cell: string, countryCell: string, { codes = 'area', ...sheet }: CodeReading): CodeSpan[] {
  const column = groupsIn(countryCell).join('')
  const reading: CodeReading = column === '' ? sheet : { ...sheet, codes }
  const isArea = reading.codes === 'area'
  const spans: CodeSpan[] = []
  let list: ListCountry | undefined = column === '' ? undefined : { code: column, isNamed: isArea }
  for (const text of itemsIn(cell, reading)) {
    const mayBeRange = list?.isNamed === true || sheet.dash === 'range'
    const item = readCodeItem(text, { isArea, mayBeRange, dash: sheet.dash })
    sizeOf(item)
    const country = countryBefore(item, list, reading)
    if (country === undefined) throw unclearList(cell)
    spans.push({ ...item, country })
    list = listAfter(item, country, list, isArea)
  }
  return spans.length === 0 && column !== '' ? [{ country: '', first: column }] : spans
}

/** Codes of at most three digits, or a single code whose digits a spreadsheet has grouped. */
const GROUPED = /^[1-9]\d{0,2}(?:,\d{3})+$/

/** The codes and ranges of a cell. Throws refused_row if they are unclear. */
function itemsIn(cell: string, { blanks, lists, codes }: CodeReading): string[] {
  const isGrouped = codes === undefined && GROUPED.test(cell)
  if (isGrouped && lists === undefined) throw unclearList(cell)
  const items = codeItemsIn(isGrouped && lists === 'grouped' ? cell.replaceAll(',', '') : cell)
  if (codes === undefined && blanks === 'grouped') refuseUnclearRest(items)
  return items.flatMap((item) => {
    const parts = blankParts(item, codes === 'area')
    if (parts.length > 1 && !blanks)
      throw rowRefused(`${JSON.stringify(item)} may be one code or several: set blanks to grouped or list`)
    return blanks === 'grouped' ? [parts.join('')] : parts
  })
}

/** `375 29 1, 3` may be 3753 or 375293. Throws refused_row. */
function refuseUnclearRest(items: readonly string[]): void {
  const [deep = '', ...after] = items.slice(items.findIndex((item) => DEEP.test(item)))
  const [, country = ''] = DEEP.exec(deep) ?? []
  const rest = after.find((item) => /^\d+$/.test(item) && !item.startsWith(country))
  if (rest === undefined || country === '') return
  throw rowRefused(
    `${JSON.stringify(rest)} may be ${country}${rest}, or continue ${deep} in another way: write each code of the list whole`,
  )
}

/** A country code, an area code and more, each apart. */
const DEEP = /^\+?(\d+)(?:[ .]\d+){2}$/

/** The country code to put before the codes of an item; `undefined` if that is not clear. */
function countryBefore(
  item: CodeItem,
  list: ListCountry | undefined,
  { dash, lists, codes }: CodeReading,
): string | undefined {
  const { country, isInternational } = item
  if (!list) {
    // A range may lead to the codes of the next country.
    const isClear = isInternational || isWithin(item, countryCodeOf(country + item.first))
    return isClear || dash === 'range' || lists ? country : undefined
  }
  if (continuesList(item, list, codes)) return list.code + country
  if (lists === 'whole' || isWholeCode(item, list, codes)) return country
  return lists === 'country' ? list.code + country : undefined
}

const isWithin = ({ country, first, last = first }: CodeItem, code: string): boolean =>
  [first, last].every((one) => (country + one).startsWith(code))

const continuesList = (item: CodeItem, { code, isNamed }: ListCountry, codes: Codes | undefined): boolean =>
  !item.isInternational && (codes === 'area' || (isNamed && item.country === '' && !isWithin(item, code)))

const isWholeCode = (item: CodeItem, { code, isNamed }: ListCountry, codes: Codes | undefined): boolean =>
  (item.isInternational && !codes) ||
  (isWithin(item, code) && (!isNamed || item.country !== '' || item.isInternational))

function listAfter(item: CodeItem, country: string, list: ListCountry | undefined, isArea: boolean) {
  if (list && (isArea || country !== item.country)) return list
  const isNamed = item.country !== ''
  if (list && !isNamed && !item.isInternational) return list
  return { code: item.country || countryCodeOf(item.first), isNamed }
}

/** The sheet is asked about a list that may reach the codes of another country. */
const unclearList = (cell: string): Refusal<'refused_row'> =>
  refusedFor('unclear_list', `${JSON.stringify(cell)} may reach another country: say how lists are meant`)

/** A dial code and the country code in the same row, which is blank in a sheet without such a column. */
export interface CodePair extends Cell {
  readonly country: string
}

/** Asks for the meaning of a list whose codes may belong to another country. */
export const listQuestion = (pairs: Iterable<CodePair>, reading: CodeReading): Question | undefined =>
  questionOfFirst(pairs, ({ text, country }) => isListUnclear(text, country, reading), {
    about: 'lists',
    asks: 'Do the codes after a comma continue the country of the first code, are they whole codes, or do commas only group digits',
    choices: LISTS,
  })

function isListUnclear(cell: string, country: string, reading: CodeReading): boolean {
  try {
    spansOf(cell, country, reading)
    return false
  } catch (error) {
    if (isRefusal(error, 'refused_row')) return error.values.reason === 'unclear_list'
    throw error
  }
}

/** Asks whether blanks separate codes. */
export function blanksQuestion(pairs: Iterable<CodePair>, codes: Codes | undefined): Question | undefined {
  const hasBlanks = ({ text, country }: CodePair) => {
    const isArea = /\d/.test(country) && codes !== 'whole'
    return codeItemsIn(text).some((item) => blankParts(item, isArea).length > 1)
  }
  return questionOfFirst(pairs, hasBlanks, {
    about: 'blanks',
    asks: 'Do blanks separate a list of codes, or do they group the digits of one code',
    choices: BLANKS,
  })
}

/** Asks for the meaning of an ambiguous dash, in a sheet without a column of country codes. */
export const dashQuestion = (cells: Iterable<Cell>): Question | undefined =>
  questionOfFirst(cells, ({ text }) => isDashUnclear(text), {
    about: 'dash',
    asks: 'Is this a range of codes, or a country code with an area code',
    choices: DASHES,
  })

/** The dashes in a list are clear if its first code has its country. */
export function isDashUnclear(text: string): boolean {
  for (const item of codeItemsIn(text)) {
    const [, low = '', high = ''] = PAIR.exec(item) ?? AFTER_COUNTRY.exec(item) ?? []
    if (low !== '' && isRange(low, high)) return true
    if (/\d[\s.–—-]+\d/.test(item)) return false
  }
  return false
}

const PAIR = /^\+?(\d{1,3}) ?[-–—] ?(\d{1,3})$/

const AFTER_COUNTRY = /^\+?\d{1,15} ?[-–—] ?(\d{1,15}) ?[-–—] ?(\d{1,15})$/

/** Whether codes are whole: all or hardly any begin with their country code. Otherwise it asks. */
export function codesOf(pairs: Iterable<CodePair>): Codes | Question | undefined {
  const digitsIn = (text: string) => text.replace(/\D/g, '')
  let [area, whole] = [0, 0]
  let example: Cell | undefined
  for (const pair of pairs) {
    const country = digitsIn(pair.country)
    if (country === '' || pair.text === '') continue
    if (!digitsIn(pair.text).startsWith(country)) area += 1
    else {
      whole += 1
      example ??= pair
    }
  }
  if (!example) return area > 0 ? 'area' : undefined
  if (area === 0) return 'whole'
  if (whole * CHANCE_RATIO < area) return 'area'
  return {
    about: 'codes',
    asks: `Do the dial codes begin with the country code of their own column, or are they area codes: ${quoteCell(example)}`,
    choices: CODES,
  }
}

/** One area code in ten may begin with the digits of its country by chance. */
const CHANCE_RATIO = 10
