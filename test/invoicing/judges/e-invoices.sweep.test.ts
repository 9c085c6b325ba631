import { beforeAll, expect, type TestContext, test } from 'vitest'
import { minorDigits } from '#lib/base/currency-digits.ts'
import { add, multiply, round, roundedQuotient } from '#lib/base/money.ts'
import { isRefusal } from '#lib/base/refusal.ts'
import { ciiOf } from '#lib/invoicing/documents/cii.ts'
import type { EInvoiceForm } from '#lib/invoicing/documents/e-invoice.ts'
import type { PrintedDocument, PrintedRow } from '#lib/invoicing/documents/printed-document.ts'
import { ublOf } from '#lib/invoicing/documents/ubl.ts'
import type { Party } from '#lib/invoicing/parties.ts'
import { vatCategoryOf } from '#lib/invoicing/vat-category.ts'
import { seeded } from '#test/examples/generated-rates.ts'
import { aDocument, aRow } from '#test/invoicing/a-document.ts'
import { isNight } from '#test/sweep.ts'
import { type Judges, openJudges, type RuleSet } from './judges.ts'

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
function documentDrawer(seed: number): () => PrintedDocument {
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

const DOCUMENTS = isNight ? 1000 : 40
const MINUTE = 60_000

const write = (document: PrintedDocument, form: EInvoiceForm): string =>
  form === 'cii' ? ciiOf(document) : ublOf(document, form)

/** The rules that each form follows. */
const RULES_OF: Readonly<Record<EInvoiceForm, readonly RuleSet[]>> = {
  ubl: ['EN 16931 in UBL'],
  cii: ['EN 16931 in CII'],
  peppol: ['EN 16931 in UBL', 'Peppol BIS Billing 3'],
  xrechnung: ['EN 16931 in UBL', 'XRechnung 3.0'],
}

const FORMS = ['ubl', 'cii', 'peppol', 'xrechnung'] as const

let opened: Judges | string

beforeAll(async () => {
  opened = await openJudges()
  if (process.env['TOLLGATE_NEEDS_JUDGES']) expect(opened).toBeTypeOf('object')
}, 10 * MINUTE)

/** Skips the test, with the reason, where there are no judges. */
function judgesFor({ skip }: TestContext): Judges {
  if (typeof opened === 'string') return skip(opened)
  return opened
}

const fatal = (lines: readonly string[]): string[] => lines.filter((line) => /^(fatal|error) /.test(line))

/** The text of a document; `undefined` if it lacks a fact. */
function writtenOr(document: PrintedDocument, form: EInvoiceForm): string | undefined {
  try {
    return write(document, form)
  } catch (error) {
    if (isRefusal(error, 'unfit_e_invoice') && error.values.lacks.length > 0) return undefined
    throw error
  }
}

test.for(FORMS)(
  `${DOCUMENTS} drawn documents have no fatal error: %s`,
  { timeout: 40 * MINUTE },
  (form, context) => {
    const { broken, validate } = judgesFor(context)
    const draw = documentDrawer(Number(process.env['TOLLGATE_SEED'] ?? 76))
    const errors: Record<string, string[]> = {}
    const drawn = Array.from({ length: DOCUMENTS }, draw)
    const written = drawn.flatMap((document) => {
      const xml = writtenOr(document, form)
      return xml === undefined ? [] : [{ document, xml }]
    })
    for (const { document, xml } of written) {
      validate(xml)
      for (const rule of RULES_OF[form].flatMap((rules) => fatal(broken(rules, xml))))
        errors[rule] = [...(errors[rule] ?? []), document.number]
    }

    expect(errors).toEqual({})
    expect(new Set(written.map(({ document }) => document.vatCategory)).size).toBe(4)
    expect(written.length / DOCUMENTS).toBeGreaterThan(0.5)
  },
)

const COMPLETE = {
  ...{
    city: 'City',
    postcode: '1000',
    street: 'Street 1',
    contact: 'Anna',
    telephone: '+49 123',
    email: 'a@example.com',
  },
  electronic_address: '9930:DE123456789',
}

const { seller, buyer } = aDocument()

const complete = aDocument({
  seller: { ...seller, ...COMPLETE },
  buyer: { ...buyer, ...COMPLETE, reference: '04011000-12345-34' },
})

const SUMS_OF_UBL = [/(<cbc:PayableAmount [^>]*>)38/, '$139'] as const

test.for([
  ['ubl', 'EN 16931 in UBL', ...SUMS_OF_UBL, 'fatal BR-CO-16'],
  ['cii', 'EN 16931 in CII', /(<ram:DuePayableAmount>)38/, '$139', 'fatal BR-CO-16'],
  ['peppol', 'EN 16931 in UBL', ...SUMS_OF_UBL, 'fatal BR-CO-16'],
  [
    'peppol',
    'Peppol BIS Billing 3',
    /<cbc:EndpointID[\s\S]*?<\/cbc:EndpointID>/g,
    '',
    'fatal PEPPOL-EN16931-R010',
  ],
  ['xrechnung', 'XRechnung 3.0', /<cac:Contact>[\s\S]*?<\/cac:Contact>/, '', 'fatal BR-DE-2'],
] as const)('a broken document is refused: %s, %s', ([form, rules, what, by, rule], context) => {
  const { broken, validate } = judgesFor(context)
  const xml = write(complete, form)
  const spoilt = xml.replace(what, by)

  expect(spoilt).not.toBe(xml)
  expect(fatal(broken(rules, xml))).toEqual([])
  expect(fatal(broken(rules, spoilt))).toContain(rule)
  expect(() => validate(xml)).not.toThrow()
  expect(() =>
    validate(xml.replace(/<(cbc:|ram:)ID>/, '<$1Id>').replace(/<\/(cbc:|ram:)ID>/, '</$1Id>')),
  ).toThrow(/Id/)
})
