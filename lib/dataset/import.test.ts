import { randomUUID } from 'node:crypto'
import { expect, inject, test } from 'vitest'
import { createTable } from '#lib/local/engine.ts'
import { createClient } from '#lib/store/client.ts'
import { findDevice } from '#lib/store/entities/device.ts'
import { createMeter } from '#lib/store/meter.ts'
import { createStore } from '#lib/store/store.ts'
import { dumpTable } from '#lib/testing/dump.ts'
import { importDataset, importRows, type Rows } from './import.ts'
import { inMemory } from './source.ts'

const SHA1_OF_TEST = 'a94a8fe5ccb19ba61c4c0873d391e987982fbbd3'

const password = { password_hash: SHA1_OF_TEST }
const operator: Rows = {
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
  const run = (rows: Rows) =>
    importDataset(services, {
      name: 'test',
      sources: Object.fromEntries(Object.entries(rows).map(([file, cells]) => [file, inMemory(file, cells)])),
    })
  return { services, store, meter, run, dump: () => dumpTable(client, tableName) }
}

test('a row becomes its item with all that points at it and counts it', async () => {
  const table = await aTable()
  await importRows(table.services, operator)
  const items = (await table.dump()) as Record<string, unknown>[]

  expect(items.map(({ PK, SK }) => `${PK} ${SK}`).filter((name) => !name.includes('LOG#'))).toEqual([
    'CALLER#admin CALLER',
    'CALLER#bob CALLER',
    'CALLER#rita CALLER',
    'COUNT#DEVICES COUNT',
    'DATASET#rows DATASET',
    'DEVICE#10 DEVICE',
    'DEVICE#10 RULE#000000000000007',
    'DEVICE#11 DEVICE',
    'DEVICENAME#1002 DEVICENAME',
    'DEVICENAME#bob-desk DEVICENAME',
    'DEVRULE#7 DEVRULE',
    'DID#3 DID',
    'EXTENSIONS N000000000001001',
    'EXTENSIONS N000000000001002',
    'EXTMARK EXTMARK',
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

test('blank cells of a device stand for what a new device has', async () => {
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
