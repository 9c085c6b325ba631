import { inflateSync } from 'node:zlib'
import { XmlDocument } from 'libxml2-wasm'
import { expect, test } from 'vitest'
import { aDocument } from '#test/invoicing/a-document.ts'
import { ciiOf } from './cii.ts'
import { documentPdf } from './document-pdf.ts'

const NAMES = {
  rsm: 'urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100',
  ram: 'urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100',
  udt: 'urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100',
  rdf: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
  dc: 'http://purl.org/dc/elements/1.1/',
  fx: 'urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#',
  pdfaid: 'http://www.aiim.org/pdfa/ns/id/',
}

/** The texts at these paths, as a parser of another maker reads them. */
function textsIn(xml: string, ...paths: readonly string[]): string[] {
  using document = XmlDocument.fromString(xml)
  return paths.map((path) =>
    document
      .find(path, NAMES)
      .map((node) => node.content)
      .join('|'),
  )
}

const { seller, buyer } = aDocument()

const FULL = {
  seller: {
    ...seller,
    ...{ contact: 'Accounts', telephone: '+49 40 1234567', email: 'bills@example.com' },
    ...{ city: 'Hamburg', postcode: '20457', street: 'Hafenstraße 12\nHaus B\nEtage 3\nLinks' },
    ...{ electronic_address: '9930:DE123456789', legal_number: '0204:HRB 4711' },
  },
  buyer: { ...buyer, reference: '04011000-12345-34', order_number: 'PO-4711' },
} as const

test('a document in CII says what it says in UBL', () => {
  const xml = ciiOf(aDocument({ ...FULL, accounted: { currency: 'CZK', vat: '165.11' } }))
  const party = '//ram:SellerTradeParty'
  const money = '//ram:SpecifiedTradeSettlementHeaderMonetarySummation'

  expect(
    textsIn(
      xml,
      '//ram:GuidelineSpecifiedDocumentContextParameter/ram:ID',
      '//rsm:ExchangedDocument/ram:TypeCode',
    ),
  ).toEqual(['urn:cen.eu:en16931:2017', '380'])
  expect(textsIn(xml, '//ram:IssueDateTime/udt:DateTimeString', '//ram:DueDateDateTime')).toEqual([
    '20260602',
    expect.stringMatching(/20260616/),
  ])
  expect(
    textsIn(xml, `${party}/ram:Name`, `${party}/ram:SpecifiedTaxRegistration/ram:ID[@schemeID="VA"]`),
  ).toEqual([seller.name, 'DE123456789'])
  expect(textsIn(xml, `${party}//ram:ID[@schemeID="0204"]`, `${party}//ram:LineThree`)).toEqual([
    'HRB 4711',
    'Etage 3, Links',
  ])
  expect(
    textsIn(xml, '//ram:BuyerReference', '//ram:BuyerOrderReferencedDocument/ram:IssuerAssignedID'),
  ).toEqual(['04011000-12345-34', 'PO-4711'])
  expect(textsIn(xml, '//ram:IBANID', '//ram:SpecifiedTradeSettlementPaymentMeans/ram:TypeCode')).toEqual([
    'DE02120300000000202051',
    '58',
  ])
  expect(textsIn(xml, `${money}/ram:TaxBasisTotalAmount`, `${money}/ram:TaxTotalAmount`)).toEqual([
    '31.61',
    '6.64|165.11',
  ])
  expect(textsIn(xml, `${money}/ram:GrandTotalAmount`, `${money}/ram:DuePayableAmount`)).toEqual([
    '38.25',
    '38.25',
  ])
  expect(textsIn(xml, '//ram:IncludedSupplyChainTradeLineItem//ram:LineTotalAmount')).toEqual([
    aDocument()
      .rows.map(({ sum }) => Number(sum).toFixed(2))
      .join('|'),
  ])
})

test('a credit note in CII names its invoice; what is paid or free of VAT says so', () => {
  const note = ciiOf(aDocument({ kind: 'credit note', corrects: ['A-2026-17'] }))
  const outside = ciiOf(
    aDocument({ vat: '0', gross: '31.61', vatPercent: undefined, vatCategory: 'O', isPaid: true }),
  )

  expect(textsIn(note, '//rsm:ExchangedDocument/ram:TypeCode', '//ram:InvoiceReferencedDocument')).toEqual([
    '381',
    expect.stringMatching(/A-2026-17/),
  ])
  expect(textsIn(note, '//ram:PaymentReference', '//ram:DueDateDateTime')).toEqual(['', ''])
  expect(textsIn(outside, '//ram:TotalPrepaidAmount', '//ram:DuePayableAmount')).toEqual(['31.61', '0.00'])
  expect(
    textsIn(outside, '//ram:ApplicableHeaderTradeSettlement/ram:ApplicableTradeTax/ram:CategoryCode'),
  ).toEqual(['O'])
  expect(textsIn(outside, '//ram:RateApplicablePercent', '//ram:SpecifiedTaxRegistration')).toEqual(['', ''])
  expect(textsIn(outside, '//ram:ExemptionReason')).toEqual(['Outside the scope of VAT'])
})

// Factur-X

const pdfOf = async (...given: Parameters<typeof documentPdf>): Promise<Buffer> =>
  Buffer.concat(await Array.fromAsync(documentPdf(...given)))

/** The streams of a PDF after the dictionaries that match. */
function streamsIn(pdf: Buffer, dictionary: RegExp): Buffer[] {
  const text = pdf.toString('latin1')
  return [...text.matchAll(/<<((?:[^<>]|<[^<>]*>|<<[^<>]*>>)*)>>\nstream\n/g)].flatMap((found) => {
    const [head, facts = ''] = found
    if (!dictionary.test(facts)) return []
    const from = found.index + head.length
    const length = Number(/\/Length (\d+)/.exec(facts)?.[1])
    const bytes = pdf.subarray(from, from + length)
    return [/FlateDecode/.test(facts) ? inflateSync(bytes) : bytes]
  })
}

test('a Factur-X is a PDF/A-3b with the invoice in it, whose XMP can be read', async () => {
  const hostile = { ...FULL, seller: { ...FULL.seller, name: 'Dent & Söhne <KG>' } }
  const document = aDocument(hostile)
  const xml = ciiOf(document)
  const pdf = await pdfOf(document, undefined, xml)
  const text = pdf.toString('latin1')
  const [xmp = ''] = streamsIn(pdf, /\/Subtype \/XML/).map(String)

  expect(text).toMatch(/^%PDF-1\.7\n%[\x80-\xff]{4}/)
  expect(streamsIn(pdf, /\/EmbeddedFile/).map(String)).toEqual([xml])
  expect(text).toMatch(/\/AFRelationship \/Alternative/)
  expect(text).toMatch(/\/AF \[\d+ 0 R\]/)
  expect(text).toMatch(/\/OutputIntents \[\d+ 0 R\]/)
  expect(streamsIn(pdf, /\/N 3/)[0]?.toString('latin1', 36, 40)).toBe('acsp')
  expect(text).toMatch(/\/ID \[<[0-9a-f]{32}> <[0-9a-f]{32}>\]/)
  expect(text).not.toMatch(/\/(Encrypt|JavaScript|SMask)/)
  expect([...text.matchAll(/\/FontFile2 /g)]).toHaveLength(
    [...text.matchAll(/\/Type \/FontDescriptor/g)].length,
  )
  expect(textsIn(xmp, '//dc:creator//rdf:li', '//dc:title//rdf:li')).toEqual([
    'Dent & Söhne <KG>',
    'Invoice A-2026-17',
  ])
  expect(
    textsIn(xmp, '//pdfaid:part', '//pdfaid:conformance', '//fx:ConformanceLevel', '//fx:DocumentFileName'),
  ).toEqual(['3', 'B', 'EN 16931', 'factur-x.xml'])
  expect((await pdfOf(document, undefined, xml)).equals(pdf)).toBe(true)
})
