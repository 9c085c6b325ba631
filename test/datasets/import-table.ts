import { randomUUID } from 'node:crypto'
import { createMeter } from '#lib/table/requests/meter.ts'
import { createStore } from '#lib/table/store.ts'
import { type DatasetRows, importInto } from '#test/datasets/import-rows.ts'
import { dumpTable } from '#test/dump.ts'
import { createTestTable } from '#test/test-table.ts'

export const SHA1_OF_TEST = 'a94a8fe5ccb19ba61c4c0873d391e987982fbbd3'

export const password = { password_hash: SHA1_OF_TEST }

/** A reseller with one customer, who has two devices. */
export const operator: DatasetRows = {
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

/** A table of its own, and the import into it. */
export async function aTable() {
  const { client, tableName } = await createTestTable(`import-${randomUUID()}`)
  const meter = createMeter()
  const store = createStore({ client, tableName, meter })
  const now = new Date('2026-03-10T12:00:00Z')
  const services = { store, clock: () => now }
  const run = (rows: DatasetRows, options: Parameters<typeof importInto>[2] = {}) =>
    importInto({ store, now }, rows, options, 'test')
  return { services, store, meter, run, client, tableName, dump: () => dumpTable(client, tableName) }
}
