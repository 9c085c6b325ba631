import { randomUUID } from 'node:crypto'
import pMap from 'p-map'
import { expect, inject, test } from 'vitest'
import { ascending } from '#lib/base/collections.ts'
import { hexDigest } from '#lib/base/digest.ts'
import { createClient } from '#lib/table/requests/client.ts'
import { createMeter } from '#lib/table/requests/meter.ts'
import { createStore } from '#lib/table/store.ts'
import { createTable } from '#tools/server/engine.ts'
import { prefixOfLine } from './prefix-pages.ts'
import {
  activeVersion,
  createPageMemory,
  findLines,
  readVersions,
  rememberingPages,
} from './prefix-versions.ts'
import { replaceLines } from './version-replacement.ts'

const list = { header: { PK: 'LIST', SK: 'LIST' }, pages: (version: number) => `PAGES#${version}` }

/** Lines of nested prefixes, with text that hardly compresses. */
const someLines = (size: number): string[] =>
  Array.from({ length: size }, (_, row) => `${String(row).split('').reverse().join('')}7\t${Math.sin(row)}`)
    .filter((line) => !line.startsWith('0'))
    .sort(ascending)

const someNumbers = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => String(1_000_000 + ((n * 7_654_321) % 9_000_000)))

/** A list in a table of its own. Each store that is opened over it counts its own requests. */
async function aList(lines: readonly string[]) {
  const tableName = `list-${randomUUID()}`
  const client = createClient({ tableName, endpoint: inject('endpoint') })
  await createTable(client, tableName)
  const open = () => createStore({ client, tableName, meter: createMeter() })
  await replaceLines(open(), list, { lines, at: new Date(), who: 'ada' })
  return { open, version: activeVersion(readVersions(await open().get(list.header))) }
}

test.each([
  { lines: 200, lookups: 500, pages: 1, most: 1 },
  { lines: 3000, lookups: 2000, pages: 5, most: 40 },
  { lines: 40_000, lookups: 500, pages: 56, most: 200 },
])('$lookups numbers on $pages pages are found with at most $most requests', async (expected) => {
  const { open, version } = await aList(someLines(expected.lines))
  const [one, many] = [open(), open()]
  const numbers = someNumbers(expected.lookups)
  const find = createPageMemory(many)
  const found = await pMap(numbers, (digits) => find(list, version, digits), { concurrency: 16 })

  for (const [n, digits] of numbers.slice(0, 50).entries())
    expect(found[n]?.toSorted()).toEqual([...(await findLines(one, list, { version }, digits))].sort())
  expect(found.flat().length).toBeGreaterThan(0)
  expect(many.meter.spent.requests).toBeLessThanOrEqual(expected.most)
})

test('a large list is asked for many pages at the same time', async () => {
  const { open, version } = await aList(someLines(40_000))
  const store = open()
  const find = createPageMemory(store)
  await pMap(someNumbers(500), (digits) => find(list, version, digits), { concurrency: 16 })

  expect(store.meter.spent.requests).toBeGreaterThan(2 * store.meter.spent.roundTrips)
})

test('a process finds the lines of a number on the pages that it remembers, without a request', async () => {
  const { open, version } = await aList(someLines(40_000))
  const [one, warm] = [open(), open()]
  const numbers = someNumbers(200)
  const find = rememberingPages()()
  for (const digits of numbers) await findLines(one, list, { version, find }, digits)

  for (const digits of numbers)
    expect(await findLines(warm, list, { version, find }, digits)).toEqual(
      await findLines(one, list, { version }, digits),
    )
  expect(warm.meter.spent.requests).toBe(0)
})

test('the lines of a page that is asked for again are not unpacked again, unless 128 others came between', async () => {
  const lines = someLines(15_000).map((line) => line + [1, 2, 3].map((n) => hexDigest(line + n)).join(''))
  const { open, version } = await aList(lines)
  const [store, partition] = [open(), list.pages(version?.version ?? 0)]
  const find = rememberingPages()()
  const linesOf = async (digits: string) => (await find(store, partition, digits))?.lines
  const [first = ''] = lines.map(prefixOfLine)
  const unpacked = await linesOf(first)

  expect(unpacked?.length).toBeGreaterThan(10)
  expect(await linesOf(first)).toBe(unpacked)
  for (const digits of someNumbers(1000)) await linesOf(digits)
  const again = await linesOf(first)
  expect(again).toEqual(unpacked)
  expect(again).not.toBe(unpacked)
})
