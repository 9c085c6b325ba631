import type { Settings } from '#lib/settings/settings.ts'
import {
  type CalledText,
  calledUser,
  contextOf,
  type DiallingSettings,
  fullNumber,
  homeNumber,
  isFeatureCode,
  isNobody,
  isShortenedNumber,
  onKeypad,
  readCalled,
} from './called-text.ts'

/**
 * The country codes in which national numbers have a fixed length and are dialled without a prefix, by these
 * lengths. From data/numbering-plans.json, by libphonenumber's metadata; a test compares them.
 */
const CODES_BY_LENGTHS: Readonly<Record<string, string>> = {
  '5': '247 500 682',
  '6': '298 299 672 681 687',
  '7': '220 238 239 246 248 269 297 501 592 673 674 679 680 691 960',
  '8': '45 47 65 216 222 223 226 227 228 235 236 253 257 266 268 350 356 357 371 502 503 504 505 506 509 689 852 853 965 968 973 974',
  '9': '34 56 221 237 240 242 244 245 351 420 992 998',
  '10': '1 30 52 225 229',
  '4,5': '290',
  '4,7': '683',
  '5,7': '676 677 678',
  '6,7': '597',
  '6,9': '376',
  '7,8': '230 241 267 372 507 599 670 675 975',
  '7,9': '48 354',
  '8,9': '224 258',
  '8,10': '378',
}

const LENGTHS_BY_CODE = new Map(
  Object.entries(CODES_BY_LENGTHS).flatMap(([lengths, codes]) =>
    codes.split(' ').map((code) => [code, lengths] as const),
  ),
)

/** The lengths of national numbers in such a plan; blank for other plans. */
export const closedPlanLengths = (countryCode: string): string => LENGTHS_BY_CODE.get(countryCode) ?? ''

/** How a provider is called: `e164` with country code and number, `local` as a subscriber dials at home. */
export const NUMBER_FORMATS = ['e164', 'local'] as const

type NumberFormat = (typeof NUMBER_FORMATS)[number]

/** A rule that changes the first digits of a dialled text: `cut` goes, `add` comes in front. */
export interface DigitRule {
  readonly id: number
  readonly name: string
  readonly cut: string
  readonly add: string
  /** The lengths of the texts that it changes, both included. */
  readonly minlen: number
  readonly maxlen: number
}

/** A carrier, and the text that it was called with. */
export interface CalledCarrier {
  readonly name: string
  readonly text: string
  /** A text before the number, which the carrier cuts. */
  readonly tech_prefix?: string | undefined
  readonly number_format?: NumberFormat | undefined
}

export interface NumberQuestion {
  readonly dialled: string
  /** `undefined` if the CDR does not have the number that a known carrier was called with. */
  readonly carrier: CalledCarrier | undefined
  /** The dialled text names a device of the installation. */
  readonly isDevice: boolean
  readonly emergencies: ReadonlySet<string>
  /** The rules of the device, then those of its location. At most one rule of each list applies. */
  readonly rules: readonly (readonly DigitRule[])[]
}

/** The reason why no number can be rated, with the remedy. */
export interface NumberProblem {
  readonly reason: 'ambiguous_number' | 'unreadable'
  readonly detail: string
  /** An unanswered call is suspended, too: its number is lost. */
  readonly isOfUnanswered?: true
}

export interface NumberDecision {
  /** They begin with the country code. */
  readonly digits: string
  readonly form: 'number' | 'internal' | 'feature_code' | 'short_number'
  readonly problem?: NumberProblem | undefined
  readonly isEmergency?: true
  /** A feature code that may be a number with letters: it is ambiguous if its digits have a rate. */
  readonly mayBeNumber?: boolean
  /** The decision, one sentence for each step. */
  readonly steps: readonly string[]
}

type NumberSettings = DiallingSettings & Pick<Settings, 'Feature_Codes' | 'Shortest_Rated_Number'>

/** Signs or letters with at least this many digits may be a phone number. */
const MIN_NUMBER_DIGITS = 7

/** A dialled number of this many digits is whole: digits before it in a carrier's number are a prefix. */
const MIN_WHOLE_DIGITS = 10

/** The number of a question, prepared for its decision. */
interface PreparedNumber {
  readonly settings: NumberSettings
  /** The text that the switch wrote. */
  readonly written: string
  /** The dialled text after the digit rules. */
  readonly dialled: CalledText
  readonly isDevice: boolean
  readonly steps: readonly string[]
}

/**
 * Decides the number that rates a call if `Rated_Number` is `carrier` (docs/switches.md has the table): the
 * number that the carrier was called with, if it is known how it is called, otherwise the dialled one.
 */
export function decideNumber(question: NumberQuestion, settings: NumberSettings): NumberDecision {
  const { dialled: written, carrier, isDevice, emergencies, rules } = question
  const typed = readCalled(written)
  const ruled = afterRules(typed, rules)
  const steps = [
    `dialled ${written || 'nothing'}`,
    ...(typed.text === written ? [] : [`without signs and parameters ${typed.text || 'nothing'}`]),
    ...ruled.steps,
  ]
  const prepared = { settings, written, dialled: ruled.text, isDevice, steps }
  const called = carrier && withoutTechPrefix(carrier)
  if ([typed, ruled.text, called].some((one) => one && one.text !== '' && emergencies.has(one.text))) {
    const how = [...steps, 'an emergency number']
    return { form: 'internal', digits: typed.digits, isEmergency: true, steps: how }
  }
  if (!carrier || !called || called.text === '') return withContext(numberAsDialled(prepared), typed, written)
  const known = { ...prepared, steps: [...steps, ...stepsOfCarrier(carrier, called)] }
  return withContext(numberOfCarrier(known, called, carrier), called, carrier.text)
}

/** A number without `+` outside of its context, even after the rules of home, may be another country's. */
function withContext(decided: NumberDecision, { text }: CalledText, written: string): NumberDecision {
  const isOpen = decided.form === 'number' && !decided.problem && !text.startsWith('+')
  if (!isOpen || decided.digits.startsWith(contextOf(written))) return decided
  return { ...decided, problem: ELSEWHERE }
}

/** The text after the rules: of each list the one with the longest `cut`, then with the lowest id. */
function afterRules(typed: CalledText, lists: NumberQuestion['rules']) {
  const steps: string[] = []
  let { text } = typed
  for (const rules of lists) {
    const fits = ({ cut, minlen, maxlen }: DigitRule) =>
      text.startsWith(cut) && minlen <= text.length && text.length <= maxlen
    const [best] = rules
      .filter(fits)
      .sort((one, other) => other.cut.length - one.cut.length || one.id - other.id)
    if (!best) continue
    text = best.add + text.slice(best.cut.length)
    steps.push(`digit rule ${best.id} (${best.name}) makes it ${text}`)
  }
  return { text: steps.length === 0 ? typed : readCalled(text), steps }
}

/** The text that a carrier was called with, without the prefix that the carrier cuts. */
function withoutTechPrefix({ text, tech_prefix = '' }: CalledCarrier): CalledText {
  const user = calledUser(text)
  return readCalled(
    tech_prefix !== '' && user.startsWith(tech_prefix) ? user.slice(tech_prefix.length) : text,
  )
}

const stepsOfCarrier = ({ name, text, tech_prefix, number_format }: CalledCarrier, called: CalledText) => [
  `the carrier ${name} was called with ${text}`,
  ...(readCalled(text).text === called.text ? [] : [`without its tech_prefix ${tech_prefix} ${called.text}`]),
  number_format ? `its number_format is ${number_format}` : 'its number_format is not said',
]

function numberOfCarrier(
  prepared: PreparedNumber,
  called: CalledText,
  carrier: CalledCarrier,
): NumberDecision {
  const { steps } = prepared
  const problem = unreadableCarrier(called, carrier)
  if (problem) return undecided(called.digits, steps, problem)
  return carrier.number_format
    ? byFormat(prepared, called, carrier.number_format)
    : withoutFormat(prepared, called)
}

function unreadableCarrier({ isNumber }: CalledText, { text }: CalledCarrier): NumberProblem | undefined {
  if (isShortenedNumber(text)) return SHORTENED
  return isNumber ? undefined : NO_NUMBER
}

/** The number of the carrier, unless something comes before a whole number that was dialled. */
function byFormat(
  { settings, dialled, steps }: PreparedNumber,
  called: CalledText,
  format: NumberFormat,
): NumberDecision {
  const { digits, steps: how } =
    format === 'local' ? homeNumber(called, settings) : fullNumber(called, settings)
  const prefix = dialled.isNumber ? prefixBefore(homeNumber(dialled, settings).digits, digits) : ''
  if (prefix !== '' && prefix !== settings.Country_Code) return undecided(digits, steps, unsaidPrefix(prefix))
  return format === 'e164' && digits.startsWith('0')
    ? undecided(digits, steps, NO_COUNTRY_CODE)
    : asNumber(digits, settings, [...steps, ...how])
}

function withoutFormat(
  { settings, written, dialled, steps }: PreparedNumber,
  called: CalledText,
): NumberDecision {
  const home = homeNumber(dialled, settings)
  const decided = asNumber(home.digits, settings, [...steps, ...home.steps])
  return tellsNumber(dialled, home.digits, called.digits, settings)
    ? decided
    : undecided(home.digits, steps, unsaidFormat(written))
}

/** The digits before a whole dialled number in the carrier's number; blank if there are none. */
const prefixBefore = (dialled: string, called: string): string =>
  dialled.length >= MIN_WHOLE_DIGITS && called.endsWith(dialled) ? called.slice(0, -dialled.length) : ''

/**
 * Returns whether the dialled text alone names the number: it is the one that the carrier was called with, or
 * it has a country code. A line's 0 before a national number looks like the international prefix 00.
 */
function tellsNumber(
  { text }: CalledText,
  home: string,
  called: string,
  { International_Prefix, Country_Code }: NumberSettings,
): boolean {
  if (called === home) return true
  const isInternational =
    text.startsWith('+') || (International_Prefix !== '' && text.startsWith(International_Prefix))
  const isSame = called.endsWith(home) || home.endsWith(called.replace(/^0+/, ''))
  return isInternational && isSame && called !== Country_Code + home
}

/** The number of a call of which no carrier's number is known. */
function numberAsDialled({ settings, written, dialled, isDevice, steps }: PreparedNumber): NumberDecision {
  const { digits } = dialled
  const decided = (form: NumberDecision['form'], step: string) => ({ form, digits, steps: [...steps, step] })
  if (isDevice) return decided('internal', 'a device of the installation')
  if (isFeatureCode(written, settings)) return decided('feature_code', 'a code of Feature_Codes')
  if (isShortenedNumber(written)) return undecided(digits, steps, SHORTENED)
  const problem = isNobody(dialled) ? NOBODY : hiddenNumber(dialled)
  if (problem) return undecided(digits, steps, problem)
  const home = homeNumber(dialled, settings)
  if (dialled.isNumber && home.steps.length === 0 && mayBeNational(dialled, settings))
    return undecided(digits, steps, unsaidPlan(digits, settings))
  if (dialled.isNumber) return asNumber(home.digits, settings, [...steps, ...home.steps])
  const keyed = onKeypad(dialled)
  if (keyed) {
    const number = homeNumber(keyed, settings)
    const how = [...steps, `a code, or the keys ${keyed.digits} of a telephone`, ...number.steps]
    return { form: 'feature_code', digits: number.digits, mayBeNumber: true, steps: how }
  }
  if (!isLong(dialled)) return decided('feature_code', 'a code of the switch')
  return { ...decided('feature_code', 'a number with letters, or a code'), mayBeNumber: true }
}

const isLong = ({ digits }: CalledText): boolean => digits.length >= MIN_NUMBER_DIGITS

/** In a closed plan a number without a prefix, or a short one, is national unless National_Length differs. */
function mayBeNational({ text, digits }: CalledText, settings: NumberSettings): boolean {
  const { Country_Code, National_Length, Shortest_Rated_Number = 0 } = settings
  const lengths = closedPlanLengths(Country_Code)
  if (National_Length !== '' || lengths === '' || text.startsWith('+')) return false
  if (digits.startsWith(Country_Code)) return false
  const isShort = digits.length < MIN_NUMBER_DIGITS && digits.length >= Shortest_Rated_Number
  return isShort || lengths.split(',').includes(String(digits.length))
}

/** Signs among the digits of a number. The rates distinguish letters. */
const hiddenNumber = (dialled: CalledText): NumberProblem | undefined =>
  dialled.isNumber || !isLong(dialled) || /\p{L}/u.test(dialled.text) ? undefined : SIGNS

const undecided = (digits: string, steps: readonly string[], problem: NumberProblem): NumberDecision => ({
  form: 'number',
  digits,
  steps,
  problem,
})

const asNumber = (
  digits: string,
  { Shortest_Rated_Number = 0 }: NumberSettings,
  steps: readonly string[],
): NumberDecision => ({
  form: digits.length < Shortest_Rated_Number ? 'short_number' : 'number',
  digits,
  steps: [...steps, `rated by ${digits}`],
})

// Problems

const ambiguous = (detail: string): NumberProblem => ({ reason: 'ambiguous_number', detail })

const NO_NUMBER = ambiguous('it is not a number: set the tech_prefix of the provider')

const NO_COUNTRY_CODE = ambiguous(
  'no country code begins with 0: set the tech_prefix of the provider, or its number_format to local',
)

const unsaidPrefix = (prefix: string): NumberProblem =>
  ambiguous(
    `${prefix} comes before the dialled number, and is not Country_Code: if the carrier cuts it, set the tech_prefix of the provider`,
  )

const ELSEWHERE = ambiguous(
  'its phone-context is another country or area: have the switch write the number with its country code',
)

const unsaidFormat = (dialled: string): NumberProblem =>
  ambiguous(
    `${dialled} does not tell it either: set the number_format of the provider (e164 or local), or National_Length`,
  )

const unsaidPlan = (digits: string, { Country_Code }: NumberSettings): NumberProblem =>
  ambiguous(
    `${digits} may be a national number of ${Country_Code}, or have another country code: set National_Length to ${closedPlanLengths(Country_Code)}, or to 0 if numbers always have their country code`,
  )

const SIGNS = ambiguous(
  'it may be a number after a code, and no known carrier was called: add the carrier to the providers, or the code to Feature_Codes',
)

/** For a text with letters whose digits have a rate. */
export const LETTERS_BEFORE_NUMBER = ambiguous(
  'its digits have a rate, and no known carrier was called: correct the switch, or add the text to Feature_Codes',
)

const SHORTENED: NumberProblem = {
  reason: 'unreadable',
  detail: 'a spreadsheet has shortened the number: export the CDRs again, with the column as text',
  isOfUnanswered: true,
}

const NOBODY: NumberProblem = {
  reason: 'unreadable',
  detail: 'this is not a number: take dst from the column of the called number',
}
