import { expect, test } from 'vitest'
import { importRows } from '#test/datasets/import-rows.ts'
import { rate } from '#test/examples/tariffs.ts'
import { linesOfList } from '#test/listed.ts'
import { ASTERISK_CALL, anOperator, send } from '#test/mediation/csv-switch.ts'
import { movedPricesReport } from './priced-again.ts'

const TODAY = { from: '2026-03-10', till: '2026-03-10' }

/** Tariffs of 9 March; in the morning of 10 March 1202 is ten times, 1303 twice as dear, and 44 new. */
async function anOperatorWithANewVersion() {
  const world = await anOperator()
  const versionAt = (time: string, rates: ReturnType<typeof rate>[]) =>
    importRows({ store: world.store, clock: () => new Date(time) }, { rates })
  await versionAt('2026-03-09T06:00:00Z', [
    rate({ prefix: '1', tariff_rate: '0.03' }),
    rate({ prefix: '1303', tariff_rate: '0.03' }),
  ])
  await versionAt('2026-03-10T06:00:00Z', [
    rate({ prefix: '1', tariff_rate: '0.03' }),
    rate({ prefix: '1202', tariff_rate: '0.3' }),
    rate({ prefix: '1303', tariff_rate: '0.06' }),
    rate({ prefix: '44', tariff_rate: '9' }),
  ])
  const calls = ['12025550171', '13035550171', '14045550171', '442079460000'].map((dst, index) =>
    JSON.stringify({ ...ASTERISK_CALL, uniqueid: `${index}`, dst, lastdata: '', dstchannel: '' }),
  )
  await send(world, { format: 'asterisk-json', text: calls.join('\n') })
  return world
}

test.each([
  ['2', '2026-03-10', ['12025550171 0.03 0.3']],
  ['1.9', '2026-03-10', ['12025550171 0.03 0.3', '13035550171 0.03 0.06']],
  ['11', '2026-03-10', []],
  ['2', '2026-03-11', []],
])('by a factor of %s since %s: %o', async (factor, since, moved) => {
  const { store } = await anOperatorWithANewVersion()

  const report = await movedPricesReport(store, TODAY, since, factor)
  const lines = await linesOfList({ ...report, summary: () => '' })

  const cells = lines
    .map((line) => line.trim().split(/ {2,}/))
    .filter(([start = '']) => start.startsWith('2026'))
  expect(cells.map(([, , ...rest]) => rest.join(' ')).sort()).toEqual(moved)
})
