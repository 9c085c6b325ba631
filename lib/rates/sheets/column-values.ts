import { memoize } from '#lib/base/collections.ts'
import { DATE_ORDERS } from '#lib/base/date-order.ts'
import {
  type ColumnHeadings,
  type ColumnIndices,
  type Header,
  indicesIn,
  isRemarkHeading,
  soundsLike,
  soundsLikeIncrements,
  soundsUnpriced,
} from './columns.ts'
import { dateTimeOf } from './dates.ts'
import { priceText } from './numbers.ts'
import { billingOf } from './profile.ts'
import { type Question, quoteCell } from './question.ts'
import { cellAt, type SheetRow } from './sheet-row.ts'
import { isOfEnd, type KnownStatuses, meaningIn, type Status, statusOfRemark } from './statuses.ts'
import { isUnitOfRate } from './units.ts'

export interface SheetColumns {
  readonly header: Header
  /** Columns without a role, in which words such as `Blocked` stand. */
  readonly remarks: readonly RemarkColumn[]
  /** The column that says whether a rate is one of inbound or of outbound calls. */
  readonly callDirection: number | undefined
}

export interface Sheet extends SheetColumns {
  /** The rows above the header. */
  readonly titles: readonly SheetRow[]
  /** These, and the rows without a code and a rate. */
  readonly lines: readonly SheetRow[]
  /** The rows of rates. */
  readonly body: readonly SheetRow[]
}

/** Returns the status that a cell of the column means; `undefined` if it is unclear. */
interface RemarkColumn {
  readonly index: number
  readonly heading: string
  readonly statusOf: (cell: string) => Status | undefined
}

/** Corrects by its values what the headings of a sheet say. A heading in the profile stays. */
export function columnsByValues(
  found: Header,
  body: readonly SheetRow[],
  profile: { readonly columns?: ColumnHeadings | undefined; readonly statuses?: KnownStatuses },
): SheetColumns {
  const header = withoutContradicted(found, body, profile.columns ?? {})
  const width = body.reduce((most, { cells }) => Math.max(most, cells.length), header.names.length)
  const used = new Set(Object.values(header.indices))
  const unused = Array.from({ length: width }, (_, index) => index).filter((index) => !used.has(index))
  const callDirection = unused.find((index) => isCallDirection(valuesIn(body, index)))
  const remarks = unused
    .map((index) => remarkColumn(index, header.names[index] ?? '', profile.statuses))
    .filter(({ index, statusOf }) => body.some((row) => statusOf(cellAt(row, index)) !== 'kept'))
  return { header, remarks, callDirection }
}

/** A `Direction` of calls is not a country, and a `Billing Type` without increments is none. */
function withoutContradicted(header: Header, body: readonly SheetRow[], named: ColumnHeadings): Header {
  const { names, indices } = header
  const wrong = [
    ...('direction' in named ? [] : contradicted(body, indices.direction, isCallDirection)),
    ...INCREMENT_ROLES.filter((role) => !(role in named)).flatMap((role) =>
      contradicted(body, indices[role], (values) => !values.some(isIncrements)),
    ),
    ...('unit' in named ? [] : contradicted(body, indices.unit, (values) => !values.some(isUnitOfRate))),
  ]
  if (wrong.length === 0) return { ...header, indices: withPairs(indices, body) }
  const others = names.map((name, index) => (wrong.includes(index) ? '' : name))
  const left = withoutContradicted(
    { ...header, names: others, indices: indicesIn(others, named) },
    body,
    named,
  )
  return { ...left, names }
}

export const INCREMENT_ROLES = ['billing', 'min_time', 'further'] as const

const contradicted = (
  body: readonly SheetRow[],
  index: number | undefined,
  isWrong: (values: readonly string[]) => boolean,
): number[] => {
  const values = index === undefined ? [] : valuesIn(body, index)
  return index !== undefined && values.length > 0 && isWrong(values) ? [index] : []
}

/** The values of a column that are not blank, each once, up to a number that shows what they are. */
function valuesIn(body: readonly SheetRow[], index: number): string[] {
  const values = new Set<string>()
  for (const row of body) {
    const value = cellAt(row, index).toLowerCase()
    if (value !== '') values.add(value)
    if (values.size === TELLING_VALUES) break
  }
  return [...values]
}

const TELLING_VALUES = 50

const isIncrements = (text: string): boolean => billingOf(text) !== undefined

/** `60/60` under `Minimum Increment` is both increments. Before a next increment, one is the first. */
function withPairs(indices: ColumnIndices, body: readonly SheetRow[]): ColumnIndices {
  const { min_time, billing, further, ...others } = indices
  if (billing !== undefined && further !== undefined && min_time === undefined)
    return valuesIn(body, billing).some(isPair) ? indices : { ...others, min_time: billing, further }
  if (min_time === undefined || billing !== undefined || !valuesIn(body, min_time).some(isPair))
    return indices
  return { ...others, billing: min_time, ...(further !== undefined && { further }) }
}

const isPair = (text: string): boolean =>
  isIncrements(text) &&
  (/\d\D*[/+|]/.test(text) ||
    isUsualPair(
      text
        .trim()
        .split(/ ?[:;-] ?/)
        .map(Number),
    ))

/** Seconds of usual minima and increments: `60-1` and `30:6` are a pair of them, and `10-18` may be hours. */
const USUAL_SECONDS = [1, 6, 10, 15, 20, 30, 60, 120, 180]

const isUsualPair = ([first = 0, further = 0, ...others]: readonly number[]): boolean =>
  others.length === 0 && first >= further && [first, further].every((one) => USUAL_SECONDS.includes(one))

const INBOUND = ['inbound', 'incoming', 'in', 'ingress', 'origination']
const OUTBOUND = ['outbound', 'outgoing', 'out', 'egress', 'termination', 'both', 'any', 'local']

/** `IN` alone is India. */
const isCallDirection = (values: readonly string[]): boolean =>
  values.some((value) => value !== 'in') &&
  values.every((value) => INBOUND.includes(value) || OUTBOUND.includes(value))

/** A rate of inbound calls does not price calls that are sold. */
export const isInbound = (row: SheetRow, { callDirection }: SheetColumns): boolean =>
  INBOUND.includes(cellAt(row, callDirection).toLowerCase())

/** Yes under a heading such as `Discontinued` is that status. No under `Enabled` is asked about. */
function remarkColumn(index: number, heading: string, known: KnownStatuses): RemarkColumn {
  const words = heading.toLowerCase().split(/[^a-z]+/)
  const isStatus = words.some(isOfEnd)
  const isPolicy = words.includes('policy')
  const isInForce = words.some((word) => IN_FORCE.includes(word))
  const isExpected = isStatus || isRemarkHeading(heading)
  const statusOf = memoize((cell: string) => {
    const answer = cell.toLowerCase()
    if (isPolicy && !REGULAR.includes(answer)) return meaningIn(answer, known)
    if (isInForce && NO.includes(answer)) return meaningIn(answer, known)
    if (!isStatus || !YES.includes(answer)) return statusOfRemark(cell, isExpected, known)
    return statusOfRemark(heading, isExpected, known) ?? meaningIn(answer, known)
  })
  return { index, heading, statusOf }
}

/** JeraSoft's policy of a rate: one that is added to others has another word. */
const REGULAR = ['', 'r', 'regular', 'regular rate', 'standard', 'default']
const YES = ['y', 'yes', '1', 'true', 'x', 't']
const NO = ['n', 'no', '0', 'false', 'f']
const IN_FORCE = ['enabled', 'enable', 'active', 'allowed', 'available', 'routable', 'offered']

/** Asks whether a column with values such as `60/60`, or digits under a telling heading, has increments. */
export function incrementsQuestion({ header: { names, indices }, body }: Sheet): Question | undefined {
  if ((indices.billing ?? indices.further) !== undefined) return undefined
  const used = new Set(Object.values(indices))
  const index = names.findIndex(
    (name, at) => name !== '' && !used.has(at) && holdsIncrements(name, valuesIn(body, at)),
  )
  const example = body.find((row) => cellAt(row, index) !== '')
  if (example === undefined) return undefined
  const shown = quoteCell({ line: example.line, text: cellAt(example, index) })
  return {
    about: 'columns.billing',
    asks: `Does the column ${JSON.stringify(names[index] ?? '')} hold the increments, such as ${shown}? No other column is known to`,
    choices: [names[index] ?? '', 'none'],
  }
}

const holdsIncrements = (heading: string, values: readonly string[]): boolean =>
  soundsLikeIncrements(heading)
    ? values.some((value) => /\d/.test(value))
    : values.length > 0 && values.every(isPair)

/** Asks about a number that no rate can keep, such as a charge at the end of a call or a price at night. */
export function unpricedQuestion({ header: { names, indices }, body }: Sheet): Question | undefined {
  const used = new Set(Object.values(indices))
  const changes = (row: SheetRow, at: number) =>
    /[1-9]/.test(cellAt(row, at)) && cellAt(row, at) !== cellAt(row, indices.tariff_rate)
  for (const [index, heading] of names.entries()) {
    if (used.has(index) || !soundsUnpriced(heading)) continue
    const example = body.find((row) => changes(row, index))
    if (example === undefined) continue
    const shown = quoteCell({ line: example.line, text: cellAt(example, index) })
    const asks = `No rate can keep the column ${JSON.stringify(heading)}, such as ${shown}: are calls billed without it?`
    return { about: 'unpriced', asks, choices: ['ignored'] }
  }
  return undefined
}

const isDay = (cell: string): boolean =>
  /\D/.test(cell) && DATE_ORDERS.some((order) => (dateTimeOf(cell, order) ?? '') !== '')

const isHour = (cell: string): boolean => /^\d{1,2}:\d{2}\b/.test(cell.trim())

/** The content of a column by its role, and the values that show it. */
const SOUGHT = {
  effective_from: ['the day from which each rate is in force', isDay],
  start_time: ['the hour from which each rate is in force', isHour],
  end_time: ['the hour until which each rate is in force', isHour],
  min_time: ['the seconds that every call is billed at least', isIncrements],
  con_fee: ['the connection fee', (cell: string) => /[1-9]/.test(priceText(cell)?.number ?? '')],
  origin: ['the callers whom each rate charges', (cell: string) => cell !== ''],
} as const

/** Asks about columns under unknown headings that sound like these roles and have such values. */
export const roleQuestions = (
  { header: { names, indices }, body }: Sheet,
  named: ColumnHeadings,
  roles: readonly (keyof typeof SOUGHT)[],
): Question[] =>
  roles.flatMap((role) => {
    if ((indices[role] ?? named[role]) !== undefined) return []
    if (role === 'min_time' && isMinimumSaid(indices, body)) return []
    const [what, isValue] = SOUGHT[role]
    const used = new Set(Object.values(indices))
    const index = names.findIndex(
      (name, at) => !used.has(at) && soundsLike(role, name) && valuesIn(body, at).some(isValue),
    )
    const example = body.find((row) => isValue(cellAt(row, index)))
    if (index < 0 || example === undefined) return []
    const shown = quoteCell({ line: example.line, text: cellAt(example, index) })
    return {
      about: `columns.${role}`,
      asks: `Does the column ${JSON.stringify(names[index])} hold ${what}, such as ${shown}?`,
      choices: [names[index] ?? '', 'none'],
    }
  })

/** Seconds beside a pair of increments, or beside a next one, are no minimum. */
const isMinimumSaid = ({ billing, further }: ColumnIndices, body: readonly SheetRow[]): boolean =>
  further !== undefined || (billing !== undefined && valuesIn(body, billing).some(isPair))
