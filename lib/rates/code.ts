import { brokenRule, type ColumnProblem, rowRefused } from '#lib/base/row-refused.ts'
import type { CellDialling } from '#lib/table/columns.ts'

/** A number that a spreadsheet has shortened, such as `4.42079E+11`: its last digits are lost. */
const SHORTENED = /^\+?\d(?:[.,]\d+)?E\+?\d{1,3}$/i

export const isShortened = (text: string): boolean => SHORTENED.test(text.trim())

export const SHORTENED_NUMBER = 'a spreadsheet shortened it, format the column as text'

/** The text among these in which a spreadsheet shows a shortened number: `4E5` may be a name. */
export function shortenedProblem<N extends string>(
  row: Readonly<Record<N, string>>,
  names: readonly N[],
): ColumnProblem | undefined {
  const shortened = names.find((name) => row[name].includes('+') && isShortened(row[name]))
  return shortened && brokenRule(shortened, `is not whole: ${SHORTENED_NUMBER}`)
}

/** Programs that keep codes as decimal numbers write `353.0`. */
const DECIMAL = /^(\+?\d+)[.,]0+$/

/** A whole number with decimals: another column's amount, or a number that a program computed. */
const FRACTION = /^\+?\d{7,}[.,]\d{1,2}$/

const SEPARATORS = /[\s\u00A0().-]/g

/** Strips a decimal `.0`. Throws refused_row for other decimals, or if a spreadsheet shortened it. */
export function wholeNumberOf(text: string): string {
  const trimmed = text.trim()
  if (isShortened(trimmed)) throw rowRefused(`${trimmed} is not a number: ${SHORTENED_NUMBER}`)
  const whole = DECIMAL.exec(trimmed)?.[1]
  if (whole === undefined && FRACTION.test(trimmed))
    throw rowRefused(`${trimmed} is not a number: it has decimals, format the column as text`)
  return whole ?? text
}

/**
 * A number or a code without what programs add: the `.0` of a decimal number, and the international prefix,
 * as it is cut from dialled numbers. Throws refused_row for a number that a spreadsheet has shortened.
 */
export function plainNumberOf(text: string, { International_Prefix: international }: CellDialling): string {
  const whole = wholeNumberOf(text)
  const digits = whole.replace(SEPARATORS, '')
  return international !== '' && digits.startsWith(international) ? digits.slice(international.length) : whole
}

/**
 * Reads a carrier's prefix (`+370 6`, `370-6`, `00370`) as plain digits; `undefined` for another text. Throws
 * refused_row for one that no rated number begins with, because prefixes are cut from dialled numbers.
 */
export function prefixOf(text: string, dialling: CellDialling): string | undefined {
  const plain = plainNumberOf(text, dialling).trim().replace(/^\+/, '').replace(SEPARATORS, '')
  if (!/^\d{1,30}$/.test(plain)) return undefined
  const cut = [dialling.International_Prefix, dialling.National_Prefix].find(
    (prefix) => prefix.startsWith('0') && plain.startsWith(prefix),
  )
  if (cut !== undefined)
    throw rowRefused(`${plain} reaches no number: put the country code in place of ${cut}`)
  return plain
}

/** The country codes of two digits. 1 and 7 are country codes, all others have three (ITU-T E.164). */
const TWO_DIGITS = /^(?:2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])/

export function countryCodeOf(digits: string): string {
  if (/^[17]/.test(digits)) return digits.slice(0, 1)
  return digits.slice(0, TWO_DIGITS.test(digits) ? 2 : 3)
}

export const isCountryCode = (digits: string): boolean =>
  /^[1-9]/.test(digits) &&
  (digits.length === 3 || /^[17]/.test(digits) || TWO_DIGITS.test(digits)) &&
  countryCodeOf(digits) === digits
