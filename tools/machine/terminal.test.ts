import { expect, test } from 'vitest'
import { countOf, escapeControls } from '#lib/base/text.ts'
import { chosenBy, escapeLines } from './terminal.ts'

test('control characters of data are escaped, line feeds included', () => {
  expect(escapeControls('a\u001b[31m\nb\u009b\u202e')).toBe('a\\u001b[31m\\u000ab\\u009b\\u202e')
})

test('printed lines keep their line feeds and tabs', () => {
  expect(escapeLines('a\tb\r\n\u0007c\n')).toBe('a\tb\\u000d\n\\u0007c\n')
})

test('a count has its noun in the singular or the plural', () => {
  expect([0, 1, 2].map((count) => countOf(count, 'call'))).toEqual(['0 calls', '1 call', '2 calls'])
})

test.each([
  ['yes', 'yes'],
  ['y', 'yes'],
  ['N', 'no'],
  ['', undefined],
  ['maybe', undefined],
])('the answer %j to yes or no chooses %s', (answer, choice) => {
  expect(chosenBy(answer, ['yes', 'no'])).toBe(choice)
})
