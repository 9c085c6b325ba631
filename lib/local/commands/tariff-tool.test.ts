import { expect, test } from 'vitest'
import { people } from '#lib/testing/examples.ts'
import { rate, tariffs } from '#lib/testing/tariffs.ts'
import { aWorld } from '#lib/testing/world.ts'
import { describeTariffs, diffTariff, rollBackTariff } from './tariff-tool.ts'

async function aWorldWithTwoVersions() {
  const world = await aWorld()
  await world.given({ users: people, tariffs })
  await world.given({
    rates: [rate({ prefix: '1' }), rate({ prefix: '37', destination: 'Gone' }), rate({ prefix: '44' })],
  })
  await world.given({
    rates: [
      rate({ prefix: '1' }),
      rate({ prefix: '44', tariff_rate: '0.5' }),
      rate({ prefix: '44', effective_from: '2026-04-01 00:00:00', daytype: 'weekend' }),
      rate({ prefix: '49', increment: '60' }),
    ],
  })
  return world
}

const IMPORTED = 'imported 2026-03-10T12:00:00.000Z'

test('tariffs are listed with the version that counts and the one before', async () => {
  const world = await aWorldWithTwoVersions()

  expect(await describeTariffs(world.store)).toEqual([
    `1 Retail & more (retail, USD, owner 0): version 2, 4 rates, ${IMPORTED}; before it version 1, 3 rates, ${IMPORTED}`,
    '2 From Rick (user_wholesale, EUR, owner 2): no rates',
  ])
})

test('the difference is told rate by rate', async () => {
  const world = await aWorldWithTwoVersions()
  const lines: string[] = []
  for await (const line of diffTariff(world.store, '1')) lines.push(line)

  expect(lines).toEqual([
    '- 37  Gone  1 + 0 (1/0)  00:00:00-23:59:59 everyday',
    '- 44    1 + 0 (1/0)  00:00:00-23:59:59 everyday',
    '+ 44    0.5 + 0 (1/0)  00:00:00-23:59:59 everyday',
    '+ 44    1 + 0 (1/0)  00:00:00-23:59:59 weekend  from 2026-04-01T00:00:00.000Z',
    '+ 49    1 + 0 (60/0)  00:00:00-23:59:59 everyday',
    '2 added, 1 removed, 1 changed',
  ])
})

test('a rollback makes the version before the one that counts, and a second one undoes it', async () => {
  const world = await aWorldWithTwoVersions()

  expect(await rollBackTariff(world.store, '1')).toEqual([`1 Retail & more: version 1, 3 rates, ${IMPORTED}`])
  expect((await describeTariffs(world.store))[0]).toContain('): version 1, 3 rates')
  expect(await rollBackTariff(world.store, '1')).toEqual([`1 Retail & more: version 2, 4 rates, ${IMPORTED}`])
})

test('what cannot be compared or brought back is told in words', async () => {
  const world = await aWorldWithTwoVersions()

  await expect(rollBackTariff(world.store, '2')).rejects.toThrow('Tariff 2 has no version before')
  await expect(rollBackTariff(world.store, '9')).rejects.toThrow('There is no tariff 9')
  await expect(diffTariff(world.store, 'x').next()).rejects.toThrow('There is no tariff x')
  await expect(diffTariff(world.store, '2').next()).rejects.toThrow('Tariff 2 has only one version')
})
