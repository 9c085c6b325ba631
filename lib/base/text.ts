/** The most UTF-16 code units of a stored text. It keeps items far below DynamoDB's limit of 400 KB. */
export const MAX_TEXT_LENGTH = 4000

/** Characters that XML 1.0 (section 2.2) does not allow, halves of surrogate pairs included. */
const NOT_XML =
  /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/

const NOT_XML_ANYWHERE = new RegExp(NOT_XML, 'g')

/** Whether every character of the text can stand in an XML 1.0 document (wire.md 4.3). */
export const fitsXml = (text: string): boolean => !NOT_XML.test(text)

/** Removes the characters that cannot stand in an XML 1.0 document, not even escaped. */
export const withoutNonXml = (text: string): string => text.replace(NOT_XML_ANYWHERE, '')

/** Cuts a text to at most `length` UTF-16 code units, without splitting a surrogate pair. */
export function cutText(text: string, length: number): string {
  const cut = text.toWellFormed().slice(0, length)
  return cut.isWellFormed() ? cut : cut.slice(0, -1)
}

/**
 * A value as types may read it: a longer one is cut, and its last character makes it no number, no date and
 * no name. So it is refused as any bad value is, in a time that does not depend on its length.
 */
export const boundedText = (text: string): string =>
  text.length > MAX_TEXT_LENGTH ? `${cutText(text, MAX_TEXT_LENGTH)}\u2026` : text

/**
 * The start of a formula, at the start of a cell or after a character at which some spreadsheets separate
 * cells. Apostrophes may come first, and full-width characters count as plain ones. Signed plain numbers such
 * as `+37060012345` and `-1.5` are not formulas.
 */
const FORMULA = String.raw`(?='*(?:[=\uFF1D@\uFF20\t\r\n]|[+\uFF0B\uFF0D-](?!\d+(?:\.\d+)?$)))`
const START = String.raw`(?<=^|[;\t\r\n])`

const BEFORE_FORMULA = new RegExp(START + FORMULA, 'g')
const ESCAPED_FORMULA = new RegExp(`${START}'${FORMULA}`, 'g')

/** Writes an apostrophe before each text in a cell that a spreadsheet would take for a formula. */
export const escapeFormula = (cell: string): string => cell.replace(BEFORE_FORMULA, "'")

export const unescapeFormula = (cell: string): string =>
  cell.includes("'") ? cell.replace(ESCAPED_FORMULA, '') : cell

const ON = new Set(['1', 'yes', 'on', 'true'])
const OFF = new Set(['0', 'no', 'off', 'false'])

/** Reads a switch in any of its spellings (wire.md 6.2); `undefined` for any other word. */
export function switchOf(word: string): boolean | undefined {
  const lower = word.trim().toLowerCase()
  if (ON.has(lower)) return true
  return OFF.has(lower) ? false : undefined
}

/**
 * Escapes control characters as `\u001b`, line feeds too: strangers' data must not steer a terminal. So are
 * invisible characters, except the joiners inside of words.
 */
export const escapeControls = (data: string): string =>
  data.replace(UNSEEN, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16)
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`
  })

const UNSEEN = /\p{Cc}|(?![\u200c\u200d])\p{Cf}|[\u115f\u1160\u2028\u2029\u2800\u3164\uffa0]/gu

/** Controls, formats, characters that are drawn as nothing, and all white space but the blank. */
const INVISIBLE = /[\p{C}\p{Default_Ignorable_Code_Point}\u2800]|[^\S ]/u

const INVISIBLE_ANYWHERE = new RegExp(INVISIBLE, 'gu')

/** Whether a name has no surrounding blanks and no invisible or direction-changing characters. */
export const isVisibleName = (text: string): boolean => text === text.trim() && !INVISIBLE.test(text)

/** The same of an email address, which has no blanks inside. */
export const isVisibleWord = (text: string): boolean => !INVISIBLE.test(text) && !text.trim().includes(' ')

/** Shows what cannot be seen in a name, as `\u{200b}`. */
export const showInvisible = (text: string): string =>
  text.replace(INVISIBLE_ANYWHERE, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)

const MAX_MESSAGE_LENGTH = 300

/** A message with values of strangers in it, as an answer or a line of the log has it. */
export const printableMessage = (message: string): string =>
  escapeControls(cutText(message, MAX_MESSAGE_LENGTH)) + (message.length > MAX_MESSAGE_LENGTH ? '…' : '')

/** A count with its noun: `1 call`, `2 calls`. `written` is the count as it is shown. */
export const countOf = (count: number, noun: string, written = String(count)): string =>
  `${written} ${noun}${count === 1 ? '' : 's'}`

/**
 * Whether the check digits of an IBAN or of an RF reference hold, in capitals and without blanks (ISO 7064:
 * its number, rotated by four, is 1 modulo 97; letters count from 10).
 */
export function hasCheckDigits(text: string): boolean {
  const rotated = `${text.slice(4)}${text.slice(0, 4)}`
  return BigInt(rotated.replaceAll(/[A-Z]/g, (letter) => String(Number.parseInt(letter, 36)))) % 97n === 1n
}

/** A line of NDJSON. Two Unicode characters are escaped that some readers take for the end of a line. */
export const ndjsonLine = (value: object): string =>
  `${JSON.stringify(value).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}\n`
