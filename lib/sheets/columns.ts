import { COLUMN_NAMES, COLUMN_ROLES, type ColumnRole, plainName } from './column-names.ts'
import type { Profile } from './profile.ts'
import type { Question } from './question.ts'
import type { SheetRow } from './sheet-row.ts'

/** Where the columns stand, from 0. */
export type Places = Partial<Readonly<Record<ColumnRole, number>>>

export interface Header {
  readonly line: number
  readonly names: readonly string[]
  readonly places: Places
}

/** Most lines above the header: titles, addresses, dates. */
export const HEADER_WITHIN = 50

/** The row that names a code and a rate, and the most columns of all that do; asks when there is none. */
export function findHeader(rows: readonly SheetRow[], named: Profile['columns'] = {}): Header | Question {
  let best: Header | undefined
  for (const { line, cells } of rows.slice(0, HEADER_WITHIN)) {
    const places = placesIn(cells, named)
    if (isHeader(places) && knownIn(places) > knownIn(best?.places)) best = { line, names: cells, places }
  }
  return best ?? headerQuestion(rows, named)
}

const isHeader = ({ prefix, country_code, tariff_rate }: Places): boolean =>
  tariff_rate !== undefined && (prefix ?? country_code) !== undefined

export const knownIn = (places: Places = {}): number => Object.keys(places).length

/** A column has one meaning; one that the profile names is what the profile says. */
export function placesIn(cells: readonly string[], named: Profile['columns'] = {}): Places {
  const places: Partial<Record<ColumnRole, number>> = {}
  const taken = new Set<number>()
  const take = (role: ColumnRole, place: number) => {
    if (place < 0 || taken.has(place)) return
    places[role] = place
    taken.add(place)
  }
  for (const [role, name] of Object.entries(named)) take(role as ColumnRole, placeNamed(cells, name))
  const headings = cells.map(plainName)
  for (const role of COLUMN_ROLES) if (named[role] === undefined) take(role, surest(headings, role))
  return places
}

const placeNamed = (cells: readonly string[], name = ''): number =>
  cells.findIndex((cell) => cell.trim().toLowerCase() === name.trim().toLowerCase())

function surest(headings: readonly string[], role: ColumnRole): number {
  const named = COLUMN_NAMES[role].find((name) => headings.includes(name))
  return named === undefined ? -1 : headings.indexOf(named)
}

function headerQuestion(rows: readonly SheetRow[], named: Profile['columns'] = {}): Question {
  const widest = rows
    .slice(0, HEADER_WITHIN)
    .reduce((one, other) => (filled(other) > filled(one) ? other : one), NO_ROW)
  const names = widest.cells.filter((cell) => cell.trim() !== '')
  const asked = Object.values(named).map((name) => JSON.stringify(name))
  const missed = asked.length > 0 ? ` The profile names ${asked.join(', ')}.` : ''
  return {
    about: 'columns',
    asks: `Which columns hold the dial codes and the rates? Line ${widest.line} has ${JSON.stringify(names)}.${missed}`,
    choices: [],
  }
}

const NO_ROW: SheetRow = { line: 1, cells: [] }

const filled = ({ cells }: SheetRow): number => cells.filter((cell) => cell.trim() !== '').length
