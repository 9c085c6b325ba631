import { expect, test } from 'vitest'
import { isTooDeep, isWholeObject, membersNamed, segmentsOf, trimmed } from './json-text.ts'

const textsOf = (document: string) => [...segmentsOf(document)].map(({ text }) => text)

test.each<[string, string, string[]]>([
  ['brackets and commas in strings', '[{"a":"],[{"},"b,c"]', ['{"a":"],[{"}', '"b,c"']],
  ['escaped quotes', '[{"a":"\\"}"},{"b":"\\\\"}]', ['{"a":"\\"}"}', '{"b":"\\\\"}']],
  [
    'an object after a line that ends in a string',
    '{"a":"\\\n{"b":1,\n"c":2}',
    ['{"a":"\\', '{"b":1,\n"c":2}'],
  ],
  ['an object that is followed by a value on its last line', '{"a":\n1} 2', ['{"a":', '1} 2']],
  ['empty members of a list', '[,1, ,]', ['1']],
  ['an empty list', '[ ]', []],
  ['blanks', ' \n\t\r\n', []],
])('%s', (_case, document, texts) => {
  expect(textsOf(document)).toEqual(texts)
})

test.each([
  ['ab\ncd\nef\n', [false, false, false]],
  ['{"a":\n1}\n', [true]],
  ['[{}]', [false]],
])('a value is alone if the document %j has no other', (document, alone) => {
  expect([...segmentsOf(document)].map(({ isAlone }) => isAlone)).toEqual(alone)
})

test.each([
  ['{"a":"}"}', true],
  ['{"a":"\\"}"}', true],
  ['{}{}', false],
  ['{"a":1', false],
  ['{', false],
  ['[]', false],
])('%s is a whole object: %s', (text, isWhole) => {
  expect(isWholeObject(text)).toBe(isWhole)
})

test('members keep their text, without the blanks around it, whatever their names contain', () => {
  const text = '{ "a:b" : 1.50 , "\\u0069d" :\n 1.10 , "other": 2, "last":{"id":[3, 4]} }'
  expect([...membersNamed(text, new Set(['a:b', 'id', 'last']))]).toEqual([
    ['a:b', '1.50'],
    ['id', '1.10'],
    ['last', '{"id":[3, 4]}'],
  ])
})

test.each([
  ['[', '', 64, false],
  ['[', '', 65, true],
  ['{"a":[', '', 32, false],
  ['{"a":[', '', 33, true],
  ['[{"a":"[{"', '}]', 33, false],
])('%s, closed by "%s", %i times, is too deep: %s', (open, close, times, expected) => {
  expect(isTooDeep(`${open}${close}`.repeat(times))).toBe(expected)
})

test('tabs and byte order marks are blanks, no-break spaces are not', () => {
  expect(trimmed('x\t\ufeff\r\n y\u00a0\t\ufeff\n', 1, 11)).toBe('y\u00a0')
})
