import { createHash } from 'node:crypto'
import type { RowColumns } from './row-format.ts'
import type { Cells } from './source.ts'

/**
 * The digest of a source row: the same for the same cells, whatever the order of the known columns. A blank cell
 * counts like a missing one.
 */
export function digestOf({ columns, secretColumns = [] }: RowColumns, cells: Cells): string {
  const names = new Set([...Object.keys(columns), ...Object.keys(cells)])
  const said = [...names].flatMap((name) =>
    cells[name] && !secretColumns.includes(name) ? [[name, cells[name]]] : [],
  )
  return createHash('sha256').update(JSON.stringify(said)).digest('base64url')
}
