import { expect, test } from 'vitest'
import { secondsOf } from '#lib/base/calendar.ts'
import { rate, threeTariffs } from '#test/examples/tariffs.ts'
import { aWorld, type World } from '#test/world.ts'
import { readLines } from './prefix-versions.ts'
import { describeBelowCost } from './sold-below-cost.ts'
import { findTariff, ratesOf } from './tariff.ts'

/** Tariff 1 of admin in dollars, tariff 2 of Rick in euros at half a dollar each, tariff 3 of Potomac. */
const estate = {
  ...threeTariffs,
  rates: [
    ...[
      { prefix: '1', tariff_rate: '0.05' },
      { prefix: '1202', tariff_rate: '0.01' },
      { prefix: '44', tariff_rate: '0.05' },
      { prefix: '49', tariff_rate: '0.02', effective_from: '2026-03-20 00:00:00' },
      { prefix: '7', tariff_rate: '0' },
      { prefix: '1202555', tariff_rate: '-1' },
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
      { prefix: '71', tariff_rate: '-1' },
      { prefix: '1202555', tariff_rate: '0.9' },
    ].map((cells) => rate({ tariff_id: '3', ...cells })),
  ],
}

async function warningsFor(world: World, id: number) {
  const tariff = await findTariff(world.store, id)
  if (!tariff) throw new Error(`There is no tariff ${id}`)
  const lines = await readLines(world.store, ratesOf(tariff.id), tariff.active)
  return describeBelowCost(world.store, { tariff, lines }, secondsOf(world.now))
}

test('prefixes sold below cost are reported by side, in one currency, largest loss first', async () => {
  const world = await aWorld(estate)
  const ofAdmin =
    'warning: tariff 1 sells 3 prefixes (44 at 0.05 for 0.1, 1202 at 0.01 for 0.04, 49 at 0.02 for 0.03) below what tariff 3 charges'

  expect(await warningsFor(world, 1)).toEqual([`${ofAdmin} (by the rates from 2026-03-20 00:00:00 on)`])
  expect(await warningsFor(world, 3)).toEqual([
    'warning: tariff 1 sells 2 prefixes (44 at 0.05 for 0.1, 1202 at 0.01 for 0.04) below what tariff 3 charges',
  ])
  expect(await warningsFor(world, 2)).toEqual([
    'warning: tariff 2 sells 1 prefix (44 at 0.04 for 0.05) below what tariff 1 charges',
  ])
})

test('without a tariff to compare with, nothing is reported and no rates are read', async () => {
  const world = await aWorld({ ...estate, providers: [] })
  const before = world.meter.spent.read

  expect(await warningsFor(world, 1)).toEqual([])
  expect(world.meter.spent.read - before).toBeLessThan(4)
})

test('a cost of an origin is compared with what a caller of it pays', async () => {
  const world = await aWorld({
    ...estate,
    origins: [{ tariff_id: '3', origin: 'NAF', prefix: '212' }],
    rates: [
      rate({ prefix: '49', tariff_rate: '0.05' }),
      rate({ tariff_id: '3', prefix: '4917', tariff_rate: '0.03' }),
      rate({ tariff_id: '3', prefix: '49', origin: 'NAF', tariff_rate: '0.4', adds: '1' }),
      rate({ tariff_id: '3', prefix: '49', tariff_rate: '0.01' }),
    ],
  })

  expect(await warningsFor(world, 1)).toEqual([
    'warning: tariff 1 sells 1 prefix (49 from NAF at 0.05 for 0.43) below what tariff 3 charges',
  ])
})
