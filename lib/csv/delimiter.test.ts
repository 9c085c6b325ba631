import { expect, test } from 'vitest'
import { delimiterOf, statedDelimiter } from './reader.ts'

const knownNames = (cells: readonly string[]): number =>
  cells.filter((cell) => ['start', 'dst', 'seconds'].includes(cell)).length

test.each([
  ['start,dst\n1,2\n', ','],
  ['start;dst\n1,5;2,5\n', ';'],
  ['start\tdst\n1\t2\n', '\t'],
  ['start|dst\n1|2\n', '|'],
  ['a,b;c\n1,2;3\n1,2,3;4\n', ';'],
  ['start,dst;seconds\n', ','],
  ['no delimiter', ','],
  ['', ','],
  ['sep=:\nstart;dst\n', ':'],
])('%j is separated by %j', (text, delimiter) => {
  expect(delimiterOf(text, knownNames)).toBe(delimiter)
})

test('the header beats the rows below it', () => {
  const rows = Array.from({ length: 200 }, () => 'SIP/a|60,tT;x').join('\n')
  expect(delimiterOf(`start;dst;seconds\n${rows}`, knownNames)).toBe(';')
})

test('a line of any length is looked at', () => {
  const cells = 'x'.repeat(300_000)
  expect(delimiterOf(`${cells};${cells}\n`, () => 0)).toBe(',')
  expect(delimiterOf(`a;${cells},${cells}\n`, ({ length }) => length)).toBe(';')
})

test.each([
  ['sep=;\nstart', ';', 6],
  ['\ufeffSEP=|\r\nstart', '|', 8],
  ['"sep=\t"\nstart', '\t', 8],
])('%j states its delimiter', (text, delimiter, next) => {
  expect(statedDelimiter(text)).toEqual({ delimiter, next })
})

test('a line that only begins like a statement is none', () => {
  expect(statedDelimiter('sep=;start\n')).toBeUndefined()
})
