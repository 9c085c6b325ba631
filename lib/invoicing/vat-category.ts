import { memoize } from '#lib/base/collections.ts'
import { isZero, type Money, ZERO } from '#lib/base/money.ts'

const nameOfRegion = memoize((code: string) =>
  new Intl.DisplayNames('en', { type: 'region', fallback: 'none' }).of(code),
)

/** The code of a country in ISO 3166, two capital letters: GB also for UK. Undefined for another text. */
export function countryCode(text: string): string | undefined {
  const code = text.trim().toUpperCase()
  if (!/^(?!EU|EZ|UN|ZZ)[A-Z]{2}$/.test(code) || nameOfRegion(code) === undefined) return undefined
  return new Intl.Locale(`und-${code}`).region
}

/** Greece and Northern Ireland have letters of their own in VAT numbers. */
const OTHER_LETTERS: Readonly<Record<string, string>> = { EL: 'GR', XI: 'GB' }

/**
 * The country of a VAT number, by its first two letters: `DE123456789`. At most two more letters precede
 * the digits (`FRAB123456789`), so `none` is not of Norway, nor `St.-Nr. 143/815/08151` of São Tomé.
 */
export function countryOfVatNumber(number: string): string | undefined {
  const [, letters = ''] = /^([A-Z]{2})[A-Z]{0,2}-?\d[^/]*$/.exec(compactNumber(number)) ?? []
  return countryCode(OTHER_LETTERS[letters] ?? letters)
}

/** A VAT number as registers write it: in capitals, without blanks. */
export const compactNumber = (number: string): string => number.replaceAll(/\s/g, '').toUpperCase()

/** Why a document has VAT or none, as EN 16931 names it (BT-118). */
export const VAT_CATEGORIES = ['S', 'AE', 'E', 'O'] as const

/** S: standard rate. AE: reverse charge. E: exempt. O: outside the scope of VAT. */
export type VatCategory = (typeof VAT_CATEGORIES)[number]

interface TaxedParty {
  readonly vat_number: string
  /** Two letters; blank if it is not known. */
  readonly country: string
}

interface Taxed {
  readonly vat: Money
  readonly vatPercent: Money | undefined
  readonly seller: TaxedParty
  readonly buyer: TaxedParty
}

/** The members of the European Union in ISO 3166. */
const UNION = new Set(
  'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' '),
)

const countryOf = ({ vat_number, country }: TaxedParty): string =>
  country || (countryOfVatNumber(vat_number) ?? '')

/**
 * A buyer with a VAT number in another member state owes the VAT (2006/112/EC, articles 44 and 196). A
 * service to another country, one of both outside of the Union, is outside the scope of its VAT (44, 59).
 */
export function vatCategoryOf(document: Taxed): VatCategory {
  const { seller, buyer } = document
  const [own, other] = [countryOf(seller), countryOf(buyer)]
  const isAbroad = own !== '' && other !== '' && own !== other
  const isInUnion = UNION.has(own) && UNION.has(other)
  if (isAbroad && !isInUnion && hasNoVat(document)) return 'O'
  return earlierCategoryOf(document)
}

/** The category of documents that were issued before there was O: two countries are a reverse charge. */
export function earlierCategoryOf(document: Taxed): VatCategory {
  if (!hasNoVat(document)) return 'S'
  const [own, other] = [document.seller, document.buyer].map(({ vat_number }) =>
    countryOfVatNumber(vat_number),
  )
  return own !== undefined && other !== undefined && own !== other ? 'AE' : 'E'
}

const hasNoVat = ({ vat, vatPercent = ZERO }: Taxed): boolean => isZero(vat) && isZero(vatPercent)
