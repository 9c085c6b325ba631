import { expect, test } from 'vitest'
import { findCalls } from '#lib/calls/call.ts'
import { importInto } from '#test/datasets/import-rows.ts'
import { people } from '#test/examples/examples.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld, type World } from '#test/world.ts'

const rated = {
  tariffs: [{ id: '1', name: 'Retail', owner_id: '0', purpose: 'user_wholesale' }],
  rates: [{ tariff_id: '1', prefix: '44', destination: 'UK', tariff_rate: '0.1' }],
}

/** Rows with all columns, as an export has them: none of them keeps a stored value. */
const history = (day: string, count: number, cells = {}) =>
  Array.from({ length: count }, (_, index) => ({
    uniqueid: `${day}-${index}`,
    calldate: `${day} 10:00:00`,
    src: '1',
    dst: '2',
    disposition: 'ANSWERED',
    duration: '60',
    billsec: '60',
    hangupcause: '16',
    user_id: String(index % 2 ? 10 : 20),
    device_id: '0',
    dst_user_id: '',
    dst_device_id: '0',
    provider_id: '',
    user_rate: '',
    user_price: '0.1',
    provider_rate: '',
    provider_price: '',
    reseller_price: '',
    source: 'old',
    source_part: String(index),
    cdr_digests: '',
    incoming: '0',
    owner_id: '0',
    ...cells,
  }))

/** The read units that an import takes. */
async function readsOf({ meter, given }: World, calls: ReturnType<typeof history>): Promise<number> {
  const before = meter.spent.read
  await given({ calls })
  return meter.spent.read - before
}

test('calls of an empty day are stored without reading the table for each of them', async () => {
  const world = await aWorld({ users: people })

  const few = await readsOf(world, history('2026-01-01', 10))
  expect(await readsOf(world, history('2026-01-02', 400))).toBe(few)
  expect(await readsOf(world, history('2026-01-02', 400))).toBeGreaterThan(few + 100)
  expect(await damageIn(world)).toEqual([])
})

test('a call whose id is stored on another day is read after all, and refused', async () => {
  const world = await aWorld({ users: people })
  await world.given({ calls: history('2026-01-01', 3) })
  const moved = history('2026-01-01', 3, { calldate: '2026-02-01 10:00:00' })

  await expect(world.given({ calls: [...moved, ...history('2026-02-01', 3)] })).rejects.toThrow(
    'row 3: id used by another call',
  )
  const ids = ['2026-01-01-0', '2026-02-01-0'].map((uniqueid) => ({
    uniqueid,
    source: 'old',
    source_part: '0',
  }))
  expect((await findCalls(world.store, ids)).map((call) => call?.day)).toEqual(['2026-01-01', '2026-02-01'])
  expect(await damageIn(world)).toEqual([])
})

test('many customers of a day share the transactions that count them', async () => {
  const world = await aWorld({ users: people })
  const before = world.meter.spent.write
  await world.given({ calls: history('2026-01-01', 2000) })

  expect(world.meter.spent.requests).toBeLessThan(150)
  expect(world.meter.spent.write - before).toBeLessThan(2000 * 8)
})

test('a dry run rates calls without prices like the import, and names those it cannot rate yet', async () => {
  const world = await aWorld({
    ...rated,
    users: people.map((one) => ({ ...one, tariff_id: one.id === '10' ? '1' : '' })),
  })
  const unpriced = { user_id: '10', user_price: '' }
  const calls = [
    ...history('2026-03-01', 1, { ...unpriced, dst: '442079460000' }),
    ...history('2026-03-02', 1, { ...unpriced, dst: '4930123456' }),
  ]

  const [report] = await importInto(world, { calls })
  expect([...(report?.refused.values() ?? [])]).toEqual(['tariff 1 of account 10 has no rate for 4930123456'])

  const rates = [...rated.rates, { tariff_id: '1', prefix: '49', destination: 'Germany', tariff_rate: '0.1' }]
  const both = { rates, calls: calls.map((call) => ({ ...call, source: 'other' })) }
  const reports = await importInto(world, both, { dryRun: true })
  expect(reports.map(({ refused, counts }) => [refused.size, counts?.new])).toEqual([
    [0, 1],
    [0, 2],
  ])
  expect(reports[1]?.remarks).toEqual([
    '1 calls could not be rated by what is stored: the import rates them after the files before calls',
  ])
})
