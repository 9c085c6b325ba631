import { memoize } from '#lib/base/collections.ts'
import { type Money, moneyOf } from '#lib/base/money.ts'
import {
  type Cell,
  type CellEvidence,
  chooseReading,
  isQuestion,
  type Question,
  quoteCell,
} from './question.ts'

export const DECIMAL_MARKS = ['point', 'comma'] as const

type DecimalMark = (typeof DECIMAL_MARKS)[number]

const PRICE = /^([^\d.,+-]*)(\d[\d.,]*(?:E[+-]?\d{1,2})?|[.,]\d+)([^\d.,]*)$/i

/**
 * The number of a carrier's price, such as `€ 0,0123`, `0.0123 USD` or `1 234,5`, and the ISO code or the
 * sign of its currency, if there is one.
 */
export function priceText(cell: string) {
  const [, before = '', number, after = ''] = PRICE.exec(cell.replace(/[\s\u00A0\u202F'’]/g, '')) ?? []
  if (number === undefined || isNegative(before, after)) return undefined
  return { number, currency: before || after || undefined }
}

/** As ledgers and spreadsheets write it: `(0.05)`, `0.05-`, or a minus other than a keyboard's hyphen. */
const isNegative = (before: string, after: string): boolean =>
  /[\p{Pd}\u2212]|\([^)]*$/u.test(before) || /^[\p{Pd}\u2212]|[\p{Pd}\u2212]$/u.test(after)

const DECIMAL = {
  about: 'decimal',
  ways: DECIMAL_MARKS,
  choices: DECIMAL_MARKS,
  asks: 'Is the decimal mark a point or a comma? The numbers do not show it',
  evidenceIn: markIn,
} as const

/**
 * The common decimal mark of all numbers of a sheet, or a question if they do not show it. `1.234` next to
 * `0,0125` may be a thousand times the price: only a number with both marks shows that one is of thousands.
 */
export function decimalMarkOf(cells: Iterable<Cell>): DecimalMark | Question | undefined {
  const numbers = Array.from(cells, ({ line, text }) => ({ line, text: priceText(text)?.number ?? '' }))
  const mark = chooseReading(DECIMAL, numbers)
  if (mark === undefined || isQuestion(mark) || numbers.some(({ text }) => /\d\D+\d+\D\d/.test(text)))
    return mark
  const doubtful = numbers.find(({ text }) => isGrouped(text) && markIn(`0${text}`) !== mark)
  return doubtful ? { ...DECIMAL, asks: `${DECIMAL.asks}: ${quoteCell(doubtful)}` } : mark
}

/**
 * A single mark is the decimal mark. Before exactly three digits it may also separate thousands, unless it is
 * a point in a sheet without any comma.
 */
function markIn(number: string): CellEvidence<DecimalMark> {
  const marks = number.replace(/[^.,]/g, '')
  const last = marks.at(-1)
  if (last === undefined) return undefined
  const mark = last === '.' ? 'point' : 'comma'
  if (marks.length > 1) return marks.indexOf(last) === marks.length - 1 ? mark : otherMark(mark)
  if (!isGrouped(number)) return mark
  return mark === 'comma' ? 'either' : undefined
}

/** May have a mark of thousands: one to three digits, no leading zero, and three after the mark. */
const isGrouped = (number: string): boolean => /^[1-9]\d{0,2}[.,]\d{3}$/.test(number)

const otherMark = (mark: DecimalMark): DecimalMark => (mark === 'point' ? 'comma' : 'point')

/** The plain decimal with this decimal mark; the other mark separates thousands. Otherwise `undefined`. */
export function decimalOf(number: string, mark: DecimalMark): Money | undefined {
  const plain = mark === 'comma' ? number.replace(/[.,]/g, (one) => (one === ',' ? '.' : ',')) : number
  const isPlain = /^(\d{1,3}(,\d{3})+(\.\d+)?|[\d.]+(E[+-]?\d{1,2})?)$/i.test(plain)
  return isPlain ? moneyOf(plain.replaceAll(',', '')) : undefined
}

/** The signs of a single currency. */
const SIGNS: Readonly<Record<string, string>> = {
  US$: 'USD',
  R$: 'BRL',
  '€': 'EUR',
  '£': 'GBP',
  '₽': 'RUB',
  '₴': 'UAH',
  '₹': 'INR',
  zł: 'PLN',
  Kč: 'CZK',
}

/** `$`, `¥` or `kr`, for example. */
const SHARED_SIGN = /(?!¢)\p{Sc}|(?<!\p{L})kr(?!\p{L})/u

export const CURRENCY_CODES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))

/**
 * The currency by its ISO code or sign, as in `Rate (USD/min)` or `€`; the sign if several currencies have
 * it, such as `$`; `undefined` without one.
 */
export function currencyIn(text: string): string | undefined {
  if (text === '') return undefined
  const code = text.match(/\b[A-Za-z]{3}\b/g)?.find((word) => isCode(word, text))
  if (code !== undefined) return code.toUpperCase()
  return Object.entries(SIGNS).find(([sign]) => text.includes(sign))?.[1] ?? SHARED_SIGN.exec(text)?.[0]
}

const signOf = memoize((currency: string) =>
  CURRENCY_CODES.has(currency)
    ? new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay: 'narrowSymbol' })
        .formatToParts(1)
        .find(({ type }) => type === 'currency')?.value
    : currency,
)

/** Whether two codes or signs may be one currency: `$` is USD, and not EUR. */
export const isSameCurrency = (one: string, other: string): boolean =>
  one === other || (isSharedSign(one) !== isSharedSign(other) && signOf(one) === signOf(other))

/** Whether it is a sign of several currencies: an installation may have codes that ISO 4217 lacks. */
export const isSharedSign = (currency: string): boolean => !/^[A-Z]{3}$/.test(currency)

/** `min` and `all` are also words: a code is in capitals, or it is the whole text. */
const isCode = (word: string, text: string): boolean =>
  CURRENCY_CODES.has(word.toUpperCase()) &&
  (word === word.toUpperCase() || word.length === text.trim().length)
