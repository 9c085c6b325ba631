import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { importDroppedSheet } from '#lib/ingest/dropped-sheet.ts'
import type { Cells } from '#lib/table/cells/row-source.ts'
import { importInto } from '#test/datasets/import-rows.ts'
import { ratesOfTariff } from '#test/datasets/tariff-rates.ts'
import { people } from '#test/examples/examples.ts'
import { exampleTariffs, rate, tariffCurrencies } from '#test/examples/tariffs.ts'
import { aWorld, type World } from '#test/world.ts'
import { runSheet } from './rates.ts'

beforeEach(async () => {
  const before = process.cwd()
  process.chdir(await mkdtemp(join(tmpdir(), 'tollgate-unsaid-')))
  onTestFinished(() => process.chdir(before))
})

const terms = (con_fee: string, increment: string, min_time: string) => ({ con_fee, increment, min_time })

const UK = rate({ prefix: '44', tariff_rate: '0.02', ...terms('0.05', '60', '60') })
const SPAIN = rate({ prefix: '34', tariff_rate: '0.6', ...terms('0.1', '60', '60') })

const aWorldWith = (rates: readonly Cells[]) =>
  aWorld({ currencies: tariffCurrencies, tariffs: exampleTariffs, users: people, rates })

async function run(world: World, sheet: string, answers: readonly string[] = [], dryRun = false) {
  await writeFile('sheet.csv', sheet)
  const lines: string[] = []
  const code = await runSheet(
    world.store,
    { say: (line) => void lines.push(line), ask: undefined },
    {
      path: 'sheet.csv',
      dryRun,
      profile: undefined,
      answers: ['tariff=1', 'mode=merge', ...answers],
      acceptRejected: false,
      allowRemovals: true,
      clock: () => world.now,
    },
  )
  return { code, lines }
}

const rowsOf = async (world: World) =>
  (await ratesOfTariff(world)).map(
    ({ prefix, tariff_rate, con_fee, increment, min_time, start_time, end_time, daytype }) =>
      `${prefix} ${tariff_rate} ${con_fee} ${min_time}/${increment} ${start_time.slice(0, 5)}-${end_time.slice(0, 5)} ${daytype}`,
  )

const DAY = '00:00-23:59 everyday'

test.each(['mode=merge', 'mode=replace'])(
  '%s keeps the fee and the increments that a sheet lacks',
  async (mode) => {
    const world = await aWorldWith([UK, SPAIN])
    const { code, lines } = await run(world, 'Destination,Code,Rate\nUK,44,0.021\nSpain,34,0.61\n', [mode])

    expect(code).toBe(0)
    expect(await rowsOf(world)).toEqual([`34 0.61 0.1 60/60 ${DAY}`, `44 0.021 0.05 60/60 ${DAY}`])
    expect(lines).toContain(
      '    before: 0.02 USD a minute, 0.05 USD a connection, increments 60/60; 5 s 0.07 -> 0.071, 60 s 0.07 -> 0.071, 61 s 0.09 -> 0.092',
    )
  },
)

test('a rate from a date keeps those of the rate that it follows', async () => {
  const later = { ...UK, tariff_rate: '0.03', effective_from: '2026-06-01 00:00:00', increment: '30' }
  const world = await aWorldWith([UK, later])
  await run(world, 'Code,Rate,Effective Date\n44,0.021,2026-04-01\n44,0.04,2026-07-01\n')
  expect(await rowsOf(world)).toEqual([
    `44 0.02 0.05 60/60 ${DAY}`,
    `44 0.021 0.05 60/60 ${DAY}`,
    `44 0.03 0.05 60/30 ${DAY}`,
    `44 0.04 0.05 60/30 ${DAY}`,
  ])
})

test('a column that the sheet has is said, also where its cell is blank', async () => {
  const world = await aWorldWith([UK])
  await run(world, 'Code,Rate,Increment,Connection Fee\n44,0.021,1/1,\n')
  expect(await rowsOf(world)).toEqual([`44 0.021 0 1/1 ${DAY}`])
  await run(world, 'Code,Rate\n44,0.022\n', ['billing=30/6'])
  expect(await rowsOf(world)).toEqual([`44 0.022 0 30/6 ${DAY}`])
})

test('a new prefix takes what all rates of the tariff have, or is asked about once', async () => {
  const world = await aWorldWith([UK, SPAIN])
  const sheet = 'Code,Rate\n44,0.021\n39,0.03\n33,0.04\n'
  const { code, lines } = await run(world, sheet)
  expect([code, lines.slice(-2)]).toEqual([
    2,
    [
      'Which connection fee do new prefixes such as 33 have? The sheet has no such column, and the rates of the tariff differ',
      '  answer with --set fee_of_new=0 or --set fee_of_new="0.1" or --set fee_of_new="0.05"',
    ],
  ])
  await run(world, sheet, ['fee_of_new=0.2'])
  expect(await rowsOf(world)).toEqual([
    `33 0.04 0.2 60/60 ${DAY}`,
    `34 0.6 0.1 60/60 ${DAY}`,
    `39 0.03 0.2 60/60 ${DAY}`,
    `44 0.021 0.05 60/60 ${DAY}`,
  ])
  const differing = await aWorldWith([UK, { ...SPAIN, con_fee: '0.05', increment: '1' }])
  expect((await run(differing, sheet)).lines.at(-1)).toContain('--set billing_of_new="60/1"')
  await run(differing, sheet, ['billing_of_new=1/1'])
  expect((await rowsOf(differing))[0]).toBe(`33 0.04 0.05 1/1 ${DAY}`)
})

test('the first sheet of a tariff is not asked about', async () => {
  const world = await aWorldWith([])
  expect((await run(world, 'Code,Rate\n44,0.021\n')).code).toBe(0)
  expect(await rowsOf(world)).toEqual([`44 0.021 0 0/1 ${DAY}`])
})

test('a rate without hours keeps the hours of its prefix; of several hours it is asked about', async () => {
  const peak = { ...UK, start_time: '08:00:00', end_time: '19:59:59', daytype: 'weekday' }
  const night = { ...UK, tariff_rate: '0.01', increment: '1', start_time: '20:00:00', end_time: '07:59:59' }
  const one = await aWorldWith([peak])
  await run(one, 'Code,Rate\n44,0.021\n')
  expect(await rowsOf(one)).toEqual(['44 0.021 0.05 60/60 08:00-19:59 weekday'])

  const several = await aWorldWith([peak, night])
  expect((await run(several, 'Code,Rate\n44,0.021\n')).lines).toContain(
    '44 has rates of 2 hours, and the sheet names none: does each of them get its rate, or does a rate of the whole day stand beside them?',
  )
  await run(several, 'Code,Rate\n44,0.021\n', ['hours=each'])
  expect(await rowsOf(several)).toEqual([
    '44 0.021 0.05 60/60 08:00-19:59 weekday',
    '44 0.021 0.05 60/1 20:00-07:59 everyday',
  ])
})

test('a change of increments alone is a change of prices, and one of both directions is named', async () => {
  const world = await aWorldWith([UK])
  expect(
    (await run(world, 'Code,Rate,Increment,Connection Fee\n44,0.02,1/1,0.05\n', [], true)).lines,
  ).toContain(
    '  0 rates added, 0 removed, 1 changed, 0 unchanged; 1 prefix lowered (at most by 26.2 %, prefix 44)',
  )
  expect((await run(world, 'Code,Rate,Increment,Connection Fee\n44,0.09,1/1,0\n', [], true)).lines).toContain(
    '  0 rates added, 0 removed, 1 changed, 0 unchanged; 1 prefix more expensive for some lengths of calls and cheaper for others',
  )
})

test('a sheet in the bucket keeps them, too, and names the answer that its profile lacks', async () => {
  const world = await aWorldWith([UK, SPAIN])
  const services = { store: world.store, clock: () => world.now }
  const drop = (text: string, profile = '{"tariff":1,"mode":"merge"}') =>
    importDroppedSheet(services, new TextEncoder().encode(text), profile, 'ada')
  await drop('Code,Rate\n44,0.021\n')
  expect(await rowsOf(world)).toContain(`44 0.021 0.05 60/60 ${DAY}`)
  await expect(drop('Code,Rate\n33,0.04\n')).rejects.toThrow('answer it in the profile, as fee_of_new')
})

const HOURS =
  'Destination,Code,Rate,Start Time,End Time,Day Type\nUK peak,44,0.10,08:00,18:00,Weekday\nUK night,44,0.01,18:00,08:00,Weekday\nUK weekend,44,0.005,00:00,24:00,Weekend\n'

const GAPS =
  '44 has no price on Mon 00:00:00-07:59:59; 44 has two prices, 0.005 and 0.01, on Sat 00:00:00-08:00:00'

test('a sheet that leaves hours without a price, or with two, is refused unless gaps are allowed', async () => {
  const world = await aWorldWith([SPAIN])
  const refused = await run(world, HOURS, ['fee_of_new=0', 'billing_of_new=1/1'])
  expect(refused.code).toBe(1)
  expect(refused.lines.slice(3, 6).map((line) => line.split(':')[0])).toEqual([
    '  44 UK peak',
    '  44 UK night',
    '  44 UK weekend',
  ])
  expect(refused.lines).toContain('The week of 44:')
  expect(refused.lines).toContain('  Sun: 00:00:00-23:59:59 0.005')
  expect(refused.lines.slice(-4)).toEqual([
    ...GAPS.split('; ').map((one) => `  warning: ${one}`),
    '  this needs --with-gaps',
    'Tariff 1 is not switched: hours of the week have no price, or two: pass --with-gaps to leave hours without a price, or with two',
  ])
  const profile = { tariff: 1, mode: 'merge', fee_of_new: '0', billing_of_new: '1/1' }
  const drop = (more: object) =>
    importDroppedSheet(
      { store: world.store, clock: () => world.now },
      new TextEncoder().encode(HOURS),
      JSON.stringify({ ...profile, ...more }),
      'ada',
    )
  expect((await drop({})).obstacle).toBe(GAPS)
  expect(await rowsOf(world)).toHaveLength(1)
  expect((await drop({ gaps: 'allowed' })).written).toBe(3)
  expect((await run(world, 'Code,Rate\n34,0.7\n')).code).toBe(0)
})

test('a dataset with a gap is imported, and warns', async () => {
  const world = await aWorldWith([SPAIN])
  const peak = { ...UK, start_time: '08:00:00', end_time: '19:59:59', daytype: 'weekday' }
  const [report] = await importInto(world, { rates: [SPAIN, peak] })
  expect(report?.remarks).toEqual([
    expect.stringMatching(/^tariff 1/),
    expect.stringContaining('warning: 44 has no price on Mon 00:00:00-07:59:59, Mon 20:00:00-Tue 07:59:59'),
  ])
})
