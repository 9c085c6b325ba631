import { DAY_SECONDS, type Seconds } from '#lib/base/calendar.ts'
import { mergeByKey } from './lines.ts'
import { isOfOrigin } from './origins/origins.ts'
import { prefixOfLine } from './prefix-pages.ts'
import { byPreference, isBlocked, isOfWholeDay, type Rate, secondsOfDay } from './rating.ts'
import { endOfLine, fromLine, lineTimes } from './tariff.ts'

/** Part of a week, in seconds from Monday 00:00:00, with the rates whose hours and days it is. */
interface Span {
  readonly from: Seconds
  /** The first second after it. */
  readonly till: Seconds
  readonly rates: readonly Rate[]
}

const WEEK_SECONDS = 7 * DAY_SECONDS
const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']
const FIRST_FREE_DAY = 5

const WHOLE_DAY = '00:00:00 23:59:59 0'

/** The parts of the week that a rate covers. One over midnight belongs to the day on which it begins. */
function partsOf({ start_time, end_time, daytype }: Rate): (readonly [from: Seconds, till: Seconds])[] {
  const [start, end] = [secondsOfDay(start_time), secondsOfDay(end_time) + 1]
  return DAYS.flatMap((_, day) => {
    if (daytype !== 'everyday' && (daytype === 'weekend') !== day >= FIRST_FREE_DAY) return []
    const midnight = day * DAY_SECONDS
    if (start < end) return [[midnight + start, midnight + end] as const]
    const next = (midnight + DAY_SECONDS) % WEEK_SECONDS
    return [[midnight + start, midnight + DAY_SECONDS] as const, [next, next + end] as const]
  })
}

/** The week cut where any rate begins or ends. */
function spansOf(rates: readonly Rate[]): Span[] {
  const parts = rates.flatMap((rate) => partsOf(rate).map(([from, till]) => ({ rate, from, till })))
  const cuts = [...new Set([0, WEEK_SECONDS, ...parts.flatMap(({ from, till }) => [from, till])])]
  cuts.sort((one, other) => one - other)
  return cuts.slice(1).map((till, index) => {
    const from = cuts[index] ?? 0
    const within = parts.filter((part) => part.from <= from && till <= part.till)
    return { from, till, rates: within.map(({ rate }) => rate) }
  })
}

const TERMS = ['tariff_rate', 'con_fee', 'increment', 'min_time'] as const

/**
 * Whether two rates of one moment differ by their begin or length alone: not where one is of every
 * day, nor where one is of the whole day and covers the hours of the other.
 */
function collide(one: Rate, other: Rate): boolean {
  if (TERMS.every((term) => one[term] === other[term])) return false
  if (one.daytype === other.daytype) {
    const isWhole = [one, other].map(isOfWholeDay)
    return isWhole[0] === isWhole[1] && one.effective_from === other.effective_from
  }
  return one.daytype !== 'everyday' && other.daytype !== 'everyday'
}

/** `08:00:00` as the end of one and the start of the next belongs to the next. */
const isSeam = ({ from, till, rates }: Span): boolean =>
  till - from === 1 && rates.some(({ start_time }) => secondsOfDay(start_time) === from % DAY_SECONDS)

const collisionIn = ({ rates }: Span): readonly Rate[] | undefined => {
  for (const [index, one] of rates.entries())
    for (const other of rates.slice(index + 1)) if (collide(one, other)) return [one, other]
  return undefined
}

/** The rates of lines that are in force at a moment, the newest of each window. */
function ratesAt(lines: readonly string[], at: Seconds): Rate[] {
  const byWindow = new Map<string, string>()
  for (const line of lines) {
    const { from, window } = lineTimes(line)
    if (from <= at) byWindow.set(window, line)
  }
  const isInForce = (line: string) => endOfLine(line) > at || fromLine(line).after_end === 'blocked'
  return [...byWindow.values()].filter(isInForce).map(fromLine)
}

const hasHours = (line: string): boolean => !lineTimes(line).window.startsWith(WHOLE_DAY)

/** The hours of a tariff without a price, or with two, and those that a shorter prefix covers. */
export interface WeekProblems {
  readonly gaps: readonly string[]
  readonly overlaps: readonly string[]
  readonly falls: readonly string[]
}

const NO_PROBLEMS: WeekProblems = { gaps: [], overlaps: [], falls: [] }

const WHOLE_DAY_CELLS = `\t${WHOLE_DAY.replaceAll(' ', '\t')}\t`

/** Most tariffs have no hours: a search in the text of their lines is cheaper than a look at each prefix. */
function someHaveHours(lines: Iterable<string>): boolean {
  for (const line of lines) if (!line.includes(WHOLE_DAY_CELLS)) return true
  return false
}

interface Ancestor {
  readonly prefix: string
  readonly lines: readonly string[]
}

/** Looks through the prefixes with hours or days, at present and when their last rates are in force. */
export function weekProblems(lines: Iterable<string>, now: Seconds): WeekProblems {
  if (!someHaveHours(lines)) return NO_PROBLEMS
  const found = { gaps: new Set<string>(), overlaps: new Set<string>(), falls: new Set<string>() }
  const path: Ancestor[] = []
  for (const { key: prefix, after } of mergeByKey([], lines, prefixOfLine)) {
    while (path.length > 0 && !prefix.startsWith(path.at(-1)?.prefix ?? '')) path.pop()
    const ofAll = after.filter((line) => !isOfOrigin(line))
    if (ofAll.some(hasHours)) lookThrough(prefix, { lines: ofAll, path, now }, found)
    if (ofAll.length < after.length) noteOverlaps(prefix, after.filter(isOfOrigin), now, found.overlaps)
    path.push({ prefix, lines: ofAll })
  }
  return { gaps: [...found.gaps], overlaps: [...found.overlaps], falls: [...found.falls] }
}

/** The hours that rates of an origin leave are those of every caller. Only two prices are a problem. */
function noteOverlaps(prefix: string, lines: readonly string[], now: Seconds, overlaps: Set<string>): void {
  const byOrigin = Map.groupBy(lines.filter(hasHours), (line) => lineTimes(line).callers)
  for (const ofOrigin of byOrigin.values()) {
    const overlap = overlapIn(spansOf(ratesAt(ofOrigin, now)))
    const { origin } = fromLine(ofOrigin[0] ?? '')
    if (overlap !== undefined) overlaps.add(`${prefix} has two prices for callers of ${origin}, ${overlap}`)
  }
}

function lookThrough(
  prefix: string,
  { lines, path, now }: { lines: readonly string[]; path: readonly Ancestor[]; now: Seconds },
  found: Readonly<Record<keyof WeekProblems, Set<string>>>,
): void {
  const latest = lines.reduce((last, line) => Math.max(last, lineTimes(line).from), now)
  for (const at of new Set([now, latest])) {
    const rates = ratesAt(lines, at)
    if (rates.length === 0) continue
    const spans = spansOf(rates)
    const empty = spans.filter((span) => span.rates.length === 0)
    const stands =
      empty.length > 0 ? path.findLast((one) => coversAll(ratesAt(one.lines, at), empty)) : undefined
    if (stands) found.falls.add(`${prefix} falls to ${stands.prefix} on ${hoursOf(empty)}`)
    else if (empty.length > 0) found.gaps.add(`${prefix} has no price on ${hoursOf(empty)}`)
    const overlap = overlapIn(spans)
    if (overlap !== undefined) found.overlaps.add(`${prefix} has two prices, ${overlap}`)
  }
}

function overlapIn(spans: readonly Span[]): string | undefined {
  const double = spans.filter((span) => !isSeam(span) && collisionIn(span) !== undefined)
  const [one, other] = (double[0] && collisionIn(double[0])) ?? []
  return one && other && `${one.tariff_rate} and ${other.tariff_rate}, on ${hoursOf(double)}`
}

const coversAll = (rates: readonly Rate[], spans: readonly Span[]): boolean => {
  const parts = rates.flatMap(partsOf)
  const isCovered = (at: Seconds) => parts.some(([from, till]) => from <= at && at < till)
  return spans.every(({ from, till }) => {
    const cuts = [from, ...parts.flat().filter((cut) => cut > from && cut < till)]
    return cuts.every(isCovered)
  })
}

const MAX_SHOWN = 4

/** `Mon 00:00:00-07:59:59, Sat 00:00:00-Sun 23:59:59`. */
function hoursOf(spans: readonly Span[]): string {
  const joined: { from: Seconds; till: Seconds }[] = []
  for (const { from, till } of spans) {
    const last = joined.at(-1)
    if (last?.till === from) last.till = till
    else joined.push({ from, till })
  }
  const shown = joined.slice(0, MAX_SHOWN).map(({ from, till }) => {
    const [first, last] = [dayAt(from), dayAt(till - 1)]
    return `${first} ${clockAt(from)}-${first === last ? '' : `${last} `}${clockAt(till - 1)}`
  })
  return [...shown, ...(joined.length > MAX_SHOWN ? ['…'] : [])].join(', ')
}

const dayAt = (at: Seconds): string => DAYS[Math.floor(at / DAY_SECONDS)] ?? ''

const clockAt = (at: Seconds): string =>
  [3600, 60, 1]
    .map((unit) => String(Math.floor((at % DAY_SECONDS) / unit) % (unit === 3600 ? 24 : 60)).padStart(2, '0'))
    .join(':')

/** The week of a prefix with hours, a line for each run of equal days; none for a prefix of the whole day. */
export function weekTable(lines: readonly string[], now: Seconds): string[] {
  if (!lines.some(hasHours)) return []
  const latest = lines.reduce((last, line) => Math.max(last, lineTimes(line).from), now)
  const spans = spansOf(ratesAt(lines, latest))
  const days = DAYS.map((_, day) => dayText(spans, day * DAY_SECONDS))
  return DAYS.flatMap((name, day) => {
    if (day > 0 && days[day] === days[day - 1]) return []
    const more = days.slice(day).findIndex((text) => text !== days[day])
    const last = DAYS[(more < 0 ? DAYS.length : day + more) - 1]
    return [`${name === last ? name : `${name}-${last}`}: ${days[day]}`]
  })
}

function dayText(spans: readonly Span[], midnight: Seconds): string {
  const parts: { price: string; from: Seconds; till: Seconds }[] = []
  for (const span of spans) {
    const [from, till] = [Math.max(span.from, midnight), Math.min(span.till, midnight + DAY_SECONDS)]
    if (from >= till) continue
    const begun = span.rates.filter(({ start_time }) => secondsOfDay(start_time) === from % DAY_SECONDS)
    const [best] = (isSeam(span) ? begun : span.rates).toSorted(byPreference)
    const price = best && isBlocked(best) ? 'blocked' : (best?.tariff_rate ?? 'no price')
    const last = parts.at(-1)
    if (last?.price === price) last.till = till
    else parts.push({ price, from, till })
  }
  return parts.map(({ price, from, till }) => `${clockAt(from)}-${clockAt(till - 1)} ${price}`).join(', ')
}
