import { expect, test } from 'vitest'
import { findTariff } from '#lib/rates/tariff.ts'
import { aWorldWithTariffs, importRates } from '#test/datasets/tariff-rates.ts'
import { exampleTariffs, rate } from '#test/examples/tariffs.ts'

test('a changed tariff keeps its rates', async () => {
  const world = await aWorldWithTariffs()
  await importRates(world, [rate({ prefix: '1' })])
  await world.given({ tariffs: [{ ...exampleTariffs[0], name: 'Renamed' }] })

  expect(await findTariff(world.store, 1)).toMatchObject({ name: 'Renamed', active: { rows: 1 } })
})

test.each([
  ['an unknown owner', { owner_id: '99' }, 'owner_id: there is no account 99'],
  [
    'an owner that may own nothing',
    { owner_id: '10' },
    'owner_id: account 10 is not an admin, reseller or partner',
  ],
])('a tariff is refused for %s', async (_case, cells, reason) => {
  const world = await aWorldWithTariffs()

  await expect(world.given({ tariffs: [{ ...exampleTariffs[0], id: '8', ...cells }] })).rejects.toThrow(
    reason,
  )
})
