import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { element, withAttributes } from '#lib/xml/element.ts'
import { render, wholeDocument } from '#lib/xml/render.ts'
import { hostileText } from '#test/hostile/hostile-text.ts'
import { answerBody, asJson, asTables, indented } from './answer-text.ts'

test('an answer is printed with one element on a line, its text unchanged', () => {
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

test('the content of an element is printed as it is on the wire', () => {
  fc.assert(
    fc.property(hostileText, hostileText, (text, attribute) => {
      const one = withAttributes({ a: attribute }, element('b', text))
      expect(indented(wholeDocument(element('page', one)))).toContain(`\n  ${render(one)}\n`)
    }),
  )
})

test.each(['{"message":"Forbidden"}', '<html><br></html>', ''])(
  '%j is not XML and stays as it is',
  (body) => {
    expect(indented(body)).toBe(body)
  },
)

test('a compressed answer is read as its text, whole and as a stream', async () => {
  const bytes = gzipSync('<page/>')
  const answer = { statusCode: 200, headers: { 'Content-Encoding': 'gzip' } }

  expect(await answerBody({ ...answer, body: bytes.toString('base64'), isBase64Encoded: true })).toBe(
    '<page/>',
  )
  expect(await answerBody({ ...answer, body: Readable.from([bytes]) })).toBe('<page/>')
})

test('a list is printed as a table, single values as lines', () => {
  const body =
    '<?xml version="1.0"?><page><pagename>Tariff</pagename><currency>USD</currency><rates>' +
    '<rate><prefix>1</prefix><destination>USA &amp; more</destination></rate>' +
    '<rate><prefix>3706</prefix><destination/></rate></rates></page>'

  expect(asTables(body)).toBe(
    [
      'pagename  Tariff',
      'currency  USD',
      '',
      'rates: rate',
      'prefix  destination',
      '1       USA & more',
      '3706',
    ].join('\n'),
  )
})

test('a list of one is printed as lines, nested values by their path', () => {
  const body =
    '<page><calls><call><calldate><date>2026-11-18</date></calldate><src>1</src></call></calls></page>'

  expect(asTables(body)).toBe('calldate.date  2026-11-18\nsrc            1')
})

test('a body that is not XML has no tables', () => {
  expect(asTables('Bad gateway <')).toBe('Bad gateway <')
})

test.each([
  [
    '<page><pagename>Tariff</pagename><rates><rate id="7"><prefix>1</prefix><note/></rate></rates></page>',
    { pagename: 'Tariff', rates: { rate: [{ id: '7', prefix: '1', note: '' }] } },
  ],
  ['<page><a>1</a><a>2</a></page>', { a: ['1', '2'] }],
  ['<page><status><error>Bad login</error></status></page>', { status: { error: 'Bad login' } }],
])('%s is printed as JSON', (body, json) => {
  expect(JSON.parse(asJson(body))).toEqual(json)
})

test('a body that is not XML is printed unchanged instead of as JSON', () => {
  expect(asJson('12.5')).toBe('12.5')
})
