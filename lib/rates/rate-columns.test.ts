import { expect, test } from 'vitest'
import type { Cells } from '#lib/table/cells/row-source.ts'
import { aWorldWithTariffs, importRates, ratesOfTariff } from '#test/datasets/tariff-rates.ts'
import { anyTimeRate, rate } from '#test/examples/tariffs.ts'
import type { Rate } from './rating.ts'

test('blank cells get the usual defaults of a rate', async () => {
  const world = await aWorldWithTariffs()
  await importRates(world, [{ tariff_id: '1', prefix: '370', tariff_rate: '0.5' }])

  expect(await ratesOfTariff(world)).toEqual([anyTimeRate({ tariff_rate: '0.5' })])
})

test.each<[string, Cells, Partial<Rate>]>([
  ['a plus sign and spaces', { prefix: ' +370 6' }, { prefix: '3706' }],
  ['a decimal comma', { tariff_rate: '0,0125', con_fee: ',5' }, { tariff_rate: '0.0125', con_fee: '0.5' }],
  [
    'short times',
    { start_time: '8:00', end_time: '24:00' },
    { start_time: '08:00:00', end_time: '23:59:59' },
  ],
  ['a day type in any case', { daytype: 'Weekend' }, { daytype: 'weekend' }],
  ['a date', { effective_from: '2026-03-01' }, { effective_from: Date.UTC(2026, 2, 1) / 1000 }],
  ['a blocked prefix', { tariff_rate: ' Blocked' }, { tariff_rate: '-1' }],
  ['a blocked prefix as a number', { tariff_rate: '-1.0000' }, { tariff_rate: '-1' }],
  ['30 digits', { prefix: '1'.repeat(30) }, { prefix: '1'.repeat(30) }],
  ['tabs and line ends in names', { destination: ' \ta\t\n b\r\n' }, { destination: 'a  b' }],
  ['names of any script', { destination: 'Kūrybą 中国 & <co>' }, { destination: 'Kūrybą 中国 & <co>' }],
])('a carrier may write %s', async (_case, cells, expected) => {
  const world = await aWorldWithTariffs()
  await importRates(world, [rate({ prefix: '370', ...cells })])

  expect(await ratesOfTariff(world)).toMatchObject([expected])
})

const RATE_TEXT =
  'decimal number from 0 of at most 30 digits, or blocked (or -1) for a prefix that is not sold'

test.each<[string, Cells, string]>([
  ['an unknown tariff', { tariff_id: '77' }, 'tariff_id: there is no tariff 77'],
  ['a prefix of letters', { prefix: '37O' }, 'prefix takes: at most 30 digits, not "37O"'],
  [
    'a prefix of 31 digits',
    { prefix: '1'.repeat(31) },
    `prefix takes: at most 30 digits, not "${'1'.repeat(31)}"`,
  ],
  ['no prefix', { prefix: '' }, 'prefix must not be blank'],
  ['no rate', { tariff_rate: '' }, 'tariff_rate must not be blank'],
  ['a thousands comma', { tariff_rate: '1,234.5' }, `tariff_rate takes: ${RATE_TEXT}, not "1,234.5"`],
  ['a rate below 0', { tariff_rate: '-0.5' }, `tariff_rate takes: ${RATE_TEXT}, not "-0.5"`],
  ['a rate below -1', { tariff_rate: '-2' }, `tariff_rate takes: ${RATE_TEXT}, not "-2"`],
  [
    'a blocked connection fee',
    { con_fee: '-1' },
    'con_fee takes: decimal number from 0 of at most 30 digits, not "-1"',
  ],
  ['an increment below 0', { increment: '-1' }, 'increment takes: whole number from 0 to 86400, not "-1"'],
  ['an impossible time', { start_time: '25:00:00' }, 'start_time takes: HH:MM:SS, not "25:00:00"'],
  ['an unknown day type', { daytype: 'holiday' }, 'daytype takes: everyday, weekday, weekend, not "holiday"'],
  [
    'an unreadable date',
    { effective_from: 'soon' },
    'effective_from takes YYYY-MM-DD HH:MM:SS, @-3d 14:05:00 or @now-90s, not "soon"',
  ],
  [
    'a name of 256 characters',
    { destination: 'a'.repeat(256) },
    `destination takes: one line of at most 255 characters, not "${'a'.repeat(60)}..."`,
  ],
  ['a character that XML does not allow', { destination: 'a\u0000' }, 'destination has invalid characters'],
])('a row is refused for %s', async (_case, cells, reason) => {
  const world = await aWorldWithTariffs()
  const report = await importRates(world, [rate({ prefix: '370', ...cells })])

  expect([...(report?.refused ?? [])]).toEqual([[1, reason]])
  expect(await ratesOfTariff(world)).toEqual([])
})
