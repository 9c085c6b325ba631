import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findCallers, replacePasswordHash } from '#lib/accounts/account.ts'
import { checkPassword } from '#lib/accounts/password.ts'
import type { Progress } from '#lib/dataset/format/dataset-file.ts'
import { findDevice } from '#lib/devices/device-stored.ts'
import { idCounterKey, nextId } from '#lib/table/id-counter.ts'
import { filesOf, importRows } from '#test/datasets/import-rows.ts'
import { aTable, operator, password, SHA1_OF_TEST } from '#test/datasets/import-table.ts'
import { dumpTable } from '#test/dump.ts'
import { people } from '#test/examples/examples.ts'
import { runs } from '#test/sweep.ts'
import { aWorld } from '#test/world.ts'
import { datasetFiles, type FileName, fileNames } from './files.ts'
import { type FileReport, importDataset } from './import.ts'

test('a row becomes an item with its pointers and counters', async () => {
  const table = await aTable()
  await importRows(table.services, operator)
  const items = (await table.dump()) as Record<string, unknown>[]

  const names = items.map(({ PK, SK }) => `${PK} ${SK}`)

  expect(names.filter((name) => !/LOG#|^UNIQUEHASH#|^ACCOUNTS#/.test(name))).toEqual([
    'CALLER#admin CALLER',
    'CALLER#bob CALLER',
    'CALLER#rita CALLER',
    'COUNT#DEVICES#1 COUNT',
    'DATASET#rows DATASET',
    'DEVICE#10 DEVICE',
    'DEVICE#10 RULE#000000000000007',
    'DEVICE#11 DEVICE',
    'DEVRULE#7 DEVRULE',
    'DIALLED#N0 N000000000001002',
    'DIALLED#N1 N000000000001001',
    'DIALLED#Tadmin T',
    'DIALLED#Tbob T',
    'DIALLED#Tbob-desk T',
    'DIALLED#Trita T',
    'DID#3 DID',
    'DIDNUMBER#15550100 DIDNUMBER',
    'ID#account ID',
    'ID#device ID',
    'ID#device_rule ID',
    'SETTINGS SETTINGS',
    'USER#0 USER',
    'USER#2 USER',
    'USER#5 DEVICE#000000000000010',
    'USER#5 DEVICE#000000000000011',
    'USER#5 DID#000000000000003',
    'USER#5 USER',
  ])
})

test('blank cells of a device get the defaults of a new device', async () => {
  const table = await aTable()
  await importRows(table.services, operator)

  expect(await findDevice(table.store, 10)).toMatchObject({
    owner_id: 2,
    username: 'bob-desk',
    port: 5060,
    primary_device: 'yes',
    extra: [['nat', 'yes']],
    rule_count: 1,
    did_count: 1,
  })
})

test('the same dataset again writes nothing', async () => {
  const table = await aTable()
  await importRows(table.services, operator)
  const [before, spent] = [await table.dump(), table.meter.spent.write]
  await importRows(table.services, operator)

  expect(await table.dump()).toEqual(before)
  expect(table.meter.spent.write).toBe(spent)
})

test('new ids and extensions follow those of the dataset', async () => {
  const table = await aTable()
  await table.run(operator)
  const mark = await table.store.get(idCounterKey('device'))

  expect(await nextId(table.store, 'device')).toBe(12)
  expect(await nextId(table.store, 'device_rule')).toBe(8)
  expect(mark?.['mark']).toBe(1003)
})

test('an id counter never goes back', async () => {
  const table = await aTable()
  await table.run(operator)
  for (let id = 0; id < 5; id += 1) await nextId(table.store, 'device')
  await table.run({ devices: [{ ...operator.devices?.[0], comment: 'changed' }] })

  expect(await nextId(table.store, 'device')).toBe(17)
})

test('an interrupted import continues, and ends as if it had not been interrupted', async () => {
  const [broken, whole] = [await aTable(), await aTable()]
  const users = Array.from({ length: 700 }, (_, id) => ({
    id: String(id),
    username: `user${id}`,
    usertype: id === 0 ? 'admin' : 'user',
    owner_id: '0',
    uniquehash: `hash${id}`,
    ...password,
  }))
  const files = filesOf({ users })
  const interrupt = new AbortController()
  const onProgress = ({ phase }: Progress) => phase === 'write' && interrupt.abort()
  const stopped = importDataset(broken.services, 'test', files, { onProgress, signal: interrupt.signal })
  await expect(stopped).rejects.toThrow('aborted')
  const [report] = await broken.run({ users })
  await whole.run({ users })

  expect(report).toMatchObject({ written: 200, unchanged: 500, refused: new Map() })
  expect(await dumpTable(broken.client, broken.tableName)).toEqual(await whole.dump())
})

test('a dry run reports and writes nothing', async () => {
  const table = await aTable()
  const before = await table.dump()
  const files = filesOf({ users: [...(operator.users ?? []), { id: 'x' }] })
  const [report] = await importDataset(table.services, 'test', files, { dryRun: true })

  expect(report?.refused).toEqual(new Map([[4, 'id takes: whole number from 0, not "x"']]))
  expect(await table.dump()).toEqual(before)
})

test('a dry run reports its progress until its end', async () => {
  const table = await aTable()
  const seen: Progress[] = []
  await table.run(operator, { dryRun: true, onProgress: (progress) => seen.push(progress) })

  expect(seen.filter(({ phase }) => phase === 'compare')).toContainEqual({
    file: 'users',
    phase: 'compare',
    done: 3,
    total: 3,
  })
})

test('a dry run compares one file after another, so that memory holds rows of one', async () => {
  const table = await aTable()
  const seen: string[] = []
  const named = (count: number) =>
    Array.from({ length: count }, (_, id) => ({ id: String(id), name: `n${id}` }))
  const onProgress = ({ phase, file }: Progress) => phase === 'compare' && seen.push(file)
  const lcrs = named(600).map((row) => ({ ...row, owner_id: '0' }))
  await table.run({ users: operator.users ?? [], providers: named(1100), lcrs }, { dryRun: true, onProgress })

  expect(seen.slice(1)).toEqual(['providers', 'providers', 'providers', 'lcrs', 'lcrs'])
})

test('a clear password is hashed again only if it has changed', async () => {
  const table = await aTable()
  const row = { id: '0', username: 'ada', usertype: 'admin', owner_id: '0' }
  const hash = async () => (await findCallers(table.store, ['ada']))[0]?.password_hash
  await table.run({ users: [{ ...row, password: 'the first' }] })
  const first = await hash()
  await table.run({ users: [{ ...row, password: 'the first', blocked: '1' }] })
  const same = await hash()
  await table.run({ users: [{ ...row, password: 'the second' }] })

  expect(same).toBe(first)
  expect((await checkPassword('the second', await hash())).matches).toBe(true)
})

test('a legacy hash that a login has replaced does not return with its row', async () => {
  const table = await aTable()
  await table.run(operator)
  const [bob] = await findCallers(table.store, ['bob'])
  const { rehash } = await checkPassword('test', SHA1_OF_TEST)
  const rehashed = (await rehash?.()) ?? ''
  if (bob) await replacePasswordHash(table.store, bob, rehashed)
  const before = await table.dump()
  await table.run(operator)

  expect(await table.dump()).toEqual(before)
})

/** Repeated rows, and rows of expired calls, change nothing. */
const isComplete = ({ rows, written, unchanged, refused }: FileReport) =>
  written + unchanged + refused.size === rows

test('arbitrary cells are either imported or refused', async () => {
  const cell = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('', '0', '5', '10', 'user', 'yes', '@-3d', '-1'),
  )
  const rowsOf = (file: FileName) => {
    const columns = Object.keys(datasetFiles[file].columns)
    return fc.array(fc.record(Object.fromEntries(columns.map((name) => [name, cell]))), { maxLength: 3 })
  }
  const dataset = fc.record(Object.fromEntries(fileNames.map((file) => [file, rowsOf(file)])))
  const table = await aTable()
  await table.run(operator)
  await fc.assert(
    fc.asyncProperty(dataset, async (rows) => {
      const before = await table.dump()
      const reports = await table.run(rows)
      const areRefused = reports.every(({ rows: count, refused }) => refused.size === count)

      expect(reports.every(isComplete)).toBe(true)
      if (areRefused) expect(await table.dump()).toEqual(before)
    }),
    { numRuns: runs(8, 200) },
  )
})

test('devices may lack an extension and a secret, as trunks and fax lines do', async () => {
  const world = await aWorld()
  const bare = { user_id: '10', device_type: 'FAX' }

  await world.given({
    users: people,
    devices: [
      { id: '1', name: 'one', ...bare },
      { id: '2', name: 'two', ...bare },
    ],
  })
  await world.given({ devices: [{ id: '1', name: 'renamed', ...bare }] })

  const held = (await world.dump()).flatMap(({ PK, id }) => (/^EXT|^DIALLED/.test(PK) && id ? [PK] : []))
  expect(held).toEqual(['DIALLED#Trenamed', 'DIALLED#Ttwo'])
})
