import { expect, test } from 'vitest'
import { exceededLimit, isKeyName, type NamedKey, secretsOf } from './named-key.ts'

const key = (change: Partial<NamedKey> = {}): NamedKey => ({
  name: 'crm',
  secret: 'secret',
  methods: ['devices_get', 'rate_get'],
  from: '',
  v2_only: false,
  added_at: '2026-03-10T12:00:00Z',
  ...change,
})

test.each([
  ['crm', true],
  ['9-Lives_b', true],
  ['a'.repeat(40), true],
  ['a'.repeat(41), false],
  ['-crm', false],
  ['_crm', false],
  ['crm!', false],
  ['!crm', false],
  ['', false],
])('the name %j of a key may be taken: %s', (name, isName) => {
  expect(isKeyName(name)).toBe(isName)
})

test('the secret before a rotation signs until its end, and not at that moment', () => {
  const rotated = key({ previous: { secret: 'old', until: 1_773_144_000 } })

  expect(secretsOf(rotated, new Date(1_773_143_999_999))).toEqual(['secret', 'old'])
  expect(secretsOf(rotated, new Date(1_773_144_000_000))).toEqual(['secret'])
  expect(secretsOf(key(), new Date(0))).toEqual(['secret'])
})

const USE = { method: 'devices_get', address: '10.1.2.3', signature: 'hash' } as const

test.each([
  ['a method that it names', {}, {}, undefined],
  ['a method that it does not name', {}, { method: 'device_delete' }, 'method'],
  ['any method', { methods: ['all'] }, { method: 'device_delete' }, undefined],
  ['an address of its range', { from: '192.0.2.7, 10.0.0.0/8' }, {}, undefined],
  ['an address of no range', { from: '192.0.2.7, 10.0.0.0/8' }, { address: '192.0.2.8' }, 'address'],
  ['the signature v2', { v2_only: true }, { signature: 'v2' }, undefined],
  ['the hash although it takes v2 only', { v2_only: true }, {}, 'signature'],
] as const)('a key is used for %s', (_case, change, use, limit) => {
  expect(exceededLimit(key(change), { ...USE, ...use })).toBe(limit)
})
