import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { packingOf, unpacked } from './packed.ts'

const TEXT = Buffer.from('start,dst,billsec\n')

test('a file that gzip packed is unpacked, within the bounds of its bytes', () => {
  const packed = gzipSync(TEXT)

  expect(unpacked(TEXT, 10)).toBe(TEXT)
  expect(Buffer.from(unpacked(packed, TEXT.length))).toEqual(TEXT)
  expect(() => unpacked(gzipSync(Buffer.alloc(1_000_000)), 1000)).toThrow(
    'has more than 1000 bytes: unpack it',
  )
  expect(() => unpacked(packed.subarray(0, 20), 1000)).toThrow('it is packed by gzip, and damaged')
})

test.each([
  ['BZh91AY&SY..', 'packed by bzip2'],
  ['\x28\xb5\x2f\xfd....', 'packed by zstd'],
  ['\xfd7zXZ\0', 'packed by xz'],
  ['7z\xbc\xaf\x27\x1c', 'packed by 7-Zip'],
  ['PK\x03\x04....cdr.csv', 'packed by zip'],
  ['PK\x03\x04....[Content_Types].xml', 'a workbook'],
])('%j is %s', (start, name) => {
  const bytes = Buffer.from(start, 'latin1')

  expect(packingOf(bytes)).toContain(name)
  expect(() => unpacked(bytes, 1000)).toThrow(`it is ${name}`)
})

test('text is not packed', () => {
  expect(packingOf(TEXT)).toBeUndefined()
  expect(packingOf(Buffer.from('BZh,1'))).toBeUndefined()
})
