import type { Element as Node } from 'xml-js'
import { type Money, ZERO } from '#lib/base/money.ts'
import { DECLARATION, textElement as element, elementNode, write } from '#lib/xml/xml-js.ts'
import { inMinorUnits } from '../amounts.ts'
import type { Party } from '../parties.ts'
import {
  addressLines,
  CORE,
  type EInvoiceForm,
  endpointOf,
  nameOfRow,
  numbersOf,
  paymentOf,
  pricedQuantity,
  refuseMissing,
  type Side,
  vatCategoryIn,
} from './e-invoice.ts'
import type { PrintedDocument, PrintedRow } from './printed-document.ts'

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

const group = (name: string, ...elements: Node[]): Node => elementNode(name, elements)

/** The element, unless its text is blank. */
const optional = (name: string, text: string): Node[] => (text.trim() === '' ? [] : [element(name, text)])

const PEPPOL_PROCESS = 'urn:fdc:peppol.eu:2017:poacc:billing:01:1.0'

/** The identifiers of a document in UBL, by the rules that it follows (BT-24, BT-23). */
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

type UblForm = Exclude<EInvoiceForm, 'cii'>

/**
 * Writes a document as UBL 2.1 that follows EN 16931, and what a form asks for in addition. The order of the
 * elements is that of the XSD. Throws Refusal if the document lacks something that is required.
 */
export function ublOf(document: PrintedDocument, form: UblForm = 'ubl'): string {
  refuseMissing(document, form)
  const { root, type, line, quantity } = KINDS[document.kind === 'invoice' ? 'invoice' : 'credit note']
  const isInvoice = document.kind === 'invoice'
  const { number, issued, due, currency, period, corrects, comment, rows, accounted, buyer } = document
  const content = [
    ...SPECIFICATIONS[form],
    element('cbc:ID', number),
    element('cbc:IssueDate', issued),
    ...(isInvoice ? optional('cbc:DueDate', due ?? '') : []),
    element(type[0], type[1]),
    ...optional('cbc:Note', comment),
    element('cbc:DocumentCurrencyCode', currency),
    ...(accounted ? [element('cbc:TaxCurrencyCode', accounted.currency)] : []),
    ...optional('cbc:BuyerReference', buyer.reference),
    ...(period
      ? [
          group(
            'cac:InvoicePeriod',
            element('cbc:StartDate', period.from),
            element('cbc:EndDate', period.till),
          ),
        ]
      : []),
    ...optional('cbc:ID', buyer.order_number).map((id) => group('cac:OrderReference', id)),
    ...corrects.map((one) =>
      group('cac:BillingReference', group('cac:InvoiceDocumentReference', element('cbc:ID', one))),
    ),
    group('cac:AccountingSupplierParty', partyOf(document, document.seller, 'seller')),
    group('cac:AccountingCustomerParty', partyOf(document, document.buyer, 'buyer')),
    ...paymentGroups(document, form),
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

function partyOf(document: PrintedDocument, party: Party, side: Side): Node {
  const { tax, name, legal } = numbersOf(document, party, side)
  const endpoint = endpointOf(party)
  return group(
    'cac:Party',
    ...(endpoint ? [element('cbc:EndpointID', endpoint.address, { schemeID: endpoint.scheme })] : []),
    ...(name === undefined ? [] : [group('cac:PartyIdentification', element('cbc:ID', name))]),
    group('cac:PartyName', element('cbc:Name', party.name)),
    addressOf(party),
    ...(tax
      ? [
          group(
            'cac:PartyTaxScheme',
            element('cbc:CompanyID', tax.number),
            group('cac:TaxScheme', element('cbc:ID', tax.scheme)),
          ),
        ]
      : []),
    group(
      'cac:PartyLegalEntity',
      element('cbc:RegistrationName', party.name),
      ...(legal
        ? [element('cbc:CompanyID', legal.number, legal.scheme ? { schemeID: legal.scheme } : {})]
        : []),
    ),
    ...(side === 'seller' ? contactOf(party) : []),
  )
}

function contactOf({ contact, telephone, email }: Party): Node[] {
  const elements = [
    ...optional('cbc:Name', contact),
    ...optional('cbc:Telephone', telephone),
    ...optional('cbc:ElectronicMail', email),
  ]
  return elements.length === 0 ? [] : [group('cac:Contact', ...elements)]
}

function addressOf(party: Party): Node {
  const { city, postcode, region, country } = party
  const [first = '', additional = '', rest = ''] = addressLines(party)
  return group(
    'cac:PostalAddress',
    ...optional('cbc:StreetName', first),
    ...optional('cbc:AdditionalStreetName', additional),
    ...optional('cbc:CityName', city),
    ...optional('cbc:PostalZone', postcode),
    ...optional('cbc:CountrySubentity', region),
    ...optional('cbc:Line', rest).map((line) => group('cac:AddressLine', line)),
    group('cac:Country', element('cbc:IdentificationCode', country)),
  )
}

/** The Netherlands do not take 1 (NL-R-008). */
function paymentGroups(document: PrintedDocument, form: UblForm): Node[] {
  const { code, reference, iban, terms } = paymentOf(document)
  const isDutch = document.seller.country === 'NL' && form !== 'xrechnung'
  if (reference === undefined && isDutch) return []
  const means = group(
    'cac:PaymentMeans',
    element('cbc:PaymentMeansCode', code),
    ...optional('cbc:PaymentID', reference ?? ''),
    ...(iban === undefined ? [] : [group('cac:PayeeFinancialAccount', element('cbc:ID', iban))]),
  )
  return terms === '' ? [means] : [means, group('cac:PaymentTerms', element('cbc:Note', terms))]
}

const amount = (name: string, { currency }: Pick<PrintedDocument, 'currency'>, value: Money): Node =>
  element(name, inMinorUnits(value, currency), { currencyID: currency })

/** An amount outside the scope of VAT has no rate, not one of 0 (BR-O-05). */
const percentElement = (code: string, percent: Money): Node[] =>
  code === 'O' ? [] : [element('cbc:Percent', percent)]

const scheme = () => group('cac:TaxScheme', element('cbc:ID', 'VAT'))

function taxTotal(document: PrintedDocument, form: UblForm): Node {
  const { code, percent, reason } = vatCategoryIn(document)
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
        ...optional('cbc:TaxExemptionReason', reason),
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

function lineOf(
  document: PrintedDocument,
  row: PrintedRow,
  names: { readonly name: string; readonly quantity: string; readonly id: string },
): Node {
  const { code, percent } = vatCategoryIn(document)
  const { quantity, price } = pricedQuantity(row)
  return group(
    names.name,
    element('cbc:ID', names.id),
    element(names.quantity, quantity, { unitCode: 'C62' }),
    amount('cbc:LineExtensionAmount', document, row.sum),
    group(
      'cac:Item',
      element('cbc:Name', nameOfRow(row, names.id)),
      group('cac:ClassifiedTaxCategory', element('cbc:ID', code), ...percentElement(code, percent), scheme()),
    ),
    group('cac:Price', element('cbc:PriceAmount', price, { currencyID: document.currency })),
  )
}
