import { expect, test } from 'vitest'
import { decodeText, encodingOf } from './encoding.ts'

const TEXT = 'start;dst\n2026;Zürich €\n'

test.each([
  ['utf-8', Buffer.from(TEXT)],
  ['utf-8', Buffer.from(`\ufeff${TEXT}`)],
  ['utf-16le', Buffer.from(`\ufeff${TEXT}`, 'utf16le')],
  ['utf-16le', Buffer.from(TEXT, 'utf16le')],
  ['utf-16be', Buffer.from(`\ufeff${TEXT}`, 'utf16le').swap16()],
  ['windows-1252', Buffer.from(TEXT.replace('€', '\x80'), 'latin1')],
])('%s is detected and decoded', (encoding, bytes) => {
  expect(encodingOf(bytes)).toBe(encoding)
  expect(decodeText(bytes)).toBe(TEXT)
})

test('a broken byte leaves the letters of UTF-8 beside it', () => {
  const bytes = Buffer.concat([Buffer.from('žana;'), Buffer.from([0xff]), Buffer.from(';Zürich')])
  expect(decodeText(bytes)).toBe('žana;\uefff;Zürich')
})

test('no bytes are no text', () => {
  expect(decodeText(Buffer.alloc(0))).toBe('')
})

test('broken bytes are told apart from each other and from every character', () => {
  const texts = [
    [0xff],
    [0xfe],
    [0xc3],
    [0xef, 0xbf, 0xbd],
    [0xee, 0xbf, 0xbf],
    [0xee, 0xbe, 0xbf],
    [0xed, 0xa0, 0x80],
    [0xe2, 0x82],
    [0xf4, 0x90, 0x80, 0x80],
    [0xf0, 0x9f, 0x98, 0x80],
  ].map((bytes) => decodeText(Buffer.concat([Buffer.from('ž'), Buffer.from(bytes), Buffer.from('@x')])))

  expect(new Set(texts).size).toBe(texts.length)
  expect(texts.every((text) => text.isWellFormed() && text.startsWith('ž') && text.endsWith('@x'))).toBe(true)
  expect(texts.at(-1)).toBe('ž\u{1f600}@x')
})

test.each([
  ['a block of NUL', Buffer.concat([Buffer.from('a;1\n'), Buffer.alloc(2048), Buffer.from('b;2\n')])],
  ['a padded file', Buffer.concat([Buffer.from('a;1\n'), Buffer.alloc(4096)])],
  ['NUL at its beginning', Buffer.concat([Buffer.alloc(512), Buffer.from('a;1\n')])],
])('%s is damage and no encoding', (_what, bytes) => {
  expect(encodingOf(bytes)).toBe('utf-8')
  expect(decodeText(bytes).replaceAll('\0', '')).toMatch(/^a;1\n/)
})

test('UTF-16 without a mark is recognised in a long text, too', () => {
  const bytes = Buffer.from(TEXT.repeat(1000), 'utf16le')

  expect(encodingOf(bytes)).toBe('utf-16le')
  expect(encodingOf(Buffer.from(bytes).swap16())).toBe('utf-16be')
})
