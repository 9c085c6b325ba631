import { randomInt } from 'node:crypto'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import type { Services } from '#lib/api/method.ts'
import type { RowSource } from '#lib/dataset/format/row-source.ts'
import { type DatasetRows, importDataset, importRows } from '#lib/dataset/import/import.ts'
import { createClient } from '#lib/store/requests/client.ts'
import { createMeter } from '#lib/store/requests/meter.ts'
import { createStore, type Store } from '#lib/store/store.ts'
import { aroundRequests } from '#test/faults/around-requests.ts'
import { createTable, startEngine } from '#tools/server/engine.ts'

/** A new table in an engine in memory, and the time that requests to the engine take. */
export interface BenchInstallation {
  readonly client: DynamoDBDocumentClient
  readonly tableName: string
  readonly store: Store
  readonly meter: ReturnType<typeof createMeter>
  readonly services: Services
  /** The milliseconds during which at least one request to the engine was open. */
  engineTime(): number
  given(rows: DatasetRows): Promise<void>
  importRates(source: RowSource): Promise<void>
  stop(): Promise<void>
}

export async function benchInstallation(): Promise<BenchInstallation> {
  const engine = await startEngine()
  const tableName = 'bench'
  const client = createClient({ tableName, endpoint: engine.endpoint })
  await createTable(client, tableName)
  const waiting = createWaiting()
  const timed = aroundRequests(client, (_command, send) => waiting.during(send))
  const meter = createMeter()
  const store = createStore({ client: timed, tableName, meter })
  const importing = { store, clock: () => new Date() }
  return {
    client,
    tableName,
    store,
    meter,
    services: {
      openStore: (of) => createStore({ client: timed, tableName, meter: of }),
      clock: () => new Date(),
      transport: { streams: false, maxBytes: 4_400_000 },
      random: { below: (bound) => randomInt(bound) },
      log: () => {},
    },
    engineTime: waiting.total,
    given: (rows) => importRows(importing, rows),
    importRates: async (source) =>
      void (await importDataset(importing, { name: 'bench', sources: { rates: source } })),
    stop: engine.stop,
  }
}

function createWaiting() {
  let [open, since, total] = [0, 0, 0]
  return {
    total: () => total,
    during: async <T>(request: () => Promise<T>): Promise<T> => {
      if (open++ === 0) since = performance.now()
      try {
        return await request()
      } finally {
        if (--open === 0) total += performance.now() - since
      }
    },
  }
}
