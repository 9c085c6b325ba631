import { inflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { CUSTOMER_LANGUAGES, formatsIn } from '#lib/base/language/language.ts'
import { add, multiply, round, subtract } from '#lib/base/money.ts'
import { aDocument, aRow, someCalls } from '#test/invoicing/a-document.ts'
import { documentPage } from './document-page.ts'
import { documentPdf } from './document-pdf.ts'
import { documentTexts, rowNameIn } from './document-texts.ts'
import type { Annex } from './printed-call.ts'
import type { PrintedDocument } from './printed-document.ts'
import { ublOf } from './ubl.ts'

const pageOf = async (document: PrintedDocument, annex?: Annex): Promise<string> =>
  (await Array.fromAsync(documentPage(document, annex))).join('')

const pdfOf = async (document: PrintedDocument, annex?: Annex): Promise<Buffer> =>
  Buffer.concat(await Array.fromAsync(documentPdf(document, annex)))

const [seller, buyer] = [aDocument().seller, aDocument().buyer]

// The page

test("a page has both parties' addresses and VAT numbers, number, days, rows, VAT, total", async () => {
  const page = await pageOf(aDocument())

  for (const part of [
    ...[
      'Invoice A-2026-17',
      'Northwind Telecom GmbH',
      'Hafenstraße 12',
      'DE123456789',
      'Dent &amp; Söhne &lt;KG&gt;',
    ],
    ...[
      'FR32123456789',
      '2 June 2026',
      '1 May 2026 – 31 May 2026',
      '16 June 2026',
      'Germany mobile (4917)',
      '00:11:08',
    ],
    ...[
      'VAT 21 %',
      '6.64 EUR',
      '38.25 EUR',
      'DE02 1203 0000 0000 2020 51',
      'Reference of your payment: A-2026-17',
    ],
  ])
    expect(page).toContain(part)
  expect(page).not.toMatch(/<script|https?:|<KG>/)
})

test.each([
  ['de', 'Rechnung A-2026-17', '38,25 EUR'],
  ['fr', 'Facture A-2026-17', '38,25 EUR'],
  ['es', 'Factura A-2026-17', '38,25 EUR'],
] as const)('a page in %s', async (language, title, total) => {
  const page = await pageOf(aDocument({ language }))

  expect(page).toContain(`<html lang="${language}">`)
  expect(page).toContain(title)
  expect(page).toContain(total)
})

test.each([
  ['Calls, April 2026, late', 'Gespräche, April 2026, nachberechnet'],
  ['Minimum, May 2026', 'Mindestumsatz, Mai 2026'],
  ['Calls of customers: Other destinations', 'Gespräche von Kunden: Andere Ziele'],
  ['Calls, billed on A-2026-1', 'Gespräche, berechnet mit A-2026-1'],
  ['Germany mobile', 'Germany mobile'],
  ['constructor', 'constructor'],
])('the row %s is %s in German', (name, german) => {
  expect(rowNameIn(name, 'de', formatsIn('de'))).toBe(german)
  expect(rowNameIn(name, 'en', formatsIn('en'))).toBe(name)
})

test('amounts keep all their digits, and those of JPY and KWD have their decimals', async () => {
  const rows = [aRow({ name: 'Much', sum: '12345678901234567890' })]
  const yen = aDocument({
    currency: 'JPY',
    rows,
    net: '12345678901234567890',
    vat: '0',
    gross: '12345678901234567890',
  })

  expect(await pageOf(yen)).toContain('12,345,678,901,234,567,890 JPY')
  expect(await pageOf({ ...yen, currency: 'KWD' })).toContain('12,345,678,901,234,567,890.000 KWD')
})

test('a prepaid customer has nothing to pay, and a credit note names its invoice', async () => {
  const paid = await pageOf(aDocument({ isPaid: true }))
  const note = await pageOf(
    aDocument({ kind: 'credit note', corrects: ['A-2026-17'], comment: 'Wrong tariff' }),
  )

  expect(paid).toContain('Paid from your balance')
  expect(paid).not.toContain('Due date')
  expect(note).toContain('<dt>Corrects invoice</dt><dd>A-2026-17</dd>')
  expect(note).toContain('Wrong tariff')
})

test('an invoice of 0.00 is not paid from a balance, and nothing of it is due', async () => {
  const page = await pageOf(aDocument({ net: '0', vat: '0', gross: '0', vatPercent: '21' }))

  expect(page).toContain('Nothing is due.')
  expect(page).not.toMatch(/balance|Due date|Please pay/)
})

test.each([
  ['de', 'Steuerschuldnerschaft des Leistungsempfängers'],
  ['fr', 'Autoliquidation'],
  ['es', 'Inversión del sujeto pasivo'],
] as const)(
  'without VAT to another country an invoice in %s names the reverse charge',
  async (language, mention) => {
    const free = { language, vat: '0', gross: '31.61', vatPercent: undefined }

    expect(await pageOf(aDocument(free))).toContain(mention)
    expect(ublOf(aDocument(free))).toContain(mention)
    expect(await pageOf(aDocument({ ...free, noVatReason: '§ 19 UStG' }))).not.toContain(mention)
    expect(await pageOf(aDocument({ ...free, buyer: { ...buyer, vat_number: '' } }))).not.toContain(mention)
  },
)

test('VAT in another currency is also shown in that of the installation', async () => {
  const document = aDocument({ currency: 'USD', accounted: { currency: 'EUR', vat: '6.05' } })

  expect(await pageOf(document)).toContain('VAT in EUR: 6.05 EUR')
  expect(ublOf(document)).toMatch(
    /<cbc:TaxCurrencyCode>EUR<.*<cac:TaxTotal>\s*<cbc:TaxAmount currencyID="EUR">6.05<\/cbc:TaxAmount>\s*<\/cac:TaxTotal>/s,
  )
})

test('what the law wants of a seller is below each of its documents', async () => {
  const footer = 'Geschäftsführer: A. Dent\nAmtsgericht Hamburg, HRB 1234'
  const document = aDocument({ brand: { logo: '', colour: '', footer } })

  expect(await pageOf(document)).toContain(footer)
  expect((await pdfOf(document)).length).toBeGreaterThan((await pdfOf(aDocument())).length)
})

test('the calls are behind the document', async () => {
  expect(await pageOf(aDocument(), someCalls(3))).toContain('49171007919')
  expect(await pageOf(aDocument())).not.toContain('class="annex"')
})

// The PDF

test('a PDF embeds its fonts, with selectable text; equal documents have equal bytes', async () => {
  const pdf = await pdfOf(aDocument(), someCalls(100))
  const text = pdf.toString('latin1')

  expect(text.startsWith('%PDF-')).toBe(true)
  expect(text.match(/\/FontFile2/g)).toHaveLength(2)
  expect(text.match(/\/ToUnicode/g)).toHaveLength(2)
  expect(text.match(/\/Type \/Page\b/g)).toHaveLength(3)
  expect(await pdfOf(aDocument(), someCalls(100))).toEqual(pdf)
})

/** The streams of a PDF that are compressed: the drawings of its pages, and the characters of its fonts. */
const streamsIn = (pdf: Buffer): string[] =>
  pdf
    .toString('latin1')
    .split(/\bstream\n/)
    .slice(1)
    .flatMap((part) => {
      try {
        const packed = part.slice(0, part.lastIndexOf('\nendstream'))
        return [inflateSync(Buffer.from(packed, 'latin1')).toString('latin1')]
      } catch {
        return []
      }
    })

const drawingsIn = (pdf: Buffer): string[] => streamsIn(pdf).filter((drawing) => drawing.includes('/Page Do'))

test('how to pay is on the page of the total, however many rows there are', async () => {
  const counts = Array.from({ length: 14 }, (_, index) => 14 + index)
  const row = aRow({ name: 'Line', sum: '1' })
  const last = async (rows: number) =>
    drawingsIn(await pdfOf(aDocument({ rows: Array.from({ length: rows }, () => row) }))).at(-1)

  const drawings = await Promise.all(counts.map(last))
  // The total is the only text of 12 points.
  expect(drawings.map((drawing = '') => / 12 Tf/.test(drawing))).toEqual(counts.map(() => true))
})

test('an amount of any length is whole in a PDF, and the number of a page ends at the margin', async () => {
  const sum = '12345678901234567890123.45'
  const pdf = await pdfOf(aDocument({ rows: [aRow({ name: 'Much', sum })], net: sum, gross: sum }))
  const all = streamsIn(pdf)

  expect(all.some((stream) => stream.includes('<2026>'))).toBe(false)
  expect(drawingsIn(pdf)[0]).toMatch(/q 1 0 0 -1 545\.28 /)
  expect(all.find((stream) => stream.startsWith('BT'))).toMatch(/ -\d[\d.]* 0 Td /)
})

test.each(['en', 'de', 'fr', 'es'] as const)('a list without calls says so in %s', async (language) => {
  const document = aDocument({ language })

  expect(await pageOf(document, someCalls(0))).toContain(documentTexts(language)('noCalls'))
  expect((await pdfOf(document, someCalls(0))).length).toBeGreaterThan((await pdfOf(document)).length)
})

test('the pages of a long list of calls leave the memory one by one', async () => {
  let pieces = 0
  let read = 0
  async function* counted() {
    for await (const calls of someCalls(2000)) {
      read += calls.length
      yield calls
    }
  }
  for await (const _piece of documentPdf(aDocument(), counted())) if (read < 2000) pieces += 1

  expect(pieces).toBeGreaterThan(20)
})

// UBL: the rules of EN 16931 that are arithmetic

const numbersIn = (xml: string, name: string): string[] =>
  [...xml.matchAll(new RegExp(`<cbc:${name}[^>]*>([^<]*)<`, 'g'))].map(([, value = '']) => value)

const totalsIn = (xml: string) => {
  const [tax = '', taxOfCategory] = numbersIn(xml, 'TaxAmount')
  const [net = ''] = numbersIn(xml, 'TaxExclusiveAmount')
  const [gross = ''] = numbersIn(xml, 'TaxInclusiveAmount')
  const [sum = '', ...lines] = numbersIn(xml, 'LineExtensionAmount')
  return { tax, taxOfCategory, net, gross, sum, lines, percent: numbersIn(xml, 'Percent')[0] ?? '0' }
}

const NEGATIVE = {
  rows: [
    aRow({ name: 'Calls', quantity: '-3', unit: 'call', sum: '-0.24' }),
    aRow({ price: '25', sum: '25' }),
  ],
  net: '24.76',
  vat: '5.20',
  gross: '29.96',
} as const

test.each([
  ['an invoice', {}],
  ['a credit note', { kind: 'credit note', corrects: ['A-2026-17'] }],
  ['a row below 0', NEGATIVE],
  ['a document without VAT', { vat: '0', gross: '31.61', vatPercent: undefined }],
] as const)('BR-CO-10, -13, -15, -17 and BR-DEC: %s', (_what, over) => {
  const xml = ublOf(aDocument(over))
  const { tax, taxOfCategory, net, gross, sum, lines, percent } = totalsIn(xml)

  expect(add(...lines)).toBe(add(sum))
  expect(net).toBe(sum)
  expect(subtract(gross, net)).toBe(add(tax))
  expect(taxOfCategory).toBe(tax)
  expect(add(tax)).toBe(round(multiply(multiply(net, percent), '0.01'), 2))
  for (const amount of [tax, net, gross, sum, ...lines]) expect(amount).toMatch(/^-?\d+\.\d{2}$/)
})

test('quantity times price is the sum of each row, and no price is below 0', () => {
  const xml = ublOf(aDocument(NEGATIVE))

  expect(numbersIn(xml, 'InvoicedQuantity')).toEqual(['-1', '1'])
  expect(numbersIn(xml, 'PriceAmount')).toEqual(['0.24', '25'])
})

test('a document without VAT says why: reverse charge abroad, exempt at home', () => {
  const free = { vat: '0', gross: '31.61', vatPercent: undefined }
  const german = { ...buyer, vat_number: 'DE987654321', country: 'DE' }

  expect(ublOf(aDocument(free))).toMatch(/<cbc:ID>AE<.*\n.*\n.*Reverse charge</)
  expect(ublOf(aDocument({ ...free, buyer: german, noVatReason: '§ 19 UStG' }))).toMatch(
    /<cbc:ID>E<.*\n.*\n.*§ 19 UStG</,
  )
  const small = ublOf(
    aDocument({ ...free, seller: { ...seller, vat_number: '143/815/08151' }, buyer: german }),
  )
  expect(small).toMatch(/<cbc:ID>E<.*\n.*\n.*Exempt from VAT</)
  expect(small).toMatch(/PartyIdentification>\s*<cbc:ID>143\/815\/08151<.*<cbc:ID>FC</s)
})

test.each([
  [{ buyer: { ...buyer, country: '' } }, /the country of the buyer: set taxation_country of carol/],
  [{ seller: { ...seller, country: '', name: '' } }, /Seller_Name; the country of the seller/],
  [{ seller: { ...seller, vat_number: '' } }, /set Seller_VAT_Number/],
  [{ vat: '0', gross: '31.61', seller: { ...seller, vat_number: '' } }, /set Seller_VAT_Number.* tax number/],
  [{ currency: 'KWD' }, /KWD has 3/],
])('what EN 16931 requires is named where it is missing', (over, message) => {
  expect(() => ublOf(aDocument(over))).toThrow(message)
})

test('each text is there in each language', () => {
  expect(CUSTOMER_LANGUAGES.map((language) => formatsIn(language).amount('1234.5', 'EUR'))).toEqual([
    '1,234.50',
    '1.234,50',
    '1\u202f234,50',
    '1.234,50',
  ])
})
