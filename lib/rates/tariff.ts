import { ownerColumn, requiresOwner } from '#lib/accounts/account.ts'
import type { Seconds } from '#lib/base/calendar.ts'
import { memoize } from '#lib/base/collections.ts'
import { ZERO } from '#lib/base/money.ts'
import {
  addedLater,
  currencyColumn,
  id,
  labelled,
  oneOf,
  type Row,
  requiredText,
  text,
  visible,
} from '#lib/table/columns.ts'
import { defineEntity, readMany, type Stored } from '#lib/table/entity.ts'
import type { Item } from '#lib/table/items.ts'
import { keyForm, listName, tariffKey } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'
import type { CallerNumber } from './numbers/caller-number.ts'
import { findCallerOfRate } from './origins/caller-lookup.ts'
import { findNpas, withJurisdiction } from './origins/jurisdiction.ts'
import { type CallerOfRate, type CallRate, INVALID_CALLERS, matchByOrigin } from './origins/matching.ts'
import { isOfOrigin, linesWith, originPages } from './origins/origins.ts'
import { ownLines, type Page } from './prefix-pages.ts'
import {
  activeVersion,
  findLines,
  findPage,
  type PagedList,
  type PageFinder,
  pagesOf,
  previousVersion,
  readVersions,
  type Version,
} from './prefix-versions.ts'
import {
  DAY_TYPES,
  type DayType,
  END_OF_DAY,
  MIDNIGHT,
  matchRate,
  type Rate,
  type RatingMoment,
} from './rating.ts'

const tariffColumns = {
  id,
  name: visible(requiredText),
  purpose: labelled(text('retail'), 'Purpose', 'such as retail'),
  currency: currencyColumn,
  owner_id: ownerColumn,
  invalid_caller: addedLater(
    labelled(
      oneOf(INVALID_CALLERS, 'dearest'),
      'Invalid callers',
      'what a caller without a usable number pays: the highest rate of any origin, or that of every caller',
    ),
    'dearest',
  ),
}

export type TariffRow = Row<typeof tariffColumns>

/** The header of a tariff; its rates are pages of the active version. */
export interface Tariff extends Stored<TariffRow> {
  /** `undefined` before the first import of rates. */
  readonly active: Version | undefined
  readonly previous: Version | undefined
}

export function readTariff(item: Item): Tariff {
  const versions = readVersions(item)
  return { ...tariffs.read(item), active: activeVersion(versions), previous: previousVersion(versions) }
}

/** An item that a process remembers is read once. */
export const knownTariff = memoize(readTariff)

const inTariffs = keyForm('TARIFFS', '<id>')
const allTariffs = { index: 'GSI1', partition: inTariffs.partition() } as const

/** The partition of the rates of one version. Each page is under its first prefix. */
export const ratePages = listName('RATES#<id>#<version>')

/** The header of a tariff, whose item also has the versions of its rates. */
export const tariffs = defineEntity({
  name: 'tariff',
  columns: tariffColumns,
  key: tariffKey,
  list: inTariffs,
  requires: [requiresOwner],
  isShared: true,
})

export const ratesOf = memoize(
  (tariffId: number): PagedList => ({
    header: tariffKey(tariffId),
    pages: (version) => ratePages(tariffId, version),
    beside: { pages: (version) => originPages(tariffId, version), refersTo: isOfOrigin },
  }),
)

/** In the order of the ids. */
export const findTariffs = (store: Store, ids: readonly number[]): Promise<(Tariff | undefined)[]> =>
  readMany(store, ids.map(tariffKey), readTariff)

export const findTariff = async (store: Store, tariffId: number): Promise<Tariff | undefined> =>
  (await findTariffs(store, [tariffId]))[0]

/** Every tariff, ascending by id. */
export async function listTariffs(store: Store): Promise<Tariff[]> {
  const items = await store.list(allTariffs)
  return items.map(readTariff)
}

export const hasTariffs = async (store: Store): Promise<boolean> =>
  (await store.firstPage({ ...allTariffs, pageSize: 1 })).length > 0

/**
 * The rate of a dialled number at a moment (wire.md rate_get). Reads one page, however large the tariff, and
 * a page of origins for a caller. Without one, the rate is that of every caller.
 * `digits` are digits only.
 */
export async function findRate(
  store: Store,
  tariff: Tariff,
  {
    digits,
    caller,
    ...when
  }: RatingMoment & {
    readonly digits: string
    readonly caller?: { readonly number: CallerNumber; readonly seconds: number } | undefined
  },
  find?: PageFinder,
): Promise<CallRate | undefined> {
  const { id: tariffId, active } = tariff
  const reading = findLines(store, ratesOf(tariffId), { version: active, find }, digits)
  if (!active?.origins) return rateAmong((await reading).map(fromLine), when)
  if (!caller) return rateAmong((await reading).map(fromLine), { caller: OF_NO_ORIGIN, ...when })
  const findLine = linesWith(store, find)
  const known = findCallerOfRate(findLine, tariff, caller.number, caller.seconds)
  const [lines, origins] = await Promise.all([reading, known])
  const rates = lines.map(fromLine)
  const asked = { digits, from: caller.number.digits, caller: origins }
  const ofCaller = await withJurisdiction(findLine, () => findNpas(store), rates, asked)
  return rateAmong(rates, { caller: ofCaller, ...when })
}

/**
 * The rate of a number among those whose prefixes lead it: the one with the longest prefix that is in force
 * (wire.md rate_get). `caller` is given if the tariff has origins (wire.md 7.7).
 */
export const rateAmong = (
  leading: readonly Rate[],
  when: RatingMoment & { readonly caller?: CallerOfRate | undefined },
): CallRate | undefined =>
  when.caller ? matchByOrigin(leading, when.caller, when) : matchRate(leading, when)

/** A caller of no origin pays what every caller does, without an addition. */
export const OF_NO_ORIGIN: CallerOfRate = {
  origins: [],
  detail: 'of no origin',
  isInvalid: false,
  invalid_caller: 'standard',
  seconds: 0,
}

/** The rates page by page, by prefix, then effective_from, then start_time. Throws TooMuchContention. */
export async function* pagesOfRates(
  store: Store,
  { id: tariffId }: Pick<Tariff, 'id'>,
  version: Version | undefined,
): AsyncGenerator<Rate[]> {
  for await (const lines of pagesOf(store, ratesOf(tariffId), version)) yield lines.map(fromLine)
}

/** Some rates of a version, and the prefix at which the next ones begin; null after the last. */
interface FoundRates {
  readonly rates: readonly Rate[]
  readonly next: string | null
}

/** `from` is the first prefix; all of them begin with `prefix`. */
interface WantedRates {
  readonly prefix: string
  readonly from: string
  readonly count: number
  /** The most pages that are read, a unit each: several hundred rates. */
  readonly mostPages: number
  readonly matches: (rate: Rate) => boolean
}

/** The first rates of the active version that match. All rates of a prefix are in one part. */
export async function searchRates(store: Store, tariff: Tariff, wanted: WantedRates): Promise<FoundRates> {
  const rates: Rate[] = []
  let next: string | null = wanted.from
  for (let pages = 0; next !== null && pages < wanted.mostPages; pages += 1) {
    const part = await findPart(store, tariff, next, wanted)
    rates.push(...part.rates)
    const end = rates.findIndex(({ prefix }, at) => at >= wanted.count && prefix !== rates[at - 1]?.prefix)
    if (end > 0) return { rates: rates.slice(0, end), next: String(rates[end]?.prefix) }
    next = part.next
  }
  return { rates, next }
}

/** The rates of one page that match, and where the next page begins unless this one has passed the prefix. */
async function findPart(
  store: Store,
  { id: tariffId, active }: Tariff,
  from: string,
  { prefix, matches }: WantedRates,
): Promise<FoundRates> {
  if (!active || active.rows === 0) return { rates: [], next: null }
  // The first page has no place for digits before it.
  const first = from < active.first ? active.first : from
  const page = await findPage(store, ratePages(tariffId, active.version), first)
  const ahead = ownLinesFrom(page, from)
  const within = ahead.filter((rate) => rate.prefix.startsWith(prefix))
  const isPassed = within.length < ahead.length || !page?.next
  return { rates: within.filter(matches), next: isPassed ? null : page.next }
}

const ownLinesFrom = (page: Page | undefined, from: string): Rate[] =>
  page
    ? ownLines(page)
        .map(fromLine)
        .filter((rate) => rate.prefix >= from)
    : []

/**
 * A rate as a line of a page: its cells, separated by tabs. Lines sort by prefix, then effective_from, then
 * start_time: a tab comes before every digit, and seconds are padded.
 */
export const toLine = (rate: Rate): string =>
  [
    rate.prefix,
    effectiveCell(rate.effective_from),
    rate.start_time,
    rate.end_time,
    dayCell(rate),
    rate.tariff_rate,
    rate.con_fee,
    rate.increment,
    rate.min_time,
    rate.direction,
    rate.destination,
    rate.code,
    ...endCells(rate),
  ].join('\t')

/** The days, and the callers of a rate that is not for all: `0=NAF`, or `0+NAF` for an addition. */
const dayCell = ({ daytype, origin, adds }: Rate): string =>
  `${DAY_TYPES.indexOf(daytype)}${origin === '' ? '' : `${adds ? '+' : '='}${origin}`}`

/** A rate without an end has no cells for it, as in tables of earlier versions. */
const endCells = ({ ends_at, after_end }: Rate): string[] =>
  ends_at === undefined ? [] : [effectiveCell(ends_at), ...(after_end === 'blocked' ? [after_end] : [])]

const SECONDS_DIGITS = 12

const effectiveCell = (effective: number | undefined): string =>
  effective === undefined ? '' : String(effective).padStart(SECONDS_DIGITS, '0')

/** The cells of a line by the columns of a rate. That of the days has the origin, too. */
export const RATE_CELLS = [
  'prefix',
  'effective_from',
  'start_time',
  'end_time',
  'daytype',
  'tariff_rate',
  'con_fee',
  'increment',
  'min_time',
  'direction',
  'destination',
  'code',
  'ends_at',
  'after_end',
] as const satisfies readonly (keyof Rate)[]

/** The number of cells that identify a rate: prefix, begin, start_time, end_time, and days with origin. */
export const KEY_CELLS = 5

/** The part of a line that is unique within a tariff. */
export function keyOfLine(line: string): string {
  let end = -1
  for (let cell = 0; cell < KEY_CELLS; cell += 1) end = line.indexOf('\t', end + 1)
  return line.slice(0, end)
}

/**
 * The start of a rate in Unix seconds, 0 for one without effective_from; its hours, days and callers, which
 * tell it apart from other rates of its prefix; and the callers alone, as their cell has them.
 */
export function lineTimes(line: string) {
  const [, effective = '', start, end, days = ''] = line.split('\t', 5)
  return { from: Number(effective), window: `${start} ${end} ${days}`, callers: days.slice(1) }
}

const ENDS_AT = RATE_CELLS.indexOf('ends_at')

/** The end of a rate; infinity if it has none. */
export const endOfLine = (line: string): Seconds =>
  Number(line.split('\t', ENDS_AT + 1)[ENDS_AT] ?? Number.POSITIVE_INFINITY)

/** The line of a rate that ends at this moment, and gives way to a shorter prefix. */
export const lineUntil = (line: string, ends_at: Seconds): string =>
  endOfLine(line) <= ends_at ? line : toLine({ ...fromLine(line), ends_at, after_end: 'fallback' })

/**
 * Rates share the texts that most of them have, and what selects a rate comes first: so a lookup among many
 * rates reads less memory.
 */
export function fromLine(line: string): Rate {
  const [prefix = '', effective = '', start_time = '', end_time = '', days = '0', ...rest] = line.split('\t')
  const [tariff_rate = '0', con_fee = '0', increment = '1', min_time = '0', ...names] = rest
  const [direction = '', destination = '', code = '', ends = '', after_end] = names
  return {
    prefix,
    origin: days.slice(2),
    adds: days[1] === '+',
    effective_from: effective === '' ? undefined : Number(effective),
    ends_at: ends === '' ? undefined : Number(ends),
    start_time: start_time === MIDNIGHT ? MIDNIGHT : start_time,
    end_time: end_time === END_OF_DAY ? END_OF_DAY : end_time,
    daytype: DAY_TYPES[Number(days[0])] ?? unknownDayType(line),
    tariff_rate,
    con_fee: con_fee === ZERO ? ZERO : con_fee,
    increment: Number(increment),
    min_time: Number(min_time),
    direction,
    destination,
    code,
    after_end: after_end === 'blocked' ? after_end : 'fallback',
  }
}

function unknownDayType(line: string): DayType {
  throw new Error(`A stored rate has no day type: ${line}`)
}
