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
  expect(decodeText(bytes)).toBe('žana;\ufffd;Zürich')
})

test('no bytes are no text', () => {
  expect(decodeText(Buffer.alloc(0))).toBe('')
})
