import fc from 'fast-check'
import { expect, test } from 'vitest'
import { carriedOut } from '#test/acts/carry-out.ts'
import { aWorldWithTariffs, importRates, pricesOf, ratesOfTariff } from '#test/datasets/tariff-rates.ts'
import { rate } from '#test/examples/tariffs.ts'
import { runs } from '#test/sweep.ts'
import { rollBackTariff } from './acts/roll-back-tariff.ts'
import { matchRate, type Rate } from './rating.ts'
import { findRate, findTariff, ratePages } from './tariff.ts'

test('the previous version can be activated again and again, and older versions are kept', async () => {
  const world = await aWorldWithTariffs()
  for (const prefix of ['1', '2', '3']) await importRates(world, [rate({ prefix })])
  const pagesOf = (version: number) => world.store.list({ partition: ratePages(1, version) })

  expect(await pagesOf(1)).toHaveLength(1)
  expect(await pagesOf(2)).toHaveLength(1)
  await carriedOut(world, rollBackTariff, { id: '1' })
  expect(await pricesOf(world)).toEqual(['2 1'])
  await carriedOut(world, rollBackTariff, { id: '1' })
  expect(await pricesOf(world)).toEqual(['3 1'])
})

const aRow = fc.record({
  prefix: fc.nat(30_000).map((number) => String(number).slice(0, 1 + (number % 5))),
  tariff_rate: fc.nat(9999).map((number) => `0.${number}`),
  start_time: fc.constantFrom('00:00:00', '00:00:00', '08:00:00', '20:00:00'),
  end_time: fc.constantFrom('23:59:59', '23:59:59', '07:59:59', '12:00:00'),
  daytype: fc.constantFrom('everyday', 'everyday', 'weekday', 'weekend'),
  effective_from: fc.constantFrom(
    '',
    '',
    '2026-01-01 00:00:00',
    '2026-03-10 12:00:00',
    '2027-01-01 00:00:00',
  ),
})

test('lookups on pages and a scan of all rows find the same rates', async () => {
  const world = await aWorldWithTariffs()
  const uniqueRows = fc.uniqueArray(aRow, {
    minLength: 3000,
    maxLength: 5000,
    selector: ({ tariff_rate: _, ...key }) => JSON.stringify(key),
  })
  const numbers = fc.array(fc.tuple(fc.nat(9_999_999), fc.nat(86_400 * 400)), {
    minLength: 100,
    maxLength: 100,
  })
  const property = fc.asyncProperty(uniqueRows, numbers, async (rows, lookUps) => {
    await importRates(world, rows.map(rate))
    const tariff = await findTariff(world.store, 1)
    const all = await ratesOfTariff(world)
    expect(all).toHaveLength(rows.length)
    for (const [number, since] of lookUps) {
      const when = { at: Date.UTC(2025, 11, 1) / 1000 + since, zone: 'Europe/Vilnius' }
      const digits = String(number)
      const found = tariff && (await findRate(world.store, tariff, { digits, ...when }))
      expect(found).toEqual(naiveMatch(all, digits, when))
    }
  })
  await fc.assert(property, { numRuns: runs(1, 40) })
})

const naiveMatch = (rates: readonly Rate[], digits: string, when: { at: number; zone: string }) =>
  matchRate(
    rates.filter(({ prefix }) => digits.startsWith(prefix)),
    when,
  )
