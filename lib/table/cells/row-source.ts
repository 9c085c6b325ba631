import { isLosslessNumber } from 'lossless-json'
import type { Column } from '../columns.ts'

/** The cells of one row by column name, as text. */
export type Cells = Readonly<Record<string, string>>

export interface SourceRow {
  /** The line of the file on which the row begins, from 1. For rows in memory, their number. */
  readonly line: number
  readonly cells: Cells
  /** The reason why the row could not be read. */
  readonly problem?: string
}

/** The rows of one file. They are read more than once and never kept: a file may be larger than memory. */
export interface RowSource {
  readonly file: string
  rows(): AsyncIterable<SourceRow>
  /** Notes for the operator on how the file was read. Complete once it was read. */
  remark?(): string | undefined
}

/** Cells that mean no value in exports of MySQL. */
const NO_VALUES = new Set(['\\N', '0000-00-00', '0000-00-00 00:00:00'])

/** Blanks a cell that means no value. */
export const withoutNoValue = (cell: string): string => (NO_VALUES.has(cell) ? '' : cell)

/** The cells of a flat JSON object that lossless-json has parsed. Throws TypeError for anything else. */
export function cellsOfJson(document: unknown): Cells {
  if (typeof document !== 'object' || document === null || Array.isArray(document)) throw new TypeError()
  return Object.fromEntries(Object.entries(document).map(([name, value]) => [name, cellOfJson(value)]))
}

/** Numbers keep their text: a JavaScript number would round an id of 17 digits, or a price. */
function cellOfJson(value: unknown): string {
  if (value === null) return ''
  if (typeof value === 'boolean') return value ? '1' : '0'
  if (typeof value === 'string') return withoutNoValue(value)
  if (isLosslessNumber(value)) return value.value
  throw new TypeError()
}

/** The cell that an import reads as this value. `writeMoment` writes Unix seconds. */
export function cellOf(
  value: unknown,
  { moment }: Pick<Column, 'moment'>,
  writeMoment: (moment: number) => string,
): string {
  if (value === undefined) return ''
  if (typeof value === 'boolean') return value ? '1' : '0'
  if (Array.isArray(value)) return value.join(' ')
  return typeof value === 'number' && moment === 'date-time' ? writeMoment(value) : String(value)
}
