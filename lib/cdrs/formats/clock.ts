import {
  DAY_SECONDS,
  HOUR_SECONDS,
  momentAt,
  offsetOf,
  type Seconds,
  secondMomentAt,
} from '#lib/base/calendar.ts'
import { memoize } from '#lib/base/collections.ts'
import { withMonthNumber } from '#lib/base/date-order.ts'
import { offsetSeconds, ZONE } from '#lib/base/iso-moment.ts'
import type { Refusal } from '#lib/base/refusal.ts'
import { type Cdr, cdrRefused } from './cdr.ts'
import { quotedValue } from './fields.ts'

/**
 * The moment that a switch writes, with its fraction of a second down to a microsecond; `undefined` for a
 * blank text or 0, as for the answer of an unanswered call.
 */
export interface Clock {
  (text: string): Seconds | undefined
  /** The second moment of a text without an offset that occurs twice, as the clocks go back. */
  readonly second: (text: string) => Seconds | undefined
  /** Returns whether the clocks change on a day about this moment. */
  readonly changesAbout: (moment: Seconds) => boolean
}

/**
 * `2026-03-10 12:00:00`; also with `/` or `T`, or without signs between the numbers, with fractions of a
 * second, and with a zone. Other orders of day, month and year are not guessed, unless the month is a word.
 */
const CLOCK_TIME = new RegExp(
  `^(\\d{4})[-/]?(\\d{2})[-/]?(\\d{2})[ T]?(\\d{2}):?(\\d{2}):?(\\d{2})(?:[.,](\\d+)|(\\d{3}))?(?: ?(${ZONE}))?$`,
  'i',
)

/** Unix time in seconds, milliseconds or microseconds. The number of digits distinguishes them. */
const UNIX = /^(?!(?:\d{14}|\d{17})(?!\d))(\d{9,11})(\d{3}|\d{6})?(?:\.(\d+))?$/

/**
 * The clock of a time zone, in which a time without an offset counts. Throws refused_cdr for other texts. A
 * zone's clock keeps its lookups: documents with a single CDR arrive by the thousand.
 */
export const clockOf = memoize(createClock)

function createClock(zone: string): Clock {
  const localTime = createLocalTime(zone)
  const offsetOn = memoize((day: number) => offsetOf(day * DAY_SECONDS, zone))

  const read = (text: string) => {
    if (text === '') return undefined
    const moment = unixTime(text) ?? localTime(text)
    if (moment === undefined)
      throw cdrRefused('impossible_time', `${quotedValue(text)} is not a time: ${remedyFor(text)}`)
    return moment === 0 ? undefined : moment
  }
  return Object.assign(read, {
    second: (text: string) =>
      unixTime(text) === undefined ? clockTime(text, zone, secondMomentAt) || undefined : undefined,
    changesAbout: (moment: Seconds) => {
      const day = Math.floor(moment / DAY_SECONDS)
      return offsetOn(day - 1) !== offsetOn(day + 2)
    },
  })
}

/** Spreadsheets show times without seconds, and save what they show. */
function remedyFor(text: string): string {
  if (/^\d{1,4}[./-]\d{1,2}[./-]\d{1,4}$/.test(text))
    return 'it has no time of day: if that is in a separate column, say --map start=DATE+TIME'
  return /\d:\d/.test(text) && !/\d:\d\d:\d/.test(text)
    ? 'it has no seconds, which a spreadsheet may have cut: export the CDRs again'
    : 'write it as 2026-03-10 12:00:00 +02:00, or as Unix time'
}

function unixTime(text: string): Seconds | undefined {
  const [, seconds, thousandths = '', further = ''] = UNIX.exec(text) ?? []
  if (seconds !== undefined) return Number(seconds) + fractionOf(thousandths + further)
  return /^0[0/: .T-]*$/.test(text) ? 0 : undefined
}

const MICROSECOND_DIGITS = 6

const fractionOf = (digits: string): number =>
  digits === '' ? 0 : Number(`0.${digits.slice(0, MICROSECOND_DIGITS)}`)

/** `:05:59` after the hour, also with fractions of a second. */
const MINUTES_AND_SECONDS = /^:[0-5]\d:[0-5]\d(?:[.,](\d+))?$/

const MAX_KNOWN_HOURS = 10_000

/** A document's CDRs mostly start within hours: a time in a known hour is added to its start. */
function createLocalTime(zone: string): (text: string) => Seconds | undefined {
  const plainHour = memoize((hour: string) => startOfPlainHour(hour, zone), { max: MAX_KNOWN_HOURS })

  return (text) => {
    const rest = text.slice(HOUR_CHARACTERS)
    const inHour = MINUTES_AND_SECONDS.exec(rest)
    const start = inHour ? plainHour(text.slice(0, HOUR_CHARACTERS)) : undefined
    if (start === undefined) return clockTime(text, zone)
    return start + Number(rest.slice(1, 3)) * 60 + Number(rest.slice(4, 6)) + fractionOf(inHour?.[1] ?? '')
  }
}

/** The characters of `2026-03-10 12`. */
const HOUR_CHARACTERS = 13

/** The start of an hour in which the clocks do not change; `undefined` for any other text. */
function startOfPlainHour(hour: string, zone: string): Seconds | undefined {
  const start = clockTime(`${hour}:00:00`, zone)
  const isPlain = start !== undefined && clockTime(`${hour}:59:59`, zone) === start + HOUR_SECONDS - 1
  return isPlain ? start : undefined
}

function clockTime(written: string, zone: string, momentOf = momentAt): Seconds | undefined {
  const text = CLOCK_TIME.test(written) ? written : withMonthNumber(written)
  const [, year, month, day, hours, minutes, seconds, decimals, milliseconds, offset] =
    CLOCK_TIME.exec(text) ?? []
  const [date, time] = [`${year}-${month}-${day}`, `${hours}:${minutes}:${seconds}`]
  if (NULL_DATE.test(date)) return 0
  if (year === undefined || !YEARS.test(text)) return undefined
  const shown = momentOf(date, time, offset === undefined ? knownZone(zone) : 'UTC')
  if (shown === undefined) return undefined
  return (
    shown - (offset === undefined ? 0 : offsetSeconds(offset)) + fractionOf(decimals ?? milliseconds ?? '')
  )
}

/** 1970 to 2099: for other years the rules of a zone are not looked up. */
const YEARS = /^(?:19[789]|20)/

/** `0001-01-01T00:00:00Z` of Go and .NET, `1900-01-01`, and Unix time 0 in any zone, as of ctime. */
const NULL_DATE = /^(?:0001|1900|1970)-01-01|^(?:1899|1969)-12-3|[/ ](?:0001|1900|1969|1970)(?![\d:])/

function knownZone(zone: string): string {
  if (Number.isNaN(offsetOf(0, zone))) throw new Error(`${JSON.stringify(zone)} is not a time zone`)
  return zone
}

/** The text of a moment or a length of a call as the switch writes it; blank if it gives none. */
export type TimeField = (name: 'start' | 'answer' | 'end' | 'duration' | 'billsec') => string

export interface CallTimes extends Pick<Cdr, 'start' | 'duration' | 'billsec'> {
  /** True if seconds are billed, or if the switch gives the moment of an answer. */
  readonly isAnswered: boolean
  /** False if the call has no length: neither its seconds, nor answer and end. */
  readonly isTimed: boolean
}

/**
 * The times of a call in whole seconds: a second that has begun counts. Missing seconds are computed from the
 * exact moments, which are parsed only then. Without duration and end, the duration is the billed length.
 * Throws refused_cdr for a missing start, and for a text that is not a time or a number of seconds.
 */
export function timesOf(field: TimeField, clock: Clock): CallTimes {
  const start = clock(field('start'))
  if (start === undefined) throw cdrRefused('impossible_time', 'it has no start')
  const seconds = secondsIn('duration', field('duration'))
  const billed = secondsIn('billsec', field('billsec'))
  const isComputed = seconds === undefined || billed === undefined
  const moments = isComputed && clock.changesAbout(start) ? momentsIn(field, clock, { seconds, billed }) : {}
  const { first = start, end = isComputed ? clock(field('end')) : undefined } = moments
  const talked = billed ?? secondsTalked(moments.answer ?? clock(field('answer')), end, first, seconds)
  const exact = seconds ?? between(first, end) ?? talked ?? 0
  const billsec = wholeSeconds(talked ?? 0)
  return {
    start: Math.floor(first),
    duration: durationBeside(talked ?? 0, wholeSeconds(exact)),
    billsec,
    isAnswered: billsec > 0 || namesMoment(field('answer')),
    isTimed: talked !== undefined,
  }
}

/** Whole seconds of a length: a second that has begun counts. Moments have microseconds. */
export const wholeSeconds = (seconds: number): number => Math.ceil(Math.round(seconds * 1e6) / 1e6)

/** A switch may cut the duration to whole seconds, and give the billed length with its fraction. */
const durationBeside = (talked: number, duration: number): number =>
  Math.floor(talked) <= duration ? Math.max(duration, wholeSeconds(talked)) : duration

/** From the answer to the end; the duration gives the end, too. */
function secondsTalked(
  answer: Seconds | undefined,
  end: Seconds | undefined,
  start: Seconds,
  duration: number | undefined,
): number | undefined {
  return between(answer, end ?? (duration === undefined ? undefined : start + duration))
}

/** The moments of a call; one that the CDR does not give is absent. */
interface Moments {
  readonly first?: Seconds | undefined
  readonly answer?: Seconds | undefined
  readonly end?: Seconds | undefined
}

/** Lengths that a switch gives may be cut to whole seconds. */
const SLACK_SECONDS = 2

/**
 * The moments of a CDR whose texts may occur twice, as the clocks go back. Its other times and its lengths
 * tell which is meant: those that are in order, have these lengths, and lie in the same of both hours. Throws
 * refused_cdr if two lengths remain.
 */
function momentsIn(
  field: TimeField,
  clock: Clock,
  { seconds, billed }: { readonly seconds: number | undefined; readonly billed: number | undefined },
): Moments {
  const texts = [field('start'), field('answer'), field('end')] as const
  const [starts = [], answers = [], ends = []] = texts.map((text) => {
    const [first, second] = [clock(text), clock.second(text)]
    return second === undefined ? [first] : [first, second]
  })
  const choices = starts.flatMap((first) =>
    answers.flatMap((answer) => ends.map((end) => ({ first, answer, end }))),
  )
  if (choices.length === 1) return {}
  const isSecond = ({ first, answer, end }: Moments) => [
    starts[1] && first === starts[1],
    answers[1] && answer === answers[1],
    ends[1] && end === ends[1],
  ]
  const crosses = (moments: Moments) => new Set(isSecond(moments).filter((one) => one !== undefined)).size > 1
  const rules = [
    hasLength('first', seconds),
    hasLength('answer', billed),
    hasShortRing,
    (moments: Moments) => !crosses(moments),
  ]
  const fit = rules.reduce(
    (some, isRight) => (some.some(isRight) ? some.filter(isRight) : some),
    choices.filter(isInOrder),
  )
  const lengths = new Set(fit.map(({ first = 0, answer, end = 0 }) => billed ?? end - (answer ?? first)))
  if (lengths.size > 1) throw ambiguous([...lengths])
  return fit[0] ?? {}
}

const isInOrder = ({ first, answer, end }: Moments): boolean =>
  !isAfter(first, answer ?? end) && !isAfter(answer, end)

const isAfter = (one: Seconds | undefined, other: Seconds | undefined): boolean =>
  one !== undefined && other !== undefined && Math.floor(one) > Math.floor(other)

const hasLength =
  (from: 'first' | 'answer', length: number | undefined) =>
  ({ end, ...moments }: Moments): boolean =>
    length === undefined ||
    end === undefined ||
    Math.abs(end - (moments[from] ?? Number.NaN) - length) < SLACK_SECONDS

/** No phone rings for an hour. */
const hasShortRing = ({ first, answer }: Moments): boolean =>
  first === undefined || answer === undefined || answer - first < HOUR_SECONDS

const ambiguous = (lengths: readonly number[]): Refusal<'refused_cdr'> =>
  cdrRefused(
    'ambiguous_time',
    `its times occur twice, as the clocks go back: it lasted ${lengths.map(wholeSeconds).join(' or ')} seconds. Have the switch write Unix time, UTC, or the seconds`,
  )

/** An answered call without a length is not free. Throws refused_cdr. */
export function requireTimed({ isTimed }: CallTimes, isAnswered: boolean): void {
  if (isAnswered && !isTimed) throw cdrRefused('no_duration', NO_DURATION)
}

const NO_DURATION =
  'it was answered, but has neither billsec nor answer and end: have the switch write them, or correct the columns'

function between(from: Seconds | undefined, till: Seconds | undefined): number | undefined {
  if (from === undefined || till === undefined) return undefined
  if (Math.floor(till) < Math.floor(from)) throw cdrRefused('impossible_time', 'it ends before it begins')
  return Math.max(0, till - from)
}

/** Whether a switch gives a moment: not blank, and not the 0 or the null date of an unanswered call. */
export const namesMoment = (text: string): boolean => /[1-9]/.test(text) && !NULL_DATE.test(text)

/** Seconds with their fraction; `undefined` for a blank text. */
function secondsIn(name: string, text: string): number | undefined {
  if (text === '') return undefined
  const seconds = durationOf(text)
  if (seconds !== undefined) return seconds
  throw cdrRefused(
    'unreadable',
    `${name} ${quotedValue(text)} is not a number of seconds, nor a length such as 00:02:05 or PT2M5S`,
  )
}

/** Longer texts are not lengths. */
const MAX_LENGTH_CHARACTERS = 40

/**
 * The seconds of a length of time, with fractions; `undefined` for another text. Reads seconds (`125`,
 * `60.25`, `60,5`, `60s`), a clock text (`00:02:05`, `2:05`, `1.00:02:05` or `1 day, 0:02:05`), and units
 * (`PT2M5S` of ISO 8601, `2m 5s`), but no comma before three digits, which may separate thousands, and no
 * part of a day.
 */
export function durationOf(text: string): number | undefined {
  if (text.length > MAX_LENGTH_CHARACTERS || OF_A_DAY.test(text)) return undefined
  const parts = [SECONDS, CLOCK, UNITS].map((form) => form.exec(text)).find((found) => found !== null)
  const { d = '0', h = '0', m = '0', s = '0' } = parts?.groups ?? {}
  if (!parts || !/\d/.test(text)) return undefined
  return Number(d) * 86_400 + Number(h) * 3600 + Number(m) * 60 + Number(s.replace(',', '.'))
}

/** A spreadsheet saves 00:01:00 as `0.000694444444444444`, a part of a day. */
const OF_A_DAY = /^0?[.,](?=0*[1-9])\d{9,}$/

const SECONDS = /^(?<s>\d{1,9}(?:\.\d+|,\d{1,2}|,\d{4,})?)(?: ?s(?:ec(?:ond)?s?)?)?$/i

/** Minutes and seconds, after hours, after days. */
const CLOCK =
  /^(?:(?:(?<d>\d{1,4})(?:\.| days?,? ))?(?<h>\d{1,4}):(?=[0-5]\d:))?(?<m>\d{1,4}):(?<s>[0-5]\d(?:[.,]\d+)?)$/i

const UNITS =
  /^P?(?:(?<d>\d{1,4}) ?d(?:ays?)?,? ?)?T?(?:(?<h>\d{1,5}) ?h(?:ours?|rs?)? ?)?(?:(?<m>\d{1,6}) ?m(?:in(?:ute)?s?)? ?)?(?:(?<s>\d{1,9}(?:[.,]\d+)?) ?s(?:ec(?:ond)?s?)?)?$/i
