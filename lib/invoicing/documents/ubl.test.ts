import { expect, test } from 'vitest'
import { add, multiply, round, subtract } from '#lib/base/money.ts'
import { aDocument, aRow } from '#test/invoicing/a-document.ts'
import { ublOf } from './ubl.ts'

const [seller, buyer] = [aDocument().seller, aDocument().buyer]

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
  const free = { vat: '0', gross: '31.61', vatPercent: undefined, vatCategory: 'E' } as const
  const german = { ...buyer, vat_number: 'DE987654321', country: 'DE' }

  expect(ublOf(aDocument({ ...free, vatCategory: 'AE' }))).toMatch(/<cbc:ID>AE<.*\n.*\n.*Reverse charge</)
  expect(ublOf(aDocument({ ...free, buyer: german, noVatReason: '§ 19 UStG' }))).toMatch(
    /<cbc:ID>E<.*\n.*\n.*§ 19 UStG</,
  )
  const small = ublOf(
    aDocument({ ...free, seller: { ...seller, vat_number: '143/815/08151' }, buyer: german }),
  )
  expect(small).toMatch(/<cbc:ID>E<.*\n.*\n.*Exempt from VAT</)
  expect(small).toMatch(/PartyIdentification>\s*<cbc:ID>143\/815\/08151<.*<cbc:ID>FC</s)
})

test('outside the scope of VAT a document has category O, no rate and no VAT number', () => {
  const swiss = { ...buyer, vat_number: 'CHE123456789', country: 'CH' }
  const xml = ublOf(
    aDocument({ vat: '0', gross: '31.61', vatPercent: undefined, vatCategory: 'O', buyer: swiss }),
  )

  expect(xml).toMatch(/<cbc:ID>O<.*\n\s*<cbc:TaxExemptionReason>Outside the scope of VAT</)
  expect(xml).not.toMatch(/cbc:Percent|PartyTaxScheme/)
  expect(xml).toMatch(/PartyIdentification>\s*<cbc:ID>DE123456789</)
  expect(xml).toContain('<cbc:CompanyID>CHE123456789<')
})

test.each([
  [{ buyer: { ...buyer, country: '' } }, /the country of the buyer: set taxation_country of carol/],
  [{ seller: { ...seller, country: '', name: '' } }, /Seller_Name; the country of the seller/],
  [{ seller: { ...seller, vat_number: '' } }, /set Seller_VAT_Number/],
  [{ vat: '0', gross: '31.61', seller: { ...seller, vat_number: '' } }, /set Seller_VAT_Number.* tax number/],
  [{ currency: 'KWD' }, /KWD has 3/],
  [{ number: ' ', buyer: { ...buyer, name: ' ' } }, /lacks a number; the name of the buyer/],
])('what EN 16931 requires is named where it is missing', (over, message) => {
  expect(() => ublOf(aDocument(over))).toThrow(message)
})

test('an imported document of several rates has the rate that makes its VAT', () => {
  const xml = ublOf(
    aDocument({ net: '123456.78', vat: '17777.77', gross: '141234.55', vatPercent: undefined }),
  )
  const { net, tax, percent } = totalsIn(xml)

  expect(round(multiply(multiply(net, percent), '0.01'), 2)).toBe(tax)
})
