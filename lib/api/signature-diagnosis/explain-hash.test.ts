import { createHash, createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { findFunctionFile } from '#tools/contracts/function-files.ts'
import { explainHash, type SignedCall } from './explain-hash.ts'
import { hashExplanation, stringToSign } from './in-words.ts'

const KEY = 'the-key-of-these-tests'

const sha1 = (text: string): string => createHash('sha1').update(text).digest('hex')

async function callTo(name: string, sent: Readonly<Record<string, string>>): Promise<SignedCall> {
  const { method } = await findFunctionFile(name)
  return { contract: method, sent, key: KEY }
}

async function explained(name: string, sent: Readonly<Record<string, string>>) {
  const call = await callTo(name, sent)
  const { says, advice } = hashExplanation(explainHash(call), call)
  return [says, ...advice].join(' ')
}

test.each([
  [
    'device_create',
    { user_id: '2', description: 'office', pin: '1234', type: 'SIP' },
    '2office1234SIP',
    'The hash is right: it was made of user_id + description + pin + type + key, an order that device_create also accepts.',
  ],
  [
    'financial_statements_get',
    { user_id: '10', date_from: '1700000000' },
    '101700000000',
    'The hash is right: it was made of user_id + date_from + key, as documented.',
  ],
  [
    'financial_statements_get',
    { user_id: '10', status: 'paid', date_from: '1700000000' },
    '101700000000',
    'The hash was made of user_id + date_from + key. status was sent, so it counts. Sign user_id + status + date_from + key.',
  ],
  ['payments_get', {}, '', 'The hash is right: it was made of the key alone, as documented.'],
  [
    'payments_get',
    { s_from: '1700000000' },
    '',
    'The hash was made of the key alone. s_from was sent, so it counts. Sign s_from + key.',
  ],
  [
    'tariff_rates_get',
    { tariff_id: '3' },
    '',
    'The hash was made of the key alone. tariff_id was sent, so it counts. Sign tariff_id + key.',
  ],
  [
    'device_rule_create',
    { device_id: '7', name: 'Abroad', cut: '00', add: '1' },
    '7Abroad001',
    'The hash is right: it was made of device_id + name + cut + add + key, an order that device_rule_create also accepts.',
  ],
  [
    'local_calls_get',
    { u: 'bob', from: '5', till: '6', s_user: '10' },
    '5610',
    'The hash is right: it was made of from + till + s_user + key, an order that local_calls_get also accepts.',
  ],
  [
    'credit_notes_get',
    { credit_note_id: '3' },
    '3',
    'The hash is right: it was made of credit_note_id + key, an order that credit_notes_get also accepts.',
  ],
  [
    'subscriptions_get',
    { service_id: '4', subscription_memo: 'x', user_id: '10' },
    '4x10',
    'The hash is right: it was made of service_id + subscription_memo + user_id + key, an order that subscriptions_get also accepts.',
  ],
  [
    'invoices_get',
    {},
    'admin',
    'The hash is right: it was made of u + key, an order that invoices_get also accepts.',
  ],
])('a deployed client signs %s %j', async (name, sent, signed, words) => {
  expect(await explained(name, { u: 'admin', p: 'x', ...sent, hash: sha1(signed + KEY) })).toBe(words)
})

const CALL = { u: 'admin', rate: ' 45.5/1', currency: 'amd' }
const SIGN = 'Sign currency + rate + key.'
const MADE = 'The hash was made of currency + rate + key'
const AS_SENT = 'Hash the values exactly as they are sent.'
const KEY_AS_IT_IS = 'Use the key exactly as the setting API_Secret_Key has it.'
const KEY_LAST = 'Append the key once, after the last value.'

test.each([
  [
    'the order of the request',
    sha1(` 45.5/1amd${KEY}`),
    `The hash was made of rate + currency + key, in the order of the request. The order of the parameters counts. ${SIGN}`,
  ],
  [
    'u signed as well',
    sha1(`adminamd 45.5/1${KEY}`),
    `The hash was made of u + currency + rate + key. u is not signed. ${SIGN}`,
  ],
  [
    'a missing parameter',
    sha1(`amd${KEY}`),
    `The hash was made of currency + key. rate was sent, so it counts. ${SIGN}`,
  ],
  [
    'names and values',
    sha1(`currency=amd&rate= 45.5/1${KEY}`),
    `${MADE}, with the names of the parameters among their values. Hash the values alone, without names. ${SIGN}`,
  ],
  [
    'values URL-encoded',
    sha1(`amd%2045.5%2F1${KEY}`),
    `${MADE}, with values that were URL-encoded first. ${AS_SENT} ${SIGN}`,
  ],
  [
    'values encoded as a form',
    sha1(`amd+45.5%2F1${KEY}`),
    `${MADE}, with values that were encoded as in a form first. ${AS_SENT} ${SIGN}`,
  ],
  ['values trimmed', sha1(`amd45.5/1${KEY}`), `${MADE}, with values that were trimmed. ${AS_SENT} ${SIGN}`],
  [
    'values in upper case',
    sha1(`AMD 45.5/1${KEY}`),
    `${MADE}, with values in upper case. ${AS_SENT} ${SIGN}`,
  ],
  ['the key in front', sha1(`${KEY}amd 45.5/1`), `${MADE}, with the key in front. ${KEY_LAST} ${SIGN}`],
  [
    'a line feed after the key',
    sha1(`amd 45.5/1${KEY}\n`),
    `${MADE}, with a line feed at the end of the key. ${KEY_AS_IT_IS} ${SIGN}`,
  ],
  ['no key', sha1('amd 45.5/1'), `${MADE.replace(' + key', '')}, without the key. ${KEY_LAST} ${SIGN}`],
  [
    'an empty string',
    sha1(''),
    `The hash was made of nothing, without the key. currency was sent, so it counts. rate was sent, so it counts. ${KEY_LAST} ${SIGN}`,
  ],
  [
    'the order of the request and a line feed',
    sha1(` 45.5/1amd${KEY}\n`),
    `The hash was made of rate + currency + key, in the order of the request, with a line feed at the end of the key. The order of the parameters counts. ${KEY_AS_IT_IS} ${SIGN}`,
  ],
  [
    'the key of the published examples',
    sha1('amd 45.5/1secret'),
    `${MADE}, with the key of the published examples. Use the key that the setting API_Secret_Key has now. ${SIGN}`,
  ],
  [
    'HMAC',
    createHmac('sha1', KEY).update('amd 45.5/1').digest('hex'),
    `${MADE}, as an HMAC under the key. ${KEY_LAST} ${SIGN}`,
  ],
  [
    'SHA-256',
    createHash('sha256').update(`amd 45.5/1${KEY}`).digest('hex'),
    `${MADE}, by SHA256. The hash is SHA-1 in hex. ${SIGN}`,
  ],
  [
    'base64',
    Buffer.from(sha1(`amd 45.5/1${KEY}`), 'hex').toString('base64'),
    `${MADE}, in base64. The hash is SHA-1 in hex. ${SIGN}`,
  ],
  [
    'hex in upper case',
    sha1(`amd 45.5/1${KEY}`).toUpperCase(),
    'The hash is right: it was made of currency + rate + key, as documented.',
  ],
  ['no hash', ' ', `No hash was sent. ${SIGN}`],
  ['a word', 'hash', `This is not a hash: SHA-1 in hex has 40 digits, 0 to 9 and a to f. ${SIGN}`],
])('a client that signs by %s', async (_case, hash, words) => {
  expect(await explained('exchange_rate_update', { ...CALL, hash })).toBe(words)
})

test.each([
  [
    {
      email: 'jane@example.com',
      id: '3f5c08a41f5ba3c4612abdbdb4d3077a',
      hash: '3f5c08a41f5ba3c4612abdbdb4d3077a',
    },
    'The value of id was sent instead of a hash. A constant signs nothing: anyone who has seen one call could make every other one. Sign email + id + key.',
  ],
  [
    { email: 'jane@example.com', id: 'k1', hash: 'k1' },
    'The value of id was sent instead of a hash. A constant signs nothing: anyone who has seen one call could make every other one. Sign email + id + key.',
  ],
])('a constant in place of a hash: %j', async (sent, words) => {
  expect(await explained('user_register', sent)).toBe(words)
})

test('the uniquehash of the account in place of a hash is recognised where it is known', async () => {
  const sent = { u: 'admin', p: 'x', hash: '3f5c08a41f5ba3c4612abdbdb4d3077a' }
  const call = await callTo('users_get', sent)
  const known = { ...call, uniquehash: '3f5c08a41f5ba3c4612abdbdb4d3077a' }

  expect(hashExplanation(explainHash(known), known)).toEqual({
    says: 'The uniquehash of the account was sent instead of a hash.',
    advice: [
      'A constant signs nothing: anyone who has seen one call could make every other one.',
      'Sign u + p + key.',
    ],
  })
  expect(await explained('users_get', sent)).toContain(
    'If it is the uniquehash of an account: it signs nothing, and is not a hash of a call. Sign u + p + key.',
  )
})

test('a + that was sent without its escape is read as a blank', async () => {
  const sent = Object.fromEntries(new URLSearchParams('name=a+b&device_id=7&cut=+370'))

  expect(await explained('device_rule_create', { ...sent, hash: sha1(`7a+b+370${KEY}`) })).toContain(
    'with a + where the value has a blank. Send a + as %2B, because a form has a blank in its place; hash a blank as a blank.',
  )
})

test('an old key is recognised if it is given', async () => {
  const call = { ...(await callTo('devices_get', { user_id: '7', hash: sha1('7before') })), oldKey: 'before' }

  expect(hashExplanation(explainHash(call), call).says).toBe(
    'The hash was made of user_id + key, with the old key.',
  )
})

test('a method without a signature is explained', async () => {
  expect(await explained('user_login', { u: 'carol', hash: 'x' })).toBe(
    'user_login is not signed: its hash is ignored.',
  )
})

/** A call with every parameter of user_calls_get. */
async function longestCall(value: string): Promise<SignedCall> {
  const { method } = await findFunctionFile('user_calls_get')
  const sent = Object.fromEntries(Object.keys(method.params).map((name, index) => [name, `${value}${index}`]))
  return { contract: method, sent: { ...sent, hash: sha1('something else') }, key: KEY }
}

test('a call costs at most 5,000 hashes, and fewer if its values are long', async () => {
  const { tried } = explainHash(await longestCall('1'))

  expect(tried).toBeGreaterThan(1000)
  expect(tried).toBeLessThanOrEqual(5000)
  expect(explainHash(await longestCall('x'.repeat(10_000))).tried).toBeLessThan(50)
})

test('an unknown way of signing is reported with the two likeliest reasons', async () => {
  expect(await explained('devices_get', { user_id: '7', hash: sha1('something else') })).toMatch(
    /^None of \d+ known ways of signing produces this hash. Either the key is different, or a value was changed after it was hashed. Sign user_id \+ key.$/,
  )
})

test('the string to hash has a placeholder for the key, even if a value contains it', async () => {
  const call = await callTo('exchange_rate_update', { currency: 'EUR', rate: `1${KEY}2` })

  expect(stringToSign(call)).toBe('EUR1<key>2<key>')
})

test.each([
  ['The-key-of-these-tests', 'first letter of the key capitalised'],
  ['The-Key-Of-These-Tests', 'words of the key capitalised'],
  ['THE-KEY-OF-THESE-TESTS', 'the key in upper case'],
])('the case of the key is tried: %s', async (key, words) => {
  expect(await explained('devices_get', { user_id: '10', hash: sha1(`10${key}`) })).toContain(words)
})

test('a parameter whose name has brackets is not signed away', async () => {
  const sent = { 'user_id[]': '10', hash: sha1(`10${KEY}`) }

  expect(await explained('devices_get', sent)).toMatch(
    /^The name of a parameter ends with \[\].*Sign user_id \+ key\.$/,
  )
  expect(stringToSign(await callTo('devices_get', sent))).toBe('10<key>')
})
