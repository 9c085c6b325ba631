import { memoize } from '#lib/base/collections.ts'

const nameOfRegion = memoize((code: string) =>
  new Intl.DisplayNames('en', { type: 'region', fallback: 'none' }).of(code),
)

/** The code of a country in ISO 3166, two capital letters; undefined for another text. */
export function countryCode(text: string): string | undefined {
  const code = text.trim().toUpperCase()
  return /^[A-Z]{2}$/.test(code) && nameOfRegion(code) !== undefined ? code : undefined
}

/** Greece and Northern Ireland have letters of their own in VAT numbers. */
const OTHER_LETTERS: Readonly<Record<string, string>> = { EL: 'GR', XI: 'GB' }

/** The country of a VAT number, by its first two letters: `DE123456789`. */
export function countryOfVatNumber(number: string): string | undefined {
  const letters = number.trim().slice(0, 2).toUpperCase()
  return countryCode(OTHER_LETTERS[letters] ?? letters)
}
