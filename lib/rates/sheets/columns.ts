import { namesIn } from '#lib/base/collections.ts'
import {
  columnIndex,
  indexAtPosition,
  plainHeading,
  positionName,
  positionsOf,
  withKnownZone,
  withoutZone,
} from '#lib/csv/headings.ts'
import { withoutRateUnit } from '#lib/csv/rate-headings.ts'
import { HEADER_MAX_LINE } from '#lib/csv/reader.ts'
import { CURRENCY_CODES } from './numbers.ts'
import type { Question } from './question.ts'
import type { SheetRow } from './sheet-row.ts'

/** Words that do not identify a column. */
const NOISE = new Set(
  'per min minute in the of usd eur gbp cent usc ct cts pence p mill voice s sec second'.split(' '),
)

/** Headings that may say a unit or a zone: only these are taken apart. */
const MAY_SAY_UNIT = /per|\/|vat|tax|gst|mw?st|iva|tva|btw|milli|micro|pp[mc]|cpm|pro |je |gross|brutto|ttc/i
const IS_OF_TIME = /date|effective|from|till|until|valid|time|start|end|expir/i

/**
 * Normalises a heading: `Rate (USD/min)`, `RatePerMinute`, `RATES` are `rate`, `Dial Code` is `dialcode`. A
 * unit alone stays.
 */
export function plainHeadingName(heading: string): string {
  const named = IS_OF_TIME.test(heading) ? withoutZone(heading) : heading
  const all = plainHeading(MAY_SAY_UNIT.test(named) ? withoutRateUnit(named) : named)
    .replaceAll('%', ' percent ')
    .replace(/[^a-z0-9]+/g, ' ')
    .trim()
    .split(' ')
  const words = all
    .map((word) => word.replace(/(?<=x)es$|(?<=\w{3})s$/, ''))
    .filter((word, index) => !isNoise(word, index))
  if (words.length > 0) return words.join('')
  return /\w\W+\w|\p{Ll}\p{Lu}/u.test(heading.trim()) ? 'rate' : all.join('')
}

/** As the first word, `min` is a minimum, not a minute. */
const isNoise = (word: string, index: number): boolean =>
  (NOISE.has(word) && !(word === 'min' && index === 0)) || CURRENCY_CODES.has(word.toUpperCase())

/** The roles of columns, each with the names that carriers use, the most reliable first. */
const COLUMN_NAMES = {
  prefix: named(
    'prefix, country code prefix, dial code, dialing code, dialling code, dialed digit, dialed code, destination code, destination prefix, match prefix, breakout code, breakout, number range, e164, code range, area code, city code, code list, code, digit, breakout prefix, dial prefix, dialing prefix, ndc, npanxx, npa nxx, npa',
  ),
  country_code: named('country code, cc, country prefix, country dial code, intl code'),
  direction: named('direction, country, country name'),
  destination: named(
    'destination, destination name, zone name, zone, area name, area, network, operator, route, location, description, name, region',
  ),
  tariff_rate: named(
    'new rate, new price, tariff rate, rate, price, call rate, voice rate, sell rate, outbound rate, termination rate, rate cost, rate value, tariff, cost, charge, unit price',
  ),
  con_fee: named(
    'con fee, connection fee, connect fee, connection charge, connect charge, setup fee, set up fee, setup, call setup, call setup fee, flagfall, flag fall, connection, connect rate, connect cost, connection cost, connect, rate surcharge, surcharge, fee',
  ),
  effective_from: named(
    'new effective date, effective from, effective date, rate effective date, effective, effective on, date effective, valid from, start date, activation date, effective start, effective start date, date start, from date, begin date, date',
  ),
  ends_at: named(
    'ends at, effective till, effective to, effective until, effective end, effective end date, valid to, valid till, valid until, valid thru, valid through, end date, date end, expiration, expiration date, expiry, expiry date, expire, expire date, expire on, expiring, termination date, delete date, deletion date, removal date, discontinue date, closing date, to date, date to, stop date, till, until, end',
  ),
  billing: named(
    'billing increment, increment, billing, billing interval, billing term, billing unit, billing cycle, billing structure, billing rule, billing pulse, billing block, billing step, billing scheme, billing method, billing type, charging increment, charging interval, charging unit, charging rule, charge increment, rate increment, call increment, rounding, rounding rule, round, pulse, interval, incr, inc, int, min incr, min inc, minimum inc, init incr, init inc, initial incr, first next, initial subsequent, granularity, sec granularity, talk increment, interval 1 interval n, charge period, charging period, billing period',
  ),
  min_time: named(
    'min time, minimum, minimum time, minimal time, minimum duration, min duration, minimum charge, minimum charge time, minimum interval, minimum increment, min increment, rate minimum, initial increment, first increment, initial, initial block, init block, initial period, initial billing time, init, first interval, interval first, 1st interval, interval 1, first period, initial interval, connect increment, min interval, min',
  ),
  further: named(
    'subsequent increment, next increment, further increment, additional increment, sub increment, add increment, add inc, add incr, additional inc, next inc, next incr, sub inc, sub incr, next interval, interval next, 2nd interval, interval n, interval 2, next period, subsequent interval, subsequent block, subsequent period, additional, subsequent, next, recurring increment, recurring interval, recurring',
  ),
  unit: named(
    'rate unit, price unit, charge unit, unit, uom, unit of measure, per, charge type, rate type, price type, charge basis, charging basis, rate basis, price basis, charged, billable unit',
  ),
  currency: named('currency, ccy, cur, curr'),
  status: named(
    'status, change, rate change, price change, change type, type of change, change status, change code, code change, code status, rate status, action, change indicator',
  ),
  origin: named(
    'origin code, origin codes, a number prefix, cli prefix, src code, src prefix, origin group, obr group, origin zone, origin country, originating country, origination prefix, origin prefix, origination, origin, a number, cli, ani, source, src, caller',
  ),
  addition: named('origin surcharge, uplift, obr surcharge, a number surcharge'),
  start_time: named('start time, starting time'),
  end_time: named('end time, ending time'),
  daytype: named('day type, day week, week day'),
}

export type ColumnRole = keyof typeof COLUMN_NAMES

/** Headings of columns whose words may say that a rate ends or is blocked. */
const REMARKS = named(
  'comment, remark, note, flag, state, info, information, additional info, additional information, notice, notification, availability, type, event, reason',
)

/** Whether a heading without a role expects such words: a column of remarks, or a further status. */
export const isRemarkHeading = (heading: string): boolean =>
  [...REMARKS, ...COLUMN_NAMES.status].includes(plainHeadingName(heading))

export const isOriginHeading = (heading: string): boolean =>
  COLUMN_NAMES.origin.includes(plainHeadingName(heading))

/** Whether a heading may be a fee of a connection or an amount of a minute. */
export const isSurchargeHeading = (heading: string): boolean => SURCHARGE.includes(plainHeadingName(heading))

const SURCHARGE = named('surcharge, rate surcharge')

/** Words of headings above increments that carriers name in their own way. */
const INCREMENT_WORDS = /\b(incr|inc\b|pulse|interval|rounding|granularity|billing)/i

/** Words of headings above callers, the least or the first seconds, fees of a call, and days of rates. */
const SOUNDS = {
  origin:
    /^(?!.*(?:\b(?:rate|price|cost|charge|fee|card|date|called)s?\b|calling code|surcharge|uplift|original)).*\b(?:orig\w*|a ?(?:number|no|nr|party)|cli|ani|obr|caller\w*|calling|src)\b/,
  effective_from: /^(?!.*(?:creat|modif|updat|change|issue|notice|sent|expir|end|until|till)).*\p{L}/u,
  start_time: /^(?!.*\b(?:to|till|until|end|stop|incr\w*|inc|pulse|interval|billing|rounding)\b).*\p{L}/u,
  end_time: /\b(?:to|till|until|end|stop)\b/,
  min_time: /\b(?:min(?:im(?:um|al))?|init(?:ial)?|first|duration|least)\b/,
  con_fee:
    /^(?!.*%).*\b(?:connect(?:ion)?|set ?up|fees?|surcharges?|flag ?fall|(?:base|initial|fixed|min(?:imum)?) (?:call )?(?:cost|charge|price))\b/,
}

export const soundsLike = (role: keyof typeof SOUNDS, heading: string): boolean =>
  SOUNDS[role].test(spokenHeading(heading))

const spokenHeading = (heading: string): string =>
  plainHeading(heading)
    .replaceAll(/[_-]/g, ' ')
    .replace(/\bpercent(?:age)?\b/, '%')

/** A further price, or seconds that cost less: such a rate would be billed without it. */
const UNPRICED =
  /disconnect|(?:step|time) ?charge|^charge[abc]$|interval ?start|(?:free|included?) ?(?:sec|min)|(?:charge|fee|discount|tax|vat).*%|\bgrace\b|no ?charge ?time|(?:further|additional|next|subsequent|following|extra|each) (?:min|rate|price|charge)/

export const soundsUnpriced = (heading: string): boolean => UNPRICED.test(spokenHeading(heading))

export const soundsLikeIncrements = (heading: string): boolean => INCREMENT_WORDS.test(heading)

/** The order in which columns are assigned. */
export const COLUMN_ROLES = namesIn(COLUMN_NAMES)

function named(list: string): readonly string[] {
  return list.split(', ').map(plainHeadingName)
}

export type ColumnHeadings = { readonly [role in ColumnRole]?: string | undefined }

/** The indices of the columns, from 0. */
export type ColumnIndices = Partial<Readonly<Record<ColumnRole, number>>>

export interface Header {
  readonly line: number
  readonly names: readonly string[]
  readonly indices: ColumnIndices
}

/**
 * Finds the header: of the rows that name a code and a rate, the one with the most known columns. Returns a
 * question if there is none.
 */
export function findHeader(rows: readonly SheetRow[], named: ColumnHeadings = {}): Header | Question {
  let best: Header | undefined
  for (const { line, cells } of rows.slice(0, HEADER_MAX_LINE)) {
    const indices = indicesIn(cells, named)
    if (isHeader(indices) && countKnown(indices) > countKnown(best?.indices))
      best = { line, names: cells, indices }
  }
  return best ?? headerQuestion(rows, named)
}

const isHeader = ({ prefix, country_code, tariff_rate, addition }: ColumnIndices): boolean =>
  (tariff_rate ?? addition) !== undefined && (prefix ?? country_code) !== undefined

export const countKnown = (indices: ColumnIndices = {}): number => Object.keys(indices).length

/** Assigns columns by heading. The profile's headings come first, and no column has two roles. */
export function indicesIn(cells: readonly string[], named: ColumnHeadings = {}): ColumnIndices {
  const indices: Partial<Record<ColumnRole, number>> = {}
  const taken = new Set<number>()
  const take = (role: ColumnRole, index: number) => {
    if (index < 0 || taken.has(index)) return
    indices[role] = index
    taken.add(index)
  }
  for (const role of namesIn(named)) take(role, indexNamed(cells, named[role]))
  const headings = cells.map(plainHeadingName)
  for (const role of COLUMN_ROLES)
    if (named[role] === undefined) take(role, likeliestIndex(cells, headings, role))
  return indices
}

/** The index of a heading in a profile, or of a position such as `#5`. */
function indexNamed(cells: readonly string[], name = ''): number {
  const lower = cells.map((cell) => cell.toLowerCase())
  const index = columnIndex(lower, name.trim().toLowerCase())
  return index >= 0 ? index : (indexAtPosition(name) ?? -1)
}

function likeliestIndex(cells: readonly string[], headings: readonly string[], role: ColumnRole): number {
  const named = COLUMN_NAMES[role].find((name) => headings.includes(name))
  const found = named === undefined ? [] : positionsOf(headings, named)
  return (isDate(role) ? withKnownZone(cells, found) : found)[0] ?? -1
}

const isDate = (role: ColumnRole): boolean => role === 'effective_from' || role === 'ends_at'

/** Names between which a carrier's choice of words does not decide. */
const EQUAL_NAMES: readonly (readonly string[])[] = [
  named('new rate, new price'),
  named(
    'rate, price, call rate, voice rate, sell rate, outbound rate, termination rate, unit price, cost, charge',
  ),
  named(
    'dial code, dialing code, dialling code, dialed digit, dialed code, destination code, destination prefix, breakout code, dial prefix, dialing prefix, breakout prefix, e164',
  ),
  // A country code may be called a code.
  named('area code, city code, ndc, code'),
]

/** Prices that hold for some calls, hours, callers or customers: `Night Rate`, `RoW Rate`. */
const CONDITION =
  /\b(?:discount(?:ed)?|special|promo(?:tional)?|future|upcoming|proposed|pending|net|gross|retail|wholesale|your|customer|final|after|peak|off ?peak|night|evening|weekend|subsequent|following|origin\w*|obr|eea|eer|eu|efta|non|outside|ro ?w|rest of|domestic|national|international|withheld|anonymous|invalid|cli)\b/
const PRICE = /\b(?:rate|price|tariff|charge)s?\b/

function isConditional(name: string): boolean {
  const heading = spokenHeading(name)
  return PRICE.test(heading) && CONDITION.test(heading)
}

/** A further day from which rates are in force, as in `New Rate Effective` beside `Effective Date`. */
const IS_EFFECTIVE = /\b(?:effective|valid)(?: date| from| on)?$/

/** The columns that could have the role of a chosen one: those of the same heading, or of an equal name. */
export function columnCandidates(
  names: readonly string[],
  role: ColumnRole,
  chosen: number,
  isNamed: boolean,
): number[] {
  const heading = (names[chosen] ?? '').toLowerCase()
  const plain = plainHeadingName(names[chosen] ?? '')
  const isEqual = EQUAL_NAMES.find((equal) => equal.includes(plain)) ?? [plain]
  const isCandidate = (name: string) =>
    name.toLowerCase() === heading ||
    (!isNamed &&
      (isEqual.includes(plainHeadingName(name)) ||
        (role === 'tariff_rate' && isConditional(name)) ||
        (role === 'effective_from' && IS_EFFECTIVE.test(spokenHeading(name)))))
  const found = names.flatMap((name, index) => (name !== '' && isCandidate(name) ? [index] : []))
  return isDate(role) && !isNamed ? [...withKnownZone(names, found)] : found
}

/** The name of a column: its heading, or its position if another column has the same. */
export function columnName(names: readonly string[], index: number): string {
  const heading = names[index] ?? ''
  const lower = names.map((name) => name.toLowerCase())
  return positionsOf(lower, heading.toLowerCase()).length > 1 ? positionName(index) : heading
}

function headerQuestion(rows: readonly SheetRow[], named: ColumnHeadings = {}): Question {
  const widest = rows
    .slice(0, HEADER_MAX_LINE)
    .reduce((one, other) => (filled(other) > filled(one) ? other : one), NO_ROW)
  const names = widest.cells.filter((cell) => cell !== '')
  const asked = Object.values(named).map((name) => JSON.stringify(name))
  const missed = asked.length > 0 ? ` The profile names ${asked.join(', ')}.` : ''
  return {
    about: 'columns',
    asks: `Which columns hold the dial codes and the rates? Line ${widest.line} has ${JSON.stringify(names)}.${missed}`,
    choices: [],
    words: names,
  }
}

const NO_ROW: SheetRow = { line: 1, cells: [] }

const filled = ({ cells }: SheetRow): number => cells.filter((cell) => cell !== '').length
