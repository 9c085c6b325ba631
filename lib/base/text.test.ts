import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  cutText,
  escapeControls,
  escapeFormula,
  fitsXml,
  switchOf,
  unescapeFormula,
  withoutNonXml,
} from './text.ts'

test.each([
  ['a control character', 'a\u0001b', 'ab'],
  ['half a surrogate pair, first or second', '\uD83Da\uDE00', 'a'],
  ['the halves in the wrong order', '\uDE00\uD83D', ''],
  ['a Unicode noncharacter', '\uFFFE\uFFFF', ''],
])('a character that XML does not allow is removed: %s', (_case, text, kept) => {
  expect([fitsXml(text), withoutNonXml(text)]).toEqual([false, kept])
})

/** The edges of the ranges that XML does not allow. */
const REFUSED = [0x00, 0x08, 0x0b, 0x0c, 0x0e, 0x1f, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xfffe, 0xffff]

test.each(REFUSED.map((code) => [code.toString(16), String.fromCharCode(code)]))(
  'XML does not allow the character %s',
  (_code, character) => {
    expect(fitsXml(`a${character}b`)).toBe(false)
    expect(withoutNonXml(`${character}a${character}b`)).toBe('ab')
  },
)

test.each([
  ['shorter', 'ab', 'ab'],
  ['as long', 'abc', 'abc'],
  ['longer', 'abcd', 'abc'],
  ['with a pair at the end', 'a😀b', 'a😀'],
  ['with a pair across the end', 'ab😀', 'ab'],
  ['with half a pair', 'a\uD83D', 'a\uFFFD'],
])('a text is cut to three units: %s', (_case, text, cut) => {
  expect(cutText(text, 3)).toBe(cut)
})

test.each(['', 'x', '\t\r\n', '&<>"\'', '😀 שלום', '\u007F\u0085\uFFFD'])('XML allows %j', (text) => {
  expect([fitsXml(text), withoutNonXml(text)]).toEqual([true, text])
})

test.each([
  ['=HYPERLINK("https://example.com")', '\'=HYPERLINK("https://example.com")'],
  ['@SUM(1)', "'@SUM(1)"],
  ['\t=1', "'\t'=1"],
  ['\r=1', "'\r'=1"],
  ['+1+cmd', "'+1+cmd"],
  ['-2+3', "'-2+3"],
  ['-', "'-"],
  ['+1\n=2', "'+1\n'=2"],
  ['x;=1+1', "x;'=1+1"],
  ['x\t=1+1', "x\t'=1+1"],
  ['x\n@a', "x\n'@a"],
  [';;-a;+1', ";;'-a;+1"],
  ['\uff1d1', "'\uff1d1"],
  ['\uff20a', "'\uff20a"],
  ['\uff0b1+1', "'\uff0b1+1"],
  ['\n=1', "'\n'=1"],
  ["x;'=1", "x;''=1"],
  ["'=1", "''=1"],
  ['=', "'="],
  ["''+a", "'''+a"],
  ['+1.', "'+1."],
  ['+1.5x', "'+1.5x"],
])('the cell %j is escaped', (cell, text) => {
  expect([escapeFormula(cell), unescapeFormula(text)]).toEqual([text, cell])
})

test.each(['', '+37060012345', '-1.50', '12', 'a=b', "O'Hara", "'quoted'", "'+370", ' =1', "'"])(
  'the cell %j is not escaped',
  (cell) => {
    expect([escapeFormula(cell), unescapeFormula(cell)]).toEqual([cell, cell])
  },
)

test('a formula that was not escaped is kept as it is', () => {
  expect(['=1', '-2+3'].map(unescapeFormula)).toEqual(['=1', '-2+3'])
})

test('every cell survives escaping, and no escaped cell looks like a formula', () => {
  const cell = fc.array(
    fc.constantFrom("'", '=', '+', '-', '@', '\uff1d', ';', '\t', '\r', '\n', '1', '.', 'x'),
    {
      maxLength: 8,
    },
  )
  fc.assert(
    fc.property(
      cell.map((parts) => parts.join('')),
      (text) => {
        const written = escapeFormula(text)

        expect(unescapeFormula(written)).toBe(text)
        expect(written).not.toMatch(/^[=@\uff1d\t\r\n]/)
        for (const cell of written.split(/[;\t\r\n]/)) {
          expect(cell).not.toMatch(/^[=@\uff1d]/)
          if (/^[+-]/.test(cell)) expect(Number(cell)).not.toBeNaN()
        }
      },
    ),
  )
})

test('a word that is not a switch has no value', () => {
  expect(switchOf('perhaps')).toBeUndefined()
})

test.each([
  ['\u001b[31m', '\\u001b[31m'],
  ['\u200e0.011', '\\u200e0.011'],
  ['\ufeffstart', '\\ufeffstart'],
  ['a\u00adb\u2060c', 'a\\u00adb\\u2060c'],
  ['\u{e0041}', '\\u{e0041}'],
  ['\u0645\u06cc\u200c\u0631', '\u0645\u06cc\u200c\u0631'],
  ['né 5 €', 'né 5 €'],
])('%j is shown as %s', (text, shown) => {
  expect(escapeControls(text)).toBe(shown)
})
