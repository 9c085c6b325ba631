import { expect, test } from 'vitest'
import { importDataset } from '#lib/dataset/import/import.ts'
import { filesOf, importOne } from '#test/datasets/import-rows.ts'
import { aMinute, threeTariffs } from '#test/examples/tariffs.ts'
import { aWorld } from '#test/world.ts'

test.each([true, false])('a call that a file repeats counts as new once (dry run: %s)', async (dryRun) => {
  const world = await aWorld(threeTariffs)
  const call = { uniqueid: 'a', ...aMinute, user_id: '10', user_price: '0.1' }
  const report = await importOne(world, 'calls', [call, call, { ...call, user_price: '0.2' }], { dryRun })

  expect(report?.counts).toMatchObject({ new: 1, changed: 1, unchanged: 1 })
  const negative = { ...call, uniqueid: 'b', user_price: '-0.1', provider_price: '-0.01' }
  expect(
    JSON.stringify(await importOne(world, 'calls', [negative], { dryRun }), (_name, value) =>
      value instanceof Map ? [...value] : value,
    ),
  ).toContain('user_price is -0.1: a price is 0 or more; provider_price is -0.01: a price is 0 or more')
})

test.each([true, false])(
  'a call that another part of the file repeats, compared or written later, counts as new once (dry run: %s)',
  async (dryRun) => {
    const world = await aWorld(threeTariffs)
    const call = { uniqueid: 'a', ...aMinute, user_id: '10', user_price: '0.1' }
    const other = { ...call, uniqueid: 'b' }
    const files = [
      ...filesOf({ calls: [call, other, call] }),
      ...filesOf({ calls: [other, { ...call, user_price: '0.2' }] }),
    ]
    const reports = await importDataset({ store: world.store, clock: () => world.now }, 'old', files, {
      dryRun,
    })

    expect(reports.map(({ counts }) => counts)).toMatchObject([
      { new: 2, changed: 0, unchanged: 1 },
      { new: 0, changed: 1, unchanged: 1 },
    ])
  },
)
