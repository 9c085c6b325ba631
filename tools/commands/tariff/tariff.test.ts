import { expect, test } from 'vitest'
import { rollBackTariff } from '#lib/rates/acts/roll-back-tariff.ts'
import type { Store } from '#lib/table/store.ts'
import { carriedOut } from '#test/acts/carry-out.ts'
import { people } from '#test/examples/examples.ts'
import { exampleTariffs, rate, tariffCurrencies } from '#test/examples/tariffs.ts'
import { linesOfList, rowsOfList } from '#test/listed.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld } from '#test/world.ts'
import { listTariffDifference, listTariffRows, listTariffSwitches, listTariffVersions } from './tariff.ts'

const now = new Date('2026-03-11T12:00:00Z')

const rollBack = async (store: Store, id: string, version?: string) =>
  (await carriedOut({ store, now }, rollBackTariff, { id, version })).answer

async function aWorldWithTwoVersions() {
  const world = await aWorld({ users: people, currencies: tariffCurrencies, tariffs: exampleTariffs })
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

test('tariffs are listed with the active version and the previous one', async () => {
  const world = await aWorldWithTwoVersions()

  expect(await linesOfList(await listTariffRows(world.store))).toEqual([
    'id  name           purpose         currency  owner  version  rates  imported             previous version  previous rates',
    ' 1  Retail & more  retail          USD           0        2      4  2026-03-10 12:00:00                 1               3',
    ' 2  From Rick      user_wholesale  EUR           2               0',
    '2 tariffs; times in UTC',
  ])
})

test('the difference is listed rate by rate', async () => {
  const world = await aWorldWithTwoVersions()

  expect(await linesOfList(await listTariffDifference(world.store, '1'))).toEqual([
    'change  prefix  origin  destination  rate  fee  currency  increment  minimum  hours              days      effective from       ends at',
    '-       37              Gone            1    0  USD               1        0  00:00:00-23:59:59  everyday',
    '-       44                              1    0  USD               1        0  00:00:00-23:59:59  everyday',
    '+       44                            0.5    0  USD               1        0  00:00:00-23:59:59  everyday',
    '+       44                              1    0  USD               1        0  00:00:00-23:59:59  weekend   2026-04-01 00:00:00',
    '+       49                              1    0  USD              60        0  00:00:00-23:59:59  everyday',
    '2 rates added, 1 removed, 1 changed; times in UTC',
  ])
})

test('a rollback activates the previous version, and a second one undoes it', async () => {
  const world = await aWorldWithTwoVersions()

  expect(await rollBack(world.store, '1')).toEqual({ id: 1, version: 1, rates: 3 })
  expect(await rowsOfList(await listTariffRows(world.store))).toContainEqual(
    expect.objectContaining({ id: 1, version: 1, rates: 3 }),
  )
  expect(await rollBack(world.store, 'retail & MORE')).toEqual({ id: 1, version: 2, rates: 4 })
})

test('an unknown tariff and a missing version are refused with a reason', async () => {
  const world = await aWorldWithTwoVersions()

  await expect(rollBack(world.store, '2')).rejects.toMatchObject({ code: 'no_earlier_version' })
  await expect(rollBack(world.store, '9')).rejects.toMatchObject({ code: 'unknown_name' })
  await expect(listTariffDifference(world.store, 'x')).rejects.toThrow('There is no tariff x')
  await expect(listTariffDifference(world.store, '2')).rejects.toThrow('Tariff 2 has only one version')
})

/** Imports a version on each day. */
async function aWorldWithVersions(count: number) {
  const world = await aWorld({ users: people, currencies: tariffCurrencies, tariffs: exampleTariffs })
  for (let version = 1; version <= count; version += 1) {
    world.now = new Date(Date.UTC(2026, 2, version, 12))
    await world.given({ rates: [rate({ prefix: '1', tariff_rate: String(version) })] })
  }
  return world
}

test('any kept version can be activated, and every switch is logged', async () => {
  const world = await aWorldWithVersions(4)

  expect(await rollBack(world.store, '1', '2')).toEqual({ id: 1, version: 2, rates: 1 })
  expect(await linesOfList(await listTariffVersions(world.store, '1'))).toEqual([
    'version  rates  imported             active from          active till          active',
    '      4      1  2026-03-04 12:00:00  2026-03-04 12:00:00  2026-03-11 12:00:00  no',
    '      3      1  2026-03-03 12:00:00  2026-03-03 12:00:00  2026-03-04 12:00:00  no',
    '      2      1  2026-03-02 12:00:00  2026-03-11 12:00:00                       yes',
    '      1      1  2026-03-01 12:00:00  2026-03-01 12:00:00  2026-03-02 12:00:00  no',
    '4 versions; times in UTC',
  ])
  await expect(rollBack(world.store, '1', '7')).rejects.toMatchObject({ code: 'unknown_version' })
  expect((await rowsOfList(await listTariffSwitches(world.store, '1'))).slice(-2)).toEqual([
    { at: '2026-03-04T12:00:00.000Z', who: 'import', from_version: 3, to_version: 4 },
    {
      at: '2026-03-11T12:00:00.000Z',
      who: expect.stringMatching(/ at the terminal$/),
      from_version: 4,
      to_version: 2,
    },
  ])
  expect(await damageIn(world)).toEqual([])
})

test('the last ten versions are kept at any age, and others for the days of the setting', async () => {
  const world = await aWorldWithVersions(14)
  expect(await rowsOfList(await listTariffVersions(world.store, '1'))).toHaveLength(14)

  await world.set({ Tariff_Versions_Days: '11' })
  await world.given({ rates: [rate({ prefix: '1', tariff_rate: '99' })] })
  const pages = (await world.dump()).filter(({ PK }) => PK.startsWith('RATES#1#'))

  expect(await rowsOfList(await listTariffVersions(world.store, '1'))).toHaveLength(14)
  expect(pages).toHaveLength(14)

  await world.set({ Tariff_Versions_Days: '0' })
  await world.given({ rates: [rate({ prefix: '1', tariff_rate: '100' })] })
  expect(await rowsOfList(await listTariffVersions(world.store, '1'))).toHaveLength(10)
  expect(await damageIn(world)).toEqual([])
})
