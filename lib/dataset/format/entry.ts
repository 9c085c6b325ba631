import { reasonIn } from '#lib/domain/row-refused.ts'
import { digestOf } from './digest.ts'
import type { Calendar } from './moments.ts'
import type { Entry, RowFormat } from './row-format.ts'
import { parseRow } from './row-parser.ts'
import type { SourceRow } from './source.ts'

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
