import type { Refusal } from '#lib/base/refusal.ts'
import { rowRefused } from '#lib/base/row-refused.ts'
import { isCountryCode, isShortened, SHORTENED_NUMBER } from '../code.ts'

/** An item of a cell with dial codes: one code, or a range, after the country code that it names. */
export interface CodeItem {
  /** Blank if it names none. */
  readonly country: string
  readonly first: string
  readonly last?: string | undefined
  /** It begins with `+` or an international prefix: it is a whole code, wherever it stands. */
  readonly isInternational: boolean
}

const MAX_COUNTRY_CODE_DIGITS = 3
const MAX_ITEM_CHARACTERS = 100

const SEPARATOR = /[,;/|&\r\n、；，]| and /

/** The items of a list, without the marks of a cell that a spreadsheet has kept as text (`'44`, `="44"`). */
export const codeItemsIn = (cell: string): string[] =>
  withSharedStarts(cell)
    .split(SEPARATOR)
    .map((item) => item.trim().replace(/^=?["']|["']$/g, ''))
    .filter((item) => item !== '')

/** Each code of a list in parentheses has what is before them: `880 1 (3,4)` is `880 1 (3),880 1 (4)`. */
function withSharedStarts(cell: string): string {
  if (!cell.includes('(')) return cell
  const read: string[] = []
  let before = ''
  for (const [part, list = ''] of cell.matchAll(/\(([^()]*)\)|[^()]+|[()]/g)) {
    const start = before.split(SEPARATOR).at(-1) ?? ''
    const inEach = list.split(SEPARATOR).map((one) => `(${one})`)
    read.push(inEach.length > 1 ? inEach.join(`,${start}`) : part)
    before = (before + read.at(-1)).slice(-MAX_ITEM_CHARACTERS)
  }
  return read.join('')
}

export const BLANKS = ['list', 'grouped'] as const

/** The meaning of the blanks in `+49 15 16`: they separate codes, or group the digits of one. */
export type Blanks = (typeof BLANKS)[number]

/**
 * The parts of an item between which blanks or dots stand, the first one with its country code: `+49 15` and
 * `16`. Parentheses may enclose a part of a code.
 */
export function blankParts(item: string, isArea: boolean): string[] {
  if (item.length > MAX_ITEM_CHARACTERS || /[^+\d\s().]|\.\./.test(item)) return [item]
  const [first = '', second, ...others] = item
    .replace(isArea ? /^\+/ : INTERNATIONAL, '+')
    .replace(/\.0+(?!\d)/, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?\(([^()]*)\) ?/g, '$1')
    .split(/[ .]+/)
  if (second === undefined) return [item]
  const isCountry = !isArea && isCountryCode(first.replace('+', ''))
  return isCountry ? [`${first} ${second}`, ...others] : [first, second, ...others]
}

export interface ItemReading {
  /** The item is an area code: it has no international prefix. */
  readonly isArea: boolean
  /** A dash between two short codes makes a range. */
  readonly mayBeRange: boolean
  /** A dash before another one follows a country code, or all dashes group the digits of one code. */
  readonly dash: 'range' | 'country' | undefined
}

/**
 * Reads an item. Parentheses may enclose a part of a code, or of the list; a `(0)` is not dialled from
 * abroad. Throws refused_row.
 */
export function readCodeItem(item: string, reading: ItemReading): CodeItem {
  if (item.length > MAX_ITEM_CHARACTERS) throw notDialCode(`${item.slice(0, 30)}...`)
  const international = reading.isArea ? /^\+/ : INTERNATIONAL
  const span = spanIn(item.replace(international, ''), item, reading)
  return { ...span, isInternational: international.test(item) }
}

function spanIn(text: string, item: string, { mayBeRange, dash }: ItemReading) {
  const [low = '', high, ...others] = text.split(RANGE)
  if (others.length > 0) throw notDialCode(item)
  const parts = low.split(DASH).map((part) => groupsIn(part, item))
  if (high !== undefined)
    return rangeOf(codeOf(parts.flat(), item), groupsIn(high, item).join(''), item, true)
  const span = spanAfter(parts)
  if (span && dash === undefined)
    throw rowRefused(
      `${JSON.stringify(item)} may be one code, or a range after a country code: set dash to country or range`,
    )
  if (span && dash === 'range') return span
  const [start = [], end = [], ...more] = parts
  if (parts.length === 1 || more.length > 0) return codeOf(parts.flat(), item)
  return rangeOf(codeOf(start, item), end.join(''), item, mayBeRange)
}

/** `44-7400-7402` as a range after a country code. */
function spanAfter(parts: readonly (readonly string[])[]) {
  const [country = '', first = '', last = '', ...others] = parts.map((groups) => groups.join(''))
  return others.length === 0 && isRange(first, last) ? { country, first, last } : undefined
}

const INTERNATIONAL = /^(?:\+|(?:00|011)[\s.-]{0,3}(?=[1-9]))/

const DASH = /[-–—]/

/** The separators between the first and the last code of a range. */
const RANGE = /\.{2,}|…|~| to /

/** The groups of digits in a text. The `.0` of a decimal number is none. */
export function groupsIn(text: string, item = text): string[] {
  const groups = text
    .replace(/\.0+(?!\d)/, '')
    .replace('(0)', ' ')
    .replace('+', ' ')
    .split(/[\s().]+/)
    .filter((group) => group !== '')
  if (!/^\d{0,30}$/.test(groups.join(''))) throw notDialCode(item)
  return groups
}

const notDialCode = (item: string): Refusal<'refused_row'> =>
  rowRefused(`${JSON.stringify(item)} is not a dial code${isShortened(item) ? `: ${SHORTENED_NUMBER}` : ''}`)

/** A country code may be apart, as in `370 6`. Other codes with only a space between them are refused. */
function codeOf(groups: readonly string[], item: string) {
  const [first = '', ...rest] = groups
  if (rest.length > 0 && isCountryCode(first)) return { country: first, first: rest.join('') }
  if (rest.length > 0 && !item.startsWith('+') && !couldBeCountry(first))
    throw rowRefused(`${JSON.stringify(item)} may be one code or several: separate codes by commas`)
  return { country: '', first: groups.join('') }
}

/** A range such as `7411-7415`, or a country code before an area code, such as `44-7400`. */
function rangeOf(code: Pick<CodeItem, 'country' | 'first'>, last: string, item: string, mayBeRange: boolean) {
  const { country, first } = code
  const isPair = country === '' && couldBeCountry(first)
  if (isRange(first, last) && (mayBeRange || !isPair)) return { ...code, last }
  if (isPair) return { country: first, first: last }
  throw rowRefused(
    `${JSON.stringify(item)} is neither a range of codes of the same length from low to high, nor a country code with an area code`,
  )
}

export const isRange = (first: string, last: string): boolean => first.length === last.length && first < last

const couldBeCountry = (code: string): boolean => code.length <= MAX_COUNTRY_CODE_DIGITS
