import { isLosslessNumber } from 'lossless-json'
import { withoutNoValue } from './no-value.ts'
import type { Cells } from './source.ts'

/** The cells of a flat JSON object that lossless-json has parsed. Throws TypeError when it is anything else. */
export function cellsOfJson(document: unknown): Cells {
  if (typeof document !== 'object' || document === null || Array.isArray(document)) throw new TypeError()
  return Object.fromEntries(Object.entries(document).map(([name, value]) => [name, cellOf(value)]))
}

/** Numbers keep their text: an id of 15 digits or a price is what was sent. */
function cellOf(value: unknown): string {
  if (value === null) return ''
  if (typeof value === 'boolean') return value ? '1' : '0'
  if (typeof value === 'string') return withoutNoValue(value)
  if (isLosslessNumber(value)) return value.value
  throw new TypeError()
}
