import { safeParse } from 'valibot'
import { memoize } from '#lib/domain/collections.ts'
import { RowRefused, reasonIn } from '#lib/domain/row-refused.ts'
import { fitsXml, MAX_TEXT_LENGTH } from '#lib/domain/text.ts'
import type { Column } from '#lib/store/columns.ts'
import { type Calendar, readDate, readDateTime } from './moments.ts'
import type { RowColumns } from './row-format.ts'
import type { Cells } from './row-source.ts'

type ReadColumns = Pick<RowColumns, 'columns' | 'takesFurtherColumns' | 'secrets'>

/** Reads only the columns that have a cell. Throws RowRefused with every problem. */
export const parseGiven = (
  format: ReadColumns,
  cells: Cells,
  calendar: Calendar,
): Readonly<Record<string, unknown>> => givenParser(calendar)(format)(cells)

/** Rows of a file have the same columns, and cells that repeat: equal cells of a column are parsed once. */
const givenParser = memoize((calendar: Calendar) =>
  memoize((format: ReadColumns) => {
    const parserOf = memoize((name: string) => cellParser(format, name, calendar))
    const planOf = memoize((names: string) => planFor(format, names.split('\n'), parserOf))
    return (cells: Cells) => {
      const { unknown, parsers, further } = planOf(Object.keys(cells).join('\n'))
      if (unknown !== undefined) throw new RowRefused(unknown)
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
  const given = Object.keys(format.columns).filter((name) => names.includes(name))
  const further = names.filter((name) => !Object.hasOwn(format.columns, name))
  const parsers = [...given, ...further].map((name) => ({ name, parse: parserOf(name) }))
  return { unknown: unknownColumn(format, names), parsers, further }
}

interface CellParser {
  readonly name: string
  readonly parse: (cell: string) => unknown
}

/** Throws RowRefused with the problems of all cells, in the order of the cells. */
function parseCells(parsers: readonly CellParser[], cells: Cells): Record<string, unknown> {
  const row: Record<string, unknown> = {}
  let problems: Map<string, string> | undefined
  for (const { name, parse } of parsers) {
    try {
      row[name] = parse(cells[name] ?? '')
    } catch (error) {
      problems ??= new Map()
      problems.set(name, `${name} ${reasonIn(error)}`)
    }
  }
  if (problems) throw new RowRefused(inOrderOf(Object.keys(cells), problems).join('; '))
  return row
}

const inOrderOf = (names: readonly string[], problems: ReadonlyMap<string, string>): string[] =>
  [...new Set([...names, ...problems.keys()])].flatMap((name) => problems.get(name) ?? [])

/** Reads cells as the values of all columns; a missing cell is blank. Equal cells of a column are parsed once. */
export function createRowParser(
  format: ReadColumns,
  calendar: Calendar,
): (cells: Cells) => Readonly<Record<string, unknown>> {
  const parsers = Object.keys(format.columns).map((name) => ({
    name,
    parse: cellParser(format, name, calendar),
  }))
  return (cells) => {
    const unknown = unknownColumn(format, Object.keys(cells))
    if (unknown !== undefined) throw new RowRefused(unknown)
    return parseCells(parsers, cells)
  }
}

/** The first problem with the column names of a file or of a JSON object. */
export function unknownColumn(format: ReadColumns, names: readonly string[]): string | undefined {
  const further = names.filter((name) => !Object.hasOwn(format.columns, name))
  const wrong = further.find((name) => !format.takesFurtherColumns || !isXmlName(name))
  if (wrong !== undefined) return `unknown column ${JSON.stringify(wrong)}`
  const active = further.find(isActiveInPages)
  if (active !== undefined)
    return `column ${JSON.stringify(active)}, which is an element that browsers run or load`
  const max = format.takesFurtherColumns ? MAX_FURTHER_COLUMNS : 0
  return further.length > max ? `more than ${max} further columns` : undefined
}

const MAX_FURTHER_COLUMNS = 100

/** Elements that browsers run or load. A further column is an element of an answer that may be sent as text/html (wire.md device_details_get). */
const ACTIVE_IN_PAGES = new Set(
  (
    'script style link meta base object embed applet iframe frame frameset portal svg math template form input button ' +
    'textarea select img image audio video noscript noframes noembed xmp plaintext marquee'
  ).split(' '),
)

const isActiveInPages = (name: string): boolean => ACTIVE_IN_PAGES.has(name.toLowerCase())

const isXmlName = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_.-]{0,99}$/.test(name)

/** Parses equal cells of a column once. A further column has its text. */
function cellParser(format: ReadColumns, name: string, calendar: Calendar): CellParser['parse'] {
  const column = Object.hasOwn(format.columns, name) ? format.columns[name] : undefined
  const isSecret = format.secrets?.includes(name) ?? false
  return memoize((cell) => {
    if (!fitsXml(cell)) throw new RowRefused('has invalid characters')
    if (cell.length > MAX_TEXT_LENGTH) throw new RowRefused(`is longer than ${MAX_TEXT_LENGTH} characters`)
    return column ? parseCell(cell, column, calendar, isSecret) : cell
  })
}

function parseCell(cell: string, column: Column, calendar: Calendar, isSecret: boolean): unknown {
  if (cell === '' && column.blank) return column.blank.value
  if (cell === '') throw new RowRefused('must not be blank')
  try {
    return parseValue(cell, column, calendar)
  } catch (error) {
    const reason = reasonIn(error)
    const addsValue = !isSecret && !reason.startsWith(`${cell} `)
    throw new RowRefused(addsValue ? `${reason}, not ${shownValue(cell)}` : reason)
  }
}

const SHOWN_CHARACTERS = 60

const shownValue = (cell: string): string =>
  JSON.stringify(cell.length > SHOWN_CHARACTERS ? `${cell.slice(0, SHOWN_CHARACTERS)}...` : cell)

function parseValue(cell: string, column: Column, calendar: Calendar): unknown {
  if (column.moment) return (column.moment === 'date' ? readDate : readDateTime)(cell.trim(), calendar)
  const parsed = safeParse(column.schema, column.fromCell(cell))
  if (!parsed.success) throw new RowRefused(`takes: ${column.describes}`)
  return parsed.output
}
