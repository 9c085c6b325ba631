import { beforeAll, expect, type TestContext, test } from 'vitest'
import { isRefusal } from '#lib/base/refusal.ts'
import { ciiOf } from '#lib/invoicing/documents/cii.ts'
import type { EInvoiceForm } from '#lib/invoicing/documents/e-invoice.ts'
import type { PrintedDocument } from '#lib/invoicing/documents/printed-document.ts'
import { ublOf } from '#lib/invoicing/documents/ubl.ts'
import { isNight } from '#test/sweep.ts'
import { aDocument } from '../a-document.ts'
import { documentDrawer } from './drawn-documents.ts'
import { type Judges, openJudges, type RuleSet } from './judges.ts'

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
