import { expect, test } from 'vitest'
import { fitsXml, fittedToXml } from './text.ts'

test.each([
  ['a control character', 'a\u0001b', 'ab'],
  ['half a surrogate pair, the first or the second', '\uD83Da\uDE00', 'a'],
  ['the halves in the wrong order', '\uDE00\uD83D', ''],
  ['what Unicode says is not a character', '\uFFFE\uFFFF', ''],
])('XML holds no %s: it is dropped', (_case, text, kept) => {
  expect([fitsXml(text), fittedToXml(text)]).toEqual([false, kept])
})

test.each(['', 'x', '\t\r\n', '&<>"\'', '😀 שלום', '\u007F\u0085\uFFFD'])('XML holds %j', (text) => {
  expect([fitsXml(text), fittedToXml(text)]).toEqual([true, text])
})
