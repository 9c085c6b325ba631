import { writeXlsx } from 'hucre/xlsx'
import { expect, test } from 'vitest'
import { describeReading } from './describe-reading.ts'
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
    left: ['1 hidden row', '4 struck-out cells'],
    lines: expect.arrayContaining(['left out: 1 hidden row, 4 struck-out cells']),
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
