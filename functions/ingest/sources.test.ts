import { expect, test } from 'vitest'
import { listCallsWithId } from '#lib/calls/call.ts'
import { findQuickStats } from '#lib/calls/counters/call-stats.ts'
import { people } from '#test/examples/examples.ts'
import { consume } from '#test/queue/queue.ts'
import { aWorld } from '#test/world.ts'

const call = {
  type: 'call',
  uniqueid: '1773119520.40',
  calldate: '2026-03-10 11:00:00',
  src: '1001',
  dst: '12025550171',
  billsec: 60,
  hangupcause: 16,
  user_id: 10,
  user_price: '1',
}

const stored = async (...records: object[]) => {
  const world = await aWorld({ users: people })
  for (const record of records) await consume(world, { ...call, ...record })
  const stats = await findQuickStats(world.store, 'everyone', '2026-03-10')
  return {
    calls: await listCallsWithId(world.store, call.uniqueid),
    counted: stats.month.calls,
    log: world.log,
  }
}

test('two switches may share unique ids, and one switch may write several CDRs with one id', async () => {
  const records = [
    {},
    { source: 'pbx1' },
    { source: 'pbx2', dst: '442079460000' },
    { source: 'pbx2', source_part: '2', dst: '37060012345' },
  ]

  const { calls, counted } = await stored(...records, ...records)

  expect(calls.map(({ source, source_part, dst }) => [source, source_part, dst])).toEqual([
    [undefined, undefined, '12025550171'],
    ['pbx1', undefined, '12025550171'],
    ['pbx2', undefined, '442079460000'],
    ['pbx2', '2', '37060012345'],
  ])
  expect(counted).toBe(4)
})

test.each([
  ['another start', { calldate: '2026-03-10 11:00:01' }],
  ['another caller', { src: '1002' }],
  ['another number', { dst: '442079460000' }],
])('a repeated unique id with %s is refused and overwrites nothing', async (_case, change) => {
  const { calls, log } = await stored({ source: 'pbx1' }, { ...change, source: 'pbx1' })

  expect(calls).toMatchObject([
    { src: call.src, dst: call.dst, calldate: Date.UTC(2026, 2, 10, 11) / 1000, version: 1 },
  ])
  expect(log.at(-2)).toMatchObject({ outcome: 'refused', reason: 'id used by another call' })
})

test('a record with the same unique id, start and numbers is a correction', async () => {
  const { calls, counted } = await stored({ source: 'pbx1' }, { source: 'pbx1', billsec: 61 })

  expect(calls).toMatchObject([{ billsec: 61, version: 2 }])
  expect(counted).toBe(1)
})

test.each(['two words', 'a#b', 'x'.repeat(41)])('%j is not the name of a switch', async (source) => {
  const { calls, log } = await stored({ source })

  expect(calls).toEqual([])
  expect(log[0]?.['reason']).toContain('source takes')
})
