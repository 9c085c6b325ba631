import { expect, test } from 'vitest'
import type { Store } from '#lib/table/store.ts'
import { suspenseOf } from '#test/dump.ts'
import { anOperator, csv, send, stored, zoeAppears, zoesDialog } from '#test/mediation/csv-switch.ts'
import type { World } from '#test/world.ts'

/** Sends documents; returns the reads of suspense: its list, its entries with consistency, removals. */
async function readsOf(world: World, ...documents: Parameters<typeof send>[1][]) {
  const reads: string[] = []
  const isOfSuspense = (partition: string) => partition.startsWith('SUSPENSE')
  const noting: Store = {
    ...world.store,
    getMany: (keys, consistency) => {
      const entries = keys.filter(({ PK }) => isOfSuspense(PK))
      if (entries.length > 0) reads.push(`${entries.length} ${consistency ?? 'strong'}`)
      return world.store.getMany(keys, consistency)
    },
    removeBatch: (keys) => {
      if (keys.some(({ PK }) => isOfSuspense(PK))) reads.push('removal')
      return world.store.removeBatch(keys)
    },
    firstPage: (query) => {
      if (isOfSuspense(query.partition)) reads.push('list')
      return world.store.firstPage(query)
    },
  }
  const report = await send({ ...world, store: noting }, ...documents)
  return { reads, report }
}

const calls = (count: number, change = {}) =>
  csv(Array.from({ length: count }, (_, n) => ({ uniqueid: `u${n + 1}`, ...change })))

test('up to ten CDRs look for their entries, more of them only if suspense has any', async () => {
  const world = await anOperator()

  expect(await readsOf(world, calls(10))).toMatchObject({ reads: ['10 eventual'], report: { stored: 10 } })
  expect(await readsOf(world, calls(11))).toMatchObject({
    reads: ['list'],
    report: { duplicate: 10, stored: 1 },
  })
  await send(world, csv([{ uniqueid: 'z', account_code: 'zoe' }]))
  expect((await readsOf(world, calls(11))).reads).toEqual(['list', '11 eventual'])
})

test('a skipped or unreadable part and an event of a call in progress look for no entry', async () => {
  const world = await anOperator()
  const hangup = { 'Event-Name': 'CHANNEL_HANGUP_COMPLETE', 'Call-Direction': 'inbound', 'Unique-ID': '1' }
  const live = { format: 'live' as const, text: JSON.stringify(hangup) }
  const outbound = {
    format: 'live' as const,
    text: JSON.stringify({ ...hangup, 'Call-Direction': 'outbound' }),
  }

  expect(await readsOf(world, live, outbound)).toMatchObject({ reads: [], report: { stored: 1, skipped: 1 } })
  const unreadable = csv([{ billsec: 'many' }])
  expect(await readsOf(world, unreadable)).toMatchObject({ reads: ['1 strong'], report: { suspended: 1 } })
})

test("a stored call's events leave suspense by a strong read: a new entry is found", async () => {
  const world = await anOperator()
  const document = { format: 'kamailio-json' as const, text: zoesDialog.join('\n') }
  await send(world, document)
  await zoeAppears(world)

  expect((await readsOf(world, document)).reads.toSorted()).toEqual([
    '2 eventual',
    '2 strong',
    'removal',
    'removal',
  ])
  expect(await suspenseOf(world)).toEqual([])
  expect(await stored(world, 'd1')).toHaveLength(1)
})
