import { zipSync } from 'fflate'
import { writeXlsx } from 'hucre/xlsx'
import { expect, test } from 'vitest'
import { workbookRows } from './workbook.ts'

test('a workbook of more than 20 MB is refused', async () => {
  await expect(workbookRows(new Uint8Array(20_000_001))).rejects.toThrow('more than 20 MB')
})

/** A zip archive whose directory states this size for its only part. */
function statingSize(size: number): Uint8Array {
  const bytes = zipSync({ 'xl/workbook.xml': new Uint8Array(100_000) })
  const stated = Buffer.from(bytes).lastIndexOf(Buffer.from('504b0102', 'hex')) + 24
  new DataView(bytes.buffer, bytes.byteOffset).setUint32(stated, size, true)
  return bytes
}

test.each([
  ['more than 300 MB', 300_000_001],
  ['nothing, although there is something in it', 0],
])('a workbook whose part states %s is refused before it is unpacked', async (_case, size) => {
  await expect(workbookRows(statingSize(size))).rejects.toThrow('more than 300 MB when it is unpacked')
})

test('a part is not unpacked beyond the size that it states', async () => {
  await expect(workbookRows(statingSize(1000))).rejects.toThrow('The workbook cannot be read')
})

test('a sheet of more than 200,000 rows is refused', async () => {
  const rows = Array.from({ length: 200_001 }, (_, row) => [row])
  const bytes = await writeXlsx({ sheets: [{ name: 'Rates', rows }] })

  await expect(workbookRows(bytes)).rejects.toThrow('more than 200000 rows')
})
