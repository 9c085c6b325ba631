import { expect, test } from 'vitest'
import { type HashOrder, isSigned, orderApplies, signatureOf } from './signature.ts'

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

/** The SHA-1 of the key alone. */
const HASH_OF_SECRET = 'e5e9fa1ba31ecd1ae84f75caaa474f3a663f05f4'

test.each([
  ['the hash', HASH_OF_SECRET, true],
  ['hex in upper case', HASH_OF_SECRET.toUpperCase(), true],
  ['hex with spaces around it', ` ${HASH_OF_SECRET}\n`, true],
  ['another hash', HASH_OF_SECRET.replace('e', 'f'), false],
  ['a cut hash', HASH_OF_SECRET.slice(1), false],
  ['a longer hash', `${HASH_OF_SECRET}0`, false],
  ['an empty hash', '', false],
])('%s', (_case, hash, signed) => {
  expect(isSigned({ hash }, [EMPTY], 'secret')).toBe(signed)
})

test('no order signs nothing', () => {
  expect(isSigned({ hash: HASH_OF_SECRET }, [], 'secret')).toBe(false)
})

test('an order with `sent` counts only if one of these parameters is not blank', () => {
  const order: HashOrder<'a' | 'b'> = { signs: ['a', 'b'], sent: ['a', 'b'] }
  const isSignedWith = (raw: Record<string, string>) =>
    isSigned({ ...raw, hash: signatureOf(raw, order, 'secret') }, [order], 'secret')

  expect(isSignedWith({})).toBe(false)
  expect(isSignedWith({ a: '', b: '', c: '1' })).toBe(false)
  expect(isSignedWith({ a: '', b: '1' })).toBe(true)
  expect(isSignedWith({ a: '1' })).toBe(true)
})

test('an order counts only if all values of `when` are sent, and none of `unless`', () => {
  const order: HashOrder<'a' | 'b'> = { signs: [], when: { a: '1', b: '2' }, unless: { c: '3', d: '4' } }

  expect(orderApplies({ a: '1', b: '2' }, order)).toBe(true)
  expect(orderApplies({ a: '1', b: '2', c: '4', d: '3' }, order)).toBe(true)
  expect(orderApplies({ a: '1' }, order)).toBe(false)
  expect(orderApplies({ a: '1', b: '3' }, order)).toBe(false)
  expect(orderApplies({ a: '1', b: '2', c: '3' }, order)).toBe(false)
  expect(orderApplies({ a: '1', b: '2', d: '4' }, order)).toBe(false)
})

test('an order counts only if none of `unlessSent` is sent, not even a blank one', () => {
  const order: HashOrder<'a' | 'b'> = { signs: [], unlessSent: ['a', 'b'] }

  expect(orderApplies({ c: '1' }, order)).toBe(true)
  expect(orderApplies({ c: '1', b: '' }, order)).toBe(false)
  expect(orderApplies({ a: '1' }, order)).toBe(false)
})

test('a value that is missing adds nothing to the hash', () => {
  expect(signatureOf({ b: 'x' }, { signs: ['a', 'b'] }, 'secret')).toBe(
    signatureOf({ b: 'x' }, { signs: ['b'] }, 'secret'),
  )
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
