import { expect, test } from 'vitest'
import { readOriginLines } from '#test/datasets/origins.ts'
import { entriesOfSheet, questionsOfSheet, readSheetText } from '#test/datasets/sheets.ts'
import { aWorldWithTariffs, importRates } from '#test/datasets/tariff-rates.ts'
import { anyTimeRate, rate, threeTariffs } from '#test/examples/tariffs.ts'
import { aWorld } from '#test/world.ts'
import { importLines, planSheet } from '../sheets/import-sheet.ts'
import type { Profile } from '../sheets/profile.ts'
import { isQuestions } from '../sheets/question.ts'
import { findTariff, fromLine, toLine } from '../tariff.ts'
import { describeOriginGaps } from './origins.ts'

const sheet = (...lines: string[]): string => lines.join('\n')

/** Prefix, origin and price of each row; `+` for an addition. */
const rowsOf = async (text: string, profile?: Profile): Promise<string[]> =>
  (await entriesOfSheet(text, profile)).map((entry) => {
    if ('ended' in entry || entry.problem !== undefined) return JSON.stringify(entry)
    const { prefix, origin = '', adds = '', tariff_rate } = entry.cells
    return `${prefix} ${adds && '+'}${origin || 'all'} ${tariff_rate}`
  })

test('codes, ranges and words of a column of origins', async () => {
  const text = sheet(
    'Destination,Prefix,Origin Codes,Rate',
    'Belgium,32,,0.25',
    'Belgium,32,"32, 33",0.007',
    'Belgium,32,withheld,0.3',
    'Germany,49,In country,0.004',
    'Germany,49,RoW,0.006',
    'Germany,49,EEA,0.005',
  )

  expect(await rowsOf(text)).toEqual([
    '32 all 0.25',
    '32 32 33 0.007',
    '32 invalid 0.3',
    '49 national 49 0.004',
    '49 all 0.006',
    '49 EEA 0.005',
  ])
  expect((await rowsOf(text, { origin_names: { EEA: 'eea-2018' } })).at(-1)).toBe('49 eea-2018 0.005')
})

test.each([
  ['30-34', 'Origin Codes: "30-34" may be a range, or one code: write each code'],
  ['32, 030', 'Origin Codes: "030" is not a prefix of callers: it takes 1 to 15 digits'],
  ['0', 'Origin Codes: "0" is not a prefix of callers: it takes 1 to 15 digits'],
])('a cell of origins with %s is refused', async (codes, problem) => {
  const text = sheet('Destination,Prefix,Origin Codes,Rate', `Belgium,32,"${codes}",0.007`)

  expect(await entriesOfSheet(text)).toMatchObject([{ problem }])
  const ofRange = await rowsOf(text.replace(codes, '30-32'), { dash: 'range' })
  expect(ofRange).toEqual(['32 30 31 32 0.007'])
})

test('an origin without a code has its word, and a row that ends a rate of one origin is refused', async () => {
  const text = sheet(
    'Origin,Origin Code,Prefix,Rate,Status',
    'EEA,49,32,0.007,',
    'Withheld,,32,0.5,',
    'RoW,,32,0.25,',
    'EEA,49,33,0.01,closed',
  )

  const [last, ...others] = (await rowsOf(text)).toReversed()
  expect(others.toReversed()).toEqual(['32 49 0.007', '32 invalid 0.5', '32 all 0.25'])
  expect(last).toContain('it ends 33 for \\"49\\" alone: give this origin a rate, or an end')
})

test('a surcharge by origin is added; the rate of the row is that of every caller, once', async () => {
  const text = sheet(
    'Destination,Prefix,Origin Group,Rate,Origin Surcharge',
    'Germany,49,NAF,0.006,0.40',
    'Germany,49,AU,0.006,0.10',
    'Germany,49,,0.006,',
  )

  expect(await rowsOf(text)).toEqual(['49 all 0.006', '49 +NAF 0.4', '49 +AU 0.1'])
})

test.each([
  ['Rate', 'Uplift', '25%', 'an amount in the unit of "Rate"'],
  ['Rate', 'Uplift', '40 ct', 'an amount in the unit of "Rate"'],
  ['Rate (EUR/min)', 'Origin Surcharge (ct/min)', '40', 'an amount in the unit of "Rate (EUR/min)"'],
  ['Rate (EUR)', 'Uplift', '0.4 USD', 'the rate is in USD, the sheet in EUR'],
  ['Rate (EUR)', 'Uplift (USD)', '0.4', 'the rate is in USD, the sheet in EUR'],
])('beside %s, an amount under %s of %s is refused', async (rates, heading, cell, problem) => {
  const text = (other: string) => sheet(`Prefix,Origin,${rates},${other}`, `49,NAF,0.006,${cell}`)

  expect(await entriesOfSheet(text(heading))).toMatchObject([{ problem: expect.stringContaining(problem) }])
  const alone = await questionsOfSheet(sheet('Prefix,Origin,Uplift (ct/min)', '49,NAF,40'))
  expect(alone).toContain('rate_factor: 1 or 0.01 or 60')
})

test('beside origins, a surcharge is asked about: of a minute, or of a connection', async () => {
  const text = sheet('Prefix,Origin,Rate,Surcharge', '49,NAF,0.006,0.40')

  expect(await questionsOfSheet(text)).toContain('surcharge: minute or connection')
  expect(await rowsOf(text, { surcharge: 'minute' })).toEqual(['49 all 0.006', '49 +NAF 0.4'])
  const [entry] = await entriesOfSheet(text, { surcharge: 'connection' })
  expect(entry).toMatchObject({ cells: { origin: 'NAF', con_fee: '0.4' } })
  expect(await questionsOfSheet(sheet('Prefix,Rate,Surcharge', '49,0.006,0.40'))).not.toContain(
    'surcharge: minute or connection',
  )
})

test.each([
  [
    'by the EEA',
    ['Destination,Prefix,Inside EEA (EUR/min),Non-EEA (EUR/min)', 'Belgium,32,0.007,0.25', 'Austria,43,,0.3'],
    ['32 EEA 0.007', '32 all 0.25', '43 all 0.3'],
  ],
  [
    'by the EER',
    ['Destination,Prefix,Rate EER,Rate non-EER', 'Belgium,32,0.007,0.25'],
    ['32 EER 0.007', '32 all 0.25'],
  ],
  [
    'by the EEA, beside a rate of every caller',
    ['Destination,Prefix,Rate,Within EEA', 'Belgium,32,0.25,0.007'],
    ['32 all 0.25', '32 EEA 0.007'],
  ],
  [
    'by jurisdiction',
    ['Code,Interstate Rate,IntrastateRate,Indet', '1212555,0.0021,0.0046,0.0058'],
    ['1212555 interstate 0.0021', '1212555 intrastate 0.0046', '1212555 indeterminate 0.0058'],
  ],
  [
    'in short words',
    ['Prefix,Inter,Intra', '1212555,0.0021,0.0046'],
    ['1212555 interstate 0.0021', '1212555 intrastate 0.0046'],
  ],
  [
    'in cents',
    ['Prefix,Inter (cents),Intra (cents)', '1212,0.21,0.46'],
    ['1212 interstate 0.0021', '1212 intrastate 0.0046'],
  ],
])('rates side by side, %s', async (unit, lines, rates) => {
  expect(await rowsOf(sheet(...lines), { rate_factor: unit === 'in cents' ? '0.01' : '1' })).toEqual(rates)
})

test('rates side by side of several units, or whose profile names one of them, stay columns', async () => {
  const text = sheet('Prefix,Inter (ct/min),Intra (USD/min)', '1212,0.21,0.0046')
  expect((await readSheetText(text)).questions).toMatchObject([{ about: 'columns' }])
  const named = { columns: { tariff_rate: 'Intra' } }
  expect(await rowsOf(sheet('Prefix,Inter,Intra', '1212,0.0021,0.0046'), named)).toEqual(['1212 all 0.0046'])
})

test('a row without rates side by side may end, and a kept profile reads the next sheet', async () => {
  const text = sheet('Prefix,Inter,Intra,Status', '1212,0.0021,0.0046,', '1213,,,deleted')
  expect((await rowsOf(text)).at(-1)).toContain('"ended":"1213"')

  const inEuros = text.replaceAll(/(Int\w+)/g, '$1 Rate (EUR/min)')
  const { profile } = await readSheetText(inEuros)
  expect(profile.currency).toBe('EUR')
  expect(await rowsOf(inEuros, profile)).toEqual(await rowsOf(text))
})

test('a sheet brings the origins that it lists, and keeps others of the tariff', async () => {
  const world = await aWorld({
    ...threeTariffs,
    origins: [{ tariff_id: '3', origin: 'EEA', prefix: '49' }],
  })
  await importRates(world, [rate({ tariff_id: '3', prefix: '32', origin: 'EEA', tariff_rate: '0.01' })])
  const planned = async (text: string) => {
    const tariff = await findTariff(world.store, 3)
    if (!tariff) throw new Error('no tariff')
    const reading = await readSheetText(text, { mode: 'merge', decimal: 'point' })
    const plan = await planSheet({ store: world.store, tariff, reading, now: world.now })
    if (isQuestions(plan)) throw new Error(JSON.stringify(plan))
    return plan
  }
  const columns = 'Prefix,Origin,Rate,Connection Fee,Increment'

  const plan = await planned(sheet(columns, '31,,0.1,0,1/1', '32,"212,213",0.5,0,1/1'))
  expect(plan.byOrigin.map(({ prefix, origin, tariff_rate }) => [prefix, origin, tariff_rate])).toEqual([
    ['32', '212 213', '0.5'],
    ['32', 'EEA', '0.01'],
  ])
  await importLines(plan, { who: 'ada' })

  expect(await readOriginLines(world, 3)).toEqual(['212\t212 213', '213\t212 213', '49\tEEA'])
  await expect(planned(sheet(columns, '32,Mars,0.5,0,1/1'))).rejects.toThrow(
    'Tariff 3: the rate of 32 has the unknown origin "Mars": name it in origins.csv',
  )
})

test('a preview warns of a longer prefix without a rate for an origin of a shorter one', async () => {
  const deck = (...rates: [prefix: string, origin: string, adds?: boolean][]) => {
    const lines = rates.map(([prefix, origin, adds = false]) => toLine(anyTimeRate({ prefix, origin, adds })))
    return describeOriginGaps(lines.sort(), fromLine)
  }
  const all = (prefix: string): [string, string] => [prefix, '']

  expect(deck(all('32'), ['32', 'EEA'], all('324'), all('33'))).toEqual([
    'warning: 324 has no rate for EEA, 32 has: the longer prefix decides',
  ])
  expect(deck(all('32'), ['32', 'EEA'], all('324'), ['324', 'EEA'])).toEqual([])
  expect(deck(['32', 'NAF', true], all('32'), all('324'), ['3245', 'NAF', true])).toEqual([])
  expect(deck(all('3'), ['32', 'EEA'], ['32', 'invalid'], ['324', 'EEA'], all('3245'), all('3246'))).toEqual([
    'warning: 324 has no rate for invalid, 32 has; 3245 has no rate for EEA, 324 has; 3245 has no rate for invalid, 32 has; and 2 more: the longer prefix decides',
  ])

  const world = await aWorldWithTariffs()
  const report = await importRates(world, [
    rate({ prefix: '32', origin: 'invalid' }),
    rate({ prefix: '324' }),
  ])
  expect(report?.remarks).toContain('warning: 324 has no rate for invalid, 32 has: the longer prefix decides')
})
