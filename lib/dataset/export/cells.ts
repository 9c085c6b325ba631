import type { Column } from '#lib/store/columns.ts'

/**
 * The cell that an import reads as this value. A moment is in UTC and says so, so that it means the same in every zone, and in
 * the hour that comes twice.
 */
export function cellOf(value: unknown, { moment }: Pick<Column, 'moment'>): string {
  if (value === undefined) return ''
  if (typeof value === 'boolean') return value ? '1' : '0'
  if (Array.isArray(value)) return value.join(' ')
  return typeof value === 'number' && moment === 'date-time' ? utc(value) : String(value)
}

const utc = (seconds: number): string =>
  `${new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')}Z`
