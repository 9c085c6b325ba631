import { expect, test } from 'vitest'
import type { ImportOptions } from '#lib/dataset/format/dataset-file.ts'
import type { Cells } from '#lib/table/cells/row-source.ts'
import { aWorldWithTariffs, importRates, pricesOf } from '#test/datasets/tariff-rates.ts'
import { people } from '#test/examples/examples.ts'
import { bobsTariff, exampleTariffs, rate, tariffCurrencies, withTariff } from '#test/examples/tariffs.ts'
import { aWorld } from '#test/world.ts'
import { callUseCheck } from '#tools/commands/report/call-use.ts'

const tenRates = (tariff_rate: string) =>
  Array.from({ length: 10 }, (_, digit) => rate({ prefix: `4${digit}`, tariff_rate }))

const TEN = tenRates('1')

test("an import reports a tariff's changes, and a dry run the same without writing", async () => {
  const world = await aWorld({
    currencies: tariffCurrencies,
    tariffs: exampleTariffs,
    users: withTariff(people, { bob: bobsTariff, carol: bobsTariff }),
  })
  await importRates(world, TEN)
  const rows = [...TEN.slice(1, 9), rate({ prefix: '49', tariff_rate: '1.5' }), rate({ prefix: '5' })]
  const remarks = [
    'tariff 1: 1 rate added, 1 removed, 1 changed, 8 unchanged; 1 prefix raised (at most by 50 %, prefix 49); customers on it: 1',
  ]
  const before = await pricesOf(world)

  expect(await importRates(world, rows, { dryRun: true })).toMatchObject({ written: 0, remarks })
  expect(await pricesOf(world)).toEqual(before)
  expect(await importRates(world, rows, { allowRemovals: false })).toMatchObject({ written: 10, remarks })
})

test('removing more than a tenth of a tariff needs permission', async () => {
  const world = await aWorldWithTariffs()
  await importRates(world, TEN)
  const refused = await importRates(world, tenRates('2').slice(2), { allowRemovals: false })

  expect(refused).toMatchObject({ written: 0, needsPermission: true })
  expect(refused?.remarks?.[1]).toBe(
    'tariff 1 was not replaced: 2 of 10 prefixes would be removed, more than a tenth (--allow-removals overrides this check)',
  )
  expect(await pricesOf(world)).toHaveLength(10)
  const merged = await importRates(world, tenRates('2').slice(2), { allowRemovals: false, merge: true })
  expect(merged).toMatchObject({ written: 8, needsPermission: false })
})

test('leaving no rate in force today needs permission', async () => {
  const world = await aWorldWithTariffs()
  await importRates(world, [rate({ prefix: '33' })])
  const later = [rate({ prefix: '33', effective_from: '2027-01-01' })]

  expect(await importRates(world, later, { allowRemovals: false })).toMatchObject({
    written: 0,
    needsPermission: true,
  })
  expect(await importRates(world, later)).toMatchObject({ written: 1 })
})

test('rows are counted by their effect on stored rows, also in a dry run', async () => {
  const world = await aWorldWithTariffs()
  await importRates(world, TEN)
  const rows = [...TEN.slice(2), rate({ prefix: '48', tariff_rate: '2' }), rate({ prefix: '5' })]
  const changes = rows.filter(({ prefix, tariff_rate }) => prefix !== '48' || tariff_rate === '2')
  const counts = { new: 1, changed: 1, unchanged: 7, removed: 2 }

  expect((await importRates(world, changes, { dryRun: true }))?.counts).toEqual(counts)
  expect((await importRates(world, changes))?.counts).toEqual(counts)
  expect((await importRates(world, changes))?.counts).toEqual({
    new: 0,
    changed: 0,
    unchanged: 9,
    removed: 0,
  })
})

test('an operator at a terminal is asked for permission', async () => {
  const world = await aWorldWithTariffs()
  await importRates(world, TEN)
  const asked: string[] = []
  const answering = (answer: boolean): ImportOptions => ({
    allowRemovals: false,
    mayRemove: async (question) => {
      asked.push(question)
      return answer
    },
  })

  expect(await importRates(world, TEN.slice(5), answering(false))).toMatchObject({ needsPermission: true })
  expect(await pricesOf(world)).toHaveLength(10)
  expect(await importRates(world, TEN.slice(5), { ...answering(true), dryRun: true })).toMatchObject({
    needsPermission: true,
  })
  expect(await importRates(world, TEN.slice(5), answering(true))).toMatchObject({ needsPermission: false })
  expect(await pricesOf(world)).toHaveLength(5)
  expect(asked[0]).toMatch(
    /5 removed.*\n5 of 10 prefixes would be removed, more than a tenth\. Replace tariff 1\?$/,
  )
  expect(asked).toHaveLength(2)
})

test('rates that another import switches while an operator is asked are not overwritten', async () => {
  const world = await aWorldWithTariffs()
  await importRates(world, TEN)
  const mayRemove = async () => {
    await importRates(world, [...TEN, rate({ prefix: '5' })])
    return true
  }

  await expect(importRates(world, TEN.slice(5), { allowRemovals: false, mayRemove })).rejects.toThrow(
    'tariff 1 was deleted or changed during the import: import it again',
  )
  expect(await pricesOf(world)).toHaveLength(11)
})

const called = (uniqueid: string, dst: string, rest: Cells = {}): Cells => ({
  uniqueid,
  calldate: '2026-03-09 09:00:00',
  user_id: '10',
  dst,
  billsec: '60',
  user_price: '1',
  ...rest,
})

test('the report lists called prefixes that would lose their rate', async () => {
  const world = await aWorld({
    users: withTariff(people, { bob: bobsTariff, rick: bobsTariff }),
    currencies: tariffCurrencies,
    tariffs: exampleTariffs,
  })
  await world.given({ providers: [{ id: '1', name: 'Thames', tariff_id: bobsTariff }] })
  await importRates(world, [...TEN, rate({ prefix: '37' }), rate({ prefix: '3706' })])
  await world.given({
    calls: [
      called('a', '3706123'),
      called('b', '0037061', { calldate: '2026-03-08 09:00:00' }),
      called('of-rick', '4012', { user_id: '20' }),
      called('by-provider', '4112', { user_id: '30', provider_id: '1' }),
      called('of-nobody-here', '4212', { user_id: '40' }),
      called('long-ago', '4312', { calldate: '2026-01-01 09:00:00' }),
      called('still-rated', '4512'),
      called('blocked', '4612'),
    ],
  })
  const left = [
    rate({ prefix: '37', effective_from: '2026-05-01 00:00:00' }),
    ...TEN.slice(4),
    rate({ prefix: '461', tariff_rate: 'blocked' }),
  ]
  const report = await importRates(world, left, { dryRun: true, checkUse: callUseCheck(world.store, 30) })

  expect(report?.remarks?.slice(1)).toEqual([
    'prefixes called in the last 30 days that would lose their rate: 3706 (2), 46 (1), 40 (1), 41 (1)',
    expect.stringMatching(/^checked 7 calls back to 2026-03-08, \d+ read units$/),
  ])
})
