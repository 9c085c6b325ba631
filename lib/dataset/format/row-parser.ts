import { safeParse } from 'valibot'
import { type Calendar, readDate, readDateTime } from '#lib/dataset/cells/moments.ts'
import type { Cells } from '#lib/dataset/cells/source.ts'
import { remembering } from '#lib/domain/collections.ts'
import { RowRefused } from '#lib/domain/row-refused.ts'
import { fitsXml, LONGEST_TEXT } from '#lib/domain/text.ts'
import type { Column } from '#lib/store/columns.ts'
import type { RowColumns } from './row-format.ts'

type ReadColumns = Pick<RowColumns, 'columns' | 'takesFurtherColumns'>

/** Reads cells as the values of their columns. Throws RowRefused with the first thing that is wrong. */
export const parseRow = (
  format: ReadColumns,
  cells: Cells,
  calendar: Calendar,
): Readonly<Record<string, unknown>> =>
  parseColumns(format, cells, { calendar, names: Object.keys(format.columns) })

/** The same for the columns alone that there are cells of. */
export const parseGiven = (
  format: ReadColumns,
  cells: Cells,
  calendar: Calendar,
): Readonly<Record<string, unknown>> =>
  parseColumns(format, cells, {
    calendar,
    names: Object.keys(format.columns).filter((name) => Object.hasOwn(cells, name)),
  })

function parseColumns(
  format: ReadColumns,
  cells: Cells,
  { calendar, names }: { readonly calendar: Calendar; readonly names: readonly string[] },
): Readonly<Record<string, unknown>> {
  const unknown = unknownColumn(format, Object.keys(cells))
  if (unknown !== undefined) throw new RowRefused(unknown)
  for (const [name, cell] of Object.entries(cells)) refuseUnstorable(name, cell)
  const values = names.map((name) => {
    const column = format.columns[name] as Column
    return [name, parseCell(name, cells[name] ?? '', { column, calendar })]
  })
  return Object.fromEntries(values)
}

/** The same for files of many rows whose cells repeat themselves: equal cells of a column are read once. */
export function createRowParser(
  format: ReadColumns,
  calendar: Calendar,
): (cells: Cells) => Readonly<Record<string, unknown>> {
  const columns = Object.entries(format.columns).map(([name, column]) => ({
    name,
    parse: remembering((cell: string) => {
      refuseUnstorable(name, cell)
      return parseCell(name, cell, { column, calendar })
    }),
  }))
  return (cells) => {
    const unknown = unknownColumn(format, Object.keys(cells))
    if (unknown !== undefined) throw new RowRefused(unknown)
    const row: Record<string, unknown> = {}
    for (const { name, parse } of columns) row[name] = parse(cells[name] ?? '')
    return row
  }
}

/** What is wrong with a header, or with the keys of a row that has none. */
export function unknownColumn(format: ReadColumns, names: readonly string[]): string | undefined {
  const further = names.filter((name) => !Object.hasOwn(format.columns, name))
  const wrong = further.find((name) => !format.takesFurtherColumns || !isXmlName(name))
  if (wrong !== undefined) return `unknown column ${JSON.stringify(wrong)}`
  const active = further.find(isActiveInPages)
  if (active !== undefined)
    return `column ${JSON.stringify(active)}, which is an element that browsers run or load`
  const most = format.takesFurtherColumns ? MOST_FURTHER_COLUMNS : 0
  return further.length > most ? `more than ${most} further columns` : undefined
}

const MOST_FURTHER_COLUMNS = 100

/** Further columns become elements of an answer, which may be sent as text/html (wire.md device_details_get). */
const ACTIVE_IN_PAGES = new Set(
  (
    'script style link meta base object embed applet iframe frame frameset portal svg math template form input button ' +
    'textarea select img image audio video noscript noframes noembed xmp plaintext marquee'
  ).split(' '),
)

const isActiveInPages = (name: string): boolean => ACTIVE_IN_PAGES.has(name.toLowerCase())

const isXmlName = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_.-]{0,99}$/.test(name)

function refuseUnstorable(name: string, cell: string): void {
  if (!fitsXml(cell)) throw new RowRefused(`${name} has invalid characters`)
  if (cell.length > LONGEST_TEXT) throw new RowRefused(`${name} is longer than ${LONGEST_TEXT} characters`)
}

interface CellFormat {
  readonly column: Column
  readonly calendar: Calendar
}

function parseCell(name: string, cell: string, { column, calendar }: CellFormat): unknown {
  if (cell === '' && column.blank) return column.blank.value
  if (cell === '') throw new RowRefused(`${name} must not be blank`)
  try {
    return column.moment ? parseMoment(cell.trim(), { column, calendar }) : parseValue(cell, column)
  } catch (error) {
    if (error instanceof RowRefused) throw new RowRefused(`${name} ${error.message}`)
    throw error
  }
}

const parseMoment = (cell: string, { column, calendar }: CellFormat): unknown =>
  column.moment === 'date' ? readDate(cell, calendar) : readDateTime(cell, calendar)

function parseValue(cell: string, column: Column): unknown {
  const parsed = safeParse(column.schema, column.fromCell(cell))
  if (!parsed.success) throw new RowRefused(`takes: ${column.describes}`)
  return parsed.output
}
