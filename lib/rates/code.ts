/** A number that a spreadsheet has shortened, such as `4.42079E+11`: its last digits are lost. */
const SHORTENED = /^\+?\d(?:[.,]\d+)?E\+?\d{1,3}$/i

export const isShortened = (text: string): boolean => SHORTENED.test(text.trim())

export const SHORTENED_NUMBER = 'a spreadsheet shortened it, format the column as text'

/** The country codes of two digits. 1 and 7 are country codes, all others have three (ITU-T E.164). */
const TWO_DIGITS = /^(?:2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])/

/** The country code that digits begin with. */
export function countryCodeOf(digits: string): string {
  if (/^[17]/.test(digits)) return digits.slice(0, 1)
  return digits.slice(0, TWO_DIGITS.test(digits) ? 2 : 3)
}

export const isCountryCode = (digits: string): boolean =>
  /^[1-9]/.test(digits) &&
  (digits.length === 3 || /^[17]/.test(digits) || TWO_DIGITS.test(digits)) &&
  countryCodeOf(digits) === digits
