import { createHash } from 'node:crypto'
import { reasonIn } from '#lib/domain/row-refused.ts'
import type { Calendar } from './moments.ts'
import type { Entry, RowColumns, RowFormat } from './row-format.ts'
import { parseRow } from './row-parser.ts'
import type { Cells, SourceRow } from './source.ts'

/** The row as an entry, or why it cannot be read. */
export function readEntry<R>(
  format: RowFormat<R>,
  { line, cells, problem }: SourceRow,
  calendar: Calendar,
): Entry<R> | string {
  if (problem !== undefined) return problem
  try {
    return { line, cells, row: parseRow(format, cells, calendar) as R, digest: digestOf(format, cells) }
  } catch (error) {
    return reasonIn(error)
  }
}

/**
 * The digest of a source row: the same for the same cells, whatever the order of the known columns. A blank cell
 * counts like a missing one.
 */
function digestOf({ columns, secretColumns = [] }: RowColumns, cells: Cells): string {
  const names = new Set([...Object.keys(columns), ...Object.keys(cells)])
  const said = [...names].flatMap((name) =>
    cells[name] && !secretColumns.includes(name) ? [[name, cells[name]]] : [],
  )
  return createHash('sha256').update(JSON.stringify(said)).digest('base64url')
}
