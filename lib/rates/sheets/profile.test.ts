import { expect, test } from 'vitest'
import { isProfileName, profileText } from '#tools/command-line/profiles.ts'
import { profileOf } from './profile.ts'

test('a written profile is read without changes', () => {
  const profile = {
    mode: 'merge',
    decimal: 'comma',
    columns: { prefix: 'Code' },
    statuses: { x: 'ended' },
  } as const

  expect(profileOf(profileText(profile), 'a.json')).toEqual(profile)
})

test.each([
  ['{', 'a.json is not JSON'],
  ['{"mode": "all"}', 'a.json: mode: '],
  ['{"increment": "60"}', 'a.json: increment: unknown: use tariff, mode, sheet, '],
  ['{"columns": {"price": "Rate"}}', 'a.json: columns.price: unknown: use prefix, '],
  ['{"rate_factor": "a cent"}', 'a.json: rate_factor: use a decimal number in quotes'],
  ['{"billing": "often"}', 'a.json: billing: use increments such as "60/60"'],
])('refuses the profile %s', (text, message) => {
  expect(() => profileOf(text, 'a.json')).toThrow(message)
})

test.each([
  ['carrier-7', true],
  ['Carrier', false],
  ['../carrier', false],
  ['', false],
])('the name %j', (name, isName) => {
  expect(isProfileName(name)).toBe(isName)
})
