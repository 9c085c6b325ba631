import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hostileText } from '#lib/testing/hostile-text.ts'
import { element, withAttributes } from '#lib/xml/element.ts'
import { render, wholeDocument } from '#lib/xml/render.ts'
import { bodyOf, indented } from './readable.ts'

test('an answer is shown with one element a line, its text untouched', () => {
  const document =
    '<?xml version="1.0" encoding="UTF-8"?><page><a x="1">1 &amp; 2</a><b/><d><e> </e></d>x</page>'

  expect(indented(document).split('\n')).toEqual([
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<page>',
    '  <a x="1">1 &amp; 2</a>',
    '  <b/>',
    '  <d>',
    '    <e> </e>',
    '  </d>x',
    '</page>',
  ])
})

test('whatever an element holds is shown as it is on the wire', () => {
  fc.assert(
    fc.property(hostileText, hostileText, (text, attribute) => {
      const one = withAttributes({ a: attribute }, element('b', text))
      expect(indented(wholeDocument(element('page', one)))).toContain(`\n  ${render(one)}\n`)
    }),
  )
})

test.each(['{"message":"Forbidden"}', '<html><br></html>', ''])(
  '%j is not XML: it stays as it is',
  (body) => {
    expect(indented(body)).toBe(body)
  },
)

test('a compressed answer is read as its text', () => {
  const body = gzipSync('<page/>').toString('base64')

  expect(
    bodyOf({ statusCode: 200, headers: { 'Content-Encoding': 'gzip' }, body, isBase64Encoded: true }),
  ).toBe('<page/>')
})
