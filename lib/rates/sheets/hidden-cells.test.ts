import { unzipSync, zipSync } from 'fflate'
import { writeXlsx } from 'hucre/xlsx'
import { expect, test } from 'vitest'
import { describeReading } from './describe-reading.ts'
import { createHiddenReader, partlyStruck } from './hidden-cells.ts'
import { readSheet } from './read-sheet.ts'

const HEADER = ['Destination', 'Code', 'Old Rate', 'New Rate']
const ROWS = [
  HEADER,
  ['France', '33', 0.01, 0.012],
  ['Germany', '49', 0.02, 0.021],
  ['Italy', '39', 0.03, 0.031],
]

const pricesIn = async (bytes: Uint8Array, profile = {}) => {
  const reading = await readSheet(bytes, profile)
  const prices = [...reading.rows()].map((entry) =>
    'cells' in entry ? (entry.problem ?? `${entry.cells['prefix']} ${entry.cells['tariff_rate']}`) : 'ended',
  )
  return { prices, left: reading.hidden, questions: reading.questions, lines: describeReading(reading) }
}

test('hidden rows and struck-out cells are left out, and named', async () => {
  const rowDefs = new Map([[2, { hidden: true }]])
  const strike = { font: { strikethrough: true } }
  const cells = new Map(['3,0', '3,1', '3,2', '3,3'].map((at) => [at, { style: strike }]))
  const book = await writeXlsx({ sheets: [{ name: 'Rates', rows: ROWS, rowDefs, cells }] })
  expect(await pricesIn(book)).toMatchObject({
    prices: ['33 0.012'],
    left: ['1 hidden row', '4 struck-out or hidden cells'],
    lines: expect.arrayContaining(['left out: 1 hidden row, 4 struck-out or hidden cells']),
  })
  expect(await pricesIn(book, { hidden: 'read' })).toMatchObject({
    prices: ['33 0.012', '49 0.021', '39 0.031'],
    left: [],
  })
})

test('a hidden column is no column, whatever its heading', async () => {
  const columns = [{}, {}, {}, { hidden: true }]
  const rows = [
    ['Destination', 'Code', 'Rate', 'New Rate'],
    ['France', '33', 0.012, 0.5],
  ]
  const book = await writeXlsx({ sheets: [{ name: 'Rates', rows, columns }] })
  expect(await pricesIn(book)).toMatchObject({ prices: ['33 0.012'], left: ['the hidden columns D'] })
})

test('the first visible worksheet is read, a hidden one only by its name', async () => {
  const old = { name: 'Old', hidden: true, rows: [['Code', 'Rate'], ['33', 0.5]] } // biome-ignore format: a table
  const present = { name: 'New', rows: [['Code', 'Rate'], ['33', 0.01]] } // biome-ignore format: a table
  const book = await writeXlsx({ sheets: [old, present] })
  expect(await pricesIn(book)).toMatchObject({ prices: ['33 0.01'], left: ['the hidden worksheet "Old"'] })
  expect(await pricesIn(book, { sheet: 'Old' })).toMatchObject({ prices: ['33 0.5'] })
})

test('where all rates are hidden, they are asked about', async () => {
  const rowDefs = new Map([1, 2, 3].map((row) => [row, { hidden: true }] as const))
  const book = await writeXlsx({ sheets: [{ name: 'Rates', rows: ROWS, rowDefs }] })
  expect((await pricesIn(book)).questions).toEqual([
    { about: 'hidden', asks: 'No visible cells hold rates: are 3 hidden rows read?', choices: ['read'] },
  ])
  expect((await pricesIn(book, { hidden: 'read' })).prices).toHaveLength(3)
})

type Sheet = Parameters<typeof writeXlsx>[0]['sheets'][number]

/** A workbook of three prices, of which one cell, and the XML of the worksheet, are others. */
async function aDeck(sheet: Partial<Sheet> = {}, edit: (xml: string) => string = (xml) => xml) {
  const rows = [
    ['Destination', 'Code', 'Rate'],
    ['France', '33', 0.012],
    ['Germany', '49', 0.021],
    ['Italy', '39', 0.031],
  ]
  const { 'xl/worksheets/sheet1.xml': part, ...parts } = unzipSync(
    await writeXlsx({ sheets: [{ name: 'Rates', rows, ...sheet }] }),
  )
  return zipSync({
    ...parts,
    'xl/worksheets/sheet1.xml': Buffer.from(edit(Buffer.from(part ?? []).toString())),
  })
}

const cell = (at: string, value: NonNullable<ReturnType<NonNullable<Sheet['cells']>['get']>>) => ({
  cells: new Map([[at, value]]),
})

test.each([
  [
    'dtjohnson/xlsx-populate 83: the rows of a group are folded',
    () => aDeck({}, (xml) => xml.replace(/<row r="3"/, '<row r="3" outlineLevel="1" hidden="1"')),
    ['33 0.012', '39 0.031'],
    '1 hidden row',
  ],
  [
    'SheetJS/sheetjs 630: a filter leaves one row',
    () => aDeck({}, (xml) => xml.replace(/<row r="[34]"/g, '$& hidden="true"')),
    ['33 0.012'],
    '2 hidden rows',
  ],
  [
    'SheetJS/sheetjs 588: a column of no width',
    () =>
      aDeck(
        {
          rows: [
            ['Code', 'Rate', 'New Rate'],
            ['33', 0.012, 0.5],
          ],
        },
        (xml) => xml.replace('<sheetData>', '<cols><col min="3" max="3" width="0.0"/></cols>$&'),
      ),
    ['33 0.012'],
    'the hidden columns C',
  ],
  [
    'dtjohnson/xlsx-populate 85: the number format ;;; prints nothing',
    () => aDeck(cell('2,2', { value: 0.021, style: { numFmt: ';;;' } })),
    ['33 0.012', 'Rate: "" is not a price with a decimal point such as 0.0125', '39 0.031'],
    '1 struck-out or hidden cell',
  ],
  [
    'dfinke/ImportExcel 762: one of two codes of a cell is struck out',
    () =>
      aDeck(cell('2,1', { richText: [{ text: '49,', font: { strikethrough: true } }, { text: ' 4915' }] })),
    ['33 0.012', '4915 0.021', '39 0.031'],
    '1 struck-out or hidden cell',
  ],
  [
    'tidyverse/readxl 428: the old price is struck out before the new one',
    () =>
      aDeck(
        cell('2,2', { richText: [{ text: '0.021', font: { strikethrough: true } }, { text: ' 0.020' }] }),
      ),
    ['33 0.012', '49 0.02', '39 0.031'],
    '1 struck-out or hidden cell',
  ],
])('%s', async (_source, deck, prices, left) => {
  expect(await pricesIn(await deck())).toMatchObject({ prices, left: [left], questions: [] })
})

const RUNS =
  '<r><rPr><strike/></rPr><t>0.1</t></r><r><rPr><strike val="0"/></rPr><t xml:space="preserve"> &lt;é </t></r>'

test.each([
  ['shared', '<c r="A2" t="s"><v>1</v></c><c r="B2" t="s"><v>0</v></c>'],
  ['of its own', `<c r="A2" t="inlineStr"><is>${RUNS}</is></c><c r="B2" t="inlineStr"><is><t>b</t></is></c>`],
])('a partly struck-out text that is %s is found wherever the worksheet is cut', (_kind, cells) => {
  const strings = partlyStruck(`<sst><si><t>b</t></si><si>${RUNS}</si></sst>`)
  const xml = Buffer.from(`<row r="2">${cells}</row></sheetData>`).toString('latin1')
  for (let cut = 0; cut <= xml.length; cut += 1) {
    const { hidden, read } = createHiddenReader(new Set(), strings)
    read(xml.slice(0, cut))
    read(xml.slice(cut))
    expect(hidden.struck).toEqual(new Map([[2, new Map([[0, '<é']])]]))
  }
})
