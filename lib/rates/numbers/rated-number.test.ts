import { describe, expect, test } from 'vitest'
import { readSettings } from '#lib/settings/settings.ts'
import { type DigitRule, decideNumber, type NumberQuestion } from './rated-number.ts'

const COUNTRIES = {
  usa: { Country_Code: '1', International_Prefix: '011' },
  uk: { Country_Code: '44', National_Prefix: '0', International_Prefix: '00', National_Length: '10' },
  germany: { Country_Code: '49', National_Prefix: '0', International_Prefix: '00' },
  spain: { Country_Code: '34', International_Prefix: '00', National_Length: '9', Shortest_Rated_Number: '5' },
  none: {},
} as const

type Carrier = Partial<NonNullable<NumberQuestion['carrier']>>

const settingsOf = (country: keyof typeof COUNTRIES, others: Readonly<Record<string, string>> = {}) =>
  readSettings({ ...COUNTRIES[country], ...others })

const asked = (dialled: string, carrier?: Carrier, others: Partial<NumberQuestion> = {}): NumberQuestion => ({
  dialled,
  carrier: carrier && { name: 'Potomac', text: '', ...carrier },
  isDevice: false,
  emergencies: new Set(['112', '911']),
  rules: [],
  ...others,
})

/** The digits that are rated, `internal`, a code, or the reason of suspense. */
const resultOf = (question: NumberQuestion, settings: ReturnType<typeof settingsOf>): string => {
  const { digits, form, problem } = decideNumber(question, settings)
  if (problem) return problem.reason
  return form === 'number' ? digits : form
}

const e164 = (text: string, tech_prefix?: string): Carrier => ({ text, number_format: 'e164', tech_prefix })
const local = (text: string): Carrier => ({ text, number_format: 'local' })
const unsaid = (text: string): Carrier => ({ text })

test.each([
  ['911234567', '34911234567'],
  ['771234567', '34771234567'],
  ['977123456', '34977123456'],
  ['862123456', '34862123456'],
  ['11818', '3411818'],
  ['118118', '34118118'],
  ['1004', 'short_number'],
  ['0011818123456', '11818123456'],
  ['+11818123456', '11818123456'],
  ['1181812', '1181812'],
])('in a plan without trunk prefix, %s is %s', (dialled, result) => {
  expect(resultOf(asked(dialled), settingsOf('spain'))).toBe(result)
  const plans = { uk: '11818', germany: '11818', usa: '11818' } as const
  for (const country of Object.keys(plans) as (keyof typeof plans)[])
    expect(resultOf(asked('11818'), settingsOf(country))).toBe('11818')
})

describe('the number that is rated', () => {
  test.each([
    ['usa', '2025550171', e164('12025550171'), '12025550171'],
    ['usa', '912025550171', e164('12025550171'), '12025550171'],
    ['usa', '9011442079460000', e164('442079460000'), '442079460000'],
    ['usa', '2025550171', unsaid('12025550171'), 'ambiguous_number'],
    ['uk', '02079460000', local('2079460000'), '442079460000'],
    ['uk', '902079460000', local('2079460000'), '442079460000'],
    ['uk', '2010', local('2079460000;phone-context=+44'), '442079460000'],
    ['uk', '2010', e164('2079460000;phone-context=+44'), 'ambiguous_number'],
    ['uk', '02079460000', local('02079460000'), '442079460000'],
    ['uk', '902079460000', local('02079460000'), '442079460000'],
    ['uk', '9004912025550171', local('004912025550171'), '4912025550171'],
    ['germany', '004031234567', e164('494031234567'), '494031234567'],
    ['germany', '31234567', e164('+494031234567'), '494031234567'],
    ['germany', '2010', e164('+494031234567'), '494031234567'],
    ['germany', '00494031234567', unsaid('4031234567'), '494031234567'],
    ['germany', '004031234567', unsaid('494031234567'), 'ambiguous_number'],
    ['germany', '+4031234567', unsaid('494031234567'), 'ambiguous_number'],
    ['none', '442079460000', e164('1234442079460000'), 'ambiguous_number'],
    ['none', '442079460000', e164('1234442079460000', '1234'), '442079460000'],
    ['none', '442079460000', e164('1234#442079460000', '1234#'), '442079460000'],
    ['none', '442079460000', e164('1234%23442079460000', '1234#'), '442079460000'],
    ['none', '442079460000', e164('1234#442079460000'), 'ambiguous_number'],
    ['none', '2010', e164('1234#442079460000'), 'ambiguous_number'],
    ['none', '2010', e164('442079460000'), '442079460000'],
    ['none', '*7', e164('+442079460000'), '442079460000'],
    ['none', '442079460001', e164('442079460000;npdi;rn=442079460999'), '442079460000'],
    ['none', '442079460000', unsaid('442079460000'), '442079460000'],
    ['none', '#31#442079460000', unsaid('442079460000'), 'ambiguous_number'],
    ['none', '2010', unsaid('442079460000'), 'ambiguous_number'],
    ['none', '+442079460050', unsaid('37060012345'), 'ambiguous_number'],
    ['none', '+442079460000', unsaid('9442079460000'), '442079460000'],
    ['none', '00442079460000', e164('00442079460000'), '442079460000'],
    ['none', '2010', e164('00442079460000'), '442079460000'],
    ['none', '2010', e164('0442079460000'), 'ambiguous_number'],
    ['usa', '2025550171', e164('01112025550171'), '12025550171'],
    ['none', '2010', e164('4.42079E+11'), 'unreadable'],
    ['none', '2010', e164('112'), 'internal'],
    ['none', '112', e164('442079460000'), 'internal'],
    ['none', '2010', e164('118'), 'short_number'],
    ['none', '442079460000', e164(''), '442079460000'],
  ] as const)('%s: dialled %s, the carrier was called with %o: %s', (country, dialled, carrier, expected) => {
    expect(resultOf(asked(dialled, carrier), settingsOf(country))).toBe(expected)
  })

  test('with National_Length, ten digits tell the number', () => {
    const settings = settingsOf('usa', { National_Length: '10' })
    expect(resultOf(asked('2025550171', unsaid('12025550171')), settings)).toBe('12025550171')
    expect(resultOf(asked('2025550171'), settings)).toBe('12025550171')
    expect(resultOf(asked('+2025550171'), settings)).toBe('2025550171')
    expect(resultOf(asked('0112025550171'), settings)).toBe('2025550171')
    expect(resultOf(asked('12025550171'), settings)).toBe('12025550171')
    const italy = settingsOf('none', { Country_Code: '39', National_Length: '9,10' })
    expect(['064991234', '3331234567', '393331234567'].map((one) => resultOf(asked(one), italy))).toEqual([
      '39064991234',
      '393331234567',
      '393331234567',
    ])
    const unknown = settingsOf('none', { National_Length: '10' })
    expect(resultOf(asked('2025550171'), unknown)).toBe('2025550171')
  })

  test('a device is called if no carrier was', () => {
    const device = { isDevice: true }
    expect(resultOf(asked('2010', undefined, device), settingsOf('none'))).toBe('internal')
    expect(resultOf(asked('2010', e164('442079460000'), device), settingsOf('none'))).toBe('442079460000')
    expect(resultOf(asked('*72442079460000', undefined, device), settingsOf('none'))).toBe('internal')
  })
})

// wikipedia.org, National conventions for writing telephone numbers: closed plans without a trunk prefix
test.each([
  ['34', '911234567', 'ambiguous_number'],
  ['351', '911234567', 'ambiguous_number'],
  ['420', '601123456', 'ambiguous_number'],
  ['45', '32123456', 'ambiguous_number'],
  ['47', '91123456', 'ambiguous_number'],
  ['48', '601123456', 'ambiguous_number'],
  ['30', '2101234567', 'ambiguous_number'],
  ['1', '2025550171', 'ambiguous_number'],
  ['34', '11818', 'ambiguous_number'],
  ['34', '+911234567', '911234567'],
  ['34', '00911234567', '911234567'],
  ['34', '919812345678', '919812345678'],
  ['44', '2079460000', '2079460000'],
  ['', '911234567', '911234567'],
])('without National_Length, a number at home in %s, %s, is %s', (Country_Code, dialled, expected) => {
  const settings = settingsOf('none', { Country_Code, International_Prefix: '00' })
  expect(resultOf(asked(dialled), settings)).toBe(expected)
})

test('National_Length 0 says that numbers always have their country code', () => {
  const settings = settingsOf('none', {
    Country_Code: '34',
    National_Length: '0',
    International_Prefix: '00',
  })
  expect(resultOf(asked('911234567'), settings)).toBe('911234567')
})

describe('digit rules', () => {
  const rule = (id: number, cut: string, add: string, lengths: Partial<DigitRule> = {}): DigitRule => ({
    id,
    name: `rule ${id}`,
    cut,
    add,
    minlen: 1,
    maxlen: 100,
    ...lengths,
  })

  test.each([
    ['the longest cut wins', [[rule(1, '9', ''), rule(2, '9011', '')]], '9011442079460000', '442079460000'],
    ['then the lowest id', [[rule(2, '9', '5'), rule(1, '9', '1')]], '92025550171', '12025550171'],
    ['only in its lengths', [[rule(1, '', '1', { minlen: 10, maxlen: 10 })]], '2025550171', '12025550171'],
    ['shorter', [[rule(1, '', '1', { minlen: 12 })]], '44207946000', '44207946000'],
    ['longer', [[rule(1, '', '1', { maxlen: 9 })]], '44207946000', '44207946000'],
    [
      'those of the location after those of the device',
      [[rule(1, '9', '')], [rule(7, '', '1')]],
      '92025550171',
      '12025550171',
    ],
    ['added prefixes are cut as dialled ones', [[rule(1, '9', '011')]], '9442079460000', '442079460000'],
  ] as const)('%s', (_what, rules, dialled, expected) => {
    expect(resultOf(asked(dialled, undefined, { rules }), settingsOf('usa'))).toBe(expected)
  })

  test('the number of a carrier is rated as it is', () => {
    const rules = [[rule(1, '', '99')]]
    expect(resultOf(asked('2010', e164('442079460000'), { rules }), settingsOf('none'))).toBe('442079460000')
  })
})

describe('called texts that are not numbers', () => {
  test.each([
    ['+442079460000@sip.example.net', '442079460000'],
    ['sip:+442079460000@sip.example.net:5060;user=phone', '442079460000'],
    ['sip:+442079460000@1001', '442079460000'],
    ['+4420794600;00', '442079460000'],
    ['+4420794600%4000', '442079460000'],
    ['sips:442079460000:secret@[2001:db8::1]', '442079460000'],
    ['tel:+44-20-7946-0000', '442079460000'],
    ['442079460000;npdi;rn=+442079460001', '442079460000'],
    ['"Smith" <442079460000>', '442079460000'],
    ['"Smith <1>" <sip:+442079460000@192.0.2.7>;tag=1', '442079460000'],
    ['442079460000#', '442079460000'],
    ['442079460000.0', '442079460000'],
    ["'442079460000", '442079460000'],
    ['="442079460000"', '442079460000'],
    ['%2B442079460000', '442079460000'],
    ['%252B442079460000', '442079460000'],
    ['sip%3A%2B442079460000%40sip.example.net', '442079460000'],
    ['(+44) 20 7946 0000', '442079460000'],
    ['+44 (0)20 7946 0000', '442079460000'],
    ['tel:+44-(0)-20-7946-0000', '442079460000'],
    ['12025550171;phone-context=+1', '12025550171'],
    ['+12025550171;phone-context=+44', '12025550171'],
    ['sip:2079460000;phone-context=example.net@example.com;user=phone', '2079460000'],
    ['sip:2079460000;phone-context=+44@example.com;user=phone', 'ambiguous_number'],
    ['tel:863-1234;phone-context=%2B1-914-555', 'ambiguous_number'],
    ['3500;phone-context=+44', 'short_number'],
    ['4.42079E+11', 'unreadable'],
    ['4,42079e11', 'unreadable'],
    ['4E+11', 'unreadable'],
    ['44.2079E10', 'unreadable'],
    ['########', 'unreadable'],
    ['#REF!', 'unreadable'],
    ['#N/A', 'unreadable'],
    ['442079460000,00', '442079460000'],
    ['442,079,460,000', '442079460000'],
    [String.raw`\N`, 'unreadable'],
    ['n/a', 'unreadable'],
    ['Not available', 'unreadable'],
    ['9+442079460000', 'ambiguous_number'],
    ['\uFF0B\uFF14\uFF142079460000', '442079460000'],
    ['anonymous', 'unreadable'],
    ['sip:anonymous@anonymous.invalid', 'unreadable'],
    ['<unknown>', 'unreadable'],
    ['Unknown', 'unreadable'],
    ['nan', 'unreadable'],
    ['', 'unreadable'],
    ['  -  ', 'unreadable'],
    ['sip:192.0.2.1', 'unreadable'],
    ['*31442079460000', 'ambiguous_number'],
    ['#31#442079460000', 'ambiguous_number'],
    ['*72442079460000#', 'ambiguous_number'],
    ['442031234567*123', 'ambiguous_number'],
    ['*98', 'feature_code'],
    ['*81002', 'feature_code'],
    ['#', 'feature_code'],
    ['4:+442079460000', 'ambiguous_number'],
    ['park+6001', 'feature_code'],
    ['3500', 'short_number'],
    ['112', 'internal'],
    ['sip:112@example.net', 'internal'],
  ])('%j: %s', (dialled, expected) => {
    expect(resultOf(asked(dialled), settingsOf('none'))).toBe(expected)
  })

  test.each([
    ['enum:442079460000', '442079460000', true],
    ['whatsapp:+442079460000@example.net', '442079460000', true],
    ['442079460000:7654321', '442079460000', undefined],
    ['sip:bob:12345678@example.net', '', undefined],
    ['gateway:5060', '', undefined],
  ])('%s is no code without a price because of its colon', (dialled, digits, mayBeNumber) => {
    const decided = decideNumber(asked(dialled), settingsOf('none'))
    expect([decided.digits, decided.mayBeNumber]).toEqual([digits, mayBeNumber])
  })

  test('letters before a number make it ambiguous if its digits have a rate', () => {
    const decided = decideNumber(asked('p442079460000'), settingsOf('none'))
    expect(decided).toMatchObject({ form: 'feature_code', digits: '442079460000', mayBeNumber: true })
    expect(decideNumber(asked('agent10'), settingsOf('none')).mayBeNumber).toBeUndefined()
  })

  test.each([
    ['1-800-FLOWERS', 'none', '18003569377'],
    ['sip:+1800goFedEx@example.net', 'none', '18004633339'],
    ['0800 REVERSE', 'uk', '448007383773'],
    ['600-sales', 'none', undefined],
    ['conference3000', 'none', undefined],
  ] as const)('%s in %s is ambiguous if its keys %s have a rate', (dialled, country, digits) => {
    const decided = decideNumber(asked(dialled), settingsOf(country))
    expect(decided.form).toBe('feature_code')
    expect(decided.mayBeNumber ? decided.digits : undefined).toBe(digits)
  })

  test.each([
    ['*72442079460000', String.raw`\*72*`, 'feature_code'],
    ['*72442079460000#', String.raw`\*72??????????* \*98`, 'feature_code'],
    ['*72442079460000', String.raw`\*98,\*73*`, 'ambiguous_number'],
    ['#31#442079460000', '#31#*', 'feature_code'],
    ['p442079460000', 'p*', 'feature_code'],
    ['conf442079460000', 'p*', 'feature_code'],
    ['442079460000', '44????', '442079460000'],
    ['9000', '9000', 'feature_code'],
    ['anonymous', 'ANONYMOUS', 'feature_code'],
    ['44.2', '44?2', '442'],
  ])('%s with the codes %s: %s', (dialled, Feature_Codes, expected) => {
    const settings = settingsOf('none', { Feature_Codes, Shortest_Rated_Number: '' })
    expect(resultOf(asked(dialled), settings)).toBe(expected)
  })
})

test('each step is told', () => {
  const rules = [[{ id: 2, name: "the line's 9", cut: '9', add: '', minlen: 1, maxlen: 20 }]]
  const question = asked('sip:9011442079460000@example.net', e164('1234#442079460000', '1234#'), { rules })
  expect(decideNumber(question, settingsOf('usa')).steps).toEqual([
    'dialled sip:9011442079460000@example.net',
    'without signs and parameters 9011442079460000',
    "digit rule 2 (the line's 9) makes it 011442079460000",
    'the carrier Potomac was called with 1234#442079460000',
    'without its tech_prefix 1234# 442079460000',
    'its number_format is e164',
    'rated by 442079460000',
  ])
  expect(decideNumber(asked('02079460000'), settingsOf('uk')).steps).toEqual([
    'dialled 02079460000',
    'National_Prefix 0 becomes Country_Code 44',
    'rated by 442079460000',
  ])
})
