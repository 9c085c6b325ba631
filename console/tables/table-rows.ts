export type TableRow = Readonly<Record<string, string>>

export interface Sorting {
  readonly key: string
  readonly isDescending: boolean
}

const NUMBER = /^-?[\d,]*(?:\d|\.\d+)( %)?$/

/** Longer than any count, and as long as a telephone number: such digits are a name and stay at the left. */
const NUMBER_MAX_DIGITS = 9

function isNumber(text: string): boolean {
  if (!NUMBER.test(text)) return false
  const [whole = ''] = text.split('.')
  return whole.replaceAll(/\D/g, '').length < NUMBER_MAX_DIGITS
}

/** Whether a column has numbers only, and at least one. */
export function isNumeric(rows: readonly TableRow[], key: string): boolean {
  const values = rows.map((row) => row[key] ?? '').filter(Boolean)
  return values.length > 0 && values.every(isNumber)
}

const numberIn = (text: string): number => Number(text.replaceAll(/[, %]/g, ''))

/** Orders rows for the eye: rows without a value come last in either direction. */
export function sortRows(rows: readonly TableRow[], { key, isDescending }: Sorting): TableRow[] {
  const compare = isNumeric(rows, key)
    ? (one: string, other: string) => numberIn(one) - numberIn(other)
    : new Intl.Collator('en', { numeric: true }).compare
  const sign = isDescending ? -1 : 1
  return [...rows].sort((one, other) => {
    const [a = '', b = ''] = [one[key], other[key]]
    if (a === '' || b === '') return Number(a === '') - Number(b === '')
    return sign * compare(a, b)
  })
}
