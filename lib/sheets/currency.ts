/** Signs that mean one currency alone. */
const SIGNS: Readonly<Record<string, string>> = { '€': 'EUR', '£': 'GBP', '₽': 'RUB', '₴': 'UAH', '₹': 'INR' }

const CODES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))

/** The currency that a text names by its ISO code or its sign (`Rate (USD/min)`, `€`), if it names one. */
export function currencyIn(text: string): string | undefined {
  if (text === '') return undefined
  const code = text.match(/\b[A-Za-z]{3}\b/g)?.find((word) => isCode(word, text))
  if (code !== undefined) return code.toUpperCase()
  return Object.entries(SIGNS).find(([sign]) => text.includes(sign))?.[1]
}

/** `min` and `all` are also words; a code is written in capitals, or is all that stands there. */
const isCode = (word: string, text: string): boolean =>
  CODES.has(word.toUpperCase()) && (word === word.toUpperCase() || word.length === text.trim().length)
