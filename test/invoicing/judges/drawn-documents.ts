import { minorDigits } from '#lib/base/currency-digits.ts'
import { add, multiply, round, roundedQuotient } from '#lib/base/money.ts'
import type { PrintedDocument, PrintedRow } from '#lib/invoicing/documents/printed-document.ts'
import type { Party } from '#lib/invoicing/parties.ts'
import { vatCategoryOf } from '#lib/invoicing/vat-category.ts'
import { seeded } from '#test/examples/generated-rates.ts'
import { aDocument, aRow } from '../a-document.ts'

const COUNTRIES =
  'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK GB CH IS NO US'.split(' ')

/** Where the rules of Peppol look at the digits. */
const VAT_NUMBERS: Readonly<Record<string, string>> = {
  ...{ SE: 'SE556036079301', IT: 'IT00159560366', NO: 'NO974760673MVA', GR: 'EL123456789' },
  ...{ CH: '12345678', IS: '12345678', US: '12345678' },
}

const LEGAL_NUMBERS: Readonly<Record<string, string>> = {
  ...{ DK: '12345674', NL: '12345678', IS: '1234567890', SE: '5560360793', IT: 'IT00159560366' },
  ...{ BE: '0208:0123456749', FR: '0002:404833048', NO: '0192:974760673' },
}

const TEXTS = ['Dent & Söhne <KG>', 'Łódź "Telekom" \'24\'', 'Ελλάς ΑΕ', 'Acme 📞 Ltd', 'O’Brien]]>']

interface Draws {
  readonly below: (bound: number) => number
  readonly oneOf: <T>(values: readonly T[]) => T
  /** Once in thirty, the other one. */
  readonly mostly: <T>(value: T, other: T) => T
}

function drawsOf(random: () => number): Draws {
  const below = (bound: number) => Math.floor(random() * bound)
  return {
    below,
    oneOf: <T>(values: readonly T[]) => values[below(values.length)] as T,
    mostly: (value, other) => (below(30) === 0 ? other : value),
  }
}

/** Draws documents as the product prints them, one after the other. */
export function documentDrawer(seed: number): () => PrintedDocument {
  const draws = drawsOf(seeded(seed))
  let number = 0
  return () => {
    number += 1
    return drawDocument(draws, number)
  }
}

function drawDocument(draws: Draws, number: number): PrintedDocument {
  const { below, oneOf, mostly } = draws
  const country = COUNTRIES[number % COUNTRIES.length] ?? ''
  const seller = drawParty(draws, country)
  const buyer = drawParty(draws, oneOf([country, oneOf(COUNTRIES)]))
  const kind = oneOf(['invoice', 'invoice', 'credit note'] as const)
  const of = {
    invoice: { due: mostly('2026-06-16', undefined), isPaid: below(6) === 0, corrects: [] },
    'credit note': { due: undefined, isPaid: false, corrects: mostly(['A-1'], []) },
  }
  return aDocument({
    ...{ kind, ...of[kind], number: `A-${number}`, seller },
    ...drawAmounts(draws, seller, buyer),
    buyer: {
      ...{ ...buyer, language: '', prepaid: false, itemised: false, id: 10, username: 'carol' },
      ...{ reference: mostly('04011000-12345-34', ''), order_number: oneOf(['', 'PO-1']) },
    },
    period: mostly({ from: '2026-05-01', till: '2026-05-31' }, undefined),
    comment: oneOf(['', 'A line\nand <another> & one']),
  })
}

function drawParty({ oneOf, mostly }: Draws, country: string): Party {
  const vatNumber = VAT_NUMBERS[country] ?? `${country}123456789`
  const party = {
    name: mostly(oneOf(TEXTS), ''),
    ...{ address: 'Street 1\n1000 City', street: '', city: '', postcode: '', region: '' },
    country: mostly(country, ''),
    vat_number: oneOf([vatNumber, vatNumber, mostly('12/345/678', '')]),
    legal_number: LEGAL_NUMBERS[country] ?? oneOf(['', '4711', '0204:HRB 4711']),
    bank: oneOf(['IBAN DE02 1203 0000 0000 2020 51\nBIC BYLADEM1001', 'cheque please', '']),
    ...{ contact: mostly('Anna', ''), telephone: mostly('+49 123 456', 'none') },
    email: mostly('bills@example.com', ''),
    electronic_address: oneOf(['9930:DE123456789', mostly('0088:7300010000001', 'EM:bills@example.com')]),
  }
  const street = oneOf(['Street 1', 'Street 1\nFloor 2', 'Street 1\nFloor 2\nRoom 3\nLeft'])
  const parts = { street, city: 'City', postcode: mostly('1000', ''), region: oneOf(['', 'County']) }
  return mostly({ ...party, ...parts }, party)
}

const CURRENCIES = ['EUR', 'EUR', 'EUR', 'GBP', 'DKK', 'USD', 'HUF', 'JPY']

function drawAmounts(draws: Draws, seller: Party, buyer: Party) {
  const { below, oneOf, mostly } = draws
  const currency = mostly(oneOf(CURRENCIES), 'KWD')
  const digits = minorDigits(currency)
  const drawn = Array.from({ length: 1 + below(12) }, () => drawRow(draws, digits))
  const isNegative = add('0', ...drawn.map(({ sum }) => sum)).startsWith('-')
  const rows = isNegative ? [...drawn, aRow({ name: 'Line', price: '5000', sum: '5000' })] : drawn
  const net = add('0', ...rows.map(({ sum }) => sum))
  const vatPercent = oneOf([undefined, ...(seller.country === 'SE' ? ['25', '6'] : ['21', '5.5'])])
  const vat = round(multiply(net, multiply(vatPercent ?? '0', '0.01')), digits)
  const isAccounted = currency !== 'EUR' && vat !== '0'
  return {
    ...{ currency, rows, net, vat, gross: add(net, vat), vatPercent },
    accounted: isAccounted ? { currency: 'EUR', vat: roundedQuotient(vat, '1.17', 2) } : undefined,
    vatCategory: vatCategoryOf({ vat, vatPercent, seller, buyer }),
    noVatReason: vat === '0' ? oneOf(['', 'Article 44']) : '',
  }
}

function drawRow({ below, oneOf, mostly }: Draws, digits: number): PrintedRow {
  const sumBelow = (bound: number) => round(multiply(String(below(bound)), `1e-${digits}`), digits)
  const name = mostly(oneOf(['Germany mobile', ...TEXTS]), ' ')
  const quantity = String(1 + below(200))
  const price = oneOf(['25', '0.0213', '1.005', '9.99', '0'])
  return oneOf([
    aRow({ name, quantity, price, sum: round(multiply(quantity, price), digits) }),
    aRow({ name: 'Allowance', price: mostly(undefined, '-1'), sum: `-${round('1', digits)}` }),
    aRow({ name, prefix: '49', quantity, unit: 'call', time: '00:11:08', sum: sumBelow(90_000) }),
  ])
}
