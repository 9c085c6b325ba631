import { HEADER_MAX_LINE } from '#lib/csv/reader.ts'
import { INDETERMINATE } from '../origins/origins.ts'
import { type ColumnHeadings, indicesIn, plainHeadingName } from './columns.ts'
import type { Profile } from './profile.ts'
import type { SheetRow } from './sheet-row.ts'

// Sheets with a column of rates for each origin: `Inside EEA` and `Outside EEA`, or the jurisdictions.

/** A column of rates, and the word of its origin; blank for every caller. */
interface RateColumn {
  readonly index: number
  readonly origin: string
  /** The heading without the words of its origin: `Rate (USD/min)`. */
  readonly rest: string
}

const STATES =
  /\b(inter|intra) ?state\b|\b(inter|intra)(?=\b|rate\b)|\bindet(?:erminate)?\b|\bij(?=\b|rate\b)/i
const OUTSIDE = /\b(?:outside|non|not in|out of)(?: the)?[ -]?(?:eea|eer|eu)\b/i
const INSIDE = /\b(?:(?:inside|within|intra|in|from)(?: the)?[ -]?)?(eea|eer|eu)\b/i

/**
 * Gives each rate of a row a row of its own, with the word of its origin, as sheets with a column of origins
 * have them. Other sheets stay as they are, and so does one whose profile names one of the columns.
 */
export function withRowsOfOrigins(rows: readonly SheetRow[], { columns = {} }: Profile): readonly SheetRow[] {
  for (const [at, { line, cells }] of rows.slice(0, HEADER_MAX_LINE).entries()) {
    const rates = rateColumnsIn(cells, columns)
    if (rates.length === 0) continue
    if (rates.some(({ index }) => isNamed(columns.tariff_rate, cells[index]))) return rows
    const taken = new Set(rates.map(({ index }) => index))
    const others = (row: readonly string[]) =>
      Array.from({ length: cells.length }, (_, index) => (taken.has(index) ? '' : (row[index] ?? '')))
    const header = { line, cells: [...others(cells), headingOf(rates), 'Origin'] }
    return [...rows.slice(0, at), header, ...rows.slice(at + 1).flatMap((row) => split(row, rates, others))]
  }
  return rows
}

/** The columns of rates for origins of a header; none if there is only one rate, or their units differ. */
function rateColumnsIn(cells: readonly string[], named: ColumnHeadings): readonly RateColumn[] {
  const ofOrigins = cells.flatMap((heading, index) => rateColumn(heading, index) ?? [])
  if (ofOrigins.length === 0) return []
  const taken = new Set(ofOrigins.map(({ index }) => index))
  const { prefix, country_code, origin, addition, tariff_rate } = indicesIn(
    cells.map((cell, index) => (taken.has(index) ? '' : cell)),
    named,
  )
  if ((prefix ?? country_code) === undefined || (origin ?? addition) !== undefined) return []
  const ofAll =
    tariff_rate === undefined ? [] : [{ index: tariff_rate, origin: '', rest: cells[tariff_rate] ?? '' }]
  const all = [...ofAll, ...ofOrigins]
  const isOneUnit = new Set(all.map(({ rest }) => unitIn(rest))).size === 1
  return all.length > 1 && isOneUnit ? all : []
}

function rateColumn(heading: string, index: number): RateColumn | undefined {
  const words = wordsOf(heading)
  const found = [OUTSIDE, INSIDE, STATES].find((one) => one.test(words))
  const [named = '', ...groups] = found?.exec(words) ?? []
  const rest = words.replace(named, ' ').replaceAll(/\s+/g, ' ').trim()
  if (found === undefined || !isOfRate(rest)) return undefined
  const group = groups.find((one) => one !== undefined)
  if (found === OUTSIDE) return { index, origin: '', rest }
  if (found === INSIDE) return { index, origin: (group ?? '').toUpperCase(), rest }
  return { index, origin: group === undefined ? INDETERMINATE : `${group.toLowerCase()}state`, rest }
}

const wordsOf = (heading: string): string =>
  heading.replaceAll(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ').replaceAll(/[-_]/g, ' ')

/** Whether the rest of a heading is `Rate`, a unit, or both. */
const isOfRate = (rest: string): boolean =>
  ['rate', 'ratecaller', 'rateorigin'].includes(plainHeadingName(`Rate ${unitIn(rest)}`))

const unitIn = (rest: string): string =>
  wordsOf(rest)
    .replaceAll(/\b(?:rates?|prices?|costs?)\b/gi, '')
    .trim()

const headingOf = ([first]: readonly RateColumn[]): string => `Rate ${unitIn(first?.rest ?? '')}`.trim()

const isNamed = (named: string | undefined, heading = ''): boolean =>
  named !== undefined && named.trim().toLowerCase() === heading.toLowerCase()

/** A row without any rate stays one, which a status may end or block. */
function split(
  { line, cells }: SheetRow,
  rates: readonly RateColumn[],
  others: (row: readonly string[]) => readonly string[],
): SheetRow[] {
  const filled = rates.filter(({ index }) => (cells[index] ?? '') !== '')
  const own = others(cells)
  if (filled.length === 0) return [{ line, cells: own }]
  return filled.map(({ index, origin }) => ({ line, cells: [...own, cells[index] ?? '', origin] }))
}
