import { expect, test } from 'vitest'
import { readSettings } from '#lib/settings/settings.ts'
import {
  EXTENSION_ERRORS,
  extensionRange,
  freeNumbersToSkip,
  isExtension,
  isInRange,
  isPlainNumber,
  nextInRange,
} from './extension.ts'

test.each([
  ['1', true],
  ['*10#+', true],
  ['', false],
  ['1 0', false],
  ['1a', false],
  ['a1', false],
  ['1'.repeat(40), true],
  ['1'.repeat(41), false],
])('%j is an extension: %j', (text, expected) => {
  expect(isExtension(text)).toBe(expected)
})

test.each([
  ['1', true],
  ['10', true],
  ['01', false],
  ['*1', false],
  ['1*', false],
  ['9'.repeat(15), true],
  ['9'.repeat(16), false],
])('%j is a plain number: %j', (text, expected) => {
  expect(isPlainNumber(text)).toBe(expected)
})

const range = (stored: Record<string, string>) => extensionRange(readSettings(stored))

test('the range comes from the settings, without the emergency numbers', () => {
  expect(range({ Emergency_Numbers: '112, 911' })).toEqual({
    from: 1001,
    to: 9999,
    excluded: new Set(['112', '911']),
  })
  expect(range({ Device_Range_MIN: '0' }).from).toBe(1)
  expect(range({ Device_Range_MIN: '' }).from).toBe(1)
  expect(range({ Device_Range_MAX: '' }).to).toBe(0)
})

const TEENS = { from: 11, to: 19, excluded: new Set(['13', '14', '19']) }

test('both ends are in the range, and excluded numbers are not', () => {
  expect([10, 11, 12, 13, 18, 19, 20].filter((number) => isInRange(TEENS, number))).toEqual([11, 12, 18])
  expect(isInRange({ ...TEENS, excluded: new Set() }, 19)).toBe(true)
})

test.each([
  [11, 11],
  [13, 15],
  [18, 18],
  [19, undefined],
  [20, undefined],
])('the next free number from %i on is %j', (from, next) => {
  expect(nextInRange(TEENS, from)).toBe(next)
})

test('the last number of a range can be allocated', () => {
  expect(nextInRange({ ...TEENS, excluded: new Set() }, 19)).toBe(19)
})

test('a request skips free numbers only after it has lost a race', () => {
  const random = { below: (bound: number) => bound - 1 }

  expect([0, 1, 2].map((lostRaces) => freeNumbersToSkip({ lostRaces, random }))).toEqual([0, 31, 31])
})

test('each refusal has its own message', () => {
  expect(EXTENSION_ERRORS).toEqual({
    extension_format: 'Extension has incorrect format',
    extension_taken: 'Extension is already used',
    extension_emergency: 'Extension is an emergency or service number',
  })
})
