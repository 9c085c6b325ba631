import { expect, test } from 'vitest'
import { pricesOf } from '#test/datasets/tariff-rates.ts'
import { people } from '#test/examples/examples.ts'
import { exampleTariffs, rate, tariffCurrencies } from '#test/examples/tariffs.ts'
import { aWorld } from '#test/world.ts'
import { type MarkupOptions, markUp } from './rate.ts'

const OPTIONS: MarkupOptions = { percent: '25', amount: '0', least: '0', decimals: 4, prefix: '' }

test('prices are made from costs once the operator agrees to what is shown', async () => {
  const world = await aWorld({ users: people, currencies: tariffCurrencies, tariffs: exampleTariffs })
  const cost = { tariff_id: '2', tariff_rate: '0.8' }
  await world.given({
    rates: [rate({ prefix: '33' }), rate({ prefix: '33', ...cost }), rate({ prefix: '44', ...cost })],
  })
  const run = (options: Partial<MarkupOptions>) =>
    markUp(world.store, ['1', 'From Rick'], { ...OPTIONS, ...options }, { as: undefined, now: world.now })

  expect(await run({ dryRun: true })).toBe(0)
  expect(await run({})).toBe(1)
  expect(await pricesOf(world)).toEqual(['33 1'])
  expect(await run({ yes: true })).toBe(0)
  expect(await pricesOf(world)).toEqual(['33 1.25', '44 1.25'])
  await expect(run({ yes: true, prefix: '44', replace: true })).rejects.toMatchObject({
    code: 'rates_obstacle',
    values: { obstacle: 'removals' },
  })
  await expect(markUp(world.store, ['1', '1'], OPTIONS, { as: undefined, now: world.now })).rejects.toThrow(
    'A tariff cannot be its own cost',
  )
})
