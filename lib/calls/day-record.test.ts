import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ALL_TIME } from '#lib/base/calendar.ts'
import { id, integer, text } from '#lib/table/columns.ts'
import type { Item } from '#lib/table/items.ts'
import { pack, unpacker } from '#lib/table/packed-row.ts'
import type { Store } from '#lib/table/store.ts'
import { rowsOfPages } from '#test/dump.ts'
import { aWorld } from '#test/world.ts'
import { listDays } from './day-list.ts'
import { type DayRecord, storeDayRecords } from './day-record.ts'

const HOUR = 3600

const columns = { id, at: integer(), digest: text() }

const aRecord = (id: number, at: number, lists: readonly string[], digest = '1'): DayRecord => ({
  key: { PK: `RECORD#${id}`, SK: 'RECORD' },
  digest,
  at,
  place: String(id).padStart(5, '0'),
  lists,
  row: pack(columns, { id, at, digest }),
})

const asStored = unpacker(columns)

async function rowsIn(store: Store, list: string): Promise<{ about: number; rows: Item[] }> {
  const { about, pages } = await listDays(store, { list, read: asStored }, ALL_TIME)
  const rows = await rowsOfPages(pages)
  return { about, rows: rows.map(({ id, at, digest }) => ({ id, at, digest })) }
}

/** Batches of deliveries of a few records, some of them with changes; a record's last one is final. */
const deliveries = fc.array(
  fc.array(
    fc.record({
      id: fc.nat(5),
      at: fc.nat(72).map((hours) => hours * HOUR),
      lists: fc.subarray(['A', 'B', 'C']),
      digest: fc.constantFrom('1', '2'),
    }),
    { maxLength: 8 },
  ),
  { maxLength: 5 },
)

/** A record with the digest of the stored one is the same record, whatever its columns. */
function expectedIn(
  list: string,
  batches: readonly (readonly { id: number; at: number; lists: string[]; digest: string }[])[],
) {
  const stored = new Map<number, { id: number; at: number; lists: string[]; digest: string }>()
  for (const record of batches.flat()) {
    if (stored.get(record.id)?.digest !== record.digest) stored.set(record.id, record)
  }
  return [...stored.values()]
    .filter(({ lists }) => lists.includes(list))
    .sort((one, other) => one.at - other.at || one.id - other.id)
    .map(({ id, at, digest }) => ({ id, at, digest }))
}

test('lists and counters equal those of a simple reference for any deliveries', async () => {
  await fc.assert(
    fc.asyncProperty(deliveries, async (batches) => {
      const { store } = await aWorld()
      for (const batch of batches) {
        await storeDayRecords(
          store,
          batch.map(({ id, at, lists, digest }) => aRecord(id, at, lists, digest)),
        )
      }

      for (const list of ['A', 'B', 'C']) {
        const expected = expectedIn(list, batches)
        expect(await rowsIn(store, list)).toEqual({ about: expected.length, rows: expected })
      }
    }),
    { numRuns: 15 },
  )
})

test('parallel consumers of the same records store and count each once', async () => {
  const { store } = await aWorld()
  const records = Array.from({ length: 120 }, (_, id) => aRecord(id, id * HOUR, ['A', 'B']))
  const outcomes = await Promise.all(
    [records, records.toReversed(), records.slice(30, 90)].map((some) => storeDayRecords(store, some)),
  )

  expect(outcomes.flat().filter((outcome) => outcome === 'new')).toHaveLength(120)
  expect(await rowsIn(store, 'B')).toEqual({ about: 120, rows: records.map(({ row }) => asStored({ row })) })
})

test('a record in one list costs little more than two items: one update counts many records', async () => {
  const { store, meter } = await aWorld()
  const records = Array.from({ length: 490 }, (_, id) => aRecord(id, id, ['A']))
  const before = meter.spent.write
  await storeDayRecords(store, records)

  const [items, unitsOfAnItem, transactions] = [2 * 490, 2, 10]
  expect(meter.spent.write - before).toBe(items * unitsOfAnItem + transactions * unitsOfAnItem)
})

test('records too large for one transaction are stored one by one', async () => {
  const { store } = await aWorld()
  const records = Array.from({ length: 40 }, (_, id) => {
    const row = pack(columns, { id, at: id, digest: 'x'.repeat(150_000) })
    return { ...aRecord(id, id, ['A']), row }
  })
  await storeDayRecords(store, records)

  expect((await rowsIn(store, 'A')).about).toBe(40)
})

test('a day that is partly in the period counts for that part', async () => {
  const { store } = await aWorld()
  await storeDayRecords(
    store,
    Array.from({ length: 24 }, (_, hour) => aRecord(hour, hour * HOUR, ['A'])),
  )

  expect((await listDays(store, { list: 'A', read: asStored }, { from: 0, till: 6 * HOUR - 1 })).about).toBe(
    6,
  )
  expect(
    (await listDays(store, { list: 'A', read: asStored }, { from: 6 * HOUR, till: 30 * HOUR })).about,
  ).toBe(18)
  expect((await listDays(store, { list: 'A', read: asStored }, { from: 1, till: 0 })).about).toBe(0)
})
