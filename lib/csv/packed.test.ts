import { gzipSync } from 'node:zlib'
import { zipSync } from 'fflate'
import { expect, test } from 'vitest'
import { bunzip } from './bunzip.ts'
import { packingOf, unpacked } from './packed.ts'

const TEXT = Buffer.from('start,dst,billsec\n')

/** TEXT as Python's bz2 packs it, an empty text, and a million times `a`. */
const BZIP2 = Buffer.from(
  'QlpoOTFBWSZTWUL1SBcAAAdRgAAQAAQ+JBwAIAAinomJ4hA0DQ8+zgeFEJWxou5IpwoSCF6pAuA=',
  'base64',
)
const EMPTY_BZIP2 = Buffer.from('QlpoORdyRThQkAAAAAA=', 'base64')
const MILLION_BZIP2 = Buffer.from(
  'QlpoOTFBWSZTWZe+3DgAB6iBQKAAAAIACCAAMMwJqmmVJDapSQ8XckU4UJCXvtw4',
  'base64',
)

const ZIP = Buffer.from(zipSync({ 'cdr/': new Uint8Array(), 'cdr/a.csv': TEXT, '__MACOSX/a.csv': TEXT }))

test.each([
  ['gzip', gzipSync(TEXT)],
  ['bzip2', BZIP2],
  ['zip', ZIP],
  ['zip without packing', Buffer.from(zipSync({ 'a.csv': [TEXT, { level: 0 }] }))],
])('a file that %s packed is unpacked, within the bounds of its bytes', async (_name, packed) => {
  expect(Buffer.from(await unpacked(packed, TEXT.length))).toEqual(TEXT)
  await expect(unpacked(packed, TEXT.length - 1)).rejects.toThrow('has more than 17 bytes: unpack it')
})

test.each([
  ['gzip', gzipSync(TEXT).subarray(0, 20)],
  ['bzip2', BZIP2.subarray(0, 40)],
  ['bzip2', Buffer.from(BZIP2).fill(0xff, 20, 22)],
  ['zip', ZIP.subarray(0, 60)],
])('a damaged file that %s packed is named', async (name, packed) => {
  await expect(unpacked(packed, 1000)).rejects.toThrow(`it is packed by ${name}, and damaged`)
})

test('bzip2 unpacks several streams one after the other, within the bounds of their bytes', () => {
  const twice = Buffer.concat([BZIP2, EMPTY_BZIP2, BZIP2])

  expect(Buffer.from(bunzip(twice, 100)).toString()).toBe(`${TEXT}${TEXT}`)
  expect(bunzip(MILLION_BZIP2, 1_000_000)).toEqual(Buffer.alloc(1_000_000, 'a'))
  expect(() => bunzip(MILLION_BZIP2, 999_999)).toThrow('too large')
})

test('each changed byte of bzip2 is noticed', () => {
  const changed = Array.from(BZIP2.keys(), (at) => {
    const copy = Buffer.from(BZIP2)
    copy[at] = (copy[at] ?? 0) ^ 0x10
    return copy
  })

  const read = changed.filter((copy) => {
    try {
      return !Buffer.from(bunzip(copy, 1_000_000)).equals(TEXT)
    } catch {
      return false
    }
  })

  expect(read).toEqual([])
})

test.each([
  ['\x28\xb5\x2f\xfd....', 'packed by zstd'],
  ['\xfd7zXZ\0', 'packed by xz'],
  ['7z\xbc\xaf\x27\x1c', 'packed by 7-Zip'],
  ['Rar!\x1a\x07\0', 'packed by RAR'],
  ['\x04\x22\x4d\x18', 'packed by lz4'],
  ['PK\x03\x04....[Content_Types].xml', 'a workbook'],
  ['\xd0\xcf\x11\xe0', 'a workbook (.xls)'],
  // docs.oasis-open.org, OpenDocument 1.2 part 3: the type is the first file, and not packed
  [`PK\x03\x04${'.'.repeat(26)}mimetypeapplication/vnd.oasis.opendocument.spreadsheet`, 'a workbook (.ods)'],
  // logrotate with compresscmd, and archives of a day or a month of CDRs
  ['\x1f\x9d\x90', 'packed by compress'],
  [`cdr/2026-11-20.csv${'\0'.repeat(239)}ustar\x0000`, 'a tar archive'],
  // Asterisk, cdr_sqlite3_custom: master.db
  ['SQLite format 3\0', 'a database of SQLite'],
  ['%PDF-1.7', 'a PDF'],
  ['-----BEGIN PGP MESSAGE-----', 'encrypted by PGP'],
])('%j is %s', async (start, name) => {
  const bytes = Buffer.from(start, 'latin1')

  expect(packingOf(bytes)).toContain(name)
  await expect(unpacked(bytes, 1000)).rejects.toThrow(`it is ${name}`)
})

test('a zip archive of several files, or with a password, is not read', async () => {
  const two = Buffer.from(zipSync({ 'a.csv': TEXT, 'b.csv': TEXT }))
  const encrypted = Buffer.from(zipSync({ 'a.csv': TEXT }))
  encrypted[encrypted.lastIndexOf(Buffer.from('504b0102', 'hex')) + 8] = 1

  await expect(unpacked(two, 1000)).rejects.toThrow('it is packed by zip with 2 files: unpack it')
  await expect(unpacked(encrypted, 1000)).rejects.toThrow('with a password')
})

test('several members of gzip are one file, as pigz and logrotate write them', async () => {
  const twice = Buffer.concat([gzipSync(TEXT), gzipSync(TEXT)])
  expect(Buffer.from(await unpacked(twice, 100)).toString()).toBe(`${TEXT}${TEXT}`)
})

test('what is packed twice is named', async () => {
  const tar = Buffer.from(`cdr.csv${'\0'.repeat(250)}ustar\x0000`, 'latin1')
  await expect(unpacked(gzipSync(tar), 1000)).rejects.toThrow('it is packed by gzip, and a tar archive in it')
  await expect(unpacked(gzipSync(gzipSync(TEXT)), 1000)).rejects.toThrow('and packed by gzip in it')
})

test('text is not packed', async () => {
  expect(await unpacked(TEXT, 10)).toBe(TEXT)
  expect(packingOf(TEXT)).toBeUndefined()
  expect(packingOf(Buffer.from('BZh,1'))).toBeUndefined()
})
