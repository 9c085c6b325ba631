import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { escapeFormula } from '#lib/base/text.ts'
import type { SourceRow } from '#lib/table/cells/row-source.ts'
import { readSource } from './reader.ts'

async function aFile(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), 'tollgate-')), name)
  await writeFile(path, content)
  return path
}

const rowsOf = async (content: string | Uint8Array, name = 'settings.csv'): Promise<SourceRow[]> =>
  Array.fromAsync(readSource('settings', await aFile(name, content)).rows())

const row = (line: number, name: string, value: string): SourceRow => ({ line, cells: { name, value } })

test.each([
  ['lines end in LF', 'name,value\na,1\nb,2\n', [row(2, 'a', '1'), row(3, 'b', '2')]],
  ['lines end in CRLF', 'name,value\r\na,1\r\nb,2\r\n', [row(2, 'a', '1'), row(3, 'b', '2')]],
  ['the last line has no end', 'name,value\na,1', [row(2, 'a', '1')]],
  ['there is a byte order mark', '\uFEFFname,value\na,1\n', [row(2, 'a', '1')]],
  ['cells are quoted', 'name,value\n"a","x ""y"", z"\n', [row(2, 'a', 'x "y", z')]],
  [
    'a quoted cell holds line ends',
    'name,value\r\na,"1\r\n2"\r\n\r\nb,3\r\n',
    [row(2, 'a', '1\r\n2'), row(5, 'b', '3')],
  ],
  ['columns are in another order', 'value,name\n1,a\n', [row(2, 'a', '1')]],
])('a CSV file is read when %s', async (_case, content, rows) => {
  expect(await rowsOf(content)).toEqual(rows)
})

test('a row with too many or too few cells is refused alone', async () => {
  const rows = await rowsOf('name,value\na\nb,2\nc,3,4\n')

  expect(rows.map(({ line, problem }) => [line, problem])).toEqual([
    [2, 'has 1 cells, but the header has 2'],
    [3, undefined],
    [4, 'has 3 cells, but the header has 2'],
  ])
})

test.each([
  ['an unknown column', 'name,valeu\n', 'settings.csv: unknown column "valeu"'],
  ['a duplicate column', 'name,name\n', 'settings.csv: duplicate column "name"'],
  ['a missing column', 'value\n', 'settings.csv: column name is missing'],
  ['no content', '', 'settings.csv has no header line'],
  ['an open quote', 'name,value\na,"1\nb,2\n', 'settings.csv: unbalanced quotes after line 1'],
  ['text after a closing quote', 'name,value\na,"1"2\n', 'settings.csv: unbalanced quotes after line 1'],
  [
    'a broken byte in UTF-8',
    Buffer.concat([Buffer.from('name,value\nZürich,1\n'), Buffer.from('Zürich,1\n', 'latin1')]),
    'settings.csv is not UTF-8 from line 3 on: save it as CSV UTF-8',
  ],
])('a CSV file is refused as a whole with %s', async (_case, content, message) => {
  await expect(rowsOf(content)).rejects.toThrow(message)
})

const CSV = 'name,value\nZürich,1\n'

test.each<[string, Buffer]>([
  ['UTF-8 with a mark', Buffer.from(`\ufeff${CSV}`)],
  ['Windows-1252', Buffer.from(CSV, 'latin1')],
  ['UTF-16', Buffer.from(`\ufeff${CSV}`, 'utf16le')],
  ['UTF-16 without a mark', Buffer.from(CSV, 'utf16le')],
  ['UTF-16 with tabs', Buffer.from(`\ufeff${CSV.replaceAll(',', '\t')}`, 'utf16le')],
  ['Windows-1252 with semicolons', Buffer.from(CSV.replaceAll(',', ';'), 'latin1')],
  ['bars', Buffer.from(CSV.replaceAll(',', '|'))],
])('a CSV file is read in %s', async (_case, content) => {
  expect(await rowsOf(content)).toEqual([row(2, 'Zürich', '1')])
})

test('a first line may name the delimiter, and lines are counted with it', async () => {
  expect(await rowsOf('\ufeffsep=;\r\nname;value\r\na;"1;5"\r\n')).toEqual([row(3, 'a', '1;5')])
})

test('the encoding of a long file is that of all of it', async () => {
  const many = Array.from({ length: 20_000 }, (_, line) => `n${line},1\n`).join('')
  const rows = await rowsOf(Buffer.from(`name,value\n${many}Zürich,1\n`, 'latin1'))

  expect(rows.at(-1)).toEqual(row(20_002, 'Zürich', '1'))
})

test('an NDJSON file has an object a line; numbers keep their text, others become cells', async () => {
  const rows = await rowsOf(
    '{"name":1.50,"value":true}\r\n\n{"name":123456789012345678,"value":null}\n',
    'settings.ndjson',
  )

  expect(rows).toEqual([row(1, '1.50', '1'), row(3, '123456789012345678', '')])
})

test.each(['[1]', '"text"', '{"a":{"b":1}}', '{"a":[1]}', 'null', '{', '{"a":1}}'])(
  'a line of NDJSON that is not a flat object is refused alone: %s',
  async (line) => {
    const [first, second] = await rowsOf(`${line}\n{"name":"a","value":"1"}\n`, 'settings.ndjson')

    expect([first?.problem, second]).toEqual(['is not a flat JSON object', row(2, 'a', '1')])
  },
)

test('a line of NDJSON that is not UTF-8 is refused alone; any character stays in its line', async () => {
  const lines = ['{"name":"Zürich","value":"1"}\n', '{"name":"a\u2028ž","value":"1"}\n']
  const [latin1, utf8] = [Buffer.from(lines[0] ?? '', 'latin1'), Buffer.from(lines[1] ?? '')]
  const [first, second] = await rowsOf(Buffer.concat([latin1, utf8]), 'settings.ndjson')

  expect([first, second]).toEqual([{ line: 1, cells: {}, problem: 'is not UTF-8' }, row(2, 'a\u2028ž', '1')])
})

/** An import removes a `'` before a formula (docs/datasets.md), so a leading one is doubled. */
const written = (text: string) =>
  `"${(text.startsWith("'") ? escapeFormula(text) : text).replaceAll('"', '""')}"`

test('every cell is read as it was written', async () => {
  const cell = fc.string({ unit: 'grapheme' }).filter((text) => text !== '')
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(cell, cell), { maxLength: 5 }), async (cells) => {
      const quoted = cells.map((pair) => pair.map(written).join(','))
      const rows = await rowsOf(['name,value', ...quoted, ''].join('\r\n'))

      expect(rows.map(({ cells: { name, value } }) => [name, value])).toEqual(cells)
    }),
    { numRuns: 60, examples: [[[["'+", '+']]]] },
  )
})

test.each([
  ['users', 'devices'],
  ['rates', 'users'],
  ['devices', 'users'],
  ['services', 'devices'],
  ['calls', 'devices'],
] as const)('the header of %s as that of %s is refused, and says what it is', async (given, file) => {
  const header = (await readFile(`data/demo/${given}.csv`, 'utf8')).split('\n', 1)[0] ?? ''
  const names = header.trim().split(',')
  const json = JSON.stringify(Object.fromEntries(names.map((name) => [name, ''])))
  const says = `has the columns of ${given}.csv, not those of ${file}.csv`

  for (const [ending, content] of [
    ['csv', `${header}\n`],
    ['ndjson', `${json}\n`],
    ['ndjson', `\n{\n${json}\n`],
  ]) {
    const source = readSource(file, await aFile(`${file}.${ending}`, content ?? ''))
    await expect(Array.fromAsync(source.rows())).rejects.toThrow(says)
  }
})

test('devices may have columns of their own, also those that another file has', async () => {
  const content = 'id,user_id,name,latitude,tariff_id,first_name\n1,2,x,3,4,y\n'

  const [row] = await Array.fromAsync(readSource('devices', await aFile('devices.csv', content)).rows())
  expect(row?.cells).toMatchObject({ latitude: '3', first_name: 'y' })
})
