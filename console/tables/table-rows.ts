const NUMBER = /^[-−]?[\d,]*(?:\d|\.\d+)( %)?$/

/** Longer than any count, and as long as a telephone number: such digits are a name and stay at the left. */
const NUMBER_MAX_DIGITS = 9

function isNumber(text: string): boolean {
  if (!NUMBER.test(text)) return false
  const [whole = ''] = text.split('.')
  return whole.replaceAll(/\D/g, '').length < NUMBER_MAX_DIGITS
}

/** Whether there are numbers only, and at least one. */
export function areNumbers(texts: readonly string[]): boolean {
  const values = texts.filter(Boolean)
  return values.length > 0 && values.every(isNumber)
}

const numberIn = (text: string): number => Number(text.replaceAll(/[, %]/g, '').replace('−', '-'))

const BLANKS = ['', '–']

/** Orders rows for the eye: rows without a value come last in either direction. */
export function sortRows<R>(rows: readonly R[], textOf: (row: R) => string, isDescending: boolean): R[] {
  const texts = new Map(rows.map((row) => [row, textOf(row)]))
  const compare = areNumbers([...texts.values()].filter((text) => !BLANKS.includes(text)))
    ? (one: string, other: string) => numberIn(one) - numberIn(other)
    : new Intl.Collator('en', { numeric: true }).compare
  const sign = isDescending ? -1 : 1
  return [...rows].sort((one, other) => {
    const [a = '', b = ''] = [texts.get(one), texts.get(other)]
    if (BLANKS.includes(a) || BLANKS.includes(b))
      return Number(BLANKS.includes(a)) - Number(BLANKS.includes(b))
    return sign * compare(a, b)
  })
}
