import type { WholeAccount } from '#lib/accounts/whole-account.ts'
import { minorDigits } from '#lib/base/currency-digits.ts'
import {
  add,
  isZero,
  type Money,
  multiply,
  ONE,
  round,
  roundedQuotient,
  subtract,
  ZERO,
} from '#lib/base/money.ts'
import { Refusal } from '#lib/base/refusal.ts'
import type { AccountFormat } from '#lib/settings/document-formats.ts'
import type { Settings } from '#lib/settings/settings.ts'
import { inMinorUnits } from '../amounts.ts'
import { buyerOf, type Party } from '../parties.ts'
import { compactNumber, countryOfVatNumber } from '../vat-category.ts'
import { isSettled, vatMention } from './document-facts.ts'
import type { PrintedDocument, PrintedRow } from './printed-document.ts'
import { ibanOf } from './transfer-code.ts'

// The content of e-invoices and their refusals, for both syntaxes: UBL (ubl.ts) and CII (cii.ts)

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    /** Each of `lacks` names a fact that EN 16931 or the form asks for, and where to set it. */
    readonly unfit_e_invoice: {
      readonly number: string
      readonly form: string
      readonly lacks: readonly string[]
      /** It keeps what its parties were at its issue. */
      readonly isFrozen: boolean
    }
    /** The same of the next invoice of an account, before it is issued. */
    readonly unfit_format: {
      readonly customer: string
      readonly form: string
      readonly lacks: readonly string[]
    }
  }
}

/** EN 16931 in UBL or CII, and what Peppol and Germany also ask for. */
export type EInvoiceForm = 'ubl' | 'peppol' | 'xrechnung' | 'cii'

/** Which rules each form follows, as it says itself (BT-24). */
export const CORE = 'urn:cen.eu:en16931:2017'

const isBlank = (text: string): boolean => text.trim() === ''

/** The facts that the forms ask for. */
type Facts = Pick<
  PrintedDocument,
  'kind' | 'number' | 'seller' | 'buyer' | 'currency' | 'corrects' | 'isPaid' | 'net' | 'gross' | 'isFrozen'
> & { readonly rows: readonly Pick<PrintedRow, 'sum'>[] }

/** Refuses a document without the facts of EN 16931 or of its form. Each remedy names the field. */
export function refuseMissing(document: Facts, form: EInvoiceForm): void {
  const lacks = lackingIn(document, form)
  const { number, isFrozen = false } = document
  if (lacks.length > 0)
    throw new Refusal('unfit_e_invoice', { number, form: FORM_NAMES[form], lacks, isFrozen })
}

const FORM_OF: Readonly<Partial<Record<AccountFormat | '', EInvoiceForm>>> = {
  ...{ ubl: 'ubl', peppol: 'peppol', xrechnung: 'xrechnung' },
  ...{ cii: 'cii', 'factur-x': 'cii' },
}

/** Why the next invoice of a customer cannot be what its document_format says. `undefined` if it can. */
export function unfitFormat(
  { Default_Currency }: Pick<Settings, 'Default_Currency'>,
  seller: Party,
  account: WholeAccount,
): Refusal | undefined {
  const form = FORM_OF[account.document_format]
  if (!form) return undefined
  const { id, username, currency } = account
  const buyer = { ...buyerOf(account), id, username }
  const sums = { rows: [{ sum: ONE }], net: ONE, gross: ONE }
  const amounts = { currency: currency || Default_Currency, isPaid: buyer.prepaid, ...sums }
  const lacks = lackingIn({ kind: 'invoice', number: '1', corrects: [], seller, buyer, ...amounts }, form)
  return lacks.length === 0
    ? undefined
    : new Refusal('unfit_format', { customer: username, form: FORM_NAMES[form], lacks })
}

function lackingIn(document: Facts, form: EInvoiceForm): string[] {
  const isCore = form === 'ubl' || form === 'cii'
  const facts = [
    ...coreFacts(document),
    ...(isCore ? [] : peppolFacts(document, form)),
    ...(form === 'peppol' ? factsOfCountry(document) : []),
    ...(form === 'xrechnung' ? germanFacts(document) : []),
  ]
  return facts.filter(([isMissing]) => isMissing).map(([, remedy]) => remedy)
}

const FORM_NAMES: Readonly<Record<EInvoiceForm, string>> = {
  ubl: 'UBL',
  peppol: 'a Peppol invoice',
  xrechnung: 'an XRechnung',
  cii: 'an invoice in CII',
}

type Fact = readonly [isMissing: boolean, remedy: string]

/** BR-02, -06, -07, -09, -11, -16, BR-CO-10 (imported rows may not add up), BR-CO-26, BR-DEC. */
function coreFacts({ seller, buyer, currency, rows, net, number }: Facts): Fact[] {
  const sum = add(ZERO, ...rows.map((row) => inMinorUnits(row.sum, currency)))
  return [
    [isBlank(number), 'a number'],
    [isBlank(seller.name), 'the name of the seller: set Seller_Name'],
    [
      isBlank(seller.country),
      'the country of the seller: set Seller_Country, or taxation_country of a reseller',
    ],
    [isBlank(buyer.name), `the name of the buyer: set company_name of ${buyer.username}`],
    [
      isBlank(buyer.country),
      `the country of the buyer: set taxation_country of ${buyer.username} to a code such as DE`,
    ],
    [
      isBlank(seller.vat_number),
      'a number of the seller: set Seller_VAT_Number, or vat_number of a reseller, to its VAT number or its tax number',
    ],
    [rows.length === 0, 'its rows'],
    [!isZero(subtract(sum, inMinorUnits(net, currency))), `rows that add up to ${net}, not to ${sum}`],
    [minorDigits(currency) > 2, `amounts of 2 decimals: ${currency} has ${minorDigits(currency)}`],
  ]
}

/** PEPPOL-EN16931-R003, -R010, -R020, which XRechnung has, too. Peppol delivers to no mailbox (-CL008). */
function peppolFacts({ seller, buyer }: Facts, form: EInvoiceForm): Fact[] {
  const scheme = form === 'peppol' ? /^\d{4}:/ : /:/
  const words =
    form === 'peppol' ? 'electronic address in Peppol, such as 0208:0123456749,' : 'electronic address'
  return [
    [
      !scheme.test(seller.electronic_address),
      `the ${words} of the seller: set Seller_Electronic_Address, or electronic_address of a reseller`,
    ],
    [
      !scheme.test(buyer.electronic_address),
      `the ${words} of the buyer: set electronic_address of ${buyer.username}`,
    ],
    [
      isBlank(buyer.reference) && isBlank(buyer.order_number),
      `a reference of the buyer: set buyer_reference or order_number of ${buyer.username}`,
    ],
  ]
}

const SELLER_FIELDS = {
  street: 'the street of the seller: set Seller_Address and Seller_City, or address and city of a reseller',
  city: 'the city of the seller: set Seller_City, or city of a reseller',
  postcode: 'the postcode of the seller: set Seller_Postcode and Seller_City, or those of a reseller',
  legal_number: 'the legal number of the seller: set Seller_Legal_Number, or legal_number of a reseller',
} as const

/** The facts that a seller of a country has to state, by the national rules of Peppol BIS Billing. */
const COUNTRY_FACTS: Readonly<Record<string, readonly (keyof typeof SELLER_FIELDS)[]>> = {
  DK: ['legal_number'],
  IS: ['legal_number', 'street', 'postcode'],
  IT: ['street', 'city', 'postcode'],
  NL: ['street', 'city', 'postcode', 'legal_number'],
}

/** How Peppol takes the seller's number of a country (IT-R-001, NO-R-001, SE-R-001, -002 and -005). */
const SELLER_NUMBERS: Readonly<Record<string, readonly [fits: RegExp, example: string]>> = {
  IT: [/^([A-Z]{2}.+|[A-Z0-9]{11,16})$/, 'IT00159560366'],
  NO: [/^(?!NO)|^NO\d{9}MVA$/, 'NO974760673MVA'],
  SE: [/^((?!SE)[A-Z]{2}.+|SE\d{12})$/, 'SE556036079301'],
}

/** GR-R-001 to -010: the number of a Greek invoice and its MARK come from the tax authority's platform. */
function factsOfCountry(document: Facts): Fact[] {
  const { seller, buyer, kind, corrects } = document
  const asked = COUNTRY_FACTS[seller.country] ?? []
  const isDutch = seller.country === 'NL'
  const isLocal = seller.country === buyer.country
  const namesBuyer = isLocal && (isDutch || seller.country === 'IS')
  const [fits, example] = SELLER_NUMBERS[seller.country] ?? [/^/, '']
  const toBePaid = kind === 'invoice' && !isSettled(document)
  return [
    [seller.country === 'GR', 'the MARK that myDATA gives a Greek invoice, which is not asked for here'],
    [isDutch && toBePaid && ibanOf(seller) === undefined, 'an IBAN of the seller: set Seller_Bank'],
    [isDutch && kind === 'credit note' && corrects.length === 0, 'the invoice that it corrects'],
    [
      !fits.test(compactNumber(seller.vat_number)),
      `a number of the seller such as ${example}: set Seller_VAT_Number, or vat_number of a reseller`,
    ],
    [
      namesBuyer && seller.country === 'IS' && isBlank(buyer.legal_number),
      `the legal number of the buyer: set legal_number of ${buyer.username}`,
    ],
    [
      namesBuyer && (isBlank(buyer.street) || isBlank(buyer.postcode)),
      `the address of the buyer: set address, postcode and city of ${buyer.username}`,
    ],
    ...asked.map((name): Fact => [isBlank(seller[name]), SELLER_FIELDS[name]]),
    ...(isLocal && seller.country === 'DE' ? germanFacts(document) : []),
  ]
}

/** BR-DE-2 to -9 and -15 of XRechnung, which Peppol has as DE-R-002 to -009 and -015 between two Germans. */
function germanFacts({ seller, buyer }: Facts): Fact[] {
  const { username } = buyer
  return [
    [isBlank(seller.city), SELLER_FIELDS.city],
    [isBlank(seller.postcode), SELLER_FIELDS.postcode],
    [
      isBlank(seller.contact),
      'a contact of the seller: set Seller_Contact, or first_name and last_name of a reseller',
    ],
    [
      !/\d.*\d.*\d/.test(seller.telephone),
      'the telephone of the seller, of 3 digits or more: set Seller_Telephone, or phone of a reseller',
    ],
    [
      !/^[^@\s]+@([^@.\s]+\.)+[^@.\s]+$/.test(seller.email),
      'the email of the seller, such as bills@example.com: set Seller_Email, or email of a reseller',
    ],
    [isBlank(buyer.city), `the city of the buyer: set city of ${username}`],
    [isBlank(buyer.postcode), `the postcode of the buyer: set postcode and city of ${username}`],
    [
      isBlank(buyer.reference),
      `the Leitweg-ID or another reference of the buyer: set buyer_reference of ${username}`,
    ],
  ]
}

// Parties

export type Side = 'seller' | 'buyer'

/**
 * The numbers of a party. Outside the scope of VAT a document has no VAT number (BR-O-02): the seller is then
 * known by `name`, as one is whom only the tax office has numbered (BR-CO-26).
 */
export function numbersOf({ vatCategory }: PrintedDocument, party: Party, side: Side) {
  const { vat_number } = party
  const isOutOfScope = vatCategory === 'O'
  const tax = isOutOfScope ? undefined : taxNumber(vat_number, side)
  const legal = legalNumberOf(party)
  const isNamed = !legal && (tax?.scheme === 'FC' || (isOutOfScope && side === 'seller'))
  return {
    tax,
    name: isNamed ? vat_number : undefined,
    legal: legal ?? (vat_number !== '' && !tax ? { number: vat_number, scheme: undefined } : undefined),
  }
}

export function endpointOf({ electronic_address }: Party) {
  const [scheme = '', ...address] = electronic_address.split(':')
  return electronic_address === '' ? undefined : { scheme, address: address.join(':') }
}

/** The registers that national rules of Peppol want (DK-R-014, IS-R-002, NL-R-003, PEPPOL-COMMON-R047). */
const OWN_REGISTERS: Readonly<Record<string, string>> = {
  DK: '0184',
  IS: '0196',
  IT: '0211',
  NL: '0106',
}

/** A legal number says its register, or has that of its country. 9930 is one of addresses. */
function legalNumberOf({ legal_number, country }: Party) {
  if (legal_number.trim() === '') return undefined
  const [, scheme, number] = /^(0\d{3}):(.+)$/.exec(legal_number.trim()) ?? []
  return number === undefined
    ? { number: legal_number.trim(), scheme: OWN_REGISTERS[country] }
    : { number, scheme }
}

/**
 * A number without a country is one of the tax office (BR-CO-09), which only a seller has. It also identifies
 * the seller (BR-CO-26), for the standard does not take the tax number alone.
 */
function taxNumber(vatNumber: string, side: Side) {
  if (countryOfVatNumber(vatNumber) !== undefined)
    return { number: compactNumber(vatNumber), scheme: 'VAT' as const }
  return vatNumber !== '' && side === 'seller' ? { number: vatNumber, scheme: 'FC' as const } : undefined
}

/** The lines of an address above its city. The third has all that is left. */
export function addressLines({ address, street, city }: Party): readonly string[] {
  const lines = (city === '' ? address : street).split('\n').filter((line) => line !== '')
  return lines.length > 2 ? [...lines.slice(0, 2), lines.slice(2).join(', ')] : lines
}

// Payment

/**
 * How an invoice is paid: a SEPA transfer is 58, another transfer 30; both name the account (BR-61). 1 is a
 * way that no code says: without an IBAN it is text, and of a credit note or a paid invoice there is nothing
 * to say.
 */
export function paymentOf(document: PrintedDocument) {
  const { kind, seller, number, due, currency } = document
  if (kind === 'credit note' || isSettled(document))
    return { code: '1', reference: undefined, iban: undefined, terms: '' }
  const iban = ibanOf(seller)
  const terms = [seller.bank, due]
    .filter((one) => one)
    .join(', ')
    .replaceAll('\n', ', ')
  return {
    ...{ code: iban === undefined ? '1' : transferCode(currency, seller.country) },
    ...{ reference: number, iban, terms },
  }
}

/** Denmark does not take code 30 (DK-R-005). */
function transferCode(currency: string, country: string): string {
  if (currency === 'EUR') return '58'
  return country === 'DK' ? '1' : '30'
}

// Amounts

/** One category for the whole document, because a document has one rate. */
export function vatCategoryIn(document: PrintedDocument) {
  const { vat, vatPercent = ZERO, net, noVatReason, vatCategory: code } = document
  if (code === 'S') return { code, percent: percentOf(vat, net, vatPercent), reason: '' }
  return { code, percent: ZERO, reason: noVatReason.trim() || vatMention(document) || 'Exempt from VAT' }
}

/** An imported document may have no rate or several: the shortest rate that makes its VAT (BR-CO-17). */
function percentOf(vat: Money, net: Money, stated: Money): Money {
  if (!isZero(stated) || isZero(net)) return stated
  const rates = [0, 1, 2, 4, 8, 16].map((decimals) => roundedQuotient(multiply(vat, '100'), net, decimals))
  const makesVat = (rate: Money) => round(multiply(multiply(net, rate), '0.01'), 2) === round(vat, 2)
  return rates.find(makesVat) ?? stated
}

/**
 * A row whose quantity times price is its sum to the cent has both (PEPPOL-EN16931-R120), which it need not
 * be in a currency without cents. Any other row has quantity 1 and its sum as the price. A price is never
 * negative (BR-27): then the quantity is.
 */
export function pricedQuantity({ quantity, price, sum }: PrintedRow): {
  readonly quantity: Money
  readonly price: Money
} {
  const isOfPrice =
    price !== undefined && !price.startsWith('-') && round(multiply(quantity, price), 2) === round(sum, 2)
  if (isOfPrice) return { quantity, price }
  return sum.startsWith('-') ? { quantity: '-1', price: subtract(ZERO, sum) } : { quantity: '1', price: sum }
}

/** A row has a name (BR-25). */
export const nameOfRow = ({ name, prefix }: PrintedRow, id: string): string => name.trim() || prefix || id
