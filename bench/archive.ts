import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openCallArchive } from '#lib/archive/call-archive.ts'
import { folderBucket } from '#lib/archive/folder-bucket.ts'
import type { Manifest } from '#lib/archive/manifest.ts'
import { runArchive } from '#lib/archive/run.ts'
import { importRows } from '#lib/dataset/import/import.ts'
import { addTallies, NOTHING } from '#lib/domain/calls/statistics.ts'
import { readSettings } from '#lib/domain/settings.ts'
import { listDaysOfCalls } from '#lib/store/calls/call-stats.ts'
import { findSettings } from '#lib/store/installation/settings.ts'
import { createClient } from '#lib/store/requests/client.ts'
import { createMeter } from '#lib/store/requests/meter.ts'
import { createStore, type Store } from '#lib/store/store.ts'
import { forgetCalls } from '#tools/commands/archive/forget-tool.ts'
import { queryArchive } from '#tools/commands/archive/query-tool.ts'
import { createTable, startEngine } from '#tools/server/engine.ts'
import { FIRST_CUSTOMER, writeCalls } from './load/written-calls.ts'
import { type BenchmarkTable, fixed } from './report.ts'
import { operator } from './user-calls.ts'

const TABLE = 'bench'
const MARCH = { from: '2026-03-01', till: '2026-03-31' }
const clock = () => new Date('2026-05-01T12:00:00Z')

/** Archives a month of calls, compares it with the counters, queries it and forgets a customer. The query needs DuckDB. */
export async function benchArchive(count: number): Promise<BenchmarkTable> {
  const engine = await startEngine()
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-bench-'))
  try {
    const client = createClient({ tableName: TABLE, endpoint: engine.endpoint })
    await createTable(client, TABLE)
    const archive = openCallArchive(folderBucket(folder))
    const store = createStore({ client, tableName: TABLE, meter: createMeter(), archive })
    const load = { start: Date.parse(MARCH.from) / 1000, count, days: 31, owners: 4, customers: 40 }
    const settings = [{ name: 'Calls_Keep_Days', value: '30' }]
    await importRows({ store, clock }, { settings, users: operator(load) })
    await writeCalls(client, TABLE, load)
    const rows = [await archived(store, folder), await queried(store, folder), await forgotten(store, folder)]
    return { title: `A month of ${count} calls in the archive`, rows: rows.flat() }
  } finally {
    await engine.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

type Rows = BenchmarkTable['rows'][number][]

/** What a step takes of time and of capacity units. */
async function measured<T>(store: Store, step: () => Promise<T>) {
  const [before, started] = [{ ...store.meter.spent }, performance.now()]
  const result = await step()
  const { read, write } = store.meter.spent
  const units = `${Math.round(read - before.read)} read, ${Math.round(write - before.write)} write`
  return { result, seconds: fixed((performance.now() - started) / 1000), units }
}

async function archived(store: Store, folder: string): Promise<Rows> {
  const settings = readSettings(await findSettings(store))
  const manifests: Manifest[] = []
  const { seconds, units } = await measured(store, async () => {
    for await (const outcome of runArchive({ store, bucket: folderBucket(folder), settings, clock })) {
      if (outcome.outcome !== 'archived') throw new Error(JSON.stringify(outcome))
      manifests.push(outcome.manifest)
    }
  })
  const calls = manifests.reduce((sum, { everyone }) => sum + everyone.calls, 0)
  const bytes = manifests.flatMap(({ files }) => files).reduce((sum, file) => sum + file.bytes, 0)
  return [
    ['archived, at most 1,000 calls a second', `${calls} calls of ${manifests.length} days in ${seconds} s`],
    ['units of the table', units],
    ['files', `${fixed(bytes / 1e6)} MB, ${fixed(bytes / calls)} bytes a call`],
    ['most memory of the process', `${Math.round(process.resourceUsage().maxRSS / 1000)} MB`],
  ]
}

const SUMS = `SELECT count(*) AS calls, sum(reseller_price) AS revenue, sum(provider_price) AS self_cost FROM calls`

async function queried(store: Store, folder: string): Promise<Rows> {
  const days = await listDaysOfCalls(store, 'everyone', MARCH)
  const { calls, revenue, self_cost } = days.reduce((sum, { tally }) => addTallies(sum, tally), NOTHING)
  const { result, seconds } = await measured(store, async () => {
    const { rows } = await queryArchive(store, { folder }, { sql: SUMS, ...MARCH })
    for await (const row of rows) return row
    return {}
  })
  const isEqual = `${calls} ${revenue} ${self_cost}` === Object.values(result).join(' ')
  return [['sums of all calls by SQL, equal to the counters', `${isEqual ? 'yes' : 'NO'}, in ${seconds} s`]]
}

async function forgotten(store: Store, folder: string): Promise<Rows> {
  const openBucket = () => folderBucket(folder)
  const wish = { account: String(FIRST_CUSTOMER), who: 'bench', approve: async () => true }
  const { result, seconds, units } = await measured(store, () =>
    forgetCalls({ store, openBucket, clock, lock: async () => () => undefined }, wish),
  )
  return [['one of 40 customers forgotten', `${result} calls in ${seconds} s, ${units} units`]]
}
