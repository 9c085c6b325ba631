import { expect, test } from 'vitest'
import { formatsIn } from '#lib/base/language/language.ts'
import { type KindOfRow, ofNoKind } from '#lib/billing/invoice-product.ts'
import { revenueKindOf } from '#lib/billing/journal/document-posting.ts'
import { englishRowName, printedRowName, rowNameOf } from './row-names.ts'

const named = (name: string, row: Partial<KindOfRow> = {}) => ({ ...ofNoKind, name, ...row })

test.each([
  ['Calls', 'Gespräche', { kind: 'calls' }],
  [
    'Calls, April 2026, late',
    'Gespräche, April 2026, nachberechnet',
    { kind: 'calls', late_month: '2026-04' },
  ],
  ['Calls', 'Calls', { kind: 'calls', destination: 'Calls' }],
  ['Incoming calls', 'Eingehende Gespräche', { kind: 'incoming' }],
  ['Calls of customers', 'Gespräche von Kunden', { kind: 'calls', resold: true }],
  [
    'Calls of customers: late, Calls',
    'Gespräche von Kunden: late, Calls',
    { kind: 'calls', destination: 'late, Calls', resold: true },
  ],
  [
    'Calls of customers: Other destinations',
    'Gespräche von Kunden: Andere Ziele',
    { kind: 'other_destinations', resold: true },
  ],
  [
    'Calls, billed on A-2026-1',
    'Gespräche, berechnet mit A-2026-1',
    { kind: 'calls_billed', billed_on: 'A-2026-1' },
  ],
  [
    'Charges, April 2026, late',
    'Gebühren, April 2026, nachberechnet',
    { kind: 'charges', late_month: '2026-04' },
  ],
  ['Minimum, May 2026', 'Mindestumsatz, Mai 2026', { kind: 'minimum' }],
  [
    'Minimum, April 2026, late',
    'Mindestumsatz, April 2026, nachberechnet',
    { kind: 'minimum', late_month: '2026-04' },
  ],
] as const)('the row %s is %s in German', (english, german, row) => {
  expect(englishRowName(named('', { ...ofNoKind, ...row }), '2026-05')).toBe(english)
  expect(rowNameOf(named('', { ...ofNoKind, ...row }), '2026-05', 'de')).toBe(german)
})

test('a service and a goodwill keep the words that people gave them', () => {
  for (const kind of ['charge', 'goodwill'] as const)
    expect(rowNameOf(named('Charges, wrong line', { kind }), '2026-05', 'de')).toBe('Charges, wrong line')
})

test.each([
  ['Calls, April 2026, late', 'Gespräche, April 2026, nachberechnet'],
  ['Minimum, May 2026', 'Mindestumsatz, Mai 2026'],
  ['Calls of customers: Other destinations', 'Gespräche von Kunden: Andere Ziele'],
  ['Calls, billed on A-2026-1', 'Gespräche, berechnet mit A-2026-1'],
  ['Germany mobile', 'Germany mobile'],
  ['constructor', 'constructor'],
])('the row %s without a kind is printed as %s, as when it was issued', (name, german) => {
  expect(printedRowName(name, 'de', formatsIn('de'))).toBe(german)
  expect(printedRowName(name, 'en', formatsIn('en'))).toBe(name)
})

test.each([
  ['calls', 'United Kingdom', '00:01:00', undefined],
  ['fees', 'Line rental', '', 3],
  ['fees', 'Charges, April 2026, late', '', undefined],
  ['minimum', 'Minimum, May 2026', '', undefined],
  ['other', 'Goodwill', '', undefined],
  // Words that only stand at the beginning of a row say what it is.
  ['other', 'No Charges, Minimum,', '', undefined],
] as const)('%s: a row of %s without a kind', (kind, name, time, service_id) => {
  expect(revenueKindOf({ ...named(name), time, service_id }, true)).toBe(kind)
})

test('the kind of a row says what it is revenue of, not its name', () => {
  const row = { ...named('Charges, Minimum,'), time: '', service_id: undefined }

  expect(revenueKindOf({ ...row, kind: 'goodwill' }, true)).toBe('goodwill')
  expect(revenueKindOf({ ...row, kind: 'minimum' }, true)).toBe('minimum')
})

test('an imported document does not say by a name what a row is', () => {
  const kinds = ['Charges, April 2026', 'Minimum, May 2026'].map((name) =>
    revenueKindOf({ ...named(name), time: '', service_id: undefined }, false),
  )

  expect(kinds).toEqual(['other', 'other'])
  expect(revenueKindOf({ ...named('Line rental'), time: '', service_id: 3 }, false)).toBe('fees')
})

test('a destination is named with the origin of its callers', () => {
  const row = named('', { kind: 'calls', destination: 'Germany mobile', origin: 'NAF' })

  expect(englishRowName(row, '2026-05')).toBe('Germany mobile, callers NAF')
  expect(rowNameOf({ ...row, origin: 'invalid' }, '2026-05', 'de')).toBe(
    'Germany mobile, Anrufer ohne gültige Nummer',
  )
})
