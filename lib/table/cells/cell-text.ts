import type { Column } from '../columns.ts'

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
