import type { Element as Node } from 'xml-js'
import { minorDigits } from '#lib/base/currency-digits.ts'
import {
  fixed,
  isZero,
  type Money,
  multiply,
  round,
  roundedQuotient,
  subtract,
  ZERO,
} from '#lib/base/money.ts'
import { DECLARATION, elementNode, textNodes, write } from '#lib/xml/xml-js.ts'
import { countryOfVatNumber } from '../country.ts'
import type { Party } from '../parties.ts'
import { isSettled, vatMention } from './document-facts.ts'
import { ibanOf } from './payment-code.ts'
import type { PrintedDocument, PrintedRow } from './printed-document.ts'

/** A document lacks what EN 16931 asks for. The message names the remedy. */
export class UblRefused extends Error {}

const OASIS = 'urn:oasis:names:specification:ubl:schema:xsd:'

/** How the two kinds of document differ: UBL has one type of message for each. */
const KINDS = {
  invoice: {
    root: 'Invoice',
    type: ['cbc:InvoiceTypeCode', '380'],
    line: 'cac:InvoiceLine',
    quantity: 'cbc:InvoicedQuantity',
  },
  'credit note': {
    root: 'CreditNote',
    type: ['cbc:CreditNoteTypeCode', '381'],
    line: 'cac:CreditNoteLine',
    quantity: 'cbc:CreditedQuantity',
  },
} as const

const element = (name: string, text: string, attributes: Readonly<Record<string, string>> = {}): Node =>
  elementNode(name, textNodes(text), attributes)

const group = (name: string, ...elements: Node[]): Node => elementNode(name, elements)

const CORE = 'urn:cen.eu:en16931:2017'
const PEPPOL_PROCESS = 'urn:fdc:peppol.eu:2017:poacc:billing:01:1.0'

/** What a document in UBL says of itself, by the rules that it follows (BT-24, BT-23). */
const SPECIFICATIONS = {
  ubl: [element('cbc:CustomizationID', CORE)],
  peppol: [
    element('cbc:CustomizationID', `${CORE}#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0`),
    element('cbc:ProfileID', PEPPOL_PROCESS),
  ],
  xrechnung: [
    element('cbc:CustomizationID', `${CORE}#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0`),
    element('cbc:ProfileID', PEPPOL_PROCESS),
  ],
} as const

export type UblForm = keyof typeof SPECIFICATIONS

/**
 * Writes a document as UBL 2.1 that follows EN 16931, and what a form asks for beside it. The order of the
 * elements is that of the XSD. Throws UblRefused if the document lacks something that is required.
 */
export function ublOf(document: PrintedDocument, form: UblForm = 'ubl'): string {
  refuseMissing(document, form)
  const { root, type, line, quantity } = KINDS[document.kind]
  const isInvoice = document.kind === 'invoice'
  const { number, issued, due, currency, period, corrects, comment, rows, accounted, buyer } = document
  const content = [
    ...SPECIFICATIONS[form],
    element('cbc:ID', number),
    element('cbc:IssueDate', issued),
    ...(isInvoice && due !== undefined ? [element('cbc:DueDate', due)] : []),
    element(type[0], type[1]),
    ...(comment === '' ? [] : [element('cbc:Note', comment)]),
    element('cbc:DocumentCurrencyCode', currency),
    ...(accounted ? [element('cbc:TaxCurrencyCode', accounted.currency)] : []),
    ...(buyer.reference === '' ? [] : [element('cbc:BuyerReference', buyer.reference)]),
    ...(period
      ? [
          group(
            'cac:InvoicePeriod',
            element('cbc:StartDate', period.from),
            element('cbc:EndDate', period.till),
          ),
        ]
      : []),
    ...(buyer.order_number === ''
      ? []
      : [group('cac:OrderReference', element('cbc:ID', buyer.order_number))]),
    ...corrects.map((one) =>
      group('cac:BillingReference', group('cac:InvoiceDocumentReference', element('cbc:ID', one))),
    ),
    group('cac:AccountingSupplierParty', partyOf(document, document.seller, 'seller')),
    group('cac:AccountingCustomerParty', partyOf(document, document.buyer, 'buyer')),
    ...paymentOf(document, form),
    taxTotal(document, form),
    ...(accounted ? [group('cac:TaxTotal', amount('cbc:TaxAmount', accounted, accounted.vat))] : []),
    monetaryTotal(document),
    ...rows.map((row, index) => lineOf(document, row, { name: line, quantity, id: String(index + 1) })),
  ]
  const names = {
    xmlns: `${OASIS}${root}-2`,
    'xmlns:cac': `${OASIS}CommonAggregateComponents-2`,
    'xmlns:cbc': `${OASIS}CommonBasicComponents-2`,
  }
  return `${DECLARATION}\n${write([elementNode(root, content, names)], 2)}\n`
}

const isBlank = (text: string): boolean => text.trim() === ''

/** Refuses a document without the facts of EN 16931 or of its form. Each remedy names the field. */
function refuseMissing(document: PrintedDocument, form: UblForm): void {
  const facts = [
    ...coreFacts(document),
    ...(form === 'ubl' ? [] : [...peppolFacts(document, form), ...factsOfCountry(document)]),
    ...(form === 'xrechnung' ? xrechnungFacts(document) : []),
  ]
  const missing = facts.filter(([isMissing]) => isMissing).map(([, remedy]) => remedy)
  if (missing.length === 0) return
  const name = { ubl: 'UBL', peppol: 'a Peppol invoice', xrechnung: 'an XRechnung' }[form]
  throw new UblRefused(`${document.number} cannot be ${name}: it lacks ${missing.join('; ')}`)
}

type Fact = readonly [isMissing: boolean, remedy: string]

/** BR-02, -06, -07, -09, -11, -16, BR-CO-26, BR-DEC. */
function coreFacts({ seller, buyer, currency, rows, number }: PrintedDocument): Fact[] {
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
    [minorDigits(currency) > 2, `amounts of 2 decimals: ${currency} has ${minorDigits(currency)}`],
  ]
}

/** PEPPOL-EN16931-R003, -R010, -R020, which XRechnung has, too. Peppol delivers to no mailbox (-CL008). */
function peppolFacts({ seller, buyer }: PrintedDocument, form: UblForm): Fact[] {
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

/** What a seller of a country has to say, by the national rules of Peppol BIS Billing. */
const COUNTRY_FACTS: Readonly<Record<string, readonly (keyof typeof SELLER_FIELDS)[]>> = {
  DK: ['legal_number'],
  IS: ['legal_number', 'street', 'postcode'],
  IT: ['street', 'city', 'postcode'],
  NL: ['street', 'city', 'postcode', 'legal_number'],
}

/** GR-R-001 to -010: the number of a Greek invoice and its MARK come from the tax authority's platform. */
function factsOfCountry(document: PrintedDocument): Fact[] {
  const { seller, buyer, kind, corrects } = document
  const asked = COUNTRY_FACTS[seller.country] ?? []
  const isDutch = seller.country === 'NL'
  const toBePaid = kind === 'invoice' && !isSettled(document)
  return [
    [seller.country === 'GR', 'the MARK that myDATA gives a Greek invoice, which is not asked for here'],
    [isDutch && toBePaid && ibanOf(seller) === undefined, 'an IBAN of the seller: set Seller_Bank'],
    [isDutch && kind === 'credit note' && corrects.length === 0, 'the invoice that it corrects'],
    [
      isDutch && buyer.country === 'NL' && (isBlank(buyer.street) || isBlank(buyer.postcode)),
      `the address of the buyer: set address, postcode and city of ${buyer.username}`,
    ],
    ...asked.map((name): Fact => [isBlank(seller[name]), SELLER_FIELDS[name]]),
  ]
}

/** BR-DE-2 to -9 and -15. */
function xrechnungFacts({ seller, buyer }: PrintedDocument): Fact[] {
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

/** Outside the scope of VAT, a document has no VAT number: it names the parties only (BR-O-02). */
function partyOf({ vatCategory }: PrintedDocument, party: Party, side: 'seller' | 'buyer'): Node {
  const { name, vat_number, electronic_address } = party
  const isOutOfScope = vatCategory === 'O'
  const id = isOutOfScope ? undefined : taxId(vat_number, side)
  const legal = legalNumberOf(party)
  const isNamed = !legal && (id?.scheme === 'FC' || (isOutOfScope && side === 'seller'))
  const company = legal ?? (vat_number !== '' && !id ? { number: vat_number, scheme: undefined } : undefined)
  return group(
    'cac:Party',
    ...(electronic_address === '' ? [] : [endpointOf(electronic_address)]),
    ...(isNamed ? [group('cac:PartyIdentification', element('cbc:ID', vat_number))] : []),
    group('cac:PartyName', element('cbc:Name', name)),
    addressOf(party),
    ...(id
      ? [
          group(
            'cac:PartyTaxScheme',
            element('cbc:CompanyID', id.number),
            group('cac:TaxScheme', element('cbc:ID', id.scheme)),
          ),
        ]
      : []),
    group(
      'cac:PartyLegalEntity',
      element('cbc:RegistrationName', name),
      ...(company ? [element('cbc:CompanyID', company.number, schemeOf(company))] : []),
    ),
    ...(side === 'seller' ? contactOf(party) : []),
  )
}

const schemeOf = ({ scheme }: { readonly scheme: string | undefined }): Record<string, string> =>
  scheme === undefined ? {} : { schemeID: scheme }

function endpointOf(electronicAddress: string): Node {
  const [scheme = '', ...address] = electronicAddress.split(':')
  return element('cbc:EndpointID', address.join(':'), { schemeID: scheme })
}

/** The registers that national rules of Peppol want (DK-R-014, IS-R-002, NL-R-003, PEPPOL-COMMON-R047). */
const OWN_REGISTERS: Readonly<Record<string, string>> = {
  DK: '0184',
  IS: '0196',
  IT: '0211',
  NL: '0106',
}

/** A legal number says its register, or has that of its country. */
function legalNumberOf({ legal_number, country }: Party) {
  if (legal_number.trim() === '') return undefined
  const [, scheme, number] = /^(\d{4}):(.+)$/.exec(legal_number.trim()) ?? []
  return number === undefined
    ? { number: legal_number.trim(), scheme: OWN_REGISTERS[country] }
    : { number, scheme }
}

function contactOf({ contact, telephone, email }: Party): Node[] {
  const elements = [
    ...(contact === '' ? [] : [element('cbc:Name', contact)]),
    ...(telephone === '' ? [] : [element('cbc:Telephone', telephone)]),
    ...(email === '' ? [] : [element('cbc:ElectronicMail', email)]),
  ]
  return elements.length === 0 ? [] : [group('cac:Contact', ...elements)]
}

/**
 * A number without a country is one of the tax office (BR-CO-09), which only a seller has. It also identifies
 * the seller (BR-CO-26), for the standard does not take the tax number alone.
 */
function taxId(vatNumber: string, side: 'seller' | 'buyer') {
  if (countryOfVatNumber(vatNumber) !== undefined)
    return { number: vatNumber.replaceAll(/\s/g, ''), scheme: 'VAT' }
  return vatNumber !== '' && side === 'seller' ? { number: vatNumber, scheme: 'FC' } : undefined
}

function addressOf({ address, street, city, postcode, region, country }: Party): Node {
  const lines = (city === '' ? address : street).split('\n').filter((line) => line !== '')
  const [first, additional, ...rest] = lines
  return group(
    'cac:PostalAddress',
    ...(first === undefined ? [] : [element('cbc:StreetName', first)]),
    ...(additional === undefined ? [] : [element('cbc:AdditionalStreetName', additional)]),
    ...(city === '' ? [] : [element('cbc:CityName', city)]),
    ...(postcode === '' ? [] : [element('cbc:PostalZone', postcode)]),
    ...(region === '' ? [] : [element('cbc:CountrySubentity', region)]),
    ...(rest.length > 0 ? [group('cac:AddressLine', element('cbc:Line', rest.join(', ')))] : []),
    group('cac:Country', element('cbc:IdentificationCode', country)),
  )
}

// Payment

/**
 * A SEPA transfer is 58, another transfer 30; both name the account (BR-61). 1 is a way that no code says:
 * without an IBAN it is text, and of a credit note or a paid invoice there is nothing to say. The Netherlands
 * do not take 1 (NL-R-008).
 */
function paymentOf(document: PrintedDocument, form: UblForm): Node[] {
  const { kind, seller, number, due, currency } = document
  if (kind === 'credit note' || isSettled(document))
    return seller.country === 'NL' && form !== 'xrechnung'
      ? []
      : [group('cac:PaymentMeans', element('cbc:PaymentMeansCode', '1'))]
  const iban = ibanOf(seller)
  const means = group(
    'cac:PaymentMeans',
    element('cbc:PaymentMeansCode', iban === undefined ? '1' : transferCode(currency, seller.country)),
    element('cbc:PaymentID', number),
    ...(iban === undefined ? [] : [group('cac:PayeeFinancialAccount', element('cbc:ID', iban))]),
  )
  const terms = [seller.bank, due]
    .filter((one) => one)
    .join(', ')
    .replaceAll('\n', ', ')
  return terms === '' ? [means] : [means, group('cac:PaymentTerms', element('cbc:Note', terms))]
}

/** Denmark does not take code 30 (DK-R-005). */
function transferCode(currency: string, country: string): string {
  if (currency === 'EUR') return '58'
  return country === 'DK' ? '1' : '30'
}

// Amounts

const amount = (name: string, { currency }: Pick<PrintedDocument, 'currency'>, value: Money): Node =>
  element(name, fixed(value, minorDigits(currency)), { currencyID: currency })

/** One category for the whole document, because a document has one rate. */
function vatCategory(document: PrintedDocument) {
  const { vat, vatPercent = ZERO, net, noVatReason, vatCategory: code } = document
  if (code === 'S') return { code, percent: percentOf(vat, net, vatPercent), reason: '' }
  return { code, percent: ZERO, reason: noVatReason || vatMention(document) || 'Exempt from VAT' }
}

/** What is outside the scope of VAT has no rate, not one of 0 (BR-O-05). */
const percentElement = (code: string, percent: Money): Node[] =>
  code === 'O' ? [] : [element('cbc:Percent', percent)]

/** An imported document may have no rate or several: the shortest rate that makes its VAT (BR-CO-17). */
function percentOf(vat: Money, net: Money, stated: Money): Money {
  if (!isZero(stated) || isZero(net)) return stated
  const rates = [0, 1, 2, 4, 8, 16].map((decimals) => roundedQuotient(multiply(vat, '100'), net, decimals))
  const makesVat = (rate: Money) => round(multiply(multiply(net, rate), '0.01'), 2) === round(vat, 2)
  return rates.find(makesVat) ?? stated
}

const scheme = () => group('cac:TaxScheme', element('cbc:ID', 'VAT'))

function taxTotal(document: PrintedDocument, form: UblForm): Node {
  const { code, percent, reason } = vatCategory(document)
  // XRechnung demands a rate of each total, also of one without VAT (BR-DE-14).
  const rate = form === 'xrechnung' ? [element('cbc:Percent', percent)] : percentElement(code, percent)
  return group(
    'cac:TaxTotal',
    amount('cbc:TaxAmount', document, document.vat),
    group(
      'cac:TaxSubtotal',
      amount('cbc:TaxableAmount', document, document.net),
      amount('cbc:TaxAmount', document, document.vat),
      group(
        'cac:TaxCategory',
        element('cbc:ID', code),
        ...rate,
        ...(reason === '' ? [] : [element('cbc:TaxExemptionReason', reason)]),
        scheme(),
      ),
    ),
  )
}

function monetaryTotal(document: PrintedDocument): Node {
  const { net, gross, isPaid } = document
  return group(
    'cac:LegalMonetaryTotal',
    amount('cbc:LineExtensionAmount', document, net),
    amount('cbc:TaxExclusiveAmount', document, net),
    amount('cbc:TaxInclusiveAmount', document, gross),
    ...(isPaid ? [amount('cbc:PrepaidAmount', document, gross)] : []),
    amount('cbc:PayableAmount', document, isPaid ? ZERO : gross),
  )
}

/**
 * A row whose quantity times price is its sum has both; any other has quantity 1 and its sum as the price. A
 * price is never negative (BR-27): then the quantity is.
 */
function lineOf(
  document: PrintedDocument,
  row: PrintedRow,
  names: { readonly name: string; readonly quantity: string; readonly id: string },
): Node {
  const { code, percent } = vatCategory(document)
  const { quantity, price } = priceOf(row)
  return group(
    names.name,
    element('cbc:ID', names.id),
    element(names.quantity, quantity, { unitCode: 'C62' }),
    amount('cbc:LineExtensionAmount', document, row.sum),
    group(
      'cac:Item',
      element('cbc:Name', row.name.trim() || row.prefix || names.id),
      group('cac:ClassifiedTaxCategory', element('cbc:ID', code), ...percentElement(code, percent), scheme()),
    ),
    group('cac:Price', element('cbc:PriceAmount', price, { currencyID: document.currency })),
  )
}

function priceOf({ quantity, price, sum }: PrintedRow): { readonly quantity: Money; readonly price: Money } {
  if (price !== undefined && !price.startsWith('-')) return { quantity, price }
  return sum.startsWith('-') ? { quantity: '-1', price: subtract(ZERO, sum) } : { quantity: '1', price: sum }
}
