import { expect, test } from 'vitest'
import { secondsOf } from '#lib/domain/calendar.ts'
import { findTariff, readRates } from '#lib/store/rates/tariff.ts'
import { rate, threeTariffs } from '#lib/testing/tariffs.ts'
import { aWorld, type World } from '#lib/testing/world.ts'
import { describeBelowCost } from './sold-below-cost.ts'

/** Admin's tariff 1 in dollars, Rick's tariff 2 in euros at half a dollar each, Potomac's tariff 3. */
const estate = {
  ...threeTariffs,
  rates: [
    ...[
      { prefix: '1', tariff_rate: '0.05' },
      { prefix: '1202', tariff_rate: '0.01' },
      { prefix: '44', tariff_rate: '0.05' },
      { prefix: '49', tariff_rate: '0.02', effective_from: '2026-03-20 00:00:00' },
      { prefix: '7', tariff_rate: '0' },
    ].map(rate),
    ...[
      { prefix: '1', tariff_rate: '0.03' },
      { prefix: '44', tariff_rate: '0.02' },
    ].map((cells) => rate({ tariff_id: '2', ...cells })),
    ...[
      { prefix: '1', tariff_rate: '0.02' },
      { prefix: '12025', tariff_rate: '0.04' },
      { prefix: '44', tariff_rate: '0.05' },
      { prefix: '447', tariff_rate: '0.1' },
      { prefix: '4477', tariff_rate: '0.07' },
      { prefix: '49', tariff_rate: '0.03' },
    ].map((cells) => rate({ tariff_id: '3', ...cells })),
  ],
}

async function told(world: World, id: number) {
  const tariff = await findTariff(world.store, id)
  if (!tariff) throw new Error(`There is no tariff ${id}`)
  const lines = await readRates(world.store, tariff, tariff.active)
  return describeBelowCost(world.store, { tariff, lines, now: secondsOf(world.now) })
}

test('what is sold below cost is told for each side of it, in one currency, with the worst first', async () => {
  const world = await aWorld(estate)
  const ofAdmin =
    'warning: tariff 1 sells 3 prefixes (44 at 0.05 for 0.1, 1202 at 0.01 for 0.04, 49 at 0.02 for 0.03) below what tariff 3 charges'

  expect(await told(world, 1)).toEqual([`${ofAdmin} (by the rates from 2026-03-20 00:00:00 on)`])
  expect(await told(world, 3)).toEqual([
    'warning: tariff 1 sells 2 prefixes (44 at 0.05 for 0.1, 1202 at 0.01 for 0.04) below what tariff 3 charges',
  ])
  expect(await told(world, 2)).toEqual([
    'warning: tariff 2 sells 1 prefix (44 at 0.04 for 0.05) below what tariff 1 charges',
  ])
})

test('without anybody who charges nothing is told, and no rates are read', async () => {
  const world = await aWorld({ ...estate, providers: [] })
  const before = world.meter.spent.read

  expect(await told(world, 1)).toEqual([])
  expect(world.meter.spent.read - before).toBeLessThan(4)
})
