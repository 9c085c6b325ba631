import { expect, test } from 'vitest'
import { type HashOrder, isSigned, signatureOf } from './signature.ts'

const EMPTY: HashOrder = { signs: [] }

test.each([
  ['devices_get', ['user_id'], { user_id: '100' }, '456789', '71516eea4850f7e0300ac86adf9fb64bca845aa7'],
  [
    'exchange_rate_update',
    ['currency', 'rate'],
    { currency: 'AMD', rate: '45.5' },
    'secret',
    'cd4e5e92a0fe326d6f5c1d40a7952bb4442e1b5d',
  ],
  [
    'device_create',
    ['description', 'pin'],
    { description: 'office', pin: '1234' },
    'secret',
    'e76a48f5c28d2a7561a6ce211545791415df8b12',
  ],
  [
    'device_create by its table',
    ['type', 'pin'],
    { type: 'SIP', pin: '1234' },
    'secret',
    '7eeef799adaa4944d0ea352c9e80193ca2b9f6a5',
  ],
  [
    'device_create as clients sign it',
    ['user_id', 'description', 'pin', 'type', 'devicegroup_id', 'caller_id'],
    { user_id: '2', description: 'office', pin: '1234', type: 'SIP' },
    'secret',
    '2e791fb67743e486d37085a25c5de87fde58562c',
  ],
  ['services_get', [], {}, 'secret', 'e5e9fa1ba31ecd1ae84f75caaa474f3a663f05f4'],
  [
    'device_update',
    ['device', 'authentication', 'username', 'host', 'port'],
    {
      device: '2',
      authentication: '1',
      username: 'GerasUserioDevaisas',
      host: '192.168.0.123',
      port: '9876',
    },
    'secret',
    '6ef26a72d1163b21417e9f366c1ef136b3efd0b9',
  ],
])('the published vector of %s', (_method, signs, raw, key, hash) => {
  expect(signatureOf(raw as Record<string, string>, { signs }, key)).toBe(hash)
})

test.each([
  ['hex in upper case', signatureOf({}, EMPTY, 'secret').toUpperCase(), true],
  ['another hash', signatureOf({}, EMPTY, 'secreT'), false],
  ['a cut hash', signatureOf({}, EMPTY, 'secret').slice(1), false],
  ['an empty hash', '', false],
])('%s', (_case, hash, signed) => {
  expect(isSigned({ hash }, [EMPTY], 'secret')).toBe(signed)
})

test('a missing hash signs nothing', () => {
  expect(isSigned({}, [EMPTY], 'secret')).toBe(false)
})

test('each of several orders signs a request', () => {
  const orders: HashOrder[] = [{ signs: ['a'] }, { signs: ['b'] }]

  expect(
    isSigned({ a: '1', b: '2', hash: signatureOf({ b: '2' }, { signs: ['b'] }, 'secret') }, orders, 'secret'),
  ).toBe(true)
})

test('an order counts only if its conditions hold', () => {
  const orders: HashOrder[] = [
    { signs: [], when: { u: 'admin' } },
    { signs: ['u'], unless: { u: 'admin' } },
  ]
  const signed = (u: string, order: HashOrder) =>
    isSigned({ u, hash: signatureOf({ u }, order, 'secret') }, orders, 'secret')

  expect(signed('admin', EMPTY)).toBe(true)
  expect(signed('admin', { signs: ['u'] })).toBe(false)
  expect(signed('bob', { signs: ['u'] })).toBe(true)
  expect(signed('bob', EMPTY)).toBe(false)
})

test('a blank value adds nothing to the hash', () => {
  expect(signatureOf({ a: '', b: 'x' }, { signs: ['a', 'b'] }, 'secret')).toBe(
    signatureOf({ b: 'x' }, { signs: ['b'] }, 'secret'),
  )
})
