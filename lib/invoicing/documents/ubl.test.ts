import { expect, test } from 'vitest'
import { add, multiply, round, subtract } from '#lib/base/money.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { refusalForPeople } from '#lib/base/refusals/refusal-sentences.ts'
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
  [{ rows: [aRow({ sum: '0.125' }), aRow({ sum: '31.485' })] }, /rows that add up to 31.61, not to 31.62/],
])('what EN 16931 requires is named where it is missing', (over, message) => {
  expect(sentenceOf(() => ublOf(aDocument(over)))).toMatch(message)
})

const FULL = {
  seller: {
    ...seller,
    ...{ street: 'Hafenstraße 12', city: 'Hamburg', postcode: '20457', contact: 'Accounts' },
    ...{ telephone: '+49 40 123456', email: 'bills@northwind.example', legal_number: 'HRB 4711' },
    electronic_address: '9930:DE123456789',
  },
  buyer: {
    ...buyer,
    ...{ street: 'Rue de la Paix 5', city: 'Paris', postcode: '75002', reference: '04011000-12345-34' },
    ...{ order_number: 'PO-4711', electronic_address: '0208:0123456749' },
  },
} as const

test.each([
  ['ubl', /urn:cen.eu:en16931:2017</, false],
  ['peppol', /#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0</, true],
  ['xrechnung', /#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0</, true],
] as const)('a document in the form %s names the rules that it follows', (form, rules, hasProcess) => {
  const xml = ublOf(aDocument(FULL), form)

  expect(xml).toMatch(rules)
  expect(xml.includes('<cbc:ProfileID>')).toBe(hasProcess)
  expect(xml).toContain('<cbc:EndpointID schemeID="0208">0123456749<')
  expect(xml).toMatch(/OrderReference>\s*<cbc:ID>PO-4711</)
  expect(xml).toMatch(/<cbc:StreetName>Rue.*\s*<cbc:CityName>Paris<.*\s*<cbc:PostalZone>75002</)
  expect(xml).toMatch(/<cbc:CompanyID>HRB 4711<.*\s*<.*\s*<cac:Contact>\s*<cbc:Name>Accounts</)
})

test('an XRechnung outside the scope of VAT states the rate 0 of its total, and none of its line', () => {
  const outside = aDocument({ ...FULL, vat: '0', gross: '31.61', vatCategory: 'O', noVatReason: 'Not due' })
  const rates = (form: 'ubl' | 'xrechnung') =>
    [...ublOf(outside, form).matchAll(/<cbc:ID>O<\/cbc:ID>\s*<cbc:Percent>(\S+)</g)].map(([, rate]) => rate)

  expect([rates('xrechnung'), rates('ubl')]).toEqual([['0'], []])
})

test('a row whose price makes a part of a yen has its sum as the price', () => {
  const row = { name: 'Number', quantity: '87', price: '0.0213', sum: '2' }
  const xml = ublOf(
    aDocument({ currency: 'JPY', net: '176', rows: [aRow(row), aRow({ ...row, price: '2', sum: '174' })] }),
  )

  expect(numbersIn(xml, 'InvoicedQuantity')).toEqual(['1', '87'])
  expect(numbersIn(xml, 'PriceAmount')).toEqual(['2', '2'])
})

function sentenceOf(write: () => string): string {
  try {
    return write()
  } catch (error) {
    return error instanceof Refusal ? refusalForPeople(error).message : String(error)
  }
}

test.each([
  [
    'peppol',
    {},
    /Peppol invoice: .*Seller_Electronic_Address.*electronic_address of carol.*order_number of carol/,
  ],
  [
    'xrechnung',
    { ...FULL, seller },
    /Seller_City.*Seller_Postcode.*Seller_Contact.*Seller_Telephone.*Seller_Email/,
  ],
  ['xrechnung', { ...FULL, buyer: { ...FULL.buyer, city: '', reference: '' } }, /city of carol.*Leitweg-ID/],
  [
    'peppol',
    { ...FULL, buyer: { ...FULL.buyer, electronic_address: 'EM:a@example.com' } },
    /address in Peppol, .*electronic_address of carol/,
  ],
  ['peppol', { ...FULL, seller: { ...FULL.seller, country: 'GR' } }, /lacks the MARK that myDATA gives/],
  [
    'peppol',
    { seller: { ...seller, country: 'IS' } },
    /Seller_Legal_Number.*Seller_Address.*Seller_Postcode/,
  ],
  ['peppol', { ...FULL, seller: { ...FULL.seller, country: 'NL', bank: '' } }, /set Seller_Bank/],
  [
    'peppol',
    { seller: { ...FULL.seller, contact: '' }, buyer: { ...FULL.buyer, country: 'DE', city: '' } },
    /Seller_Contact.*city of carol/,
  ],
  ...(['IT', 'NO', 'SE'] as const).map(
    (country) =>
      [
        'peppol',
        {
          ...FULL,
          seller: { ...FULL.seller, country, vat_number: country === 'NO' ? 'NO974760673' : '12/3' },
        },
        new RegExp(`such as ${country}\\w+: set Seller_VAT_Number`),
      ] as const,
  ),
  [
    'peppol',
    {
      seller: { ...FULL.seller, country: 'IS' },
      buyer: { ...FULL.buyer, country: 'IS', street: '', legal_number: '' },
    },
    /legal_number of carol; .*postcode and city of carol/,
  ],
] as const)('what %s requires is named where it is missing', (form, over, message) => {
  expect(sentenceOf(() => ublOf(aDocument(over), form))).toMatch(message)
})

test.each([
  ['DK', '12345678', '<cbc:CompanyID schemeID="0184">12345678<'],
  ['IT', '0210:RSSMRA80A01H501U', '<cbc:CompanyID schemeID="0210">RSSMRA80A01H501U<'],
  ['IT', 'IT12345678903', '<cbc:CompanyID schemeID="0211">IT12345678903<'],
  ['DE', '9930:DE123456789', '<cbc:CompanyID>9930:DE123456789<'],
])('a legal number of %s, %s, names its register', (country, legal_number, element) => {
  expect(ublOf(aDocument({ seller: { ...seller, country, legal_number } }))).toContain(element)
})

test.each([
  [{}, '58'],
  [{ currency: 'GBP' }, '30'],
  [{ currency: 'DKK', seller: { ...seller, country: 'DK' } }, '1'],
  [{ seller: { ...seller, bank: 'cheque' } }, '1'],
  [{ isPaid: true }, '1'],
  [{ kind: 'credit note' }, '1'],
  [{ kind: 'credit note', seller: { ...seller, country: 'NL' } }, undefined],
] as const)('the code of the way to pay: %j', (over, code) => {
  expect(numbersIn(ublOf(aDocument(over)), 'PaymentMeansCode')[0]).toBe(code)
})

test('an imported document of several rates has the rate that makes its VAT', () => {
  const xml = ublOf(
    aDocument({
      ...{ net: '123456.78', vat: '17777.77', gross: '141234.55', vatPercent: undefined },
      rows: [aRow({ sum: '123456.78' })],
    }),
  )
  const { net, tax, percent } = totalsIn(xml)

  expect(round(multiply(multiply(net, percent), '0.01'), 2)).toBe(tax)
})

test('a VAT number is written in capitals (BR-CO-09), and a blank text has no element', () => {
  const blank = { contact: ' ', region: ' ' }
  const xml = ublOf(
    aDocument({
      seller: { ...seller, ...blank, vat_number: 'de 123456789' },
      buyer: { ...buyer, order_number: ' ' },
    }),
  )

  expect(xml).toMatch(/PartyTaxScheme>\s*<cbc:CompanyID>DE123456789</)
  expect(xml).not.toMatch(/> +</)
  expect(xml).not.toContain('OrderReference')
})
