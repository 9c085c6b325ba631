import { parse } from 'csv-parse/sync'
import { DocumentRefused, type Found, type Piece, pieceOf } from './record.ts'
import type { Field } from './texts.ts'

export type Row = readonly string[]

export interface CsvFormat {
  /** The columns of a document without a header. */
  readonly columns: readonly string[] | undefined
  /** Whether a first row is the header. */
  readonly isHeader: (row: Row) => boolean
  /** What a cell of the header names. */
  readonly nameIn: (cell: string) => string
}

/**
 * The records of a CSV document (RFC 4180). `read` gets a row's fields by the names of their columns. Each piece carries
 * its header where the document had one, so that it can be read again by itself. A line that is not CSV is refused alone.
 */
export function readRows(
  document: string,
  format: CsvFormat,
  read: (field: Field) => Found | undefined,
): Piece[] {
  const [first, ...others] = rowsOf(document)
  if (first === undefined) return []
  const hasHeader = Array.isArray(first) && format.isHeader(first)
  const columns = hasHeader ? first.map(format.nameIn) : format.columns
  const before = hasHeader ? `${lineOf(first)}\n` : ''
  const rows = hasHeader ? others : [first, ...others]
  const reader = createRowReader(columns, read)
  return rows.flatMap((row) =>
    typeof row === 'string'
      ? pieceOf(before + row, notCsv)
      : pieceOf(before + lineOf(row), () => reader(row)),
  )
}

function createRowReader(columns: readonly string[] | undefined, read: (field: Field) => Found | undefined) {
  const places = new Map(columns?.map((name, place) => [name, place]))

  return (row: Row): Found | undefined => {
    if (!columns) throw new DocumentRefused('not of its format', 'nothing says what its columns are')
    if (row.length !== columns.length) {
      throw new DocumentRefused('not of its format', `it has ${row.length} columns, not ${columns.length}`)
    }
    return read((name) => {
      const place = places.get(name)
      return place === undefined ? '' : (row[place] ?? '')
    })
  }
}

function notCsv(): never {
  throw new DocumentRefused('not of its format', 'its quotes are not those of CSV')
}

const OPTIONS = { bom: true, relax_column_count: true, skip_empty_lines: true } as const

/** The rows; where the document as a whole is not CSV, line by line, and a line that is none as its text. */
function rowsOf(document: string): (Row | string)[] {
  try {
    return parse(document, OPTIONS)
  } catch {
    return document.split(/\r?\n/).flatMap(rowIn)
  }
}

function rowIn(line: string): (Row | string)[] {
  try {
    return parse(line, OPTIONS)
  } catch {
    return [line]
  }
}

const lineOf = (row: Row): string => `"${row.map(doubled).join('","')}"`

const doubled = (cell: string): string => (cell.includes('"') ? cell.replaceAll('"', '""') : cell)
