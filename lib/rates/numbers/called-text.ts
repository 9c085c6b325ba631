import { memoize } from '#lib/base/collections.ts'
import { isIpAddress, normalizeAddress } from '#lib/base/switch-names.ts'
import type { Settings } from '#lib/settings/settings.ts'

/** A called text that is read at most this far: dialled texts are shorter. In characters. */
const MAX_CALLED_CHARACTERS = 500

/** Escapes may be escaped themselves (`%252B`), by a switch that encodes values and a proxy that does. */
const MAX_ESCAPE_LEVELS = 3

/**
 * The user part of a SIP or tel URI, also with a display name, with its escapes decoded (RFC 3261 19.1, RFC
 * 3966), or of a cell marked as text in a spreadsheet (`'44`, `="44"`). Blank for a host alone.
 */
export function calledUser(text: string): string {
  let user = text.slice(0, MAX_CALLED_CHARACTERS)
  for (let level = 0; level < MAX_ESCAPE_LEVELS; level += 1) {
    const bare = userOfUri(withoutMarks(user), level > 0)
    user = decoded(bare)
    if (user === bare) break
  }
  return user
}

/** `="44"`, `'44`, `"44"`. */
const withoutMarks = (text: string): string =>
  text
    .trim()
    .replace(/^=(?=")/, '')
    .replace(/^"([^"]*)"$/, '$1')
    .replace(/^'([^']*)'?$/, '$1')
    .trim()

const SCHEME = /^(?:sips?|tel|callto|h323):(?:\/\/)?/i

/**
 * Digits alone are no parameter, and no host behind an `@` that was escaped: they are dialled, and
 * `18;7685551234` is not the number 18.
 */
function userOfUri(text: string, wasEscaped: boolean): string {
  const uri = text
    .slice(text.lastIndexOf('<') + 1)
    .replace(/>.*$/s, '')
    .trim()
  const target = uri.replace(SCHEME, '')
  const user = target.replace(wasEscaped ? /[@?](?!\d+$).*$/s : /[@?].*$/s, '').replace(/;(?!\d+$).*$/s, '')
  const isHost = !target.includes('@') && isIpAddress(normalizeAddress(user.replace(/:\d+$/, '')))
  if (isHost) return ''
  return target === uri && OTHER_SCHEME.test(user) ? user : user.replace(/:.*$/s, '').trim()
}

/**
 * A number after a word that is not a telephony scheme (`enum:44...`, `whatsapp:+44...` of Twilio, `4:+44...`
 * of Teams): the whole text, because the word alone would be a code without a price.
 */
const OTHER_SCHEME = /^(?:[a-z][a-z\d.-]*:|\d{1,3}:(?=\+))\+?[\d\s().-]{7}/i

const decoded = (text: string): string =>
  text.replace(/%([2-7][0-9a-f])/gi, (_escape, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )

/** A text as the rules about numbers read it: without separators. */
export interface CalledText {
  /** Digits, letters, `*`, `#` and `+`. */
  readonly text: string
  readonly digits: string
  /** Digits, with or without `+` before them. */
  readonly isNumber: boolean
}

/**
 * Reads a called text: its user part, without separators, without `#` after a number, without `.0` after
 * digits, and without the `(0)` that is not dialled after a country code.
 */
export function readCalled(called: string): CalledText {
  const text = calledUser(called)
    .normalize('NFKC')
    .replace(/^(\+?\d+)[.,]0{1,2}$/, '$1')
    .replace(/(?<=\d[\s.-]{0,3})\(0\)/, '')
    .replace(/[^\p{L}\d*#+]/gu, '')
    .replace(/^(\+?\d+)#$/, '$1')
  return { text, digits: text.replace(/\D/g, ''), isNumber: /^\+?\d+$/.test(text) }
}

/** The keys of a telephone with the letters from `a` on (ITU-T E.161). */
const KEYS_OF_LETTERS = '22233344455566677778889999'

/** `1-800-FLOWERS` by its keys; `undefined` for a name such as `sales2` or `600-sales`. */
export function onKeypad({ text }: CalledText): CalledText | undefined {
  if (!/^\+?\d{3}[\da-z]{7,15}$/i.test(text)) return undefined
  const keyed = text.toLowerCase().replace(/[a-z]/g, (one) => KEYS_OF_LETTERS.charAt(one.charCodeAt(0) - 97))
  return { text: keyed, digits: keyed.replace('+', ''), isNumber: true }
}

/**
 * The first digits of the plan in which a number without `+` is local, as a phone says (`;phone-context=+44`,
 * RFC 3966 5.1.5). The number need not begin with them. Blank for a domain, or without a context.
 */
export const contextOf = (called: string): string =>
  /;phone-context=(?:\+|%2B)([\d.()-]+)/i
    .exec(called.slice(0, MAX_CALLED_CHARACTERS))?.[1]
    ?.replace(/\D/g, '') ?? ''

/** A spreadsheet has rounded the number (`4.42079E+11`), or lost it (`########`, `#REF!`). */
export const isShortenedNumber = (called: string): boolean =>
  /^[+-]?\d{1,3}(?:[.,]\d{1,30})?e\+?\d{1,3}$/i.test(calledUser(called)) || LOST_CELL.test(called.trim())

/** A column that was too narrow, and the errors of formulas. */
const LOST_CELL = /^(?:#{4,}|#(?:REF!|N\/A|VALUE!|NAME\?|NUM!|NULL!|DIV\/0!))$/

/** The words that switches, SIP and exports write for a hidden or missing number. */
const NO_NUMBERS = new Set(
  (
    'anonymous unknown restricted private hidden unavailable notavailable withheld nonumber invalid ' +
    'null none nan na n undefined'
  ).split(' '),
)

/** Returns whether a called text names no number: it is blank, or a word such as `anonymous`. */
export const isNobody = ({ text }: CalledText): boolean => text === '' || NO_NUMBERS.has(text.toLowerCase())

/**
 * Returns whether a called text fits one of the patterns of Feature_Codes: `?` is a digit and `*` any text,
 * `\\*` and `\\?` are the signs themselves. A `#` after a code may be left out.
 */
export function isFeatureCode(called: string, { Feature_Codes }: Pick<Settings, 'Feature_Codes'>): boolean {
  if (Feature_Codes === '') return false
  const text = calledUser(called)
  return patternsIn(Feature_Codes).some((pattern) => pattern.test(text) || pattern.test(`${text}#`))
}

const patternsIn = memoize((setting: string): RegExp[] =>
  setting
    .split(/[\s,]+/)
    .filter((pattern) => pattern !== '')
    .map((pattern) => new RegExp(`^${pattern.replace(/\\?./gs, expressionOf)}$`, 'i')),
)

function expressionOf(sign: string): string {
  if (sign === '*') return '.*'
  return sign === '?' ? '\\d' : sign.slice(-1).replace(/[^\p{L}\d]/u, '\\$&')
}

export type DiallingSettings = Pick<
  Settings,
  'International_Prefix' | 'National_Prefix' | 'National_Length' | 'Country_Code' | 'Shortest_Rated_Number'
>

/** The digits of a number, and the steps by which they were found. */
interface Normalised {
  readonly digits: string
  readonly steps: readonly string[]
}

/** A number with its country code. No country code begins with 0: there it has an international prefix. */
export const fullNumber = (called: CalledText, settings: DiallingSettings): Normalised =>
  (called.digits.startsWith('0') ? internationalNumber(called, settings) : undefined) ?? asItIs(called)

const asItIs = ({ digits }: CalledText): Normalised => ({ digits, steps: [] })

/** A number with `+` or the international prefix before it; `undefined` for any other. */
function internationalNumber(called: CalledText, settings: DiallingSettings): Normalised | undefined {
  const { International_Prefix: prefix } = settings
  if (called.text.startsWith('+')) return asItIs(called)
  if (prefix === '' || !called.digits.startsWith(prefix)) return undefined
  return { digits: called.digits.slice(prefix.length), steps: [`International_Prefix ${prefix} is cut`] }
}

/** A number as a subscriber dials it at home, with its country code. */
export const homeNumber = (called: CalledText, settings: DiallingSettings): Normalised =>
  internationalNumber(called, settings) ?? nationalNumber(called, settings)

/** No number with a country code is shorter. */
const MIN_INTERNATIONAL_DIGITS = 7

/** Without a prefix of national numbers, 11818 is a service of the country itself, not of another one. */
const isShortInClosedPlan = (digits: string, settings: DiallingSettings): boolean =>
  settings.National_Length !== '' &&
  settings.National_Prefix === '' &&
  settings.International_Prefix !== '' &&
  !settings.National_Length.split(',').includes(String(digits.length)) &&
  digits.length < MIN_INTERNATIONAL_DIGITS &&
  digits.length >= (settings.Shortest_Rated_Number ?? 0)

function nationalNumber(called: CalledText, settings: DiallingSettings): Normalised {
  const { National_Prefix, National_Length, Country_Code } = settings
  const { digits } = called
  if (National_Prefix !== '' && digits.startsWith(National_Prefix)) {
    const step = `National_Prefix ${National_Prefix} becomes Country_Code ${Country_Code}`
    return { digits: Country_Code + digits.slice(National_Prefix.length), steps: [step] }
  }
  if (isShortInClosedPlan(digits, settings)) {
    const step = `short in a plan without National_Prefix, so it takes Country_Code ${Country_Code}`
    return { digits: Country_Code + digits, steps: [step] }
  }
  const isNational = National_Length.split(',').includes(String(digits.length))
  if (!isNational || Country_Code === '') return asItIs(called)
  const step = `a number of ${digits.length} digits takes Country_Code ${Country_Code} (National_Length)`
  return { digits: Country_Code + digits, steps: [step] }
}
