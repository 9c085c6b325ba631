import { expect, test } from 'vitest'
import { countOf } from '#lib/base/text.ts'
import { aWorld } from '#test/world.ts'
import { type ListedRow, type Listing, type ListingFormat, listingOf, listingText } from './listing.ts'

const columns = { id: 'number', full_name: 'text', blocked: 'text', note: 'text' } as const

const two: ListedRow[] = [
  { id: 7, full_name: 'Ann, or "Annie"', blocked: false, note: '=1+1' },
  { id: 1234, full_name: 'Bo\u001b[2J', blocked: true },
]

async function textOfList(rows: Iterable<ListedRow>, format: ListingFormat): Promise<string> {
  let whole = ''
  const summary = (count: number) => countOf(count, 'account')
  for await (const text of listingText({ columns, rows, summary }, format)) whole += text
  return whole
}

test('a table has a header, numbers to the right, and its number of rows', async () => {
  expect((await textOfList(two, 'table')).split('\n')).toEqual([
    '  id  full name        blocked  note',
    '   7  Ann, or "Annie"  no       =1+1',
    '1234  Bo\\u001b[2J      yes',
    '2 accounts',
    '',
  ])
  expect(await textOfList([], 'table')).toBe('0 accounts\n')
})

test('CSV has the names of the columns, and no formulas', async () => {
  expect(await textOfList(two, 'csv')).toBe(
    'id,full_name,blocked,note\n7,"Ann, or ""Annie""",no,\'=1+1\n1234,Bo\u001b[2J,yes,\n',
  )
})

test('JSON keeps numbers and truth values, and a blank is null', async () => {
  expect(JSON.parse(await textOfList(two, 'json'))).toEqual([two[0], { ...two[1], note: null }])
  expect(JSON.parse(await textOfList([], 'json'))).toEqual([])
})

test('a long list is printed while it is read', async () => {
  let read = 0
  function* many() {
    for (; read < 5000; read += 1) yield { id: read, full_name: 'x', blocked: false }
  }
  const pieces = listingText({ columns, rows: many(), summary: String }, 'table')

  await pieces.next()
  expect(read).toBeLessThan(1100)
  let last = ''
  for await (const piece of pieces) last = piece
  expect(last).toBe('5000\n')
})

test('a bar compares the rows of a table that is measured as a whole', async () => {
  const listing: Listing = {
    columns: { name: 'text', sum: 'number' },
    rows: [
      { name: 'a', sum: '10' },
      { name: 'b', sum: '5' },
      { name: 'c', sum: '-1' },
    ],
    total: () => ({ sum: '14' }),
    bar: 'sum',
    summary: (count) => `${count} rows`,
  }

  let table = ''
  for await (const piece of listingText(listing, 'table')) table += piece
  expect(table.split('\n')).toEqual([
    'name   sum',
    `a       10  ${'█'.repeat(20)}`,
    `b        5  ${'█'.repeat(10)}`,
    'c       -1',
    'total   14',
    '3 rows',
    '',
  ])
})

test('a list of things shows of each what its columns say, and counts them', async () => {
  const { store } = await aWorld()
  const things = [{ id: 7, added_at: '2027-01-01T00:00:00.000Z' }]
  const listing = await listingOf(store, 'key', things, {
    id: 'number',
    added: ['time', ({ added_at }) => added_at],
  })
  expect(await Array.fromAsync(listing.rows)).toEqual([{ id: 7, added: '2027-01-01T00:00:00.000Z' }])
  expect(listing).toMatchObject({ columns: { id: 'number', added: 'time' }, zone: 'UTC' })
  expect(listing.summary(1)).toBe('1 key')
  expect(await listingOf(store, 'key', things, { id: 'number' })).toMatchObject({ zone: undefined })
})

test.each([
  ['currency', ['0 currencies', '1 currency', '5 currencies']],
  ['key', ['0 keys', '1 key', '5 keys']],
])('a list counts each %s as English does', async (noun, counted) => {
  const { store } = await aWorld()
  const { summary } = await listingOf(store, noun, [], {})
  expect([0, 1, 5].map((count) => summary?.(count))).toEqual(counted)
})
