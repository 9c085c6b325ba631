import { inflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { CUSTOMER_LANGUAGES, formatsIn } from '#lib/base/language/language.ts'
import { aDocument, aRow, someCalls } from '#test/invoicing/a-document.ts'
import { paymentCode } from './document-facts.ts'
import { documentPage } from './document-page.ts'
import { documentPdf } from './document-pdf.ts'
import { documentTexts } from './document-texts.ts'
import { MARGIN, widthOf } from './pdf-page.ts'
import type { ListedCalls } from './printed-call.ts'
import type { PrintedDocument } from './printed-document.ts'
import { ibanOf } from './transfer-code.ts'
import { ublOf } from './ubl.ts'

const pageOf = async (document: PrintedDocument, calls?: ListedCalls): Promise<string> =>
  (await Array.fromAsync(documentPage(document, calls))).join('')

const pdfOf = async (document: PrintedDocument, calls?: ListedCalls): Promise<Buffer> =>
  Buffer.concat(await Array.fromAsync(documentPdf(document, calls)))

const { buyer } = aDocument()

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

test('calls and charges have a sum each where a document has both, and one of a unit is singular', async () => {
  const page = await pageOf(aDocument({ language: 'fr' }))
  const charges = await pageOf(aDocument({ rows: [aRow({ name: 'Line', quantity: '2', sum: '31.61' })] }))

  expect(page).toMatch(/>Appels<.th><td class="number">0,27 EUR<.*>Frais<.th><td class="number">31,34 EUR</)
  expect(page).toMatch(/>3<.td><td>appels<.*>1<.td><td>pièce</s)
  expect(charges).not.toContain('Charges')
  expect(charges).toContain('<td>pcs</td>')
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
    const free = { language, vat: '0', gross: '31.61', vatPercent: undefined, vatCategory: 'AE' } as const

    expect(await pageOf(aDocument(free))).toContain(mention)
    expect(ublOf(aDocument(free))).toContain(mention)
    expect(await pageOf(aDocument({ ...free, noVatReason: '§ 19 UStG' }))).not.toContain(mention)
    expect(await pageOf(aDocument({ ...free, vatCategory: 'E' }))).not.toContain(mention)
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

test('the list of calls is a file of its own, which a note replaces', async () => {
  const list = await pageOf(aDocument(), someCalls(3))
  expect(list).toMatch(/Calls to A-2026-17[\s\S]*49171007919/)
  expect(list).not.toContain('38.25 EUR')
  const note = documentTexts('en')('erased')
  expect(await pageOf(aDocument(), 'erased')).toContain(note)
  expect((await pdfOf(aDocument(), 'erased')).length).toBeGreaterThan(1000)
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

/** A page is drawn from its upper left corner. */
const drawingsIn = (pdf: Buffer): string[] => streamsIn(pdf).filter((drawing) => /^1 0 0 -1 0 /.test(drawing))

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
  const number = Number(
    /1 0 0 1 (\S+) 41\.8 Tm\n\S+ 8 Tf\n[^\n]*\nET\nQ\n$/.exec(drawingsIn(pdf).at(-1) ?? '')?.[1],
  )
  expect(number + 8 * widthOf('Page 1 of 1', 'regular')).toBeCloseTo(595.28 - MARGIN)
})

test.each(['en', 'de', 'fr', 'es'] as const)('a list without calls says so in %s', async (language) => {
  const document = aDocument({ language })

  expect(await pageOf(document, someCalls(0))).toContain(documentTexts(language)('noCalls'))
  expect(await pdfOf(document, someCalls(0))).not.toEqual(await pdfOf(document, someCalls(1)))
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

test('the reference of a customer is on its documents', async () => {
  const document = aDocument({ buyer: { ...buyer, reference: '04011000-12345-34' } })

  expect(await pageOf(document)).toContain('<dt>Your reference</dt><dd>04011000-12345-34</dd>')
  expect(ublOf(document)).toContain('<cbc:BuyerReference>04011000-12345-34<')
})

test('a list of the calls of several numbers has the sums of each', async () => {
  const page = await pageOf(aDocument(), someCalls(4))

  expect(page).toMatch(
    /Sums by number.*441632960050<.td><td class="number">2<.*441632960051<.td><td class="number">2</s,
  )
  expect(await pageOf(aDocument(), someCalls(1))).not.toContain('Sums by number')
  expect(await pageOf(aDocument(), someCalls(2000))).toMatch(/1,000<.td><td class="number">\d+:\d\d:\d\d</)
})

test('each text is there in each language', () => {
  expect(CUSTOMER_LANGUAGES.map((language) => formatsIn(language).amount('1234.5', 'EUR'))).toEqual([
    '1,234.50',
    '1.234,50',
    '1\u202f234,50',
    '1.234,50',
  ])
})

// The code of a payment

test('an invoice in euros has a code for the transfer to its IBAN, on the page and in the PDF', async () => {
  const { seller } = aDocument()
  const drawn = paymentCode(aDocument())?.path ?? 'none'

  // Version 5 of a QR code, 37 modules, is the smallest that takes these 83 bytes with error correction M.
  expect(paymentCode(aDocument())?.side).toBe(37)
  expect(drawn).toMatch(/^M0 0h1v1h-1zM1 0/)
  expect(await pageOf(aDocument())).toContain(`<path d="${drawn}"/>`)
  expect((await pdfOf(aDocument())).length).toBeGreaterThan(
    (await pdfOf(aDocument({ currency: 'USD' }))).length,
  )
  for (const without of [
    { currency: 'USD' },
    { kind: 'credit note' },
    { isPaid: true },
    { gross: '0' },
    { gross: '1000000000' },
    { seller: { ...seller, bank: 'By cheque' } },
    { seller: { ...seller, bank: 'IBAN DE03 1203 0000 0000 2020 51' } },
  ] as const)
    expect(paymentCode(aDocument(without))).toBeUndefined()
})

test.each([
  'IBAN DE02 1203 0000 0000 2020 51 BIC BYLADEM1001',
  'DE123456789 IBAN DE02120300000000202051 BIC BYLADEM1001',
  'Sparkasse, DE02 1203 0000 0000 2020 51, BYLADEM1001',
])('the IBAN of "%s" ends where its check digits hold', (bank) => {
  const { seller } = aDocument()

  expect(ibanOf({ ...seller, bank })).toBe('DE02120300000000202051')
})
