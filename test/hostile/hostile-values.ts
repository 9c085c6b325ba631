import fc from 'fast-check'
import { hostileText } from '#test/hostile/hostile-text.ts'

const times = (text: string, count: number): string => text.repeat(count)

const BLANK = ['', ' ', '\t\r\n', '\u00a0']

const CONTROL = ['a\u0000b', '\u001b[31m', '\u007f\u0085', 'a\uffff', 'a\nb\r']

const HALVES = ['\ud800', 'a\udc00b']

const MARKUP = [
  ...['&amp;amp;', '&#0;', '&#13;', '&y;', ']]>', '<![CDATA[x]]>', '<!DOCTYPE x [<!ENTITY y "z">]>&y;'],
  ...[
    '<?xml version="1.0"?>',
    '<!-- -- -->',
    '</page>',
    '<a b="c"/>',
    '" onload="x',
    '<script>alert(1)</script>',
  ],
]

const NUMBERS = [
  ...['0', '-0', '-1', '+1', '007', '1.5', '.5', '1e9', '1E-7', '1e999', '0x10', '1_000', 'NaN', 'Infinity'],
  ...['9007199254740993', '999999999999999', '99999999999999999999', '\u0661\u0662', '1 2'],
]

const DATES = ['253402300799', '253402300800', '-62167219200', '9999999', '2026-02-30', '0000-00-00']

const FRAGMENTS = [
  "' OR 1=1 --",
  '"; DROP TABLE users; --',
  '{"$gt":""}',
  '{{7*7}}',
  '%00',
  '../..',
  '=1+1',
  '$&',
]

const NAMES = ['__proto__', 'constructor', 'length', 'null', 'undefined', 'true', 'all']

const SEPARATORS = ['#', 'USER#10', 'a#b|c~d$e', '*#+']

const UNICODE = ['\u202eabc\u202c', '\u200f10', '\ufeff1', '👩\u200d👧', 'e\u0301', 'İ', '\u2028']

const LONG = [times('x', 4000), times('x', 4001), times('9', 5000), times('😀', 2000), times('<', 20_000)]

/** Texts with traps in them, the same ones every time. */
const RANDOM = fc.sample(hostileText, { numRuns: 5, seed: 8 })

/** Values that nobody should send: each is what a parameter is sent with, once, or several times one after the other. */
export const hostileValues: readonly (readonly string[])[] = [
  ...[BLANK, CONTROL, HALVES, MARKUP, NUMBERS, DATES, FRAGMENTS, NAMES, SEPARATORS, UNICODE, LONG, RANDOM]
    .flat()
    .map((text) => [text]),
  ['10', '20'],
  ['', '<b>', ''],
]

/** Values that only JSON has, with the text that counts as sent. Without a text nothing counts; `refused` is no flat object. */
export const hostileJson: readonly {
  readonly json: string
  readonly text?: string
  readonly refused?: true
}[] = [
  { json: 'null' },
  { json: 'true', text: '1' },
  { json: 'false', text: '0' },
  ...['-0', '1.0', '1e999', '-1E-400', '99999999999999999999', '1000'].map((json) => ({ json, text: json })),
  { json: '["1","2"]', refused: true },
  { json: '{"a":1}', refused: true },
]
