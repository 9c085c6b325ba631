import { cutText } from '#lib/base/text.ts'

/** The text of a CDR's field by name; blank if the CDR does not have the field. */
export type Field = (name: string) => string

/** The text of a JSON value; blank for an object, a list and null. */
export function scalarText(value: unknown): string {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}

/** Without the blanks that a switch or a file writes. All others may be part of an id. */
export const withoutBlanks = (text: string): string => text.replace(/^[ \t\r]+|(?<![ \t\r])[ \t\r]+$/g, '')

/** The first field that is not blank; blank if all are. */
export function firstFilled(field: Field, ...names: readonly string[]): string {
  for (const name of names) {
    const text = field(name)
    if (text !== '') return text
  }
  return ''
}

/** The distinct texts that are not blank. */
export function filledOnce(...texts: readonly string[]): readonly string[] {
  let once = NONE
  for (const text of texts) if (text !== '' && !once.includes(text)) once = [...once, text]
  return once
}

const NONE: readonly string[] = []

/** Decodes a percent-encoded text. A text with a broken escape, as after a cut, stays as it is. */
export function percentDecoded(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const MAX_QUOTED_CHARACTERS = 60

/** A value in quotes for the detail of a problem. A long value is cut. */
export const quotedValue = (text: string): string =>
  JSON.stringify(text.length > MAX_QUOTED_CHARACTERS ? `${cutText(text, MAX_QUOTED_CHARACTERS)}…` : text)

/** An argument of a command line, in quotes where a shell needs them. */
export const shellQuoted = (text: string): string =>
  /^[\w=.:/@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

const MAX_NAMES_CHARACTERS = 400

/** The names of columns in quotes for the detail of a problem. Very long lists are cut. */
export const quotedNames = (names: readonly string[]): string => {
  const list = names.join(',')
  return JSON.stringify(list.length > MAX_NAMES_CHARACTERS ? `${cutText(list, MAX_NAMES_CHARACTERS)}…` : list)
}

/** The fewest digits that prove a trunk's number, where the switch does not say. */
const MIN_PHONE_DIGITS = 7

export const isPhoneNumber = (text: string): boolean =>
  /^\+?\d+$/.test(text) && text.length >= MIN_PHONE_DIGITS

/** Signs such as `#` in `#31#442079460000` are for the switch: the number is what it called. */
const isPlain = (dialled: string): boolean => /^[+\d][+\d\s().-]*$/.test(dialled)

/**
 * Returns whether a switch called the number that was dialled: the dialplan may strip an access code or an
 * international prefix. It may also put a country code or a carrier's own prefix before it if `mayAddDigits`.
 */
export function isSameNumber(dialled: string, called: string, mayAddDigits: boolean): boolean {
  if (!isPlain(dialled)) return false
  const [digits, calledDigits] = [digitsFromCountry(dialled), digitsFromCountry(called)]
  if (digits === calledDigits || isEndOf(calledDigits, digits)) return true
  return mayAddDigits && (isEndOf(digits, calledDigits) || isBehindCode(digits, calledDigits))
}

/** The fewest digits that identify a number whose access code gave way to a country code. */
const MIN_NATIONAL_DIGITS = 9

/** The `9` of `92025550171` asks for a line, and the switch called 12025550171. */
function isBehindCode(digits: string, called: string): boolean {
  const national = digitsFromCountry(digits.slice(1))
  return national.length >= MIN_NATIONAL_DIGITS && isEndOf(national, called)
}

const digitsFromCountry = (number: string): string => number.replace(/\D/g, '').replace(/^0+/, '')

const isEndOf = (digits: string, long: string): boolean =>
  digits.length >= MIN_PHONE_DIGITS && long.endsWith(digits)
