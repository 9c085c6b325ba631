import { expect, test } from 'vitest'
import { readTable } from './table.ts'

test('a cell that a list of refused rows marked as text is read without the mark', async () => {
  const text = "prefix,name\n'-370,\"'=A1\"\n+370,'quoted'\n"
  const { rows } = await readTable(Buffer.from(text), { delimiter: ',' })

  expect(rows).toEqual([
    { line: 1, cells: ['prefix', 'name'] },
    { line: 2, cells: ["'-370", '=A1'] },
    { line: 3, cells: ['+370', "'quoted'"] },
  ])
})

test('a cell of more than 32,767 characters, the limit of spreadsheets, is refused in CSV, too', async () => {
  const bytes = Buffer.from(`prefix,name\n370,${'x'.repeat(32_768)}\n`)

  await expect(readTable(bytes, {})).rejects.toThrow('Line 2 of the sheet has a cell of more than 32,767')
})

test.each([',', ',"a"', ',;'])('a row of 480,000 columns of %j is refused', async (column) => {
  const bytes = Buffer.from(`prefix,name\n370${column.repeat(480_000)}\n`)
  const widest = Buffer.from(`prefix,name\n370${column.repeat(16_383)}\n`)

  await expect(readTable(bytes, {})).rejects.toThrow('Line 2 of the sheet has more than 16,384 columns')
  expect((await readTable(widest, {})).rows.at(-1)?.cells).toHaveLength(16_384)
})

test('rows keep line numbers after blank lines, multi-line cells, and any kind of line end', async () => {
  const text = 'prefix;name\r\n\r\n370;"two\r\nlines"\n\n371;last\r372;old\r'
  const { rows } = await readTable(Buffer.from(text), { delimiter: ';' })

  expect(rows).toEqual([
    { line: 1, cells: ['prefix', 'name'] },
    { line: 3, cells: ['370', 'two\nlines'] },
    { line: 6, cells: ['371', 'last'] },
    { line: 7, cells: ['372', 'old'] },
  ])
})
