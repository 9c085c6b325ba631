import { expect, test } from 'vitest'
import { elementNode, escapedText, textNodes, write } from './xml-js.ts'

const writeText = (text: string) => write(textNodes(text))

const writeAttribute = (value: string) => write([elementNode('a', [], { x: value })])

test.each([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['\r', '&#13;'],
  ['"', '"'],
  ["'", "'"],
  ['\t\n', '\t\n'],
  ['&lt;&#13;', '&amp;lt;&amp;#13;'],
  ['a&b&c', 'a&amp;b&amp;c'],
  ['\r\n\r\n', '&#13;\n&#13;\n'],
  ['$&', '$&amp;'],
])('the text %j is written as %j, alone and in rows', (text, written) => {
  expect(writeText(text)).toBe(written)
  expect(escapedText(text)).toBe(written)
  expect(escapedText(`x${text}y`)).toBe(`x${written}y`)
})

/** The edges of the ranges that XML does not allow. */
const REMOVED = [0x00, 0x08, 0x0b, 0x0c, 0x0e, 0x1f, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xfffe, 0xffff]

test.each(REMOVED.map((code) => [code.toString(16), String.fromCharCode(code)]))(
  'the character %s is removed from texts and attributes',
  (_code, character) => {
    expect(escapedText(`a${character}b`)).toBe('ab')
    expect(writeText(`a${character}b`)).toBe('ab')
    expect(textNodes(character)).toEqual([])
    expect(writeAttribute(`a${character}b`)).toBe('<a x="ab"/>')
  },
)

test.each([
  ['"', '&quot;'],
  ['\t', '&#9;'],
  ['\n', '&#10;'],
  ['\r', '&#13;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['&', '&amp;'],
  ["'", "'"],
  ['""\t\t', '&quot;&quot;&#9;&#9;'],
])('the attribute %j is written as %j', (value, written) => {
  expect(writeAttribute(value)).toBe(`<a x="${written}"/>`)
})

test('nodes are written without indentation, or with as many spaces as asked for', () => {
  const nodes = [elementNode('a', [elementNode('b', textNodes('x'))])]

  expect(write(nodes)).toBe('<a><b>x</b></a>')
  expect(write(nodes, 2)).toBe('<a>\n  <b>x</b>\n</a>')
})
