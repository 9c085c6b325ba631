import { expect, test } from 'vitest'
import { createDigestMap, hexDigest, isSameText } from './digest.ts'

test('the digest of a text is that of its bytes in UTF-8', () => {
  const digest = '4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c'

  expect(hexDigest('é')).toBe(digest)
  expect(hexDigest(new Uint8Array([0xc3, 0xa9]))).toBe(digest)
})

test('a map has the last value of each text, through every growth', () => {
  const map = createDigestMap()
  const texts = Array.from({ length: 5_000 }, (_, index) => `call ${index}`)
  const swapAll = (add: number) => texts.map((text, index) => map.swap(text, index + add))

  expect(new Set(swapAll(0))).toEqual(new Set([undefined]))
  expect(swapAll(7)).toEqual(texts.map((_, index) => index))
  expect(texts.map(map.get)).toEqual(texts.map((_, index) => index + 7))
  expect([map.get('another'), map.size]).toEqual([undefined, texts.length])
})

test('a value of 0 and the largest one are kept', () => {
  const map = createDigestMap()
  map.swap('a', 0)
  map.swap('b', 2 ** 32 - 1)

  expect([map.get('a'), map.get('b')]).toEqual([0, 2 ** 32 - 1])
})

test.each([
  ['abc', 'abc', true],
  ['', '', true],
  ['abc', 'abd', false],
  ['abc', 'abcd', false],
  ['\u00E9', 'ee', false],
])('%s and %s are the same text: %s', (one, other, isSame) => {
  expect(isSameText(one, other)).toBe(isSame)
})

test('lone surrogates are told apart', () => {
  expect(hexDigest('a\ud800')).not.toBe(hexDigest('a\ud801'))
  expect(hexDigest('a\ud800')).not.toBe(hexDigest('a\ufffd'))
  expect(hexDigest('a\u{1f600}')).toBe(hexDigest(Buffer.from('a\u{1f600}')))
})
