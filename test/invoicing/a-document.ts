import type { PrintedCall } from '#lib/invoicing/documents/printed-call.ts'
import type { PrintedDocument, PrintedRow } from '#lib/invoicing/documents/printed-document.ts'

const PARTIES = {
  seller: {
    name: 'Northwind Telecom GmbH',
    address: 'Hafenstraße 12\n20457 Hamburg',
    vat_number: 'DE123456789',
    bank: 'IBAN DE02 1203 0000 0000 2020 51\nBIC BYLADEM1001',
    country: 'DE',
    street: '',
    city: '',
    postcode: '',
    region: '',
    contact: '',
    telephone: '',
    email: '',
    electronic_address: '',
    legal_number: '',
  },
  buyer: {
    name: 'Dent & Söhne <KG>',
    address: 'Rue de la Paix 5\n75002 Paris',
    vat_number: 'FR32123456789',
    bank: '',
    country: 'FR',
    street: '',
    city: '',
    postcode: '',
    region: '',
    contact: '',
    telephone: '',
    email: '',
    electronic_address: '',
    legal_number: '',
    order_number: '',
    language: '',
    prepaid: false,
    itemised: false,
    reference: '',
    id: 10,
    username: 'carol',
  },
} as const

/** The worked example of docs/invoices.md, as it is printed. */
export const aDocument = (over: Partial<PrintedDocument> = {}): PrintedDocument => ({
  kind: 'invoice',
  language: 'en',
  number: 'A-2026-17',
  issued: '2026-06-02',
  due: '2026-06-16',
  period: { from: '2026-05-01', till: '2026-05-31' },
  ...PARTIES,
  brand: { logo: '', colour: '', footer: '' },
  currency: 'EUR',
  rows: [
    aRow({
      name: 'Germany mobile',
      prefix: '4917',
      quantity: '3',
      unit: 'call',
      time: '00:11:08',
      sum: '0.24',
    }),
    aRow({
      name: 'United Kingdom',
      prefix: '44',
      quantity: '2',
      unit: 'call',
      time: '00:03:04',
      sum: '0.03',
    }),
    aRow({ name: 'Line', from: '2026-05-27', sum: '1.61' }),
    aRow({ name: 'Setup', from: '2026-05-27', price: '25', sum: '25' }),
    aRow({ name: 'Minimum, May 2026', price: '4.73', sum: '4.73' }),
  ],
  net: '31.61',
  vat: '6.64',
  gross: '38.25',
  vatPercent: '21',
  vatCategory: 'S',
  noVatReason: '',
  accounted: undefined,
  isPaid: false,
  corrects: [],
  comment: '',
  paper: 'A4',
  ...over,
})

export const aRow = (over: Partial<PrintedRow>): PrintedRow => ({
  name: '',
  prefix: '',
  from: undefined,
  quantity: '1',
  unit: 'piece',
  time: '',
  price: undefined,
  sum: '0',
  ...over,
})

/** A number of calls, 500 at once. */
export async function* someCalls(count: number): AsyncGenerator<PrintedCall[]> {
  for (let first = 0; first < count; first += 500)
    yield Array.from({ length: Math.min(500, count - first) }, (_, index) => aPrintedCall(first + index))
}

const two = (number: number): string => String(number).padStart(2, '0')

const aPrintedCall = (index: number): PrintedCall => ({
  time: `2026-05-${two(1 + (index % 31))} ${two(index % 24)}:${two(index % 60)}:00`,
  line: `44163296005${index % 2}`,
  from: `44163296005${index % 2}`,
  to: `4917${1_000_000 + ((index * 7919) % 9_000_000)}`,
  destination: 'Germany mobile',
  duration: `00:0${index % 10}:17`,
  price: `0.0${index % 1000}`,
})
