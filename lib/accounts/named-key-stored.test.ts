import { expect, test } from 'vitest'
import type { NamedKey } from './named-key.ts'
import { keyChanges } from './named-key-stored.ts'

const key = (name: string, more: Partial<NamedKey> = {}): NamedKey => ({
  ...{ name, secret: 'secret', methods: [''], from: '', v2_only: false },
  ...{ added_at: '2026-03-10T12:00:00Z', ...more },
})

/** A key of so many characters, with the room for its rotation. */
const keyOfLength = (name: string, characters: number): NamedKey =>
  key(name, { methods: ['x'.repeat(characters - JSON.stringify(key(name)).length - 100)] })

const storing = (keys: readonly NamedKey[], added: NamedKey) =>
  keyChanges({ account: { id: 10, username: 'bob', version: 1 }, keys }, added.name, added)

test('an account has at most eight keys, and these have room for 3,000 characters', () => {
  const keys = Array.from({ length: 8 }, (_, index) => key(`k${index}`))

  expect(storing(keys.slice(1), key('new'))).toHaveLength(3)
  expect(() => storing(keys, key('new'))).toThrow('too_many_keys {"most":8}')
  expect(storing([keyOfLength('a', 1500)], keyOfLength('b', 1500))).toHaveLength(3)
  expect(() => storing([keyOfLength('a', 1500)], keyOfLength('b', 1501))).toThrow(
    'keys_too_long {"most":3000,"need":3001}',
  )
})

test('a rotation takes no room', () => {
  const rotated = {
    ...keyOfLength('a', 3000),
    rotated_at: '2026-03-11T12:00:00Z',
    previous: { secret: 'x'.repeat(200), until: 0 },
  }

  expect(storing([keyOfLength('a', 3000)], rotated)).toHaveLength(2)
})
