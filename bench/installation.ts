import type { Services } from '#lib/api/method.ts'
import { createClient } from '#lib/table/requests/client.ts'
import { createMeter } from '#lib/table/requests/meter.ts'
import { createStore } from '#lib/table/store.ts'
import { type DatasetRows, importRows } from '#test/datasets/import-rows.ts'
import { createTable, startEngine } from '#tools/server/engine.ts'
import { type CallsToWrite, FIRST_CUSTOMER, ownerAt } from './written-calls.ts'

export const KEY = 'secret-of-bench'

export type BenchInstallation = Awaited<ReturnType<typeof openBench>>

/** A new table in an engine in memory, and the services of functions over it. */
export async function openBench(clock: () => Date) {
  const engine = await startEngine()
  const tableName = 'bench'
  const client = createClient({ tableName, endpoint: engine.endpoint })
  await createTable(client, tableName)
  const services: Services = {
    openStore: (meter) => createStore({ client, tableName, meter }),
    clock,
    transport: { streams: true, maxBytes: 2e8 },
    random: { below: () => 0 },
    log: () => {},
  }
  const meter = createMeter()
  const store = services.openStore(meter)
  return {
    endpoint: engine.endpoint,
    client,
    tableName,
    services,
    meter,
    store,
    given: (rows: DatasetRows) => importRows({ store, clock }, rows),
    stop: engine.stop,
  }
}

/** The settings with which a table answers signed requests. */
export const settings = Object.entries({ Allow_API: '1', API_Secret_Key: KEY }).map(([name, value]) => ({
  name,
  value,
}))

export const accountName = (account: number): string => (account === 0 ? 'admin' : `account-${account}`)

/** `password_hash` is a legacy hash that no password has. */
const account = (id: number, usertype: string, owner: number) => ({
  id: String(id),
  username: accountName(id),
  password_hash: '0'.repeat(40),
  usertype,
  owner_id: String(owner),
})

/** The accounts whose calls are written. */
export const callingAccounts = ({ owners, customers }: Pick<CallsToWrite, 'owners' | 'customers'>) => [
  account(0, 'admin', 0),
  ...Array.from({ length: owners }, (_, owner) => account(owner + 1, 'reseller', 0)),
  ...Array.from({ length: customers }, (_, n) => account(FIRST_CUSTOMER + n, 'user', ownerAt(n, owners))),
]
