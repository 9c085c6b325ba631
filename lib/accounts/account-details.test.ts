import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { accountDetails, agreementDateOf, SIGNED_DETAILS, UNSUPPORTED_DETAILS } from './account-details.ts'

test.each([
  [{ u9: 'bob' }, { username: 'bob' }],
  [{ u9: 'x'.repeat(255) }, { username: 'x'.repeat(255) }],
  [
    { u15: '1', u28: '0', u25: ' 1 ' },
    { blocked: true, hidden: false, postpaid: true },
  ],
  [
    { u0: 'GB 7', u19: 'C-7', u27: '', u33: 'pays late' },
    { vat_number: 'GB 7', clientid: 'C-7', agreement_number: '', comment: 'pays late' },
  ],
  [
    { first_name: 'Bert', last_name: 'White' },
    { first_name: 'Bert', last_name: 'White' },
  ],
  [
    { u23: 'Rob', u17: 'Black', first_name: 'Bert', last_name: 'White' },
    { first_name: 'Rob', last_name: 'Black' },
  ],
  [{ credit: ' 100.50 ' }, { credit: '100.5' }],
  [{ credit: '0' }, { credit: '0' }],
  [{ credit: '-1' }, { credit: '-1' }],
  [{ credit: `${'9'.repeat(15)}.${'9'.repeat(15)}` }, { credit: `${'9'.repeat(15)}.${'9'.repeat(15)}` }],
  [{ u32: '12.5' }, { daily_balance_limit: '12.5' }],
  [{ u32: '0' }, { daily_balance_limit: '0' }],
  [{ u32: '-7' }, { daily_balance_limit: '0' }],
  [{ u18: ' 20 ' }, { calls_limit: 20 }],
  [{ u18: '-1' }, { calls_limit: 0 }],
])('the details %j set the columns %j', (sent, columns) => {
  expect(accountDetails.wrong(sent)).toBeUndefined()
  expect(accountDetails.columns(sent)).toEqual(columns)
})

test.each([
  ['u9', ['', ' ', ' bob', 'b\u200bob', 'x'.repeat(256)], 'u9 takes 1 to 255 characters'],
  ['u15', ['', '2', 'yes'], 'u15 takes 0 or 1'],
  ['u28', ['2'], 'u28 takes 0 or 1'],
  ['u25', ['2'], 'u25 takes 0 or 1'],
  [
    'credit',
    ['', '-2', '1e3', '+1', '.5', '1.', '1x', 'x1', '1'.repeat(16), `1.${'1'.repeat(16)}`],
    'credit takes an amount from 0, or -1 for no limit',
  ],
  [
    'u18',
    ['', 'x', '1.5', '1001', '9'.repeat(16)],
    'u18 takes a whole number up to 1000; 0 or less is no limit',
  ],
  ['u32', ['', 'x'], 'u32 takes an amount; 0 or less is no limit'],
] as const)('%s refuses each of %j', (name, values, message) => {
  expect(values.filter((value) => accountDetails.wrong({ [name]: value }) !== name)).toEqual([])
  expect(accountDetails.errors(name)).toEqual({ [name]: message })
})

test.each([
  [{ ay: '2026', am: '2', ad: '9' }, { day: '2026-02-09' }],
  [{ ay: ' 2026 ', am: '12', ad: '31' }, { day: '2026-12-31' }],
  [{ ay: '', am: ' ', ad: '' }, { day: undefined }],
  [{ ay: undefined, am: undefined, ad: undefined }, { day: undefined }],
  [{ ay: '2026', am: '2', ad: '30' }, undefined],
  [{ ay: '2026', am: '2', ad: undefined }, undefined],
  [{ ay: undefined, am: '2', ad: '9' }, undefined],
])('the parts %j make the date %j', (parts, date) => {
  expect(agreementDateOf(parts)).toEqual(date)
})

test('no detail both changes something and is refused', () => {
  const changing = [...Object.keys(accountDetails.errors()), 'u5', 'ay', 'am', 'ad', 'pswd']

  expect(UNSUPPORTED_DETAILS.filter((name) => changing.includes(name))).toEqual([])
  expect(UNSUPPORTED_DETAILS).toContain('u1')
})

test('the details are signed in the order of docs/api.md', async () => {
  const page = await readFile('docs/api.md', 'utf8')
  const signed = /## user_details_update.*?\*\*Signature:\*\* (.*?); or/s.exec(page)?.[1] ?? ''
  const names = signed.split(', ').flatMap((one) => {
    const [, stem = '', first = 0, last = 0] = /^`(\D+)(\d+)` to `\D+(\d+)`$/.exec(one) ?? []
    return stem === ''
      ? [one.replaceAll('`', '')]
      : Array.from({ length: Number(last) - Number(first) + 1 }, (_, n) => `${stem}${Number(first) + n}`)
  })

  expect(names).toEqual(['user_id', ...SIGNED_DETAILS])
})
