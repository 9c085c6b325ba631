import { memoize, namesIn } from '#lib/base/collections.ts'

/**
 * The unit of lengths, and the time zone, that the heading of a column has after its name.
 * CDRs and rate sheets are read by this one table. A unit or a zone that it does not know is never guessed.
 */

/** A word in the place of a unit or a zone whose meaning is unknown. */
export interface UnknownWord {
  readonly unknown: string
}

export const isUnknownWord = (found: unknown): found is UnknownWord =>
  typeof found === 'object' && found !== null && 'unknown' in found

const MAX_HEADING_LENGTH = 255

/** A heading in words of lower case without accents: `billedDuration_ms` is `billed duration ms`. */
export const plainHeading = (heading: string): string =>
  heading
    .slice(0, MAX_HEADING_LENGTH)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu}{2})(?=\p{Lu}\p{Ll}{2})/gu, ' ')
    .toLowerCase()

const wordsIn = (text: string): string[] => plainHeading(text).match(/\p{L}+|\d+(?:[.,]\d+)*/gu) ?? []

const BRACKETS = /[([{<]([^()[\]{}<>]*)[)\]}>]/g

const bracketsIn = (heading: string): string[] =>
  Array.from(heading.slice(0, MAX_HEADING_LENGTH).matchAll(BRACKETS), ([, text = '']) => text.trim())

const outsideOf = (heading: string): string => heading.replace(BRACKETS, ' ')

// Lengths

/** The units in which lengths are counted, in seconds. */
export const LENGTH_UNITS = { us: 0.000_001, ms: 0.001, cs: 0.01, ds: 0.1, s: 1, min: 60, h: 3600 } as const

type LengthUnit = keyof typeof LENGTH_UNITS

/** The layouts of lengths whose digits are hours, minutes and seconds, or tenths of a minute (`hmmt`). */
export const LENGTH_LAYOUTS = ['hh:mm:ss', 'hh:mm', 'mm:ss', 'hhmmss', 'hhmm', 'mmss', 'hmmt'] as const

/** The forms of lengths that an operator may declare for a switch. */
export const LENGTH_FORMS = [...namesIn(LENGTH_UNITS), ...LENGTH_LAYOUTS] as const

/** How a column writes lengths: numbers of a unit, or a layout. */
export type LengthForm = LengthUnit | (typeof LENGTH_LAYOUTS)[number]

const LENGTH_WORDS: Readonly<Record<LengthUnit, string>> = {
  us: 'us usec usecs μs μsec micros microsec microsecs microsecond microseconds uduration billusec',
  ms: 'ms msec msecs millis millisec millisecs millisecond milliseconds msek mduration billmsec',
  cs: 'cs csec csecs centisecond centiseconds',
  ds: 'ds dsec dsecs decisecond deciseconds',
  s: 's sec secs second seconds sek sekunde sekunden seg segs segundo segundos seconde secondes secondi сек секунд секунды',
  min: 'min mins minute minutes minuten minuto minutos minuti minuty mou мин минут минуты',
  h: 'h hr hrs hour hours std stunde stunden hora horas heure heures ora ore ч час часов',
}

/** The unit of a length by a word such as `msec`. */
export const UNIT_BY_WORD = new Map(
  Object.entries(LENGTH_WORDS).flatMap(([unit, words]) =>
    words.split(' ').map((word) => [word, unit as LengthUnit] as const),
  ),
)

/** Words that count something of which the length is unknown. */
const UNKNOWN_UNITS = new Set(
  'unit units pulse pulses tick ticks jiffies block blocks quantity qty usage volume ns nsec nanos nanoseconds m d day days menge anzahl einheit einheiten impulse takte volumen cantidad unidades pulsos pasos quantite unites quantita scatti quantidade aantal eenheden'.split(
    ' ',
  ),
)

/** Parts of a unit, or a factor: `tenths of seconds`, `duration_sec_x10`. */
const PART_OF_UNIT = /^(?:(?:ten|hundred|thousand)ths?|deci|centi|x)$/

/** Words that a heading may have in brackets after a name, and that name no unit. */
const QUALIFIERS = new Set(
  'rounded billed billable chargeable charged actual total call calls talk raw real net gross answered connected switch cdr carrier customer client vendor leg a b in out of the incl excl number integer decimal duration time length'.split(
    ' ',
  ),
)

/** Units of one or two letters, and words of two meanings, are units only at the end of a heading. */
const isWeak = (word: string): boolean => word.length <= 2 && word !== 'ms'

const FUSED =
  /^(?:call|bill(?:ed|able)?|charged?|talk|conv(?:ersation)?|sess(?:ion)?|ring(?:ing)?|total|acct?|flow|time|duration|dur|length|in)+(us(?:ec)?|ms(?:ec)?s?|millis(?:econds)?|secs?|seconds|mins?|minutes|hours|hrs)$/

/** The unit of lengths that a heading says, as of `duration_ms`, `Duration (min)` or `Billed Minutes`. */
export function lengthFormIn(heading: string): LengthForm | UnknownWord | undefined {
  const found = bracketsIn(heading).map(formInBrackets)
  const first = found.find((one) => one !== undefined)
  if (first !== undefined) return first
  return unitOfWords(wordsIn(outsideOf(heading).replace(/['’]s\b/g, '')))
}

function formInBrackets(text: string): LengthForm | UnknownWord | undefined {
  const layout = text
    .toLowerCase()
    .replace(/\s|[.]\w+$/g, '')
    .replace(/(?<![hms])([hms])(?![hms])/g, '$1$1')
  const known = LENGTH_LAYOUTS.find((one) => one === layout)
  if (known !== undefined) return known
  if (/^(?:h+[:. ])?m+[:. ]s+$|^h+[:. ]m+$/i.test(text)) return { unknown: text }
  const words = wordsIn(text)
  if (words.some((word) => /\d/.test(word))) return { unknown: text }
  const units = new Set(words.flatMap((word) => UNIT_BY_WORD.get(word) ?? []))
  if (units.size === 1) return [...units][0]
  const others = words.filter((word) => !QUALIFIERS.has(word))
  const isUnknown = units.size > 1 || others.length === 1 || others.some((word) => UNKNOWN_UNITS.has(word))
  return isUnknown ? { unknown: text } : undefined
}

function unitOfWords(words: readonly string[]): LengthUnit | UnknownWord | undefined {
  const last = words.length - 1
  const isUnit = (word: string, index: number) => UNIT_BY_WORD.has(word) && (index === last || !isWeak(word))
  const found = words.filter(isUnit)
  const units = new Set([
    ...found.flatMap((word) => UNIT_BY_WORD.get(word) ?? []),
    ...words.flatMap((word) => UNIT_BY_WORD.get(FUSED.exec(word)?.[1] ?? '') ?? []),
  ])
  const counted = words.findIndex(
    (word, index) =>
      PART_OF_UNIT.test(word) || (/^\d/.test(word) && isUnit(words[index + 1] ?? '', index + 1)),
  )
  if (counted >= 0 || units.size > 1) return { unknown: words.slice(Math.max(counted, 0)).join(' ') }
  if (words[0] === 'min' && last > 0) return { unknown: 'min' }
  const unknown = words.find((word, index) => UNKNOWN_UNITS.has(word) && (index === last || !isWeak(word)))
  return [...units][0] ?? (unknown === undefined ? undefined : { unknown })
}

/** The form that an operator names, such as `ms`, `minutes` or `HHMMSS`; `undefined` for another word. */
export const lengthFormNamed = (word: string): LengthForm | undefined =>
  UNIT_BY_WORD.get(word.toLowerCase()) ?? LENGTH_LAYOUTS.find((layout) => layout === word.toLowerCase())

/**
 * A length as text that says its own units, or in seconds. A clock text such as `1:30` keeps its meaning
 * whatever the unit, but for one of hours. Another text stays as it is.
 */
export function lengthText(text: string, form: LengthForm | undefined): string {
  if (form === undefined || form === 's') return text
  if (form === 'h' || form === 'hh:mm')
    return HOURS_AND_MINUTES.test(text) ? `${text}:00` : unitText(text, form)
  return form in LENGTH_UNITS ? unitText(text, form) : layoutText(text, form)
}

const HOURS_AND_MINUTES = /^\d{1,4}:[0-5]\d$/

const NUMBER = /^\d{1,15}(?:\.(\d+)|,(\d{1,2}|\d{4,}))?$/

function unitText(text: string, form: LengthForm): string {
  const [all, decimals = '', others = ''] = NUMBER.exec(text) ?? []
  const unit = LENGTH_UNITS[form as LengthUnit]
  if (all === undefined || unit === undefined) return text
  const seconds = Number(text.replace(',', '.')) * unit
  return withoutExponent(unit > 1 ? wholeIfRounded(seconds, unit, (decimals || others).length) : seconds)
}

/** 61 s are written as `1.02` minutes: the whole second that gives a number with these decimals. */
function wholeIfRounded(seconds: number, unit: number, decimals: number): number {
  const whole = Math.round(seconds)
  return decimals > 0 && Math.abs(whole - seconds) <= (unit / 2) * 10 ** -decimals + 1e-9 ? whole : seconds
}

const withoutExponent = (seconds: number): string => String(Number(seconds.toFixed(6)))

/** Avaya writes 9999 for a call during which its clock was set: such a text stays unreadable. */
const tenthsText = (text: string): string =>
  CLOCK_DIGITS.hmmt.test(text) && text !== NO_LENGTH
    ? String(Number(text.slice(0, 1)) * 3600 + Number(text.slice(1)) * 6)
    : `${text} (hmmt)`

const NO_LENGTH = '9999'

/** `000123` as hours, minutes and seconds is `00:01:23`. Leading zeros may be missing, as in numbers. */
function layoutText(text: string, form: LengthForm): string {
  if (form.includes(':') || !/^\d{1,8}$/.test(text)) return text
  if (form === 'hmmt') return tenthsText(text.padStart(4, '0'))
  const pairs = text
    .padStart(Math.max(form.length, text.length + (text.length % 2)), '0')
    .match(/\d\d/g)
    ?.join(':')
  return form === 'hhmm' ? `${pairs}:00` : (pairs ?? text)
}

/**
 * The forms of a column of lengths whose digits may be a clock's, as in `000123`: all have four or six
 * digits, the pairs of minutes and seconds are below 60, and one begins with 0. Blank if they are plain
 * seconds. `isPart`: another value of the column has shown before that its unit is open.
 */
export function clockDigitForms(values: Iterable<string>, isPart: boolean): readonly LengthForm[] {
  let [forms, begins, differs] = [namesIn(CLOCK_DIGITS), false, false]
  for (const value of values) {
    forms = forms.filter((form) => CLOCK_DIGITS[form].test(value))
    if (forms.length === 0) break
    begins ||= value.startsWith('0')
    differs ||= value.length === 6 ? !value.startsWith('0000') : !/^0+$/.test(value)
  }
  if (isPart) return forms.length > 0 ? [...forms, 's'] : ['s', 'ms', 'min']
  return begins && differs && forms.length > 0 ? [...forms, 's'] : []
}

const CLOCK_DIGITS = {
  hhmmss: /^\d\d[0-5]\d[0-5]\d$/,
  hhmm: /^[0-5]\d[0-5]\d$/,
  mmss: /^[0-5]\d[0-5]\d$/,
  hmmt: /^(?:\d[0-5]\d\d|9999)$/,
} as const

// Zones

const FIXED: Readonly<Record<string, string>> = {
  cest: '+02:00',
  mesz: '+02:00',
  eest: '+03:00',
  msk: '+03:00',
  мск: '+03:00',
  edt: '-04:00',
  cdt: '-05:00',
  mdt: '-06:00',
  pdt: '-07:00',
  jst: '+09:00',
  kst: '+09:00',
  aest: '+10:00',
  aedt: '+11:00',
}

/** A heading names the standard time of a place all year long, so its summers count. */
const PLACES: Readonly<Record<string, string>> = {
  utc: 'UTC',
  gmt: 'UTC',
  zulu: 'UTC',
  z: 'UTC',
  universal: 'UTC',
  cet: 'Europe/Brussels',
  mez: 'Europe/Berlin',
  eet: 'Europe/Athens',
  wet: 'Europe/Lisbon',
  est: 'America/New_York',
  et: 'America/New_York',
  pst: 'America/Los_Angeles',
  pt: 'America/Los_Angeles',
  sgt: 'Asia/Singapore',
  hkt: 'Asia/Hong_Kong',
  sast: 'Africa/Johannesburg',
  nzst: 'Pacific/Auckland',
}

/** Abbreviations of several zones: Central or Chinese, Indian, Irish or Israeli, British or Bangladesh. */
const SEVERAL_ZONES = /^(?:[CMAI]ST|[CM]T|BST)$/

/** Words in capitals in brackets other than zones. */
const NO_ZONES = new Set(
  'local server switch system start end stop answer setup connect time date datetime unix epoch iso iso8601 rfc sip sbc pbx cdr call ms s sec us h am pm yyyy yy mm dd hh ss leg a b orig term caller called callee in out ani dnis cli'.split(
    ' ',
  ),
)

const OFFSET = /(?:utc|gmt)? ?([+\u2212-]) ?(\d{1,2})(?::?([0-5]\d))?(?!\d)/i

const OFFSET_ALONE = new RegExp(`^(?:${OFFSET.source})$`, 'i')

const AREAS =
  /\b(?:Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Brazil|Canada|Europe|Indian|Mexico|Pacific|US|Etc)\/[\w+/-]+/

/** Zones that a plain word of a heading names: `start_utc`, `UTC Time`, but not the `est` of `est_end`. */
const PLAIN_ZONE = /^(?:\p{L}*(?:utc|gmt)|universal|cest?|mes?z|eest|msk|мск)$/u
const PLAIN_ZONES =
  /(?:utc|gmt|(?<![\p{L}\d])(?:universal|cest?|mes?z|eest|msk|мск))(?: ?[+\u2212-] ?\d{1,2}(?::?[0-5]\d)?)?(?![\p{L}\d])/gu

/**
 * The zone of the times below a heading: an IANA name or an offset such as `+02:00`; `undefined` if it says
 * none, which is the zone of the file.
 */
export function zoneInHeading(heading: string): string | UnknownWord | undefined {
  for (const text of bracketsIn(heading)) {
    const zone = zoneNamed(text) ?? zoneAmong(text)
    if (zone !== undefined) return zone
  }
  const text = outsideOf(heading)
  const named = AREAS.exec(text)?.[0]
  if (named !== undefined) return zoneNamed(named) ?? { unknown: named }
  const offset = /\b(?:utc|gmt)\s*[+\u2212-]\s*\d{1,2}(?::?[0-5]\d)?/i.exec(text)?.[0]
  if (offset !== undefined) return zoneNamed(offset)
  const plain = wordsIn(text).find((word) => PLAIN_ZONE.test(word))
  return plain === undefined ? zoneOfCapitals(text) : (zoneNamed(plain) ?? 'UTC')
}

/** Abbreviations outside brackets are zones in capitals only: `Start Time EST`, but not `est_start`. */
function zoneOfCapitals(text: string): string | UnknownWord | undefined {
  const words = text.match(/\p{L}+/gu) ?? []
  const last = words.at(-1) ?? ''
  if (words.length > 1 && SEVERAL_ZONES.test(last)) return { unknown: last }
  const word = words.find((one) => /^(?:EST|EDT|PST|PDT|CDT|MDT|EET|WET|JST|SGT|HKT|SAST|NZST)$/.test(one))
  return word === undefined ? undefined : zoneNamed(word)
}

/** A heading without its zone: `Start (UTC)` and `start_utc` are `start`. */
export const withoutZone = (heading: string): string =>
  plainHeading(
    heading
      .replace(BRACKETS, (all, text) => ((zoneNamed(text) ?? zoneAmong(text)) === undefined ? all : ' '))
      .replace(AREAS, ' '),
  ).replace(PLAIN_ZONES, ' ')

export const nameWithoutZone = (heading: string): string => wordsIn(withoutZone(heading)).join(' ')

/** The zone of an IANA name, an offset, or a usual abbreviation; `undefined` for another text. */
export function zoneNamed(text: string): string | undefined {
  const word = text.trim()
  const [, sign, hours = '', minutes = '00'] = OFFSET_ALONE.exec(word) ?? []
  if (sign !== undefined && Number(hours) <= 14) {
    return `${sign === '+' ? '+' : '-'}${hours.padStart(2, '0')}:${minutes}`
  }
  const [standard = ''] = word.toLowerCase().split('/')
  const short = PLACES[standard] ?? FIXED[standard]
  return short ?? (AREAS.test(word) && isTimeZone(word) ? word : undefined)
}

/** An IANA name, or an offset such as `+02:00`. */
export function isTimeZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }) !== undefined
  } catch {
    return false
  }
}

/** `CST`, `Mars/Base`, and the words of `Pacific Time` and `Central European Time`. */
const NAME_OF_ZONE =
  /^(?:[CM]T|[A-Z]{3,5}|[A-Z][a-z]+\/[A-Z]\w+|Eastern|Central|Mountain|Pacific|Atlantic|European?|Standard)$/

/** The zone of a place by its name alone: `Start (Paris)` is in Europe/Paris. */
const zoneOfCity = memoize((city: string) =>
  Intl.supportedValuesOf('timeZone').find((zone) => zone.replace(/^\w+\//, '') === city.replaceAll(' ', '_')),
)

/** A zone among further words in brackets: `(24h, UTC)`, `(GMT 00:00)`; a word that looks like one. */
function zoneAmong(text: string): string | UnknownWord | undefined {
  const named = AREAS.exec(text)?.[0]
  if (named !== undefined) return zoneNamed(named) ?? { unknown: named }
  const words = text.match(/[\p{L}/_]+/gu) ?? []
  const offset = OFFSET.exec(text)
  const known = words.map(zoneNamed).find((zone) => zone !== undefined) ?? zoneOfCity(text)
  if (offset && (known !== undefined || words.length === 0)) return zoneNamed(offset[0])
  const unknown = words.find((word) => NAME_OF_ZONE.test(word) && !NO_ZONES.has(word.toLowerCase()))
  const isLayout = /^[ymdhsa:/. -]+$/i.test(text)
  return known ?? (unknown === undefined || isLayout ? undefined : { unknown })
}

// Candidates

/** The columns that a name may mean: of several headings of one name none is chosen in silence. */
export const positionsOf = (names: readonly string[], name: string): number[] =>
  names.flatMap((one, index) => (one === name ? [index] : []))

/** The name of a column by its position: the fifth one is `#5`. */
export const positionName = (index: number): string => `#${index + 1}`

/** The index that `#5` names; `undefined` for another text. */
export function indexAtPosition(name: string): number | undefined {
  const [, position] = /^#([1-9]\d{0,4})$/.exec(name.trim()) ?? []
  return position === undefined ? undefined : Number(position) - 1
}

/** The index of the column of this name, or at a position such as `#5`; -1 if there is none. */
export function columnIndex(columns: readonly string[], name: string): number {
  const index = columns.indexOf(name)
  const position = index < 0 ? indexAtPosition(name) : undefined
  return position !== undefined && position < columns.length ? position : index
}

export const hasColumn = (columns: readonly string[], name: string): boolean =>
  columnIndex(columns, name) >= 0

/** The columns with a known zone among several of one time; all of them if none has one. */
export function withKnownZone(columns: readonly string[], candidates: readonly number[]): readonly number[] {
  const known = candidates.filter((index) => typeof zoneInHeading(columns[index] ?? '') === 'string')
  return known.length > 0 ? known : candidates
}
