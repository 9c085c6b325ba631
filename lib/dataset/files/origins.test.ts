import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findTariff } from '#lib/rates/tariff.ts'
import { exportOf } from '#test/datasets/exported.ts'
import { importOne } from '#test/datasets/import-rows.ts'
import { readOriginLines } from '#test/datasets/origins.ts'
import { aWorldWithTariffs, importRates, pricesOf } from '#test/datasets/tariff-rates.ts'
import { rate } from '#test/examples/tariffs.ts'
import { damageIn } from '#test/soundness.ts'

const origin = (name: string, prefix: string) => ({ tariff_id: '1', origin: name, prefix })

const EEA = [origin('EEA', '32'), origin('EEA', '49')]

async function aDeck() {
  const world = await aWorldWithTariffs()
  await world.given({
    origins: EEA,
    rates: [rate({ prefix: '32' }), rate({ prefix: '32', origin: 'EEA', tariff_rate: '2' })],
  })
  return world
}

test('origins and rates of one import are one version of the tariff', async () => {
  const world = await aDeck()

  expect((await findTariff(world.store, 1))?.active).toMatchObject({ version: 1, origins: { rows: 2 } })
  expect(await readOriginLines(world, 1)).toEqual(['32\tEEA', '49\tEEA'])
  expect(await damageIn(world)).toEqual([])
})

test('other origins are another version, with the same rates; the same ones are none', async () => {
  const world = await aDeck()

  await importOne(world, 'origins', EEA)
  expect((await findTariff(world.store, 1))?.active?.version).toBe(1)
  await importOne(world, 'origins', [...EEA, origin('EEA', '33')])

  expect((await findTariff(world.store, 1))?.active?.version).toBe(2)
  expect(await pricesOf(world)).toEqual(['32 1', '32 2'])
  expect(await readOriginLines(world, 1)).toHaveLength(3)
  expect(await damageIn(world)).toEqual([])
})

test('rates alone keep the origins', async () => {
  const world = await aDeck()

  await importRates(world, [rate({ prefix: '32', tariff_rate: '3', origin: '', adds: '' })])

  expect(await readOriginLines(world, 1)).toEqual(['32\tEEA', '49\tEEA'])
})

test('origins may change together with the rates that name them', async () => {
  const world = await aDeck()

  await world.given({
    origins: [origin('B', '32')],
    rates: [
      rate({ prefix: '32', origin: '', adds: '' }),
      rate({ prefix: '32', origin: 'B', adds: '', tariff_rate: '5' }),
    ],
  })

  expect(await readOriginLines(world, 1)).toEqual(['32\tB'])
  expect(await pricesOf(world)).toEqual(['32 1', '32 5'])
})

test('an origin that a rate names stays: the list is not replaced without it', async () => {
  const world = await aDeck()

  const report = await importOne(world, 'origins', [origin('B', '32')])

  expect(report?.remarks).toEqual([
    'the list of origins of tariff 1 was not replaced: the rate of 32 has the unknown origin "EEA": name it in origins.csv',
  ])
  expect(await readOriginLines(world, 1)).toEqual(['32\tEEA', '49\tEEA'])
})

test.each([
  [{ prefix: '32', origin: 'Mars' }, 'origin "Mars" is none of tariff 1: name it in origins.csv'],
  [{ prefix: '32', adds: '1' }, 'adds needs an origin: without one, raise the rate itself'],
  [
    { prefix: '32', origin: 'EEA', adds: '1', increment: '60' },
    'increment is that of the rate to which this one adds',
  ],
  [
    { prefix: '32', origin: 'EEA', adds: '1', tariff_rate: '-1' },
    'tariff_rate blocks no calls with adds: a rate of its own blocks an origin',
  ],
])('a rate %o is refused: %s', async (cells, reason) => {
  const world = await aDeck()

  const report = await importRates(world, [rate(cells)])

  expect([...(report?.refused.values() ?? [])]).toEqual([reason])
})

test('two rates between which no caller decides are refused, with both lines', async () => {
  const world = await aDeck()
  await importOne(world, 'origins', [...EEA, origin('B', '49'), origin('B', '31')])

  const report = await importRates(world, [
    rate({ prefix: '44', origin: 'EEA' }),
    rate({ prefix: '44', origin: 'B', adds: '1' }),
    rate({ prefix: '44', origin: 'B' }),
  ])

  expect([...(report?.refused ?? [])]).toEqual([
    [
      3,
      'origin contradicts line 1: the rates for B and EEA are ambiguous: both origins have a prefix of callers in common, and equally many prefixes',
    ],
  ])
})

test('an export has the origins and the rates of them', async () => {
  const world = await aDeck()

  const { folder } = await exportOf(world)
  const textOf = (file: string) => readFile(join(folder, `${file}.csv`), 'utf8')

  expect(await textOf('origins')).toContain('1,EEA,32')
  expect(await textOf('rates')).toContain('EEA')
})
