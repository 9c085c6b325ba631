import { importRows } from '#lib/dataset/import.ts'
import type { Cells } from '#lib/dataset/source.ts'
import { ingestMessages } from '#lib/ingest/ingest-messages.ts'
import { openIngestWorld } from '#lib/ingest/ingest-world.ts'
import { createTable, startEngine } from '#lib/local/engine.ts'
import { createClient } from '#lib/store/client.ts'
import { createMeter, type Meter } from '#lib/store/meter.ts'
import { createStore, type Store } from '#lib/store/store.ts'

/** One line of bench/results.md: what was measured, and the physical minimum where there is one. */
export interface Measured {
  readonly what: string
  readonly value: string
  readonly beside?: string
}

const RECORDS = 50_000
const IN_A_MESSAGE = 500

const clock = () => new Date('2026-03-10T12:00:00Z')

interface Bench {
  readonly store: Store
  readonly meter: Meter
  stop(): Promise<void>
}

/** An engine in memory with an operator: `owners` resellers with `customers` each. */
async function openBench(owners: number, customers: number): Promise<Bench> {
  const engine = await startEngine()
  const [tableName, client] = ['bench', createClient({ tableName: 'bench', endpoint: engine.endpoint })]
  await createTable(client, tableName)
  const meter = createMeter()
  const store = createStore({ client, tableName, meter })
  await importRows({ store, clock }, { users: operator(owners, customers) })
  return { store, meter, stop: engine.stop }
}

const account = (id: number, usertype: string, owner_id: number): Cells => ({
  id: String(id),
  username: `account-${id}`,
  password_hash: '0'.repeat(40),
  usertype,
  owner_id: String(owner_id),
})

const operator = (owners: number, customers: number): Cells[] => [
  account(0, 'admin', 0),
  ...Array.from({ length: owners }, (_, owner) => account(owner + 1, 'reseller', 0)),
  ...Array.from({ length: owners * customers }, (_, n) => account(1000 + n, 'user', 1 + (n % owners))),
]

/** Calls of one day in time order, as switches deliver them. */
const callAt = (n: number, customers: number): Cells => ({
  uniqueid: `1773100000.${n}`,
  calldate: `@-${n % 3}d 10:00:00`,
  src: '37060012345',
  dst: '12025550199',
  disposition: 'ANSWERED',
  duration: '75',
  billsec: '61',
  hangupcause: '16',
  user_id: String(1000 + ((n * 7919) % customers)),
  device_id: '2001',
  provider_id: '7',
  user_rate: '0.0987',
  user_price: '0.100345',
  provider_rate: '0.05',
  provider_price: '0.050833',
  reseller_price: '0.070123',
})

async function ingest({ store }: Bench, customers: number): Promise<number> {
  const world = await openIngestWorld(store, clock)
  const started = performance.now()
  for (let from = 0; from < RECORDS; from += 10 * IN_A_MESSAGE) {
    const messages = Array.from({ length: 10 }, (_, message) => ({
      id: String(message),
      body: JSON.stringify({
        type: 'calls',
        records: Array.from({ length: IN_A_MESSAGE }, (_, record) =>
          callAt(from + message * IN_A_MESSAGE + record, customers),
        ),
      }),
    }))
    const failures = await ingestMessages(messages, world)
    if (failures.size > 0) throw new Error([...failures.values()][0])
  }
  return (performance.now() - started) / 1000
}

/** A transaction writes an item twice, each index once; a call with its keys is smaller than 1 KB. */
const LEAST_UNITS = 4

/** Call records through the code behind the queue: records a second, and write units a record. */
export async function run(): Promise<Measured[]> {
  const measured: Measured[] = []
  for (const [owners, customers] of [
    [1, 1],
    [4, 25],
    [20, 100],
  ] as const) {
    const bench = await openBench(owners, customers)
    const before = bench.meter.spent.write
    const seconds = await ingest(bench, owners * customers)
    const units = (bench.meter.spent.write - before) / RECORDS
    measured.push({
      what: `${RECORDS} calls of ${owners * customers} customers of ${owners} owners`,
      value: `${Math.round(RECORDS / seconds)} records/s, ${units.toFixed(2)} write units a record`,
      beside: `${LEAST_UNITS} write units for the bare puts in transactions`,
    })
    await bench.stop()
  }
  return measured
}
