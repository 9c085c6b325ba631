import fc from 'fast-check'
import { expect, test } from 'vitest'
import { asText, fromText } from './formula.ts'

test.each([
  ['=HYPERLINK("https://example.com")', '\'=HYPERLINK("https://example.com")'],
  ['@SUM(1)', "'@SUM(1)"],
  ['\t=1', "'\t=1"],
  ['\r=1', "'\r=1"],
  ['+1+cmd', "'+1+cmd"],
  ['-2+3', "'-2+3"],
  ['-', "'-"],
  ['+1\n=2', "'+1\n=2"],
  ["'=1", "''=1"],
])('%j is written as text', (cell, text) => {
  expect([asText(cell), fromText(text)]).toEqual([text, cell])
})

test.each(['', '+37060012345', '-1.50', '12', 'a=b', "O'Hara", "'quoted'", "'+370", ' =1', "'"])(
  '%j is written as it is',
  (cell) => {
    expect([asText(cell), fromText(cell)]).toEqual([cell, cell])
  },
)

test('every cell comes back as it was, and none can be taken for a formula', () => {
  const cell = fc.array(fc.constantFrom("'", '=', '+', '-', '@', '\t', '\r', '\n', '1', '.', 'x'), {
    maxLength: 6,
  })
  fc.assert(
    fc.property(
      cell.map((parts) => parts.join('')),
      (text) => {
        const written = asText(text)

        expect(fromText(written)).toBe(text)
        expect(written).not.toMatch(/^[=@\t\r]/)
        if (/^[+-]/.test(written)) expect(Number(written)).not.toBeNaN()
      },
    ),
  )
})
