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

/**
 * Writes a document as UBL 2.1 that follows EN 16931. The order of the elements is that of the XSD. Throws
 * UblRefused if the document lacks something that the standard requires.
 */
export function ublOf(document: PrintedDocument): string {
  refuseMissing(document)
  const { root, type, line, quantity } = KINDS[document.kind]
  const isInvoice = document.kind === 'invoice'
  const { number, issued, due, currency, period, corrects, comment, rows, accounted, buyer } = document
  const content = [
    element('cbc:CustomizationID', 'urn:cen.eu:en16931:2017'),
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
    ...corrects.map((one) =>
      group('cac:BillingReference', group('cac:InvoiceDocumentReference', element('cbc:ID', one))),
    ),
    group('cac:AccountingSupplierParty', partyOf(document, document.seller, 'seller')),
    group('cac:AccountingCustomerParty', partyOf(document, document.buyer, 'buyer')),
    ...paymentOf(document),
    taxTotal(document),
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

const element = (name: string, text: string, attributes: Readonly<Record<string, string>> = {}): Node =>
  elementNode(name, textNodes(text), attributes)

const group = (name: string, ...elements: Node[]): Node => elementNode(name, elements)

/** Refuses a document without facts of EN 16931 (BR-02, -06, -07, -09, -11, -16, BR-CO-26, BR-DEC). */
function refuseMissing({ seller, buyer, currency, rows, number }: PrintedDocument): void {
  const isBlank = (text: string): boolean => text.trim() === ''
  const facts: readonly (readonly [isMissing: boolean, remedy: string])[] = [
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
  const missing = facts.filter(([isMissing]) => isMissing).map(([, remedy]) => remedy)
  if (missing.length > 0) throw new UblRefused(`${number} cannot be UBL: it lacks ${missing.join('; ')}`)
}

// Parties

/** Outside the scope of VAT, a document has no VAT number: it names the parties only (BR-O-02). */
function partyOf({ vatCategory }: PrintedDocument, party: Party, side: 'seller' | 'buyer'): Node {
  const { name, vat_number } = party
  const isOutOfScope = vatCategory === 'O'
  const id = isOutOfScope ? undefined : taxId(vat_number, side)
  const isNamed = id?.scheme === 'FC' || (isOutOfScope && side === 'seller')
  const company = vat_number !== '' && !id ? [element('cbc:CompanyID', vat_number)] : []
  return group(
    'cac:Party',
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
    group('cac:PartyLegalEntity', element('cbc:RegistrationName', name), ...company),
  )
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

function addressOf({ address, country }: Party): Node {
  const [street, additional, ...rest] = address.split('\n').filter((line) => line !== '')
  return group(
    'cac:PostalAddress',
    ...(street === undefined ? [] : [element('cbc:StreetName', street)]),
    ...(additional === undefined ? [] : [element('cbc:AdditionalStreetName', additional)]),
    ...(rest.length > 0 ? [group('cac:AddressLine', element('cbc:Line', rest.join(', ')))] : []),
    group('cac:Country', element('cbc:IdentificationCode', country)),
  )
}

// Payment

/** A transfer names its account (BR-61); without an IBAN the way to pay is text. */
function paymentOf(document: PrintedDocument): Node[] {
  const { kind, seller, number, due } = document
  if (kind === 'credit note' || isSettled(document)) return []
  const iban = ibanOf(seller)
  const means = group(
    'cac:PaymentMeans',
    element('cbc:PaymentMeansCode', iban === undefined ? '1' : '30'),
    element('cbc:PaymentID', number),
    ...(iban === undefined ? [] : [group('cac:PayeeFinancialAccount', element('cbc:ID', iban))]),
  )
  const terms = [seller.bank, due]
    .filter((one) => one)
    .join(', ')
    .replaceAll('\n', ', ')
  return terms === '' ? [means] : [means, group('cac:PaymentTerms', element('cbc:Note', terms))]
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

function taxTotal(document: PrintedDocument): Node {
  const { code, percent, reason } = vatCategory(document)
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
        ...percentElement(code, percent),
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
