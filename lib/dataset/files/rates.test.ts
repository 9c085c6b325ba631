import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ImportOptions } from '#lib/dataset/format/dataset-file.ts'
import { type Cells, inMemory } from '#lib/dataset/format/row-source.ts'
import { importPath } from '#lib/dataset/import/folder.ts'
import { importDataset } from '#lib/dataset/import/import.ts'
import { matchRate, type Rate } from '#lib/domain/rates/rating.ts'
import { findDirectory, isKnownDestination } from '#lib/store/rates/destination.ts'
import { findRate, findTariff, pagesOfRates, ratePages, rollBackRates } from '#lib/store/rates/tariff.ts'
import { people } from '#lib/testing/examples/examples.ts'
import {
  bobsTariff,
  currencies,
  destinations,
  rate,
  ricksTariff,
  tariffs,
  withTariff,
} from '#lib/testing/examples/tariffs.ts'
import { aWorld, type World } from '#lib/testing/world.ts'

const aWorldWithTariffs = () => aWorld({ users: people, currencies, tariffs })

/** Imports rates and returns the report. */
async function importRates(world: World, rows: readonly Cells[], options: ImportOptions = {}) {
  const services = { store: world.store, clock: () => world.now }
  const dataset = { name: randomUUID(), sources: { rates: inMemory('rates', rows) } }
  const [report] = await importDataset(services, dataset, { allowRemovals: true, ...options })
  return report
}

async function ratesOf(world: World, tariffId = 1): Promise<Rate[]> {
  const rates: Rate[] = []
  const tariff = await findTariff(world.store, tariffId)
  for await (const page of pagesOfRates(world.store, { id: tariffId }, tariff?.active)) rates.push(...page)
  return rates
}

const prefixesOf = async (world: World, tariffId?: number) =>
  (await ratesOf(world, tariffId)).map(({ prefix, tariff_rate }) => `${prefix} ${tariff_rate}`)

test('blank cells get the usual defaults of a rate', async () => {
  const world = await aWorldWithTariffs()
  await importRates(world, [{ tariff_id: '1', prefix: '370', tariff_rate: '0.5' }])

  expect(await ratesOf(world)).toEqual([
    {
      prefix: '370',
      effective_from: undefined,
      start_time: '00:00:00',
      end_time: '23:59:59',
      daytype: 'everyday',
      tariff_rate: '0.5',
      con_fee: '0',
      increment: 1,
      min_time: 0,
      direction: '',
      destination: '',
      code: '',
    },
  ])
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

  expect(await ratesOf(world)).toMatchObject([expected])
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
  expect(await ratesOf(world)).toEqual([])
})

test('a repeated row is refused, but another time or day type is another rate', async () => {
  const world = await aWorldWithTariffs()
  const rows = [{}, { start_time: '08:00:00' }, { daytype: 'weekend' }, {}, { tariff_id: '2' }]
  const report = await importRates(
    world,
    rows.map((cells) => rate({ prefix: '370', ...cells })),
    { acceptRejected: true },
  )

  expect([...(report?.refused ?? [])]).toEqual([[4, 'repeats line 1']])
  expect(await prefixesOf(world)).toEqual(['370 1', '370 1', '370 1'])
  expect(await prefixesOf(world, 2)).toEqual(['370 1'])
})

test('two prices of one prefix are both refused', async () => {
  const world = await aWorldWithTariffs()
  const rows = ['1', '2', '3'].map((tariff_rate) => rate({ prefix: '370', tariff_rate }))
  const report = await importRates(world, [rate({ prefix: '37' }), ...rows], { acceptRejected: true })

  expect([...(report?.refused ?? [])]).toEqual([
    [2, 'contradicts line 3: both are refused'],
    [3, 'contradicts line 2: both are refused'],
    [4, 'contradicts line 2: both are refused'],
  ])
  expect(await prefixesOf(world)).toEqual(['37 1'])
})

test('a file replaces each tariff that it names, and no other', async () => {
  const world = await aWorldWithTariffs()
  await importRates(world, [
    rate({ prefix: '1' }),
    rate({ prefix: '2' }),
    rate({ prefix: '3', tariff_id: ricksTariff }),
  ])
  const report = await importRates(world, [rate({ prefix: '4' })])

  expect(report).toMatchObject({ written: 1, unchanged: 0 })
  expect(await prefixesOf(world)).toEqual(['4 1'])
  expect(await prefixesOf(world, 2)).toEqual(['3 1'])
})

test('merge adds rows, and replaces rows with the same prefix, times and day type', async () => {
  const world = await aWorldWithTariffs()
  await importRates(world, [rate({ prefix: '2' }), rate({ prefix: '4' })])
  await importRates(world, [rate({ prefix: '4', tariff_rate: '9' }), rate({ prefix: '3' })], { merge: true })

  expect(await prefixesOf(world)).toEqual(['2 1', '3 1', '4 9'])
})

test('a tariff with refused rows is not replaced unless they are accepted, and other tariffs are', async () => {
  const world = await aWorldWithTariffs()
  const rows = [rate({ prefix: '1' }), rate({ prefix: 'x' }), rate({ prefix: '2', tariff_id: ricksTariff })]
  const report = await importRates(world, rows)

  expect(report).toMatchObject({ written: 1 })
  expect(report?.remarks?.[0]).toBe(
    'tariff 1 was not replaced: 1 of its rows were refused (--accept-rejected imports the others)',
  )
  expect(await prefixesOf(world)).toEqual([])
  expect(await prefixesOf(world, 2)).toEqual(['2 1'])

  await importRates(world, rows, { acceptRejected: true })
  expect(await prefixesOf(world)).toEqual(['1 1'])
})

test('a refused row without a readable tariff blocks every tariff of the file', async () => {
  const world = await aWorldWithTariffs()
  await importRates(world, [rate({ prefix: '1' }), rate({ prefix: '2', tariff_id: '?' })])

  expect(await prefixesOf(world)).toEqual([])
})

test('the same rows again, in any order, write nothing', async () => {
  const world = await aWorldWithTariffs()
  const rows = [rate({ prefix: '2' }), rate({ prefix: '1' })]
  await importRates(world, rows)
  const [before, spent] = [await world.dump(), world.meter.spent.write]
  const report = await importRates(world, rows.toReversed(), { dryRun: false })

  expect(report).toMatchObject({ written: 0, unchanged: 2 })
  expect(world.meter.spent.write - spent).toBeLessThanOrEqual(1)
  expect((await world.dump()).filter(isAboutRates)).toEqual(before.filter(isAboutRates))
})

const isAboutRates = (item: unknown): boolean => /RATES|TARIFF/.test(JSON.stringify(item))

test('the previous version can be activated again and again, and older versions are kept', async () => {
  const world = await aWorldWithTariffs()
  for (const prefix of ['1', '2', '3']) await importRates(world, [rate({ prefix })])
  const pagesOf = (version: number) => world.store.list({ partition: ratePages(1, version) })

  expect(await pagesOf(1)).toHaveLength(1)
  expect(await pagesOf(2)).toHaveLength(1)
  await rollBackRates(world.store, 1, { at: world.now, who: 'ada' })
  expect(await prefixesOf(world)).toEqual(['2 1'])
  await rollBackRates(world.store, 1, { at: world.now, who: 'ada' })
  expect(await prefixesOf(world)).toEqual(['3 1'])
})

test('of simultaneous imports of a tariff one wins, the others fail with a reason, and the tariff is complete', async () => {
  const world = await aWorldWithTariffs()
  const imports = ['1', '2', '3', '4'].map((prefix) => importRates(world, [rate({ prefix })]))
  const outcomes = await Promise.allSettled(imports)
  const refusals = outcomes.flatMap((outcome) =>
    outcome.status === 'rejected' ? [String(outcome.reason)] : [],
  )

  expect(refusals).toEqual(
    refusals.map(() => expect.stringContaining('was deleted or changed during the import')),
  )
  expect(await prefixesOf(world)).toHaveLength(1)
})

test('an interrupted import leaves the tariff unchanged, and the next import removes its pages', async () => {
  const world = await aWorldWithTariffs()
  await importRates(world, [rate({ prefix: '1' })])
  const breaksOff = new AbortController()
  const onProgress = ({ phase }: { phase: string }) => phase === 'write' && breaksOff.abort()
  const rows = Array.from({ length: 60_000 }, (_, row) =>
    rate({ prefix: String(100_000 + row), tariff_rate: String(Math.abs(Math.sin(row))).slice(0, 12) }),
  )
  await expect(importRates(world, rows, { signal: breaksOff.signal, onProgress })).rejects.toThrow()

  expect(await prefixesOf(world)).toEqual(['1 1'])
  await importRates(world, [rate({ prefix: '2' })])
  expect(await world.store.list({ partition: ratePages(1, 2) })).toEqual([])
})

test('a changed tariff keeps its rates', async () => {
  const world = await aWorldWithTariffs()
  await importRates(world, [rate({ prefix: '1' })])
  await world.given({ tariffs: [{ ...tariffs[0], name: 'Renamed' }] })

  expect(await findTariff(world.store, 1)).toMatchObject({ name: 'Renamed', active: { rows: 1 } })
})

test.each([
  ['an unknown owner', { owner_id: '99' }, 'owner_id: there is no account 99'],
  [
    'an owner that may own nothing',
    { owner_id: '10' },
    'owner_id: account 10 is not an admin, reseller or partner',
  ],
])('a tariff is refused for %s', async (_case, cells, reason) => {
  const world = await aWorldWithTariffs()

  await expect(world.given({ tariffs: [{ ...tariffs[0], id: '8', ...cells }] })).rejects.toThrow(reason)
})

test('a file replaces the whole directory of destinations', async () => {
  const world = await aWorldWithTariffs()
  await world.given({ destinations })
  await world.given({ destinations: [{ prefix: '+1 212', direction: 'USA', destination: 'New York' }] })
  const directory = await findDirectory(world.store)

  expect(await isKnownDestination(world.store, directory, '12125550100')).toBe(true)
  expect(await isKnownDestination(world.store, directory, '4420')).toBe(false)
})

test('a file with a byte order mark, CRLF and quotes is read, and refused rows are listed by line', async () => {
  const world = await aWorldWithTariffs()
  const folder = await mkdtemp(join(tmpdir(), 'rates-'))
  const lines = [
    'tariff_id,prefix,tariff_rate,destination,effective_from',
    '1,+370 6,"0,5","Lithuania, mobile",',
    '1,44x,1,UK,',
    '1,49,0.1,Germany,2026-01-01 00:00:00',
    '1,49',
  ]
  await writeFile(join(folder, 'rates.csv'), `\uFEFF${lines.join('\r\n')}\r\n`)
  const services = { store: world.store, clock: () => world.now }
  const [report] = await importPath(services, folder, { acceptRejected: true })

  expect([...(report?.refused.keys() ?? [])]).toEqual([3, 5])
  expect(await prefixesOf(world)).toEqual(['3706 0.5', '49 0.1'])
  expect(await readFile(report?.rejectedFile ?? '', 'utf8')).toContain(
    '3,"prefix takes: at most 30 digits, not ""44x""",1,UK,44x,1',
  )
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
    const all = await ratesOf(world)
    expect(all).toHaveLength(rows.length)
    for (const [number, since] of lookUps) {
      const when = { at: Date.UTC(2025, 11, 1) / 1000 + since, zone: 'Europe/Vilnius' }
      const digits = String(number)
      const found = tariff && (await findRate(world.store, tariff, { digits, ...when }))
      expect(found).toEqual(naiveMatch(all, digits, when))
    }
  })
  await fc.assert(property, { numRuns: 4 })
})

const naiveMatch = (rates: readonly Rate[], digits: string, when: { at: number; zone: string }) =>
  matchRate((prefix) => rates.filter((one) => one.prefix === prefix), digits, when)

const tenRates = (tariff_rate: string) =>
  ['30', '31', '32', '33', '34', '35', '36', '37', '38', '39'].map((prefix) => rate({ prefix, tariff_rate }))

test('an import reports the changes of the tariff, and a dry run reports the same without writing', async () => {
  const world = await aWorld({
    currencies,
    tariffs,
    users: withTariff(people, { bob: bobsTariff, carol: bobsTariff }),
  })
  await importRates(world, tenRates('1'))
  const rows = [
    ...tenRates('1').slice(1, 9),
    rate({ prefix: '39', tariff_rate: '1.5' }),
    rate({ prefix: '40' }),
  ]
  const remarks = [
    'tariff 1: 1 rate added, 1 removed, 1 changed, 8 unchanged; 1 prefix raised (at most by 50 %, prefix 39); customers on it: 1',
  ]
  const before = await prefixesOf(world)

  expect(await importRates(world, rows, { dryRun: true })).toMatchObject({ written: 0, remarks })
  expect(await prefixesOf(world)).toEqual(before)
  expect(await importRates(world, rows, { allowRemovals: false })).toMatchObject({ written: 10, remarks })
})

test('removing more than a tenth of a tariff needs permission', async () => {
  const world = await aWorldWithTariffs()
  await importRates(world, tenRates('1'))
  const refused = await importRates(world, tenRates('2').slice(2), { allowRemovals: false })

  expect(refused).toMatchObject({ written: 0, needsPermission: true })
  expect(refused?.remarks?.[1]).toBe(
    'tariff 1 was not replaced: 2 of 10 prefixes would be removed, more than a tenth (--allow-removals overrides this check)',
  )
  expect(await prefixesOf(world)).toHaveLength(10)
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

const TEN = Array.from({ length: 10 }, (_, prefix) => rate({ prefix: `4${prefix}` }))

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
  expect(await prefixesOf(world)).toHaveLength(10)
  expect(await importRates(world, TEN.slice(5), { ...answering(true), dryRun: true })).toMatchObject({
    needsPermission: true,
  })
  expect(await importRates(world, TEN.slice(5), answering(true))).toMatchObject({ needsPermission: false })
  expect(await prefixesOf(world)).toHaveLength(5)
  expect(asked[0]).toMatch(
    /5 removed.*\n5 of 10 prefixes would be removed, more than a tenth\. Replace tariff 1\?$/,
  )
  expect(asked).toHaveLength(2)
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
    currencies,
    tariffs,
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
  const report = await importRates(world, left, { dryRun: true, checkUse: 30 })

  expect(report?.remarks?.slice(1)).toEqual([
    'prefixes called in the last 30 days that would lose their rate: 3706 (2), 46 (1), 40 (1), 41 (1)',
    expect.stringMatching(/^checked 7 calls back to 2026-03-08, \d+ read units$/),
  ])
})
