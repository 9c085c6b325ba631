import { expect, test } from 'vitest'
import { importOne } from '#test/datasets/imports.ts'
import { aMinute, threeTariffs } from '#test/examples/tariffs.ts'
import { aWorld } from '#test/world.ts'

test.each([true, false])('a call that a file repeats counts as new once (dry run: %s)', async (dryRun) => {
  const world = await aWorld(threeTariffs)
  const call = { uniqueid: 'a', ...aMinute, user_id: '10', user_price: '0.1' }
  const report = await importOne(world, 'calls', [call, call, { ...call, user_price: '0.2' }], { dryRun })

  expect(report?.counts).toMatchObject({ new: 1, changed: 1, unchanged: 1 })
})
