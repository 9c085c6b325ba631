import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import type { Progress } from '#lib/dataset/format/dataset-file.ts'
import { inMemory } from '#lib/dataset/format/row-source.ts'
import { checkPassword } from '#lib/domain/accounts/password.ts'
import { createTable } from '#lib/local/server/engine.ts'
import { findAccount, findCallers, replacePasswordHash } from '#lib/store/accounts/account.ts'
import { findDevice, findDevices, listDevicesOf } from '#lib/store/devices/device.ts'
import {
  deleteDeviceRule,
  deviceRules,
  listDeviceRules,
  replaceDeviceRule,
} from '#lib/store/devices/device-rule.ts'
import { updateDevice } from '#lib/store/devices/device-writing.ts'
import { findHolders } from '#lib/store/devices/dialled.ts'
import { idCounterKey, nextId } from '#lib/store/id-counter.ts'
import { createClient } from '#lib/store/requests/client.ts'
import { createMeter } from '#lib/store/requests/meter.ts'
import { ConditionFailed } from '#lib/store/requests/retries.ts'
import { createStore } from '#lib/store/store.ts'
import { dumpTable } from '#lib/testing/dump.ts'
import { people } from '#lib/testing/examples/examples.ts'
import { aWorld } from '#lib/testing/world.ts'
import { datasetFiles, type FileName, fileNames } from './files.ts'
import { type DatasetRows, type FileReport, importDataset, importRows } from './import.ts'

const SHA1_OF_TEST = 'a94a8fe5ccb19ba61c4c0873d391e987982fbbd3'

const password = { password_hash: SHA1_OF_TEST }
const operator: DatasetRows = {
  settings: [{ name: 'Allow_API', value: 'on' }],
  users: [
    { id: '5', username: 'bob', usertype: 'user', owner_id: '2', ...password },
    { id: '0', username: 'admin', usertype: 'admin', owner_id: '0', ...password },
    { id: '2', username: 'rita', usertype: 'reseller', owner_id: '0', ...password },
  ],
  devices: [
    { id: '10', user_id: '5', name: 'bob-desk', extension: '1001', secret: 'desk-secret', nat: 'yes' },
    { id: '11', user_id: '5', name: '1002', extension: '1002', secret: 'soft-secret' },
  ],
  device_rules: [{ id: '7', device_id: '10', name: 'national', cut: '0', add: '44' }],
  dids: [{ id: '3', did: '15550100', owner_id: '0', user_id: '5', device_id: '10' }],
}

async function aTable() {
  const tableName = `import-${randomUUID()}`
  const client = createClient({ tableName, endpoint: inject('endpoint') })
  await createTable(client, tableName)
  const meter = createMeter()
  const store = createStore({ client, tableName, meter })
  const services = { store, clock: () => new Date('2026-03-10T12:00:00Z') }
  const run = (rows: DatasetRows) =>
    importDataset(services, {
      name: 'test',
      sources: Object.fromEntries(Object.entries(rows).map(([file, cells]) => [file, inMemory(file, cells)])),
    })
  return { services, store, meter, run, client, tableName, dump: () => dumpTable(client, tableName) }
}

test('a row becomes an item with its pointers and counters', async () => {
  const table = await aTable()
  await importRows(table.services, operator)
  const items = (await table.dump()) as Record<string, unknown>[]

  expect(items.map(({ PK, SK }) => `${PK} ${SK}`).filter((name) => !name.includes('LOG#'))).toEqual([
    'CALLER#admin CALLER',
    'CALLER#bob CALLER',
    'CALLER#rita CALLER',
    'COUNT#DEVICES#2 COUNT',
    'COUNT#DEVICES#3 COUNT',
    'DATASET#rows DATASET',
    'DEVICE#10 DEVICE',
    'DEVICE#10 RULE#000000000000007',
    'DEVICE#11 DEVICE',
    'DEVRULE#7 DEVRULE',
    'DIALLED#N0 N000000000001002',
    'DIALLED#N1 N000000000001001',
    'DIALLED#Tbob-desk T',
    'DID#3 DID',
    'DIDNUMBER#15550100 DIDNUMBER',
    'ID#device ID',
    'ID#device_rule ID',
    'SETTINGS SETTINGS',
    'USER#0 USER',
    'USER#2 USER',
    'USER#5 DEVICE#000000000000010',
    'USER#5 DEVICE#000000000000011',
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

const outcomeOf = ({ written, unchanged, refused }: FileReport) => ({
  written,
  unchanged,
  refused: [...refused],
})

test('a changed row replaces its item and keeps derived columns', async () => {
  const table = await aTable()
  await table.run(operator)
  const [desk, soft] = operator.devices ?? []
  const [report] = await table.run({ devices: [{ ...desk, name: 'bob-new', comment: 'moved' }, { ...soft }] })

  expect(report && outcomeOf(report)).toEqual({ written: 1, unchanged: 1, refused: [] })
  expect(await findDevice(table.store, 10)).toMatchObject({
    name: 'bob-new',
    comment: 'moved',
    primary_device: 'yes',
    rule_count: 1,
    did_count: 1,
  })
  expect(await findHolders(table.store, ['bob-desk', '1001'])).toMatchObject([undefined, { id: 10 }])
})

test('changes by the API are kept when the same row is imported again', async () => {
  const table = await aTable()
  await table.run(operator)
  const device = await findDevice(table.store, 11)
  if (device) await updateDevice(table.store, device, { ...device, comment: 'by the API' })
  await table.run(operator)

  expect((await findDevice(table.store, 11))?.comment).toBe('by the API')
})

test('a device that moves to another account is listed and counted there', async () => {
  const table = await aTable()
  await table.run(operator)
  const [desk] = operator.devices ?? []
  await table.run({ devices: [{ ...desk, user_id: '2' }] })

  expect((await listDevicesOf(table.store, 5)).map(({ id }) => id)).toEqual([11])
  expect((await listDevicesOf(table.store, 2)).map(({ id }) => id)).toEqual([10])
  expect((await findAccount(table.store, 5))?.device_count).toBe(1)
  expect((await findAccount(table.store, 2))?.device_count).toBe(1)
  expect((await findDevice(table.store, 10))?.owner_id).toBe(0)
})

test('an account that moves to another owner takes its devices along', async () => {
  const table = await aTable()
  await table.run(operator)
  const [bob] = operator.users ?? []
  await table.run({ users: [{ ...bob, owner_id: '0' }] })

  expect((await findDevices(table.store, [10, 11])).map((device) => device?.owner_id)).toEqual([0, 0])
  expect((await findAccount(table.store, 5))?.device_count).toBe(2)
})

test('a refused account leaves its devices with their owner', async () => {
  const table = await aTable()
  await table.run(operator)
  const [bob, admin] = operator.users ?? []
  /** The accounts swap their names, which fails as long as the other one has the name. */
  const swapped = [
    { ...bob, username: 'admin', owner_id: '0' },
    { ...admin, username: 'bob' },
  ]
  const reports = await table.run({ users: swapped })

  expect(reports.flatMap(({ refused }) => [...refused.keys()])).toHaveLength(2)
  expect((await findAccount(table.store, 5))?.owner_id).toBe(2)
  expect((await findDevices(table.store, [10, 11])).map((device) => device?.owner_id)).toEqual([2, 2])
})

test('replacing a rule that was deleted after it was read fails and changes no count', async () => {
  const table = await aTable()
  await table.run(operator)
  const [rule] = await deviceRules.findMany(table.store, [7])
  const device = await findDevice(table.store, 10)
  if (!rule || !device) throw new Error('The dataset has no such rule')
  await deleteDeviceRule(table.store, device, rule)
  const changed = { ...rule, cut: '1' }

  for (const after of [changed, { ...changed, device_id: 11 }]) {
    await expect(replaceDeviceRule(table.store, rule, after)).rejects.toThrow(ConditionFailed)
  }
  expect((await findDevice(table.store, 10))?.rule_count).toBe(0)
  expect((await findDevice(table.store, 11))?.rule_count).toBe(0)
})

test('a renamed account frees its old name', async () => {
  const table = await aTable()
  await table.run(operator)
  const [bob] = operator.users ?? []
  await table.run({ users: [{ ...bob, username: 'robert' }] })
  const [old, renamed] = await findCallers(table.store, ['bob', 'robert'])

  expect([old, renamed?.id]).toEqual([undefined, 5])
})

test('names may pass from row to row within a dataset, in any order', async () => {
  const table = await aTable()
  await table.run(operator)
  const [bob, admin, rita] = operator.users ?? []
  const [desk, soft] = operator.devices ?? []
  const reports = await table.run({
    users: [{ ...bob, username: 'rita' }, { ...admin }, { ...rita, username: 'margarita' }],
    devices: [
      { ...desk, extension: '1002' },
      { ...soft, name: '1003', extension: '1003' },
    ],
  })

  expect(reports.map(({ refused }) => refused.size)).toEqual([0, 0])
  expect((await findCallers(table.store, ['rita'])).map((caller) => caller?.id)).toEqual([5])
  expect((await findDevice(table.store, 10))?.extension).toBe('1002')
})

test('a rule and a DID that move to another device are counted there', async () => {
  const table = await aTable()
  await table.run(operator)
  const [rule] = operator.device_rules ?? []
  const [did] = operator.dids ?? []
  await table.run({ device_rules: [{ ...rule, device_id: '11' }], dids: [{ ...did, device_id: '11' }] })
  const devices = await findDevices(table.store, [10, 11])

  expect(devices.map((device) => [device?.rule_count, device?.did_count])).toEqual([
    [0, 0],
    [1, 1],
  ])
  expect((await listDeviceRules(table.store, 11)).map(({ id }) => id)).toEqual([7])
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
  const sources = { users: inMemory('users', users) }
  const interrupt = new AbortController()
  const onProgress = ({ phase }: Progress) => phase === 'write' && interrupt.abort()
  const stopped = importDataset(
    broken.services,
    { name: 'test', sources },
    { onProgress, signal: interrupt.signal },
  )
  await expect(stopped).rejects.toThrow('aborted')
  const [report] = await broken.run({ users })
  await whole.run({ users })

  expect(report && outcomeOf(report)).toEqual({ written: 200, unchanged: 500, refused: [] })
  expect(await dumpTable(broken.client, broken.tableName)).toEqual(await whole.dump())
})

test('a dry run reports and writes nothing', async () => {
  const table = await aTable()
  const sources = { users: inMemory('users', [...(operator.users ?? []), { id: 'x' }]) }
  const [report] = await importDataset(table.services, { name: 'test', sources }, { dryRun: true })

  expect(report?.refused).toEqual(new Map([[4, 'id takes: whole number from 0, not "x"']]))
  expect(await table.dump()).toEqual([])
})

const user = { id: '9', username: 'new', usertype: 'user', owner_id: '0', ...password }
const device = { id: '19', user_id: '5', name: 'new', extension: '1900', secret: 'new-secret' }
const rule = { id: '29', device_id: '10', name: 'new', cut: '9' }
const did = { id: '39', did: '15550199', owner_id: '0' }

test.each<[string, DatasetRows, string]>([
  [
    'a username of another account',
    { users: [{ ...user, username: 'bob' }] },
    'username belongs to account 5',
  ],
  ['an unknown owner', { users: [{ ...user, owner_id: '77' }] }, 'owner_id: there is no account 77'],
  [
    'an owner who cannot own',
    { users: [{ ...user, owner_id: '5' }] },
    'owner_id: account 5 is not an admin, reseller or partner',
  ],
  ['a user that owns itself', { users: [{ ...user, owner_id: '9' }] }, 'owner_id: only an admin owns itself'],
  ['no password', { users: [{ ...user, password_hash: '' }] }, 'takes either a password or a password_hash'],
  ['two passwords', { users: [{ ...user, password: 'x' }] }, 'takes either a password or a password_hash'],
  [
    'no hash',
    { users: [{ ...user, password_hash: 'x' }] },
    'password_hash takes a scrypt hash of this service or a SHA-1 in hex',
  ],
  [
    'an unknown type',
    { users: [{ ...user, usertype: 'root' }] },
    'usertype takes: admin, reseller, accountant, partner, user, not "root"',
  ],
  ['a blank name', { users: [{ ...user, username: '' }] }, 'username must not be blank'],
  [
    'a character no answer could carry',
    { users: [{ ...user, first_name: '\u0001' }] },
    'first_name has invalid characters',
  ],
  ['an unknown column', { users: [{ ...user, colour: 'red' }] }, 'unknown column "colour"'],
  ['an unknown user', { devices: [{ ...device, user_id: '77' }] }, 'user_id: there is no account 77'],
  [
    'a name of another device',
    { devices: [{ ...device, name: 'bob-desk' }] },
    'name is the name or extension of device 10',
  ],
  [
    "another device's extension as a name",
    { devices: [{ ...device, name: '1001' }] },
    'name is the name or extension of device 10',
  ],
  [
    'a column that browsers would run',
    { devices: [{ ...device, script: 'x' }] },
    'column "script", which is an element that browsers run or load',
  ],
  [
    'an admin that owns itself, whom nobody would see',
    { users: [{ ...user, usertype: 'admin', owner_id: '9' }] },
    "owner_id: account 9 is an admin, and what is admin's belongs to account 0",
  ],
  [
    'a range of extensions that begins after its end',
    { settings: [{ name: 'Device_Range_MIN', value: '10000' }] },
    'Device_Range_MIN, 10000, is above Device_Range_MAX, 9999',
  ],
  [
    'a default currency that there is not',
    { settings: [{ name: 'Default_Currency', value: 'XYZ' }] },
    'Default_Currency: there is no currency XYZ',
  ],
  [
    'an amount in a currency that there is not',
    { payments: [{ id: '1', user_id: '5', date: '2026-03-10 09:00:00', amount: '1', currency: 'XYZ' }] },
    'currency: XYZ has no exchange rate',
  ],
  [
    'an extension of another device',
    { devices: [{ ...device, extension: '1001' }] },
    'extension is the name or extension of device 10',
  ],
  ['a column that is not an XML name', { devices: [{ ...device, 'a b': 'x' }] }, 'unknown column "a b"'],
  ['an unknown device', { device_rules: [{ ...rule, device_id: '77' }] }, 'device_id: there is no device 77'],
  [
    'a rule that does nothing',
    { device_rules: [{ ...rule, cut: '' }] },
    'cut and add must not both be blank',
  ],
  [
    'lengths that are not a range',
    { device_rules: [{ ...rule, minlen: '9', maxlen: '3' }] },
    'minlen and maxlen are not a range',
  ],
  [
    'a DID whose device does not exist',
    { dids: [{ ...did, device_id: '77' }] },
    'device_id: there is no device 77',
  ],
  [
    'a DID whose user does not exist',
    { dids: [{ ...did, user_id: '77' }] },
    'user_id: there is no account 77',
  ],
  [
    'a DID whose owner owns nothing',
    { dids: [{ ...did, owner_id: '5' }] },
    'owner_id: account 5 is not an admin, reseller or partner',
  ],
  [
    'an unknown setting',
    { settings: [{ name: 'Allow_All', value: '1' }] },
    'name: there is no setting "Allow_All"',
  ],
  [
    'a short key',
    { settings: [{ name: 'API_Secret_Key', value: 'hush' }] },
    'API_Secret_Key takes at least 6 characters',
  ],
])('refuses %s and writes nothing', async (_case, rows, reason) => {
  const table = await aTable()
  await table.run(operator)
  const before = await table.dump()
  const [report] = await table.run(rows)

  expect(report?.refused).toEqual(new Map([[1, reason]]))
  expect(await table.dump()).toEqual(before)
})

test.each<[string, DatasetRows, string]>([
  ['an id', { users: [user, { ...user, username: 'other' }] }, 'id 9 is in line 1 already'],
  ['a username', { users: [user, { ...user, id: '8' }] }, 'username new is in line 1 already'],
  [
    'a device name',
    { devices: [device, { ...device, id: '20', extension: '1901' }] },
    'name or extension new is in line 1 already',
  ],
  [
    'an extension',
    { devices: [device, { ...device, id: '20', name: 'x' }] },
    'name or extension 1900 is in line 1 already',
  ],
])('refuses a second row with %s that an earlier row has', async (_case, rows, reason) => {
  const table = await aTable()
  await table.run(operator)
  const [report] = await table.run(rows)

  expect(report && outcomeOf(report)).toEqual({ written: 1, unchanged: 0, refused: [[2, reason]] })
})

test('settings may name a currency of the same dataset, and both ends of a range may move', async () => {
  const table = await aTable()
  const [report] = await table.run({
    settings: [
      { name: 'Device_Range_MIN', value: '20000' },
      { name: 'Device_Range_MAX', value: '30000' },
      { name: 'Default_Currency', value: 'EUR' },
      { name: 'API_Secret_Key', value: 'short-key' },
    ],
    currencies: [{ name: 'EUR', exchange_rate: '1' }],
  })

  expect(report).toMatchObject({ written: 4, refused: new Map() })
  expect(report?.remarks).toEqual([expect.stringContaining('API_Secret_Key has fewer than 24 characters')])
})

test('all settings of the dataset that contradict each other or stored settings are refused', async () => {
  const table = await aTable()
  const [report] = await table.run({
    settings: [
      { name: 'Device_Range_MIN', value: '20' },
      { name: 'Device_Range_MAX', value: '10' },
      { name: 'Allow_API', value: '1' },
    ],
  })

  expect(report?.written).toBe(1)
  expect([...(report?.refused.keys() ?? [])]).toEqual([1, 2])
})

test('the customers of a refused account are refused, too', async () => {
  const table = await aTable()
  const [report] = await table.run({
    users: [
      { ...user, id: '3', username: 'c', owner_id: '2' },
      { ...user, id: '2', username: 'b', usertype: 'reseller', owner_id: '1' },
      { ...user, id: '1', username: 'a', usertype: 'reseller', owner_id: '77' },
    ],
  })

  expect(report?.refused.size).toBe(3)
})

test('a device gets no more rules than one transaction can delete with it', async () => {
  const table = await aTable()
  await table.run(operator)
  const rules = Array.from({ length: 81 }, (_, id) => ({ ...rule, id: String(100 + id) }))
  const [report] = await table.run({ device_rules: rules })

  expect(report?.written).toBe(79)
  expect([...(report?.refused.values() ?? [])]).toEqual(Array(2).fill('device 10 has 80 rules already'))
})

test('a clear password is hashed again only if it has changed', async () => {
  const table = await aTable()
  const row = { id: '0', username: 'ada', usertype: 'admin', owner_id: '0' }
  const hash = async () => (await findCallers(table.store, ['ada']))[0]?.password_hash
  await table.run({ users: [{ ...row, password: 'first' }] })
  const first = await hash()
  await table.run({ users: [{ ...row, password: 'first', blocked: '1' }] })
  const same = await hash()
  await table.run({ users: [{ ...row, password: 'second' }] })

  expect(same).toBe(first)
  expect((await checkPassword('second', await hash())).matches).toBe(true)
})

test('a legacy hash that a login has replaced does not return with its row', async () => {
  const table = await aTable()
  await table.run(operator)
  const [bob] = await findCallers(table.store, ['bob'])
  const { rehashed = '' } = await checkPassword('test', SHA1_OF_TEST)
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
    { numRuns: 20 },
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

  const held = (await world.dump()).filter(({ PK }) => /^EXT|^DIALLED/.test(PK)).map(({ PK }) => PK)
  expect(held).toEqual(['DIALLED#Trenamed', 'DIALLED#Ttwo'])
})
