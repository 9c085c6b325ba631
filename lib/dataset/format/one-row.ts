import { rowRefused } from '#lib/base/row-refused.ts'
import type { Cells } from '#lib/table/cells/row-source.ts'
import type { ImportContext } from './import-context.ts'
import { checkEntries, type RefusedRows } from './row-batch.ts'
import { provisionalIds, readEntries } from './row-entry.ts'
import type { RowEntry, RowFormat } from './row-format.ts'

/** Reads a row that comes alone. Throws refused_row. */
export async function readRowEntry<R extends object>(
  format: RowFormat<R>,
  cells: Cells,
  context: ImportContext,
): Promise<RowEntry<R>> {
  const refused: RefusedRows = new Map()
  const rows = [{ line: 1, cells }]
  const [entry] = await readEntries(format, rows, { ...context, newIds: provisionalIds() }, refused)
  return entry ?? refuse(refused)
}

/** Reads and checks a row that comes alone, by the rules of its file. Throws refused_row. */
export async function checkRow<R extends object>(
  format: RowFormat<R>,
  cells: Cells,
  context: ImportContext,
): Promise<RowEntry<R>> {
  const refused: RefusedRows = new Map()
  const read = await readRowEntry(format, cells, context)
  const [entry] = await checkEntries(format, [read], context, refused)
  return entry ?? refuse(refused)
}

function refuse(refused: RefusedRows): never {
  throw rowRefused(...(refused.get(1) ?? []))
}
