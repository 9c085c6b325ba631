import { safeParse } from 'valibot'
import { formatDateTime } from '#lib/base/calendar.ts'
import { memoize } from '#lib/base/collections.ts'
import { brokenRule, problemsIn, type RowProblem, reasonIn, rowRefused } from '#lib/base/row-refused.ts'
import { fitsXml, MAX_TEXT_LENGTH, showInvisible } from '#lib/base/text.ts'
import type { Column, Columns } from '../columns.ts'
import { type Calendar, readDate, readDateTime } from './moments.ts'
import type { Cells } from './row-source.ts'

/** How the cells of a file become rows. */
export interface ReadColumns {
  readonly columns: Columns
  /** The reason to refuse names that are not listed; the others are stored. Without it, all are refused. */
  readonly furtherProblem?: ((names: readonly string[]) => string | undefined) | undefined
  /** No reason repeats a cell, as if every column were secret. */
  readonly hidesCells?: true
}

type ParsedRow = Readonly<Record<string, unknown>>

/** Reads only the columns that have a cell. Throws refused_row with every problem. */
export const parseGiven = (format: ReadColumns, cells: Cells, calendar: Calendar): ParsedRow =>
  parserFor(calendar)(format)(cells)

/** Reads cells as the values of all columns; a missing cell is blank. Throws one refused_row. */
export function createRowParser(format: ReadColumns, calendar: Calendar): (cells: Cells) => ParsedRow {
  const blanks = Object.keys(format.columns).map((name) => [name, ''] as const)
  return (cells) => {
    const missing = blanks.filter(([name]) => !Object.hasOwn(cells, name))
    return parseGiven(format, { ...cells, ...Object.fromEntries(missing) }, calendar)
  }
}

/** Rows of a file have the same columns, and cells that repeat: equal cells of a column are parsed once. */
const parserFor = memoize((calendar: Calendar) =>
  memoize((format: ReadColumns) => {
    const parserOf = memoize((name: string) => cellParser(format, name, calendar))
    const planOf = memoize((names: string) => planFor(format, names.split('\n'), parserOf))
    return (cells: Cells): ParsedRow => {
      const { unknown, parsers, further } = planOf(Object.keys(cells).join('\n'))
      if (unknown !== undefined) throw rowRefused(unknown)
      const row = parseCells(parsers, cells)
      for (const name of further) delete row[name]
      return row
    }
  }),
)

function planFor(
  format: ReadColumns,
  names: readonly string[],
  parserOf: (name: string) => CellParser['parse'],
) {
  const listed = Object.keys(format.columns).filter((name) => names.includes(name))
  const further = names.filter((name) => !Object.hasOwn(format.columns, name))
  const parsers = [...listed, ...further].map((name) => ({ name, parse: parserOf(name) }))
  return { unknown: unknownColumn(format, names), parsers, further }
}

interface CellParser {
  readonly name: string
  readonly parse: (cell: string) => unknown
}

/** Throws refused_row with the problems of all cells, in the order of the cells. */
function parseCells(parsers: readonly CellParser[], cells: Cells): Record<string, unknown> {
  const row: Record<string, unknown> = {}
  let problems: Map<string, readonly RowProblem[]> | undefined
  for (const { name, parse } of parsers) {
    try {
      row[name] = parse(cells[name] ?? '')
    } catch (error) {
      problems ??= new Map()
      problems.set(name, problemsIn(error))
    }
  }
  if (problems) throw rowRefused(...inOrderOf(Object.keys(cells), problems))
  return row
}

const inOrderOf = (
  names: readonly string[],
  problems: ReadonlyMap<string, readonly RowProblem[]>,
): RowProblem[] => [...new Set([...names, ...problems.keys()])].flatMap((name) => problems.get(name) ?? [])

/** The first problem with the column names of a file or of a JSON object. */
export function unknownColumn({ columns, furtherProblem }: ReadColumns, names: readonly string[]) {
  const further = names.filter((name) => !Object.hasOwn(columns, name))
  return furtherProblem ? furtherProblem(further) : notListed(further)
}

export const notListed = ([first]: readonly string[]): string | undefined =>
  first === undefined ? undefined : `unknown column ${JSON.stringify(first)}`

/** Parses equal cells of a column once. A further column has its text. */
function cellParser(format: ReadColumns, name: string, calendar: Calendar): CellParser['parse'] {
  const column = Object.hasOwn(format.columns, name) ? format.columns[name] : undefined
  const isSecret = format.hidesCells ?? column?.isSecret ?? false
  return memoize((cell) => {
    if (!fitsXml(cell)) throw rowRefused(brokenRule(name, 'has invalid characters'))
    if (cell.length > MAX_TEXT_LENGTH)
      throw rowRefused(brokenRule(name, `is longer than ${MAX_TEXT_LENGTH} characters`))
    return column ? parseCell(cell, { name, column, isSecret }, calendar) : cell
  })
}

interface ParsedColumn {
  readonly name: string
  readonly column: Column
  readonly isSecret: boolean
}

function parseCell(cell: string, { name, column, isSecret }: ParsedColumn, calendar: Calendar): unknown {
  if (cell === '' && column.blank) return column.blank.value
  if (cell === '') throw rowRefused({ code: 'blank', field: name, values: {} })
  const given = isSecret ? {} : { given: shownValue(cell) }
  const parsed = parsedBy(column, cell, calendar)
  if (typeof parsed === 'string') {
    const addsValue = !isSecret && !parsed.startsWith(`${cell} `)
    throw rowRefused(brokenRule(name, addsValue ? `${parsed}, not ${given.given}` : parsed))
  }
  if (parsed.success) return parsed.output
  throw rowRefused({ code: 'takes', field: name, values: { takes: column.describes, ...given } })
}

const SHOWN_CHARACTERS = 60

const shownValue = (cell: string): string =>
  showInvisible(
    JSON.stringify(cell.length > SHOWN_CHARACTERS ? `${cell.slice(0, SHOWN_CHARACTERS)}...` : cell),
  )

const UNKNOWN_DIALLING = { International_Prefix: '', National_Prefix: '' }

/** The value of a cell, or what the column says about a wrong one. */
function parsedBy(column: Column, cell: string, calendar: Calendar) {
  const { moment, schema, fromCell } = column
  try {
    if (moment) return { success: true, output: readMoment(column, cell.trim(), calendar) } as const
    return safeParse(schema, fromCell(cell, calendar.dialling ?? UNKNOWN_DIALLING))
  } catch (error) {
    return reasonIn(error)
  }
}

function readMoment({ moment, isLocal }: Column, cell: string, calendar: Calendar): string | number {
  if (moment === 'date') return readDate(cell, calendar)
  const seconds = readDateTime(cell, calendar)
  return isLocal ? formatDateTime(seconds, calendar.zone) : seconds
}
