import { expect, test } from 'vitest'
import { importOne } from '#test/datasets/import-rows.ts'
import { aMinute, threeTariffs } from '#test/examples/tariffs.ts'
import { aWorld } from '#test/world.ts'

const call = (uniqueid: string, calldate: string) => ({
  uniqueid,
  ...aMinute,
  calldate,
  user_id: '10',
  user_price: '0.1',
})

const CALLS = [
  call('a', '2025-03-30 02:59:59'),
  call('b', '2025-03-30 03:30:00'),
  call('c', '2025-03-30 03:30:00'),
  call('d', '2025-03-30 04:00:00'),
  call('e', '2025-03-30 03:30:00Z'),
  call('f', '2025-10-26 03:30:00'),
]

test.each([true, false])('times that a clock never showed are counted once (dry run: %s)', async (dryRun) => {
  const world = await aWorld(threeTariffs, { Timezone: 'Europe/Vilnius' })
  const report = await importOne(world, 'calls', CALLS, { dryRun })

  expect(report?.remarks).toEqual([
    'warning: 2 rows have a time that Europe/Vilnius skipped when clocks went forward, such as 2025-03-30 03:30:00: they are read as an hour later',
  ])
})

test('times that exist are not remarked', async () => {
  const report = await importOne(await aWorld(threeTariffs), 'calls', CALLS)

  expect(report?.remarks).toEqual([])
})
