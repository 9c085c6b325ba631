import { DAY_SECONDS, HOUR_SECONDS, offsetOf, type Seconds } from '#lib/domain/calendar.ts'
import { CdrRefused } from '#lib/mediation/formats/cdr.ts'

/** Asks a CDR for a field by its name: the text, or blank where the CDR does not have it. */
export type Field = (name: string) => string

/** The text of a JSON value; an object or a list has none. */
export function scalarText(value: unknown): string {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}

/** The first of some fields that is not blank. */
export function firstFilled(field: Field, ...names: readonly string[]): string {
  for (const name of names) {
    const text = field(name)
    if (text !== '') return text
  }
  return ''
}

/** The texts that are not blank, each once. */
export function filledOnce(...texts: readonly string[]): readonly string[] {
  let once = NONE
  for (const text of texts) if (text !== '' && !once.includes(text)) once = [...once, text]
  return once
}

const NONE: readonly string[] = []

/** A percent-encoded text in plain; the text as it is where its encoding is broken, as after a cut. */
export function percentDecoded(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const MAX_QUOTED = 60

/** A value within the detail of a problem, which stays short however long the value is. */
export const quotedValue = (text: string): string =>
  JSON.stringify(text.length > MAX_QUOTED ? `${firstCharacters(text, MAX_QUOTED)}…` : text)

/** The beginning of a text, never with half a surrogate pair at its end. */
export function firstCharacters(text: string, most: number): string {
  const cut = text.slice(0, most)
  return cut.isWellFormed() ? cut : cut.slice(0, -1)
}

/** Reads a moment as a switch writes it; `undefined` when the text is blank or 0, as for a call nobody answered. */
export type Clock = (text: string) => Seconds | undefined

/** `2026-03-10 12:00:00`, with `/` or `T`, with fractions of a second, and with `Z` or an offset of its own. */
const CLOCK_TIME =
  /^(\d{4})[-/](\d{2})[-/](\d{2})[ T]([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.\d+)?(?: ?(Z|[+-]\d{2}:?\d{2}))?$/

/** Unix time in seconds (with or without a fraction), milliseconds or microseconds, told apart by their digits. */
const UNIX = /^(\d{9,11})(?:\d{3}|\d{6})?(?:\.\d+)?$/

const clocks = new Map<string, Clock>()

/**
 * A clock text counts in the zone, unless it has an offset of its own. Throws CdrRefused for anything else. There is one
 * clock for each zone: documents of one CDR come by the thousand, and the clock keeps what it has looked up.
 */
export function clockOf(zone: string): Clock {
  const known = clocks.get(zone)
  if (known) return known
  const clock = createClock(zone)
  clocks.set(zone, clock)
  return clock
}

function createClock(zone: string): Clock {
  const localTime = createLocalTime(createOffsets(zone))

  return (text) => {
    if (text === '') return undefined
    const moment = unixTime(text) ?? localTime(text)
    if (moment === undefined) throw new CdrRefused('impossible_time', `${quotedValue(text)} is not a time`)
    return moment === 0 ? undefined : moment
  }
}

function unixTime(text: string): Seconds | undefined {
  const [, seconds] = UNIX.exec(text) ?? []
  if (seconds !== undefined) return Number(seconds)
  return /^0+(\.0+)?$/.test(text) ? 0 : undefined
}

/** `:05:59`, and nothing else. */
const IN_AN_HOUR = /^:[0-5]\d:[0-5]\d$/

const MAX_HOURS = 10_000

/** Most CDRs of a document are of a few hours: times in an hour that was read before are counted from its start. */
function createLocalTime(offsetAt: OffsetAt): (text: string) => Seconds | undefined {
  const hours = new Map<string, Seconds>()

  return (text) => {
    const hour = text.slice(0, LENGTH_OF_HOUR)
    const known = hours.get(hour)
    const rest = text.slice(LENGTH_OF_HOUR)
    if (known !== undefined && IN_AN_HOUR.test(rest)) return known + secondsInHour(rest)
    const start = clockTime(`${hour}:00:00`, offsetAt)
    const isPlain = start !== undefined && clockTime(`${hour}:59:59`, offsetAt) === start + HOUR_SECONDS - 1
    if (hours.size > MAX_HOURS) hours.clear()
    if (isPlain) hours.set(hour, start)
    return clockTime(text, offsetAt)
  }
}

/** `2026-03-10 12`. */
const LENGTH_OF_HOUR = 13

const secondsInHour = (rest: string): Seconds => Number(rest.slice(1, 3)) * 60 + Number(rest.slice(4))

function clockTime(text: string, offsetAt: OffsetAt): Seconds | undefined {
  const parts = CLOCK_TIME.exec(text)
  if (!parts || !YEARS.test(text)) return undefined
  const midnight = midnightOf(Number(parts[1]), Number(parts[2]), Number(parts[3]))
  if (midnight === undefined) return undefined
  const shown = midnight + Number(parts[4]) * HOUR_SECONDS + Number(parts[5]) * 60 + Number(parts[6])
  const offset = parts[7]
  return offset === undefined ? localMoment(shown, offsetAt) : shown - offsetSeconds(offset)
}

/** No call is of another year, and the rules of a zone are not looked up for them: 1970 to 2099. */
const YEARS = /^(?:19[789]|20)/

/** In UTC; `undefined` for a day that no calendar has. */
function midnightOf(year: number, month: number, day: number): Seconds | undefined {
  const date = new Date(Date.UTC(year, month - 1, day))
  const exists = date.getUTCDate() === day && date.getUTCMonth() === month - 1
  return exists && date.getUTCFullYear() === year ? date.getTime() / 1000 : undefined
}

function offsetSeconds(offset: string): Seconds {
  const [, sign = '+', hours = '0', minutes = '0'] = /^([+-])(\d{2}):?(\d{2})$/.exec(offset) ?? []
  return Number(`${sign}1`) * (Number(hours) * HOUR_SECONDS + Number(minutes) * 60)
}

/** By the rule of `momentAt`: of a time that comes twice the first, and a skipped one as if the clocks had not changed. */
function localMoment(shown: Seconds, offsetAt: OffsetAt): Seconds {
  const before = shown - offsetAt(shown - DAY_SECONDS)
  const after = shown - offsetAt(shown + DAY_SECONDS)
  const shows = (moment: Seconds) => moment + offsetAt(moment) === shown
  return before === after || shows(before) || !shows(after) ? before : after
}

/** Seconds east of UTC. */
type OffsetAt = (moment: Seconds) => Seconds

/** Shorter than the week in which Brazil's north tried summer time in 2000: in no zone did two changes come closer. */
const SPAN = 6 * DAY_SECONDS

interface Span {
  readonly before: Seconds
  readonly after: Seconds
  readonly changeAt: Seconds
}

/** Looks the rules of a zone up once for each span: that costs more than all the rest of a CDR. */
function createOffsets(zone: string): OffsetAt {
  const spans = new Map<number, Span>()

  const look = (place: number): Span => {
    const span = spanFrom(place * SPAN, zone)
    spans.set(place, span)
    return span
  }

  return (moment) => {
    const place = Math.floor(moment / SPAN)
    const span = spans.get(place) ?? look(place)
    return moment < span.changeAt ? span.before : span.after
  }
}

function spanFrom(start: Seconds, zone: string): Span {
  const [before, after] = [offsetOf(start, zone), offsetOf(start + SPAN, zone)]
  if (Number.isNaN(before)) throw new Error(`${JSON.stringify(zone)} is not a time zone`)
  if (before === after) return { before, after, changeAt: start }
  let [unchanged, changeAt] = [start, start + SPAN]
  while (changeAt - unchanged > 1) {
    const middle = Math.floor((unchanged + changeAt) / 2)
    if (offsetOf(middle, zone) === before) unchanged = middle
    else changeAt = middle
  }
  return { before, after, changeAt }
}

/** The times of a call in the switch's own words, blank where it gives none. */
export interface TimeTexts {
  readonly start: string
  readonly answer: string
  readonly end: string
  readonly duration: string
  readonly billsec: string
}

export interface Times {
  readonly start: Seconds
  readonly duration: number
  readonly billsec: number
  readonly isAnswered: boolean
}

/**
 * The start of a call and its lengths. Seconds that are not given follow from the moments, and only then are the other
 * moments read. With no duration and no end, the duration is the billed length. Throws CdrRefused without a start, and for
 * what is not a time or a number of seconds.
 */
export function timesOf(texts: TimeTexts, clock: Clock): Times {
  const start = clock(texts.start)
  if (start === undefined) throw new CdrRefused('impossible_time', 'it has no start')
  const billsec = secondsIn('billsec', texts.billsec) ?? between(clock(texts.answer), clock(texts.end)) ?? 0
  const duration = secondsIn('duration', texts.duration) ?? between(start, clock(texts.end)) ?? billsec
  return { start, duration, billsec, isAnswered: billsec > 0 || isMoment(texts.answer) }
}

function between(from: Seconds | undefined, till: Seconds | undefined): number | undefined {
  if (from === undefined || till === undefined) return undefined
  if (till < from) throw new CdrRefused('impossible_time', 'it ends before it begins')
  return till - from
}

const isMoment = (text: string): boolean => /[1-9]/.test(text)

/** A whole number of seconds; a second that has begun counts. */
function secondsIn(name: string, text: string): number | undefined {
  if (text === '') return undefined
  if (/^\d{1,9}(\.\d+)?$/.test(text)) return Math.ceil(Number(text))
  throw new CdrRefused('unreadable', `${name} ${quotedValue(text)} is not a number of seconds`)
}
