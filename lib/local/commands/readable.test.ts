import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { bodyOf, indented } from './readable.ts'

test('an answer is shown with one element a line, its text untouched', () => {
  const document = '<?xml version="1.0"?><page><a x="1">1 &amp; 2</a><b/><c></c><d><e> </e></d></page>'

  expect(indented(document).split('\n')).toEqual([
    '<?xml version="1.0"?>',
    '<page>',
    '  <a x="1">1 &amp; 2</a>',
    '  <b/>',
    '  <c></c>',
    '  <d>',
    '    <e> </e>',
    '  </d>',
    '</page>',
  ])
})

test('a compressed answer is read as its text', () => {
  const body = gzipSync('<page/>').toString('base64')

  expect(
    bodyOf({ statusCode: 200, headers: { 'Content-Encoding': 'gzip' }, body, isBase64Encoded: true }),
  ).toBe('<page/>')
})
