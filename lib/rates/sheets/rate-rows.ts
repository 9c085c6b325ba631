import { formatDateTime, momentAt } from '#lib/base/calendar.ts'
import { memoize, namesIn } from '#lib/base/collections.ts'
import { hourOfDay } from '#lib/base/date-order.ts'
import { isZero, type Money, multiply, ONE, roundedQuotient, ZERO } from '#lib/base/money.ts'
import { reasonIn, rowRefused } from '#lib/base/row-refused.ts'
import { rateUnitIn } from '#lib/csv/rate-headings.ts'
import { type OriginOfRow, originOfCell } from '../origins/sheet-origins.ts'
import { BLOCKED_RATE, type DayType } from '../rating.ts'
import { INCREMENT_ROLES, type SheetColumns } from './column-values.ts'
import { COLUMN_ROLES, type ColumnRole, type Header, isOriginHeading } from './columns.ts'
import { dateTimeOf, endOf } from './dates.ts'
import { prefixesOf, type ReadPrefixes } from './dial-codes.ts'
import { currencyIn, decimalOf, isSameCurrency, priceText } from './numbers.ts'
import { billingOf, type CallMinimums, factorOf, type Profile } from './profile.ts'
import { quoteText } from './question.ts'
import { cellAt, type SheetRow } from './sheet-row.ts'
import { type Status, statusOf } from './statuses.ts'
import { isOfHeading, noteOf } from './units.ts'

/** The result of a row: a rate in cells of rates.csv, a prefix that ends, or a refusal's reason. */
export type SheetEntry =
  | {
      readonly line: number
      readonly cells: Readonly<Record<string, string>>
      readonly problem?: string
      /** The callers that the row lists for its origin. */
      readonly origin?: OriginOfRow
    }
  | { readonly line: number; readonly ended: string; readonly from: string }

/** Is called with the number of prefixes of a row that are in ranges. */
export type CountRanges = (prefixes: number) => void

/** Reads rows by the header and a profile without open questions. */
export function createRowReader(
  columns: SheetColumns,
  profile: Profile,
  countRanges: CountRanges = () => {},
): (row: SheetRow) => SheetEntry[] {
  const read = createRateReader(columns, profile, countRanges)
  return (row) => {
    try {
      return read(row)
    } catch (error) {
      return [{ line: row.line, cells: byHeading(columns.header, row), problem: reasonIn(error) }]
    }
  }
}

const byHeading = ({ names }: Header, { cells }: SheetRow): Record<string, string> =>
  Object.fromEntries(cells.map((cell, index) => [names[index] || `column ${index + 1}`, cell]))

function createRateReader(
  { header, remarks }: SheetColumns,
  profile: Profile,
  countRanges: CountRanges,
): (row: SheetRow) => SheetEntry[] {
  const readers = createCellReaders(header, profile)
  const byRole = createRoleReader(header)
  const besideOrigins = createCallersReader(header, profile, readers)
  /** Area codes of the North American plan, which begin with 2 to 9: `NPANXX`. */
  const isNanp = /^npa/i.test(header.names[header.indices.prefix ?? -1] ?? '')
  return (row) => {
    const { line } = row
    const cell = byRole(row)
    const country = cell.country_code || (isNanp && /^[2-9]/.test(cell.prefix) ? '1' : '')
    const { prefixes, ofRanges } = readers.prefixes(cell.prefix, country)
    countRanges(ofRanges)
    const effective_from = readers.date(cell.effective_from)
    const status = strongest([
      statusOfCells(cell, profile),
      ...remarks.map(({ index, statusOf }) => statusOf(cellAt(row, index))),
    ])
    const ends_at = readers.end(cell.ends_at)
    if (status === 'ended' && cell.origin !== '')
      throw rowRefused(
        `it ends ${cell.prefix} for ${quoteText(cell.origin)} alone: give this origin a rate, or an end`,
      )
    if (status === 'ended') return prefixes.map((ended) => ({ line, ended, from: ends_at || effective_from }))
    const rate = {
      direction: cell.direction,
      destination: cell.destination || cell.direction,
      tariff_rate: BLOCKED_RATE,
      con_fee: readers.fee(cell.con_fee),
      ...(status !== 'blocked' &&
        !isAdditionAlone(header, cell) &&
        readers.rate(cell.tariff_rate, cell.currency, cell.unit)),
      ...readers.billing(cell),
      start_time: hourTextOf(cell.start_time),
      end_time: hourTextOf(cell.end_time),
      daytype: dayTypeOf(cell.daytype),
      effective_from,
      ends_at,
      after_end: profile.after_end ?? '',
    }
    return prefixes.flatMap((prefix) => besideOrigins({ line, cells: { ...rate, prefix } }, cell, prefix))
  }
}

/** The days of `Mon-Fri`, `Working days`, `Sat & Sun`, `daily`. */
const DAY_WORDS: readonly (readonly [words: RegExp, type: DayType])[] = [
  [/^(?:mon(?:day)?s? ?(?:-|–|to) ?fri(?:day)?s?|(?:week|work(?:ing)?|business) ?days?)$/i, 'weekday'],
  [/^(?:sat(?:urday)?s? ?(?:-|–|to|and|&|,|\/) ?sun(?:day)?s?|weekends?)$/i, 'weekend'],
  [/^(?:mon(?:day)? ?(?:-|–|to) ?sun(?:day)?|every ?day|daily|all(?: days)?)$/i, 'everyday'],
]

const dayTypeOf = (cell: string): string =>
  cell === '' ? '' : (DAY_WORDS.find(([words]) => words.test(cell))?.[1] ?? cell)

/** `7am`, `7:30 PM` and `0730` as `07:30`; another text as it is. */
function hourTextOf(cell: string): string {
  if (cell === '') return ''
  const [, hour, minutes = '00', half] = /^(\d{1,2})(?:[:.](\d{2}))? ?([ap])\.?m\.?$/i.exec(cell) ?? []
  if (hour !== undefined && Number(hour) <= 12) return `${hourOfDay(hour, half)}:${minutes}`
  return /^\d{4}$/.test(cell) ? `${cell.slice(0, 2)}:${cell.slice(2)}` : cell
}

/** A row that has no rate of its own adds an amount to other rows. */
const isAdditionAlone = ({ indices }: Header, { addition, tariff_rate }: RoleCells): boolean =>
  indices.addition !== undefined && addition !== '' && tariff_rate === ''

type RateEntry = SheetEntry & { readonly cells: Readonly<Record<string, string>> }

/**
 * Adds the callers of a row to its rates, if the sheet has a column of origins. In a sheet of amounts for
 * origins, the rate of a row with one, or without an origin, is that of every caller: other rows repeat it.
 */
function createCallersReader(
  header: Header,
  profile: Profile,
  { addition }: Pick<ReturnType<typeof createCellReaders>, 'addition'>,
) {
  const { origin: column, addition: added } = header.indices
  const seen = new Set<string>()
  const onceForAll = (entry: RateEntry): RateEntry[] => {
    const key = JSON.stringify(entry.cells)
    if (seen.has(key)) return []
    seen.add(key)
    return [entry]
  }
  const withAddition = (entry: RateEntry, cell: RoleCells, callers: OriginOfRow): SheetEntry[] => {
    const tariff_rate = addition(cell.addition)
    const ofAll = cell.tariff_rate === '' ? [] : onceForAll(entry)
    return isZero(tariff_rate) ? ofAll : [...ofAll, additionTo(entry, tariff_rate, callers)]
  }
  return (entry: RateEntry, cell: RoleCells, prefix: string): SheetEntry[] => {
    if (column === undefined && added === undefined) return [entry]
    const callers = underHeading(headingOf(header, 'origin'), () =>
      originOfCell(cell.origin, prefix, profile),
    )
    if (cell.addition !== '') return withAddition(entry, cell, callers)
    if (added !== undefined && callers.origin === '') return onceForAll(entry)
    return [{ ...entry, cells: { ...entry.cells, origin: callers.origin }, origin: callers }]
  }
}

/** Increments and minimum are those of the rate to which the amount is added. */
function additionTo({ cells, ...entry }: RateEntry, tariff_rate: Money, origin: OriginOfRow): SheetEntry {
  const { con_fee: _fee, increment: _increment, min_time: _minimum, ...common } = cells
  return { ...entry, cells: { ...common, tariff_rate, origin: origin.origin, adds: '1' }, origin }
}

/** The cells of a row by role; blank for a column that the sheet does not have. */
type RoleCells = Readonly<Record<ColumnRole, string>>

function createRoleReader({ names, indices }: Header): (row: SheetRow) => RoleCells {
  const used = namesIn(indices)
  /** `Withheld` has no code, but a word in a second column of origins. */
  const isListed = (name: string) => indices.origin !== undefined && isOriginHeading(name)
  const ofOrigins = names.flatMap((name, index) => (isListed(name) ? [index] : []))
  return (row) => {
    const byRole = { ...NO_CELLS }
    for (const role of used) byRole[role] = cellAt(row, indices[role])
    byRole.prefix = row.cells[indices.prefix ?? -1] ?? ''
    byRole.origin ||= ofOrigins.map((index) => cellAt(row, index)).find((cell) => cell !== '') ?? ''
    return byRole
  }
}

const NO_CELLS = Object.fromEntries(COLUMN_ROLES.map((role) => [role, ''])) as Record<ColumnRole, string>

const strongest = (statuses: readonly (Status | undefined)[]): Status | undefined =>
  STRENGTH.find((status) => statuses.includes(status))

/** An ending status overrides the other columns of its row. */
const STRENGTH: readonly Status[] = ['ended', 'blocked', 'kept']

/** A status, or a word such as `closed` in place of a rate, ends or blocks a row's prefixes. */
function statusOfCells({ status, tariff_rate }: RoleCells, { statuses }: Profile): Status | undefined {
  const named = statusOf(status, statuses)
  if (named === 'ended' || named === 'blocked') return named
  if (MINUS_ONE.test(tariff_rate)) return 'blocked'
  return /^[a-z]/i.test(tariff_rate) ? statusOf(tariff_rate) : named
}

/** Some systems export a blocked prefix with this rate. */
const MINUS_ONE = /^-1([.,]0*)?$/

function createCellReaders(header: Header, profile: Profile) {
  const { decimal = 'point', dates = 'day-month', notes, rate_factor, fee_factor } = profile
  const refuse = (role: ColumnRole, cell: string, takes: string): never => {
    throw rowRefused(`${headingOf(header, role)}: ${quoteText(cell)} is not ${takes}`)
  }
  const number = memoize((cell: string) => decimalOf(priceText(cell)?.number ?? '', decimal))
  const date = memoize((cell: string) => inZone(dateTimeOf(cell, dates), profile))
  const end = memoize((cell: string) => inZone(endOf(cell, dates), profile))
  const price = (role: ColumnRole, cell: string): Money => {
    if (notes !== undefined && notes[noteOf(cell)] === 'refused') refuse(role, cell, 'a plain price')
    return number(cell) ?? refuse(role, cell, PRICE[decimal])
  }

  const increments = INCREMENT_ROLES.map((role) => {
    const [, letters] = /(?<!per |\/)\bmin(utes?|s?[)\]])/i.exec(headingOf(header, role)) ?? []
    return { role, letters }
  })
  /** Under `Increment (minutes)`, 1 is 60 seconds; under `(min)` it may be a minimum, too. */
  const inSeconds = (cell: string, { role, letters }: (typeof increments)[number]): string => {
    if (letters === undefined || !/^[1-9](?:\/[1-9])?$/.test(cell)) return cell
    if (!/^u/i.test(letters)) refuse(role, cell, 'clear: minutes, or a minimum of seconds')
    return cell.replace(/\d/g, (minutes) => String(60 * Number(minutes)))
  }

  const added = headingOf(header, 'addition')
  const rates = header.names[header.indices.tariff_rate ?? -1] ?? added
  const [unitAdded, unitOfRates] = [added, rates].map((heading) => JSON.stringify(rateUnitIn(heading)))
  const isOtherUnit = /[(/]|\bper\b/i.test(added) && unitAdded !== unitOfRates

  /** `Minimum Duration` alone says nothing of increments, unlike `Minimum` or `First Interval`. */
  const isLeastTime = /\b(?:time|duration)/i.test(headingOf(header, 'min_time'))
  const afterLeastTime = isLeastTime ? (billingOf(profile.billing ?? '')?.increment ?? '1') : ''

  return {
    /** An amount that is added to a minute, in the unit and the currency of the rates. */
    addition: (cell: string): Money => {
      if (isOtherUnit || !isOfHeading(noteOf(cell)))
        refuse('addition', cell, `an amount in the unit of ${quoteText(rates)}`)
      refuseCurrency(currencyIn(noteOf(cell)) ?? currencyIn(added), profile)
      return timesFactor(price('addition', cell), rate_factor === 'call' ? ONE : rate_factor)
    },
    date: (cell: string): string => date(cell) ?? refuse('effective_from', cell, 'a date such as 2026-12-31'),
    end: (cell: string): string => end(cell) ?? refuse('ends_at', cell, 'a date such as 2026-12-31'),
    fee: (cell: string): string =>
      cell === '' ? '' : timesFactor(price('con_fee', cell), fee_factor ?? rate_factor),
    rate: (cell: string, currency: string, unit: string) => {
      refuseCurrency(currencyIn(currency) ?? currencyIn(priceText(cell)?.currency ?? ''), profile)
      const amount = price('tariff_rate', cell)
      const factor = profile.units && (profile.units[unit] ?? profile.units[noteOf(cell)])
      if ((factor ?? rate_factor) === 'call')
        return { tariff_rate: ZERO, con_fee: timesFactor(amount, fee_factor) }
      return { tariff_rate: timesFactor(amount, factor ?? rate_factor) }
    },
    prefixes: (cell: string, country: string): ReadPrefixes => {
      const read = underHeading(headingOf(header, 'prefix'), () => prefixesOf(cell, country, profile))
      return read.prefixes.length > 0 ? read : refuse('prefix', cell, 'a dial code')
    },
    billing: (cells: RoleCells): CallMinimums | undefined => {
      const [cell = '', first = '', further = ''] = increments.map((one) => inSeconds(cells[one.role], one))
      const steps = cell || stepsOf(first, further || (first && afterLeastTime)) || profile.billing
      if (steps === undefined) return undefined
      const billing = billingOf(steps) ?? refuse('billing', steps, 'increments in seconds such as 60/60')
      const isAlone = cell !== '' && first !== '' && billing.min_time === '0'
      return isAlone ? { ...billing, min_time: billingOf(first)?.increment ?? first } : billing
    },
  }
}

const headingOf = ({ names, indices }: Header, role: ColumnRole): string => names[indices[role] ?? -1] ?? role

/** Adds the heading of the column to a refusal. */
function underHeading<T>(heading: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw rowRefused(`${heading}: ${reasonIn(error)}`)
  }
}

const PRICE = {
  point: 'a price with a decimal point such as 0.0125',
  comma: 'a price with a decimal comma such as 0,0125',
}

/** The decimals of an amount by an endless factor, such as 1/60. */
const FACTOR_DECIMALS = 15

function timesFactor(amount: Money, factor = ONE): Money {
  const { times, by } = factorOf(factor) ?? { times: ONE, by: ONE }
  const product = multiply(amount, times)
  return by === ONE ? product : roundedQuotient(product, by, FACTOR_DECIMALS)
}

/** A date with the offset that the zone of its column has then; blank and unreadable ones as they are. */
function inZone(text: string | undefined, { zone }: Profile): string | undefined {
  if (!text || zone === undefined || zone === 'installation' || text.length > LOCAL_CHARACTERS) return text
  const moment = momentAt(text.slice(0, 10), text.slice(11), zone)
  return moment === undefined ? text : `${formatDateTime(moment, 'UTC')}Z`
}

/** The characters of `YYYY-MM-DD HH:MM:SS`. */
const LOCAL_CHARACTERS = 19

function refuseCurrency(named: string | undefined, { currency }: Profile): void {
  if (named !== undefined && currency !== undefined && !isSameCurrency(named, currency))
    throw rowRefused(`the rate is in ${named}, the sheet in ${currency}`)
}

/** Combines the columns of the first and the further steps, each of which may be missing. */
const stepsOf = (first: string, further: string): string | undefined =>
  [first, further].filter((step) => step !== '').join('/') || undefined
