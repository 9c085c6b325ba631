import type { Element as Node } from 'xml-js'
import type { Day } from '#lib/base/calendar.ts'
import { type Money, ZERO } from '#lib/base/money.ts'
import { DECLARATION, elementNode, textNodes, write } from '#lib/xml/xml-js.ts'
import { inMinorUnits } from '../amounts.ts'
import type { Party } from '../parties.ts'
import {
  addressLines,
  CORE,
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

const UNECE = 'urn:un:unece:uncefact:data:standard:'

const NAMESPACES = {
  'xmlns:rsm': `${UNECE}CrossIndustryInvoice:100`,
  'xmlns:ram': `${UNECE}ReusableAggregateBusinessInformationEntity:100`,
  'xmlns:udt': `${UNECE}UnqualifiedDataType:100`,
}

const TYPES = { invoice: '380', 'credit note': '381' } as const

const element = (name: string, text: string, attributes: Readonly<Record<string, string>> = {}): Node =>
  elementNode(`ram:${name}`, textNodes(text), attributes)

const group = (name: string, ...elements: readonly Node[]): Node => elementNode(`ram:${name}`, [...elements])

/** The element, unless its text is blank. */
const optional = (name: string, text = ''): Node[] => (text.trim() === '' ? [] : [element(name, text)])

/** The group, unless it would be empty. */
const optionalGroup = (name: string, elements: readonly Node[]): Node[] =>
  elements.length === 0 ? [] : [group(name, ...elements)]

/** Format 102 of UNTDID 2379: YYYYMMDD. */
const dateOf = (name: string, day: Day): Node =>
  group(name, elementNode('udt:DateTimeString', textNodes(day.replaceAll('-', '')), { format: '102' }))

/**
 * Writes a document as a Cross Industry Invoice (UN/CEFACT D16B) that follows EN 16931, which is also what
 * Factur-X holds in its profile EN 16931. The order of the elements is that of the XSD. Throws Refusal if the
 * document lacks something that is required.
 */
export function ciiOf(document: PrintedDocument): string {
  refuseMissing(document, 'cii')
  const { kind, number, issued, comment, rows } = document
  const content = [
    elementNode('rsm:ExchangedDocumentContext', [
      group('GuidelineSpecifiedDocumentContextParameter', element('ID', CORE)),
    ]),
    elementNode('rsm:ExchangedDocument', [
      element('ID', number),
      element('TypeCode', TYPES[kind === 'invoice' ? kind : 'credit note']),
      dateOf('IssueDateTime', issued),
      ...optionalGroup('IncludedNote', optional('Content', comment)),
    ]),
    elementNode('rsm:SupplyChainTradeTransaction', [
      ...rows.map((row, index) => lineOf(document, row, String(index + 1))),
      agreementOf(document),
      group('ApplicableHeaderTradeDelivery'),
      settlementOf(document),
    ]),
  ]
  const root = elementNode('rsm:CrossIndustryInvoice', content, NAMESPACES)
  return `${DECLARATION}\n${write([root], 2)}\n`
}

function lineOf(document: PrintedDocument, row: PrintedRow, id: string): Node {
  const { quantity, price } = pricedQuantity(row)
  return group(
    'IncludedSupplyChainTradeLineItem',
    group('AssociatedDocumentLineDocument', element('LineID', id)),
    group('SpecifiedTradeProduct', element('Name', nameOfRow(row, id))),
    group('SpecifiedLineTradeAgreement', group('NetPriceProductTradePrice', element('ChargeAmount', price))),
    group('SpecifiedLineTradeDelivery', element('BilledQuantity', quantity, { unitCode: 'C62' })),
    group(
      'SpecifiedLineTradeSettlement',
      group('ApplicableTradeTax', element('TypeCode', 'VAT'), ...categoryOf(document)),
      group(
        'SpecifiedTradeSettlementLineMonetarySummation',
        element('LineTotalAmount', inMinorUnits(row.sum, document.currency)),
      ),
    ),
  )
}

/** An amount outside the scope of VAT has no rate, not one of 0 (BR-O-05). */
function categoryOf(document: PrintedDocument): Node[] {
  const { code, percent } = vatCategoryIn(document)
  const category = element('CategoryCode', code)
  return code === 'O' ? [category] : [category, element('RateApplicablePercent', percent)]
}

const agreementOf = (document: PrintedDocument): Node =>
  group(
    'ApplicableHeaderTradeAgreement',
    ...optional('BuyerReference', document.buyer.reference),
    group('SellerTradeParty', ...partyOf(document, document.seller, 'seller')),
    group('BuyerTradeParty', ...partyOf(document, document.buyer, 'buyer')),
    ...optionalGroup(
      'BuyerOrderReferencedDocument',
      optional('IssuerAssignedID', document.buyer.order_number),
    ),
  )

function partyOf(document: PrintedDocument, party: Party, side: Side): Node[] {
  const { tax, name, legal } = numbersOf(document, party, side)
  const endpoint = endpointOf(party)
  return [
    ...optional('ID', name),
    element('Name', party.name),
    ...(legal
      ? [
          group(
            'SpecifiedLegalOrganization',
            element('ID', legal.number, legal.scheme ? { schemeID: legal.scheme } : {}),
          ),
        ]
      : []),
    ...(side === 'seller' ? optionalGroup('DefinedTradeContact', contactOf(party)) : []),
    group('PostalTradeAddress', ...addressOf(party)),
    ...(endpoint
      ? [
          group(
            'URIUniversalCommunication',
            element('URIID', endpoint.address, { schemeID: endpoint.scheme }),
          ),
        ]
      : []),
    ...(tax ? [group('SpecifiedTaxRegistration', element('ID', tax.number, SCHEMES[tax.scheme]))] : []),
  ]
}

/** A VAT number, and one of the tax office alone. */
const SCHEMES = { VAT: { schemeID: 'VA' }, FC: { schemeID: 'FC' } } as const

const contactOf = ({ contact, telephone, email }: Party): Node[] => [
  ...optional('PersonName', contact),
  ...optionalGroup('TelephoneUniversalCommunication', optional('CompleteNumber', telephone)),
  ...optionalGroup('EmailURIUniversalCommunication', optional('URIID', email)),
]

function addressOf(party: Party): Node[] {
  const { city, postcode, region, country } = party
  const [one, two, three] = addressLines(party)
  return [
    ...optional('PostcodeCode', postcode),
    ...optional('LineOne', one),
    ...optional('LineTwo', two),
    ...optional('LineThree', three),
    ...optional('CityName', city),
    element('CountryID', country),
    ...optional('CountrySubDivisionName', region),
  ]
}

function settlementOf(document: PrintedDocument): Node {
  const { currency, accounted, period, corrects, net, vat } = document
  const { code, reference, iban } = paymentOf(document)
  const { reason } = vatCategoryIn(document)
  return group(
    'ApplicableHeaderTradeSettlement',
    ...optional('PaymentReference', reference),
    ...optional('TaxCurrencyCode', accounted?.currency),
    element('InvoiceCurrencyCode', currency),
    group(
      'SpecifiedTradeSettlementPaymentMeans',
      element('TypeCode', code),
      ...optionalGroup('PayeePartyCreditorFinancialAccount', optional('IBANID', iban)),
    ),
    group(
      'ApplicableTradeTax',
      element('CalculatedAmount', inMinorUnits(vat, currency)),
      element('TypeCode', 'VAT'),
      ...optional('ExemptionReason', reason),
      element('BasisAmount', inMinorUnits(net, currency)),
      ...categoryOf(document),
    ),
    ...(period
      ? [
          group(
            'BillingSpecifiedPeriod',
            dateOf('StartDateTime', period.from),
            dateOf('EndDateTime', period.till),
          ),
        ]
      : []),
    ...optionalGroup('SpecifiedTradePaymentTerms', termsOf(document)),
    totalsOf(document),
    ...corrects.map((one) => group('InvoiceReferencedDocument', element('IssuerAssignedID', one))),
  )
}

const termsOf = (document: PrintedDocument): Node[] => [
  ...optional('Description', paymentOf(document).terms),
  ...(document.kind === 'invoice' && document.due !== undefined
    ? [dateOf('DueDateDateTime', document.due)]
    : []),
]

function totalsOf(document: PrintedDocument): Node {
  const { net, vat, gross, isPaid, accounted, currency } = document
  const amount = (name: string, value: Money) => element(name, inMinorUnits(value, currency))
  return group(
    'SpecifiedTradeSettlementHeaderMonetarySummation',
    amount('LineTotalAmount', net),
    amount('TaxBasisTotalAmount', net),
    element('TaxTotalAmount', inMinorUnits(vat, currency), { currencyID: currency }),
    ...(accounted
      ? [
          element('TaxTotalAmount', inMinorUnits(accounted.vat, accounted.currency), {
            currencyID: accounted.currency,
          }),
        ]
      : []),
    amount('GrandTotalAmount', gross),
    ...(isPaid ? [amount('TotalPrepaidAmount', gross)] : []),
    amount('DuePayableAmount', isPaid ? ZERO : gross),
  )
}
