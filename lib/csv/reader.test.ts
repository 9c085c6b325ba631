import { expect, test } from 'vitest'
import { readCsv, withoutNulls } from './reader.ts'

async function cellsOf(text: string) {
  const all = []
  for await (const row of readCsv([text], (_, cause) => cause)) all.push(withoutNulls(row))
  return all
}

test.each([
  ['line feeds', '\n'],
  ['carriage returns and line feeds', '\r\n'],
])('NULL is no value unless it stands in quotes, in rows that end in %s', async (_case, end) => {
  const rows = ['NULL,"NULL"', '"NULL",NULL', '"a\r\nb","NULL"']

  expect(await cellsOf(rows.join(end) + end)).toEqual([
    ['', 'NULL'],
    ['NULL', ''],
    ['a\r\nb', 'NULL'],
  ])
})
