import { Buffer } from 'node:buffer'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cdrsIn, demoDocument, dialogEventsIn } from '#test/mediation/switch-documents.ts'
import type { CdrDocument, FormatName } from './formats.ts'
import { cutDocument, parse } from './parse.ts'

const documentOf = (format: FormatName, text: string, change: Partial<CdrDocument> = {}): CdrDocument => ({
  format,
  source: 'pbx',
  zone: 'UTC',
  text,
  ...change,
})

const OBJECT = '{"start":1773119520,"disposition":"ANSWERED","uniqueid":1.10}'
const PRETTY = '{\n  "start": 1773119520,\n  "disposition": "BUSY"\n}'
const ROW = '1773119520,ANSWERED,"a ""b""\nc"'
const COLUMNS = ['start', 'disposition', 'uniqueid']

const cdrsOf = (documents: readonly CdrDocument[]) => {
  const parsed = documents.flatMap((document) => [...parse(document)])
  return { cdrs: cdrsIn(parsed), events: dialogEventsIn(parsed) }
}

test.each<[FormatName, string]>([
  ['freeswitch-json', 'freeswitch.ndjson'],
  ['asterisk-json', 'asterisk.ndjson'],
  ['kamailio-json', 'kamailio.ndjson'],
  ['asterisk-csv', 'Master.csv'],
  ['asterisk-csv', 'asterisk-custom.csv'],
  ['freeswitch-csv', 'freeswitch.csv'],
  ['kamailio-csv', 'kamailio-acc.csv'],
])('%s: the pieces of %s have the same CDRs, and none is too large', (format, name) => {
  const whole = documentOf(format, demoDocument(name))
  const most = Math.ceil(Buffer.byteLength(whole.text) * 0.7)
  const cut = cutDocument(whole, most)

  expect(cut.length).toBeGreaterThan(1)
  expect(cdrsOf(cut)).toEqual(cdrsOf([whole]))
  expect(Math.max(...cut.map(({ text }) => Buffer.byteLength(text)))).toBeLessThanOrEqual(most)
})

test('a list is cut into lines, and its numbers keep their digits', () => {
  const most = 2 * `${OBJECT}\n`.length
  const cut = cutDocument(documentOf('asterisk-json', `[${OBJECT}, ${OBJECT},${OBJECT}]`), most)
  expect(cut.map(({ text }) => text)).toEqual([`${OBJECT}\n${OBJECT}\n`, `${OBJECT}\n`])
})

test('every piece of a CSV has the header and whole rows', () => {
  const cut = cutDocument(documentOf('csv', `${COLUMNS}\n${ROW}\n${ROW}\n`), 60)
  expect(cut.map(({ text }) => text)).toEqual([`${COLUMNS}\n${ROW}\n`, `${COLUMNS}\n${ROW}\n`])
})

test('a member of a list that is not a whole object stays in a list of its own', () => {
  const cut = cutDocument(documentOf('asterisk-json', `[${OBJECT}, 1, {"a":`), 20)
  expect(cut.map(({ text }) => text)).toEqual([`${OBJECT}\n`, '[1]\n[{"a":\n'])
})

test('a CDR that looks like a header begins a piece only below a header', () => {
  const [row, columns] = ['1773119520,BUSY,1', COLUMNS.join(',')]
  const like = `${columns},1773`
  const text = `${row}\n${like}\n${row}\n`
  const without = cutDocument(documentOf('csv', text, { columns: COLUMNS }), 20)
  const below = cutDocument(documentOf('csv', `${columns}\n${text}`), 20)

  expect(without.map((piece) => piece.text)).toEqual([`${row}\n${like}\n`, `${row}\n`])
  expect(below.map((piece) => piece.text)).toEqual([row, like, row].map((line) => `${columns}\n${line}\n`))
})

test('a piece below a second header begins with that header', () => {
  const [row, columns, other] = ['1773119520,BUSY,1', COLUMNS.join(','), COLUMNS.toReversed().join(',')]
  const cut = cutDocument(documentOf('csv', `${columns}\n${row}\n${other}\n${row}\n${row}\n`), 50)
  expect(cut.map(({ text }) => text)).toEqual([
    `${columns}\n${row}\n`,
    `${other}\n${row}\n`,
    `${other}\n${row}\n`,
  ])
})

test('a document of exactly as many bytes stays as it is, and blanks have no pieces', () => {
  expect(cutDocument(documentOf('asterisk-json', PRETTY), PRETTY.length)).toEqual([
    documentOf('asterisk-json', PRETTY),
  ])
  expect(cutDocument(documentOf('asterisk-json', ' '.repeat(20)), 10)).toEqual([])
})

test('a small document, a single object and XML are not cut', () => {
  for (const [format, text, most] of [
    ['csv', `${ROW}\n`, 100],
    ['asterisk-json', PRETTY, 10],
    ['freeswitch-xml', '<cdr>\n</cdr>', 5],
  ] as const) {
    const documents = cutDocument(documentOf(format, text), most)
    expect(documents.map((document) => document.text.trim())).toEqual([text.trim()])
  }
})

test('the last member of a cut off list may be an object of several lines, whatever follows', () => {
  const whole = documentOf('asterisk-json', `[${PRETTY}\n${OBJECT}${OBJECT}`)
  for (const most of [20, 48, 60, 1000]) {
    expect(cdrsOf(cutDocument(whole, most)).cdrs).toMatchObject([{ disposition: 'BUSY' }])
  }
})

const JSON_PIECES = [
  OBJECT,
  PRETTY,
  '[',
  ']',
  ',',
  '{',
  '}',
  '"',
  '\\',
  '\n',
  '{"a":[',
  '{"a":"',
  ' ',
  'x',
  '\r\n',
  '\ufeff',
  '\u00a0',
]
const CSV_PIECES = [
  ROW,
  `${COLUMNS}`,
  '"',
  '""',
  ',',
  '\n',
  '\r',
  '\r\n',
  'x',
  '"a"',
  '1773119520',
  'BUSY',
  '\ufeff',
]

const joinedFrom = (pieces: readonly string[]) =>
  fc.array(fc.constantFrom(...pieces), { minLength: 5, maxLength: 60 }).map((some) => some.join(''))

test.each<[FormatName, readonly string[], Partial<CdrDocument>]>([
  ['asterisk-json', JSON_PIECES, {}],
  ['csv', CSV_PIECES, {}],
  ['csv', CSV_PIECES, { columns: COLUMNS }],
])('%s: the pieces of any malformed document have the same CDRs', (format, pieces, change) => {
  const cases = fc.tuple(joinedFrom(pieces), fc.integer({ min: 1, max: 300 }))

  fc.assert(
    fc.property(cases, ([text, most]) => {
      const whole = documentOf(format, text, change)
      expect(cdrsOf(cutDocument(whole, most))).toEqual(cdrsOf([whole]))
    }),
    { numRuns: 2000 },
  )
})
