import { type Money, moneyOf } from '#lib/domain/money.ts'
import { type Cell, choose, type Question, type Sighting } from './question.ts'

export const DECIMAL_MARKS = ['point', 'comma'] as const

export type DecimalMark = (typeof DECIMAL_MARKS)[number]

/** A number with what carriers write around it taken off: `€ 0,0123`, `0.0123 USD`, `1 234,5`. */
export interface PriceText {
  readonly number: string
  /** A currency's ISO code or sign, when one stands there. */
  readonly currency: string | undefined
}

const PRICE = /^([^\d.,+-]*)(\d[\d.,]*(?:E[+-]?\d{1,2})?|[.,]\d+)([^\d.,]*)$/i

export function priceText(cell: string): PriceText | undefined {
  const [, before = '', number, after = ''] = PRICE.exec(cell.replace(/[\s\u00A0\u202F'’]/g, '')) ?? []
  if (number === undefined) return undefined
  return { number, currency: before || after || undefined }
}

/** One mark for all numbers of a sheet: as they show it, or a question when they do not. */
export const decimalMarkOf = (cells: Iterable<Cell>): DecimalMark | Question | undefined =>
  choose(
    {
      about: 'decimal',
      ways: DECIMAL_MARKS,
      asks: 'Is the decimal mark a point or a comma? The numbers do not show it',
      seen: (cell) => markIn(priceText(cell)?.number ?? ''),
    },
    cells,
  )

/**
 * A mark that comes once is the decimal mark; before exactly three digits it may as well separate thousands. Of a point
 * alone nobody thinks that, in a sheet where no number has a comma.
 */
function markIn(number: string): Sighting<DecimalMark> {
  const marks = number.replace(/[^.,]/g, '')
  const last = marks.at(-1)
  if (last === undefined) return undefined
  const mark = last === '.' ? 'point' : 'comma'
  if (marks.length > 1) return marks.indexOf(last) === marks.length - 1 ? mark : otherMark(mark)
  return isGrouped(number) ? groupedSighting(mark) : mark
}

/** As thousands are: one to three digits, not a zero, and three after the mark. */
const isGrouped = (number: string): boolean => /^[1-9]\d{0,2}[.,]\d{3}$/.test(number)

const groupedSighting = (mark: DecimalMark): Sighting<DecimalMark> =>
  mark === 'comma' ? 'either' : undefined

const otherMark = (mark: DecimalMark): DecimalMark => (mark === 'point' ? 'comma' : 'point')

/** A number with this decimal mark as a plain decimal; `undefined` when it is none. The other mark separates thousands. */
export function decimalOf(number: string, mark: DecimalMark): Money | undefined {
  const plain = mark === 'comma' ? number.replace(/[.,]/g, (one) => (one === ',' ? '.' : ',')) : number
  const isPlain = /^(\d{1,3}(,\d{3})+(\.\d+)?|[\d.]+(E[+-]?\d{1,2})?)$/i.test(plain)
  return isPlain ? moneyOf(plain.replaceAll(',', '')) : undefined
}

/** Signs that mean one currency alone. */
const SIGNS: Readonly<Record<string, string>> = { '€': 'EUR', '£': 'GBP', '₽': 'RUB', '₴': 'UAH', '₹': 'INR' }

const CURRENCY_CODES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))

/** The currency that a text names by its ISO code or its sign (`Rate (USD/min)`, `€`), if it names one. */
export function currencyIn(text: string): string | undefined {
  if (text === '') return undefined
  const code = text.match(/\b[A-Za-z]{3}\b/g)?.find((word) => isCode(word, text))
  if (code !== undefined) return code.toUpperCase()
  return Object.entries(SIGNS).find(([sign]) => text.includes(sign))?.[1]
}

/** `min` and `all` are also words; a code is written in capitals, or is all that stands there. */
const isCode = (word: string, text: string): boolean =>
  CURRENCY_CODES.has(word.toUpperCase()) &&
  (word === word.toUpperCase() || word.length === text.trim().length)
