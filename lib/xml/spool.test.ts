import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type CountedMarkup, countRows } from './spool.ts'

async function* batches(count: number, size: number): AsyncGenerator<CountedMarkup> {
  for (let n = 0; n < count; n += 1) yield { markup: `<é>${n}${'x'.repeat(size)}</é>`, count: 2 }
}

const tooLong = () => new Error('too long')

const joined = async (rows: AsyncIterable<unknown>) => {
  let text = ''
  for await (const { markup } of rows as AsyncIterable<CountedMarkup>) text += markup
  return text
}

const spooledFiles = async () => (await readdir(join(tmpdir(), 'tollgate-spool')).catch(() => [])).length

test.each([
  ['in memory', 3, 10],
  ['on disk', 300, 20_000],
])('rows %s are counted and come back unchanged', async (_case, count, size) => {
  const expected = await joined(batches(count, size))

  const counted = await countRows(batches(count, size), tooLong)

  expect(counted.count).toBe(2 * count)
  expect(counted.rows.expectedBytes).toBe(Buffer.byteLength(expected))
  expect(await joined(counted.rows.batches)).toBe(expected)
})

test('no file is left after reading, or after an error', async () => {
  const before = await spooledFiles()
  async function* broken(): AsyncGenerator<CountedMarkup> {
    yield* batches(300, 20_000)
    throw new Error('the table is gone')
  }

  await joined((await countRows(batches(300, 20_000), tooLong)).rows.batches)
  await expect(countRows(broken(), tooLong)).rejects.toThrow('the table is gone')

  expect(await spooledFiles()).toBe(before)
})

test('an empty list has no rows', async () => {
  const { count, rows } = await countRows(batches(0, 0), tooLong)

  expect([count, await joined(rows.batches)]).toEqual([0, ''])
})
