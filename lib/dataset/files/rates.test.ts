import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { importPath } from '#lib/dataset/import/folder.ts'
import { findDirectory, isKnownDestination } from '#lib/rates/destination.ts'
import { ratePages } from '#lib/rates/tariff.ts'
import { aWorldWithTariffs, importRates, pricesOf, ratesOfTariff } from '#test/datasets/tariff-rates.ts'
import { destinations, rate, ricksTariff } from '#test/examples/tariffs.ts'

test('a repeated row is refused, but another time or day type is another rate', async () => {
  const world = await aWorldWithTariffs()
  const rows = [{}, { start_time: '08:00:00' }, { daytype: 'weekend' }, {}, { tariff_id: '2' }]
  const report = await importRates(
    world,
    rows.map((cells) => rate({ prefix: '370', ...cells })),
    { acceptRejected: true },
  )

  expect([...(report?.refused ?? [])]).toEqual([[4, 'repeats line 1']])
  expect(await pricesOf(world)).toEqual(['370 1', '370 1', '370 1'])
  expect(await pricesOf(world, 2)).toEqual(['370 1'])
})

test('prefixes are read as numbers are, and what a spreadsheet has shortened is refused', async () => {
  const world = await aWorldWithTariffs()
  const prefixes = ['353.0', '33.00', '00888', '+44 20', '4.42079E+11', '098']
  const report = await importRates(
    world,
    prefixes.map((prefix) => rate({ prefix })),
    { acceptRejected: true },
  )

  expect([...(report?.refused ?? [])]).toEqual([
    [5, 'prefix 4.42079E+11 is not a number: a spreadsheet shortened it, format the column as text'],
  ])
  expect(await pricesOf(world)).toEqual(['098 1', '33 1', '353 1', '4420 1', '888 1'])
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
  expect(await pricesOf(world)).toEqual(['37 1'])
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
  expect(await pricesOf(world)).toEqual(['4 1'])
  expect(await pricesOf(world, 2)).toEqual(['3 1'])
})

test('merge adds rows, and replaces rows with the same prefix, times and day type', async () => {
  const world = await aWorldWithTariffs()
  await importRates(world, [rate({ prefix: '2' }), rate({ prefix: '4' })])
  await importRates(world, [rate({ prefix: '4', tariff_rate: '9' }), rate({ prefix: '3' })], { merge: true })

  expect(await pricesOf(world)).toEqual(['2 1', '3 1', '4 9'])
})

test('a tariff with refused rows is not replaced unless accepted, and other tariffs are', async () => {
  const world = await aWorldWithTariffs()
  const rows = [rate({ prefix: '1' }), rate({ prefix: 'x' }), rate({ prefix: '2', tariff_id: ricksTariff })]
  const report = await importRates(world, rows)

  expect(report).toMatchObject({ written: 1 })
  expect(report?.remarks?.[0]).toBe(
    'tariff 1 was not replaced: 1 of its rows were refused (--accept-rejected imports the others)',
  )
  expect(await pricesOf(world)).toEqual([])
  expect(await pricesOf(world, 2)).toEqual(['2 1'])

  await importRates(world, rows, { acceptRejected: true })
  expect(await pricesOf(world)).toEqual(['1 1'])
})

test('a refused row without a readable tariff blocks every tariff of the file', async () => {
  const world = await aWorldWithTariffs()
  await importRates(world, [rate({ prefix: '1' }), rate({ prefix: '2', tariff_id: '?' })])

  expect(await pricesOf(world)).toEqual([])
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

test('of simultaneous imports of a tariff one wins, the others fail, and it is complete', async () => {
  const world = await aWorldWithTariffs()
  const imports = ['1', '2', '3', '4'].map((prefix) => importRates(world, [rate({ prefix })]))
  const outcomes = await Promise.allSettled(imports)
  const refusals = outcomes.flatMap((outcome) =>
    outcome.status === 'rejected' ? [String(outcome.reason)] : [],
  )

  expect(refusals).toEqual(
    refusals.map(() => expect.stringContaining('was deleted or changed during the import')),
  )
  expect(await pricesOf(world)).toHaveLength(1)
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

  expect(await pricesOf(world)).toEqual(['1 1'])
  await importRates(world, [rate({ prefix: '2' })])
  expect(await world.store.list({ partition: ratePages(1, 2) })).toEqual([])
})

test('a file replaces the whole directory of destinations', async () => {
  const world = await aWorldWithTariffs()
  await world.given({ destinations })
  await world.given({ destinations: [{ prefix: '+1 212', direction: 'USA', destination: 'New York' }] })
  const directory = await findDirectory(world.store)

  expect(await isKnownDestination(world.store, { version: directory }, '12125550100')).toBe(true)
  expect(await isKnownDestination(world.store, { version: directory }, '4420')).toBe(false)
})

test('a byte order mark, CRLF and quotes are read, and refused rows are listed by line', async () => {
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
  expect(await pricesOf(world)).toEqual(['3706 0.5', '49 0.1'])
  expect(await readFile(report?.rejectedFile ?? '', 'utf8')).toContain(
    '3,"prefix takes: at most 30 digits, not ""44x""",1,UK,44x,1',
  )
})

test('the end of a rate is kept by a file without it, and by one that lacks what follows it', async () => {
  const world = await aWorldWithTariffs()
  const ends = { ends_at: '2026-04-01', after_end: 'blocked' }
  const [first, ...others] = ['33', '34', '35'].map((prefix) => rate({ prefix }))
  await importRates(world, [
    { ...first, ...ends },
    ...others.map((cells) => ({ ...cells, ends_at: '', after_end: '' })),
  ])
  const before = await ratesOfTariff(world)

  expect(before[0]).toMatchObject({ ends_at: Date.parse('2026-04-01') / 1000, after_end: 'blocked' })
  expect(await importRates(world, [first ?? {}, ...others])).toMatchObject({ written: 0, unchanged: 3 })
  expect(await ratesOfTariff(world)).toEqual(before)
  expect(
    await importRates(world, [rate({ prefix: '33', effective_from: '2026-05-01', ends_at: '2026-04-01' })], {
      acceptRejected: true,
    }),
  ).toMatchObject({ refused: new Map([[1, 'ends_at must be after effective_from']]) })
})
