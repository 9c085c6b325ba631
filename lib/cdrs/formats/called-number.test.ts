import { expect, test } from 'vitest'
import { isPhoneNumber, isSameNumber } from './fields.ts'

test.each([
  ['442079460000', true],
  ['+442079460000', true],
  ['1234567', true],
  ['123456', false],
  ['1001', false],
  ['carol', false],
  ['sip1234567', false],
  ['1234567x', false],
  ['', false],
])('%j is a phone number: %s', (text, expected) => {
  expect(isPhoneNumber(text)).toBe(expected)
})

test.each([
  ['+442079460000', '442079460000', true],
  ['00442079460000', '442079460000', true],
  ['9442079460000', '442079460000', true],
  ['442079460000', '00442079460000', true],
  ['+44 (20) 7946-0000', '442079460000', true],
  ['91234567', '1234567', true],
  ['112', '112', true],
  ['00112', '112', true],
  ['9112', '112', false],
  ['1002', '442079460000', false],
  ['02079460000', '442079460000', false],
  ['#31#442079460000', '442079460000', false],
  ['442079460000#', '442079460000', false],
  ['', '', false],
  ['*', '#', false],
])('dialled as %j, %j was called: %s', (dialled, called, expected) => {
  expect(isSameNumber(dialled, called, false)).toBe(expected)
})

test('digits that the dialplan added make no other number if the caller is known', () => {
  expect(isSameNumber('02079460000', '442079460000', true)).toBe(true)
  expect(isSameNumber('442079460000', '7781442079460000', true)).toBe(true)
  expect(isSameNumber('92025550171', '12025550171', true)).toBe(true)
  expect(isSameNumber('902079460000', '+442079460000', true)).toBe(true)
  expect(isSameNumber('95550171', '12125550171', true)).toBe(false)
  expect(isSameNumber('2345', '442079460000', true)).toBe(false)
})
