import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type CsvDialect, readCsv } from './reader.ts'

const refused = (line: number) => new Error(`after line ${line}`)

const rowsOf = (parts: readonly string[], dialect: CsvDialect = {}) =>
  Array.fromAsync(readCsv(parts, refused, dialect))

const cellsOf = async (text: string, dialect: CsvDialect) =>
  (await rowsOf([text], dialect)).map(({ cells }) => cells)

test.each([
  ['line feeds', '\n'],
  ['carriage returns and line feeds', '\r\n'],
  ['carriage returns', '\r'],
])('NULL is no value unless it stands in quotes, in rows that end in %s', async (_case, end) => {
  const rows = ['NULL,"NULL"', '"NULL",NULL', '"a\r\nb","NULL"', 'NULL,x']

  expect(await cellsOf(rows.join(end) + end, { noValue: 'NULL' })).toEqual([
    ['', 'NULL'],
    ['NULL', ''],
    ['a\r\nb', 'NULL'],
    ['', 'x'],
  ])
})

test.each([
  ['a quote within a cell', 'a"b;c', [['a"b', 'c']]],
  ['text behind closed quotes', '"a""b"c"d;e', [['"a"b"c"d', 'e']]],
  ['a delimiter in quotes before such text', '"a;b"c;d', [['"a;b"c', 'd']]],
  ['quotes of CSV', '"a;""b""";"c\nd"', [['a;"b"', 'c\nd']]],
])('with relaxed quotes %s is read', async (_case, text, rows) => {
  expect(await cellsOf(text, { delimiter: ';', relaxQuotes: true })).toEqual(rows)
})

test('a byte order mark before a row is skipped', async () => {
  expect(await cellsOf('\ufeffa,b\n\ufeff"c",d\ufeff\n', {})).toEqual([
    ['a', 'b'],
    ['c', 'd\ufeff'],
  ])
})

test('text in parts has the same rows, lines and refusal as the whole text', async () => {
  const text = fc
    .array(fc.constantFrom('x', '"', '""', '"y\n""z"', ',', '\n', '\r', '\r\n', '\ufeff'), { maxLength: 30 })
    .map((pieces) => pieces.join(''))
  const places = fc.array(fc.nat({ max: 40 }), { maxLength: 6 })
  const resultOf = (parts: readonly string[]) => rowsOf(parts).catch((error: unknown) => String(error))

  await fc.assert(
    fc.asyncProperty(text, places, async (whole, cuts) => {
      const ends = [...cuts, whole.length].toSorted((one, other) => one - other)
      const parts = ends.map((end, index) => whole.slice(ends[index - 1] ?? 0, end))
      expect(await resultOf(parts)).toEqual(await resultOf([whole]))
    }),
    { numRuns: 2000 },
  )
})

test.each([
  ['one part', 1],
  ['parts', 40],
])('a row that is too large for memory is refused, in %s', async (_case, count) => {
  const row = Array<string>(count).fill('x'.repeat(3_000_000 / count))
  await expect(rowsOf(['a\n', ...row, '\n'])).rejects.toThrow('after line 1')
})
