import type { Day } from '../calendar.ts'
import { memoize } from '../collections.ts'
import { minorDigits } from '../currency-digits.ts'
import type { Money } from '../money.ts'

/** The languages of pages and documents, by ISO 639-1. The texts of a table are in this order. */
export const CUSTOMER_LANGUAGES = ['en', 'de', 'fr', 'es'] as const

export type CustomerLanguage = (typeof CUSTOMER_LANGUAGES)[number]

/** A text in each language, in the order of CUSTOMER_LANGUAGES. */
export type Translations = readonly [en: string, de: string, fr: string, es: string]

/** The language of a text such as `de` or `de-AT`, in any case; undefined for another one. */
export const languageIn = (text: string): CustomerLanguage | undefined =>
  CUSTOMER_LANGUAGES.find((language) => language === text.trim().toLowerCase().split(/[-_]/)[0])

/** Returns the texts of a table in one language. `{name}` in a text is replaced by a value. */
export const translator =
  <N extends string>(texts: Readonly<Record<N, Translations>>, language: CustomerLanguage) =>
  (name: N, values: Readonly<Record<string, string>> = {}): string =>
    texts[name][CUSTOMER_LANGUAGES.indexOf(language)]?.replace(/\{(\w+)\}/g, (_, key) => values[key] ?? '') ??
    name

/** The locale of a language, for formats that documents do not have. */
export const LOCALES = { en: 'en-GB', de: 'de-DE', fr: 'fr-FR', es: 'es-ES' } as const

/** Writes amounts and days as a language has them. */
export interface Formats {
  /** An amount with all decimals of the currency, without its name. */
  readonly amount: (amount: Money, currency: string) => string
  /** The same with a fixed number of decimals. */
  readonly decimals: (amount: Money, digits: number) => string
  readonly number: (amount: Money) => string
  readonly day: (day: Day) => string
  readonly month: (month: string) => string
}

/** The formats of a language. Its tools are made once, because making them takes longer than using them. */
export function formatsIn(language: CustomerLanguage): Formats {
  const locale = LOCALES[language]
  // Spanish leaves out the separator in numbers of four digits, except in columns.
  const numbers = { useGrouping: 'always' } as const
  const ofDigits = memoize((digits: number) => {
    const fixed = { minimumFractionDigits: digits, maximumFractionDigits: digits }
    return new Intl.NumberFormat(locale, { ...numbers, ...fixed })
  })
  const decimals = (amount: Money, digits: number) => ofDigits(digits).format(amount as `${number}`)
  const plain = new Intl.NumberFormat(locale, { ...numbers, maximumFractionDigits: 15 })
  const days = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' })
  const months = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' })
  return {
    amount: (amount, currency) => decimals(amount, minorDigits(currency)),
    decimals,
    number: (amount) => plain.format(amount as `${number}`),
    day: (day) => days.format(new Date(`${day}T00:00:00Z`)),
    month: (month) => months.format(new Date(`${month}-01T00:00:00Z`)),
  }
}
