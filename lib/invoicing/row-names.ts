import {
  type CustomerLanguage,
  type Formats,
  formatsIn,
  type Translations,
  translator,
} from '#lib/base/language/language.ts'
import type { KindOfRow, Product } from '#lib/billing/invoice-product.ts'
import { INVALID } from '#lib/rates/origins/origins.ts'
import { MONTH_NAMES, type Month } from './month.ts'

/** The names of rows, and the words of those that were issued before rows had kinds. */
const ROW_NAMES = {
  Calls: ['Calls', 'Gespräche', 'Appels', 'Llamadas'],
  'Calls of customers': [
    'Calls of customers',
    'Gespräche von Kunden',
    'Appels des clients',
    'Llamadas de clientes',
  ],
  'Incoming calls': ['Incoming calls', 'Eingehende Gespräche', 'Appels entrants', 'Llamadas entrantes'],
  'Other destinations': ['Other destinations', 'Andere Ziele', 'Autres destinations', 'Otros destinos'],
  Charges: ['Charges', 'Gebühren', 'Frais', 'Cuotas'],
  Minimum: ['Minimum', 'Mindestumsatz', 'Minimum', 'Consumo mínimo'],
  callers: ['callers', 'Anrufer', 'appelants', 'llamantes'],
  'callers without a number': [
    'callers without a usable number',
    'Anrufer ohne gültige Nummer',
    'appelants sans numéro valable',
    'llamantes sin número válido',
  ],
  late: ['late', 'nachberechnet', 'tardif', 'posterior'],
  'billed on': ['billed on', 'berechnet mit', 'facturé sur', 'facturado en'],
} as const satisfies Record<string, Translations>

type RowWord = keyof typeof ROW_NAMES

export const rowWord = (word: RowWord, language: CustomerLanguage): string =>
  translator(ROW_NAMES, language)(word)

/** The text of a row of a kind, without the month: a service has the name of the service. */
const TEXTS: Readonly<Record<KindOfRow['kind'], (row: NamedRow, word: (word: RowWord) => string) => string>> =
  {
    '': ({ name }) => name,
    calls: (row, word) => callsText(row, destinationText(row, word), word),
    incoming: (row, word) => callsText(row, word('Incoming calls'), word),
    other_destinations: (row, word) => callsText(row, word('Other destinations'), word),
    calls_billed: ({ billed_on }, word) => `${word('Calls')}, ${word('billed on')} ${billed_on}`,
    charge: ({ name }) => name,
    charges: (_row, word) => word('Charges'),
    minimum: (_row, word) => word('Minimum'),
    goodwill: ({ name }) => name,
  }

/** `Germany mobile, callers NAF`. */
function destinationText({ destination, origin }: KindOfRow, word: (word: RowWord) => string): string {
  if (origin === '') return destination
  const callers = origin === INVALID ? word('callers without a number') : `${word('callers')} ${origin}`
  return `${destination}, ${callers}`
}

type NamedRow = KindOfRow & Pick<Product, 'name'>

function callsText({ resold }: KindOfRow, label: string, word: (word: RowWord) => string): string {
  if (!resold) return label || word('Calls')
  return label === '' ? word('Calls of customers') : `${word('Calls of customers')}: ${label}`
}

/** The name of a row of a kind in a language. `month` is the one that its document bills. */
export function rowNameOf(row: NamedRow, month: Month, language: CustomerLanguage): string {
  const text = TEXTS[row.kind](row, (word) => rowWord(word, language))
  const formats = formatsIn(language)
  if (row.late_month !== '') return `${text}, ${formats.month(row.late_month)}, ${rowWord('late', language)}`
  return row.kind === 'minimum' ? `${text}, ${formats.month(month)}` : text
}

export const englishRowName = (row: NamedRow, month: Month): string => rowNameOf(row, month, 'en')

/**
 * The name of a row that was issued before rows had kinds, as it was printed: `Calls, April 2026, late` is
 * `Gespräche, April 2026, nachberechnet`.
 */
export const printedRowName = (name: string, language: CustomerLanguage, formats: Formats): string =>
  name
    .split(/(, |: |(?<=billed on)\s)/)
    .map((part) => translatedPart(part, language) ?? monthIn(part, formats) ?? part)
    .join('')

const translatedPart = (part: string, language: CustomerLanguage): string | undefined =>
  Object.hasOwn(ROW_NAMES, part) ? rowWord(part as RowWord, language) : undefined

/** `April 2026` in another language. */
function monthIn(part: string, formats: Formats): string | undefined {
  const [, english = '', year] = /^(\w+) (\d{4})$/.exec(part) ?? []
  const month = MONTH_NAMES.indexOf(english) + 1
  return month === 0 ? undefined : formats.month(`${year}-${String(month).padStart(2, '0')}`)
}
