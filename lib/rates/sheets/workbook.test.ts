import { zipSync } from 'fflate'
import { writeXlsx } from 'hucre/xlsx'
import { expect, test } from 'vitest'
import { readWorkbook } from './workbook.ts'

const rowsIn = async (bytes: Uint8Array, sheet?: string) => (await readWorkbook(bytes, sheet)).rows

test('a workbook of more than 20 MB is refused', async () => {
  await expect(readWorkbook(new Uint8Array(20_000_001))).rejects.toThrow('more than 20 MB')
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
  await expect(readWorkbook(statingSize(size))).rejects.toThrow('more than 300 MB when it is unpacked')
})

test('a part is not unpacked beyond the size that it states', async () => {
  await expect(readWorkbook(statingSize(1000))).rejects.toThrow('The workbook cannot be read')
})

test('a sheet of more than 200,000 rows is refused', async () => {
  const rows = Array.from({ length: 200_001 }, (_, row) => [row])
  const bytes = await writeXlsx({ sheets: [{ name: 'Rates', rows }] })

  await expect(readWorkbook(bytes)).rejects.toThrow('more than 200000 rows')
})

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

const relationships = (...list: readonly (readonly [type: string, target: string])[]): string =>
  `<Relationships>${list.map(([type, target], index) => `<Relationship Id="rId${index + 1}" Type="${OFFICE}/${type}" Target="${target}"/>`).join('')}</Relationships>`

/** A workbook of one sheet, with these rows and shared strings in XML. */
function aWorkbook(rows: string, strings = ''): Uint8Array {
  const parts = {
    '[Content_Types].xml': '<Types/>',
    '_rels/.rels': relationships(['officeDocument', 'xl/workbook.xml']),
    'xl/workbook.xml': '<workbook><sheets><sheet name="Rates" sheetId="1" r:id="rId1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels': relationships(
      ['worksheet', 'sheet1.xml'],
      ['sharedStrings', 'strings.xml'],
    ),
    'xl/sheet1.xml': `<worksheet><sheetData>${rows}</sheetData></worksheet>`,
    'xl/strings.xml': `<sst>${strings}</sst>`,
  }
  return zipSync(Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, Buffer.from(text)])), {
    level: 1,
  })
}

const inlineCell = (text: string): string => `<row><c t="inlineStr"><is>${text}</is></c></row>`

const MB = 1_000_000

test('rows, shared strings and cells in the last column are read', async () => {
  const row = '<row r="2"><c r="A2"><v>1</v></c><c r="XFD2" t="s"><v>0</v></c></row>'
  const [read] = await rowsIn(aWorkbook(row, '<si><t>far</t></si>'))

  expect(read?.line).toBe(2)
  expect(read?.cells).toHaveLength(16_384)
  expect([read?.cells[0], read?.cells.at(-1)]).toEqual(['1', 'far'])
})

test.each([
  ['a cell', inlineCell(`<t>${'x'.repeat(26 * MB)}</t>`), ''],
  ['a cell of many runs', inlineCell('<r><t>a</t></r>'.repeat(1.8 * MB)), ''],
  ['a shared string', '<row/>', `<si><t>${'x'.repeat(26 * MB)}</t></si>`],
  ['a row of empty cells', `<row>${'<c/>'.repeat(2.1 * MB)}</row>`, ''],
  ['a list of empty strings', '<row/>', '<si/>'.repeat(2.1 * MB)],
])('%s too large for memory is refused', async (_case, rows, strings) => {
  await expect(readWorkbook(aWorkbook(rows, strings))).rejects.toThrow(
    'A row of the workbook, or a part of it that has no rows, is larger than 25 MB or 2,000,000 XML tags',
  )
})

test('a cell of more than 32,767 characters, the limit of spreadsheets, is refused', async () => {
  await expect(readWorkbook(aWorkbook(inlineCell(`<t>${'x'.repeat(32_768)}</t>`)))).rejects.toThrow(
    'Line 1 of the sheet has a cell of more than 32,767 characters',
  )
})

test('rows up to the last column are refused if they have too many cells', async () => {
  const rows = '<row><c r="A1"><v>1</v></c><c r="XFD1"><v>1</v></c></row>'.repeat(700)

  await expect(readWorkbook(aWorkbook(rows))).rejects.toThrow(
    'The sheet has more than 10,000,000 cells, including blank ones: clear the columns to the right of the rates',
  )
})

test('a part whose packed size is not stated is refused', async () => {
  const bytes = aWorkbook('<row/>')
  const entry = Buffer.from(bytes).lastIndexOf(Buffer.from('504b0102', 'hex'))
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  view.setUint16(entry + 8, 8, true)
  view.setUint32(entry + 20, 0, true)

  await expect(readWorkbook(bytes)).rejects.toThrow('more than 300 MB when it is unpacked')
})
