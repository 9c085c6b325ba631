import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import type { Cells } from '#lib/table/cells/row-source.ts'
import { pricesOf, ratesOfTariff } from '#test/datasets/tariff-rates.ts'
import { people } from '#test/examples/examples.ts'
import { bobsTariff, exampleTariffs, rate, tariffCurrencies, withTariff } from '#test/examples/tariffs.ts'
import { aWorld, type World } from '#test/world.ts'
import { runSheet } from './rates.ts'
import type { SheetRun } from './sheet-answers.ts'

/** The command runs in a new folder, because it writes profiles into the current one. */
beforeEach(async () => {
  const before = process.cwd()
  process.chdir(await mkdtemp(join(tmpdir(), 'tollgate-rates-')))
  onTestFinished(() => process.chdir(before))
})

const RATES = [
  rate({ prefix: '33', tariff_rate: '0.02', destination: 'France' }),
  rate({ prefix: '34', tariff_rate: '0.03', destination: 'Spain' }),
  rate({ prefix: '49', tariff_rate: '0.01', destination: 'Germany' }),
]

const aWorldWithRates = (rates: readonly Cells[] = RATES) =>
  aWorld({
    currencies: tariffCurrencies,
    tariffs: exampleTariffs,
    users: withTariff(people, { bob: bobsTariff, ben: bobsTariff }),
    rates,
  })

const RUN: Omit<SheetRun, 'clock'> = {
  path: 'sheet.csv',
  dryRun: false,
  profile: undefined,
  answers: ['tariff=1'],
  acceptRejected: false,
  allowRemovals: false,
}

interface Circumstances extends Partial<SheetRun> {
  /** The answers at the terminal, one after the other. */
  readonly said?: readonly string[]
}

/** Runs the command on a sheet and returns its exit code and its output. */
async function run(world: World, sheet: string, { said, ...more }: Circumstances = {}) {
  await writeFile('sheet.csv', sheet)
  const lines: string[] = []
  const answers = [...(said ?? [])]
  const ask = async (question: string) => {
    lines.push(question)
    return answers.shift() ?? ''
  }
  const terminal = { say: (line: string) => void lines.push(line), ask: said && ask }
  const code = await runSheet(world.store, terminal, { ...RUN, clock: () => world.now, ...more })
  return { code, lines }
}

/** The rates of tariff 1 with their ends. */
const endsOf = async (world: World) =>
  (await ratesOfTariff(world)).map(({ prefix, ends_at, after_end }) =>
    ends_at === undefined
      ? prefix
      : `${prefix} ${new Date(ends_at * 1000).toISOString().slice(0, 10)} ${after_end}`,
  )

test.each(['=', '~', '+/-'])(
  'a sign that stands for no change is asked about, and answered: %s',
  async (sign) => {
    const world = await aWorldWithRates()
    const sheet = `Destination;Code;Rate;Status\nFrance;33;0,025;increase\nSpain;34;0,03;${sign}`
    const open = ['tariff=1', 'mode=merge']

    const asked = await run(world, sheet, { answers: open })
    expect(asked.lines.join('\n')).toContain('--set statuses."<word>"=kept')
    expect((await run(world, sheet, { answers: [...open, `statuses.${sign}=kept`] })).code).toBe(0)
    expect(await pricesOf(world)).toEqual(['33 0.025', '34 0.03', '49 0.01'])
  },
)

const CHANGES = 'Destination;Code;Rate;Status\nFrance;33;0,025;increase\nItaly;39;0,04;new\nSpain;34;;closed'

test('a sheet of changes keeps the other rates and reports the changes', async () => {
  const world = await aWorldWithRates()
  const { code, lines } = await run(world, CHANGES, {
    answers: ['tariff=1', 'mode=merge'],
    allowRemovals: true,
  })

  expect(lines).toEqual([
    'sheet.csv is read with delimiter ";", encoding utf-8, decimal comma',
    '  prefix from "Code", destination from "Destination", tariff_rate from "Rate", status from "Status"',
    'The first rates as they are stored:',
    '  33 France: 0.025 USD a minute, 0 USD a connection, increments 0/1, at once',
    '    before: 0.02 USD a minute, 0 USD a connection, increments 0/1; 5 s 0.001667 -> 0.002083, 60 s 0.02 -> 0.025, 61 s 0.020333 -> 0.025417',
    '  39 Italy: 0.04 USD a minute, 0 USD a connection, increments 0/1, at once',
    'The rate sheet of 2 rates is merged into tariff 1 (Retail & more, USD)',
    '  1 rate added, 1 removed, 1 changed, 1 unchanged; 1 prefix raised (at most by 25 %, prefix 33)',
    '  customers of the tariff: 2',
    '  1 of 3 prefixes would be removed, more than a tenth: this needs --allow-removals',
    'Tariff 1 is switched',
  ])
  expect(code).toBe(0)
  expect(await pricesOf(world)).toEqual(['33 0.025', '39 0.04', '49 0.01'])
})

const NOT_WRITTEN = ['33 0.02', '34 0.03', '49 0.01']

test('the rates of ranges and those of 0 are counted, ranges are limited', async () => {
  const world = await aWorldWithRates()
  const preview = { dryRun: true, answers: ['tariff=1', 'mode=merge'] }
  const ranges = (count: number) =>
    Array.from({ length: count }, (_, index) => `44${index}0000-44${index}9999`).join(';')

  const { lines } = await run(world, 'Code,Rate\n44-200;201-203,0.1\n33,0\n39,0.0', preview)
  expect(lines).toContain('  rates of 0: 2; calls to 33 are free')
  expect(lines.join('\n')).toContain('The rate sheet of 6 rates (3 of ranges) is merged into tariff 1')
  await expect(run(world, `Code,Rate\n${ranges(6)},0.1\n${ranges(5)},0.2`, preview)).rejects.toThrow(
    'The ranges of dial codes in the sheet have more than 100000 codes',
  )
  const tooMany = await run(world, `Code,Rate,Note\n"${ranges(11)}",0.1,x`, preview)
  expect(tooMany.lines.join('\n')).toContain('Code: its ranges have more than 100000 codes')
})

test('a rate ends as the sheet says, and a re-import without its end takes it back', async () => {
  const world = await aWorldWithRates()
  const answers = ['tariff=1', 'mode=merge', 'after_end=blocked']

  const { lines } = await run(
    world,
    'Code,Rate,Valid To,Status\n33,0.02,2026-03-31,new\n49,,2026-03-31,deleted',
    { answers },
  )
  expect(lines).toContain(
    '  33 : 0.02 USD a minute, 0 USD a connection, increments 0/1, at once until 2026-04-01 00:00:00, then blocked',
  )
  expect(lines).toContain('  prefixes that end later: 1')
  expect(await endsOf(world)).toEqual(['33 2026-04-01 blocked', '34', '49 2026-04-01 fallback'])
  await run(world, 'Code,Rate\n33,0.02', { answers })
  expect(await endsOf(world)).toEqual(['33', '34', '49 2026-04-01 fallback'])
})

test('a preview writes nothing', async () => {
  const world = await aWorldWithRates()
  const before = await world.dump()

  expect((await run(world, CHANGES, { dryRun: true, answers: ['tariff=1', 'mode=merge'] })).code).toBe(0)
  expect(await world.dump()).toEqual(before)
})

test('the mode is asked at a terminal, and elsewhere reported as missing', async () => {
  const world = await aWorldWithRates()
  const { code, lines } = await run(world, CHANGES)

  expect(code).toBe(2)
  expect(lines).toEqual([
    'Does the sheet replace the whole tariff, or is it merged into it? A column marks the changes, so merge is more likely',
    '  answer with --replace or --merge',
  ])
  expect(await pricesOf(world)).toEqual(NOT_WRITTEN)
  expect((await run(world, CHANGES, { said: ['merge', 'yes'] })).code).toBe(0)
  expect(await pricesOf(world)).toEqual(['33 0.025', '39 0.04', '49 0.01'])
})

test('removing more than a tenth needs permission', async () => {
  const world = await aWorldWithRates()
  const whole = 'Code,Rate\n33,0.02\n34,0.03'
  const answers = ['tariff=1', 'mode=replace']

  const refused = await run(world, whole, { answers })
  expect(refused.code).toBe(1)
  expect(refused.lines.at(-1)).toBe(
    'Tariff 1 is not switched: many rates are removed: pass --allow-removals to override this check',
  )
  expect((await run(world, whole, { answers, said: ['no'] })).code).toBe(1)
  expect(await pricesOf(world)).toEqual(NOT_WRITTEN)
  expect((await run(world, whole, { answers, said: ['yes'] })).code).toBe(0)
  expect(await pricesOf(world)).toEqual(['33 0.02', '34 0.03'])
})

test('a sheet with refused rows does not switch the tariff, and names line, column and cell', async () => {
  const world = await aWorldWithRates()
  const sheet = 'Code,Rate\n33,0.1\nxx,0.2\n34,free\n33,0.3\n39,0.05'
  const answers = ['tariff=1', 'mode=merge']

  const refused = await run(world, sheet, { answers })
  expect(refused.code).toBe(1)
  expect(refused.lines.slice(-7)).toEqual([
    '4 rows refused:',
    '  line 2: contradicts line 5: both are refused',
    '  line 3: Code: "xx" is not a dial code',
    '  line 4: Rate: "free" is not a price with a decimal point such as 0.0125',
    '  line 5: contradicts line 2: both are refused',
    '  all of them: sheet.rejected.csv',
    'Tariff 1 is not switched: some rows of the sheet are refused: pass --accept-rejected to import the other rows',
  ])
  expect(await readFile('sheet.rejected.csv', 'utf8')).toContain(
    '3,"Code: ""xx"" is not a dial code",xx,0.2\r\n',
  )
  expect(await pricesOf(world)).toEqual(NOT_WRITTEN)
  expect((await run(world, sheet, { answers, acceptRejected: true })).code).toBe(1)
  expect(await pricesOf(world)).toEqual(['33 0.02', '34 0.03', '39 0.05', '49 0.01'])
})

test('a sheet in another currency is refused', async () => {
  const world = await aWorldWithRates()
  const answers = ['tariff=1', 'mode=merge']

  await expect(run(world, 'Code,Rate (EUR)\n33,0.1', { answers })).rejects.toThrow(
    'The sheet is in EUR, tariff 1 in USD: use a tariff in EUR',
  )
  await expect(run(world, 'Code,Rate\n33,¥0.1', { answers })).rejects.toThrow(
    'The sheet is in ¥, tariff 1 in USD',
  )
  await expect(run(world, 'Code,Rate\n33,0.1', { answers: ['mode=merge'] })).rejects.toThrow('--tariff ID')
  await expect(run(world, 'Code,Rate\n33,0.1', { answers: ['tariff=9', 'mode=merge'] })).rejects.toThrow(
    'There is no tariff 9',
  )
})

test('the reading is stored as a profile, which the next sheet uses', async () => {
  const world = await aWorldWithRates()
  const first = 'Code;Rate;Effective Date\n33;0,25;13/03/2026'
  const next = 'Code;Rate;Effective Date\n33;1,234;04/03/2026'

  await run(world, first, { profile: 'carrier-a', said: ['merge'] })
  expect(JSON.parse(await readFile('profiles/carrier-a.json', 'utf8'))).toEqual({
    tariff: 1,
    mode: 'merge',
    delimiter: ';',
    encoding: 'utf-8',
    columns: { prefix: 'Code', tariff_rate: 'Rate', effective_from: 'Effective Date' },
    decimal: 'comma',
    dates: 'day-month',
  })
  expect((await run(world, next, { profile: 'carrier-a', answers: [] })).code).toBe(0)
  expect(await pricesOf(world)).toEqual(['33 0.02', '33 1.234', '33 0.25', '34 0.03', '49 0.01'])
  await expect(run(world, next, { profile: '../a' })).rejects.toThrow('is not a name of a profile')
})

test('an import by another command meanwhile is refused', async () => {
  const world = await aWorldWithRates()
  const ask = async () => {
    await world.given({ rates: [rate({ prefix: '33', tariff_rate: '9' })] })
    return 'yes'
  }
  await writeFile('sheet.csv', 'Code,Rate\n33,0.1')
  const run = { ...RUN, clock: () => world.now, answers: ['tariff=1', 'mode=replace'] }

  await expect(runSheet(world.store, { say: () => {}, ask }, run)).rejects.toMatchObject({
    code: 'other_rates',
    values: { tariff: 1, by: { who: 'import' } },
  })
  expect(await pricesOf(world)).toEqual(['33 9'])
})

test('a preview shows the rates of a destination by origin', async () => {
  const world = await aWorldWithRates()
  const sheet = [
    'Destination,Prefix,Inside EEA,Outside EEA',
    'Belgium,32,0.007,0.25',
    'France,33,,0.03',
  ].join('\n')
  await world.given({ origins: [{ tariff_id: '1', origin: 'EEA', prefix: '49' }] })

  const { code, lines } = await run(world, sheet, {
    answers: ['tariff=1', 'mode=merge', 'decimal=point', 'billing_of_new=1/1', 'fee_of_new=0'],
    dryRun: true,
  })

  expect([code, lines.slice(lines.indexOf('The rates of 32 Belgium by origin:')).slice(0, 3)]).toEqual([
    0,
    ['The rates of 32 Belgium by origin:', '  every caller  0.25', '  EEA           0.007'],
  ])
})
