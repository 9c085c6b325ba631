import { createHash } from 'node:crypto'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import type { Services } from '#lib/api/method.ts'
import { importPath } from '#lib/dataset/import/folder.ts'
import { createClient } from '#lib/table/requests/client.ts'
import { createMeter } from '#lib/table/requests/meter.ts'
import { createStore } from '#lib/table/store.ts'
import type { TableLocation } from '#lib/table/table.ts'
import { demoDataset } from '#tools/machine/data-folder.ts'
import { createTable, type Engine, startEngine } from '#tools/server/engine.ts'

/** The demo is imported and called at this moment: a Wednesday, in the afternoon of its time zone. */
export const DEMO_TIME = new Date('2026-11-18T15:30:00Z')

const TABLE = 'tollgate'

/** Copies of the imported demo: a change in one copy does not show in the next. */
export interface DemoCopies {
  /** Runs `use` on a new copy, with a stopped clock and repeatable random numbers. */
  on<T>(use: (services: Services, location: TableLocation) => Promise<T>): Promise<T>
  remove(): Promise<void>
}

/** Imports the demo once, in about ten seconds, into the temporary folder. */
export async function importDemo(): Promise<DemoCopies> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-demo-'))
  const original = join(folder, 'original')
  await withEngine(original, async (engine) => {
    const table = tableOfEngine(engine)
    await createTable(table.client, table.tableName)
    const store = createStore({ ...table, meter: createMeter() })
    await importPath({ store, clock: () => DEMO_TIME }, demoDataset)
  })
  let copies = 0
  return {
    on: async (use) => {
      const copy = join(folder, `copy-${copies++}`)
      await cp(original, copy)
      return withEngine(copy, (engine) =>
        use(servicesOf(engine), { tableName: TABLE, endpoint: engine.endpoint }),
      )
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

/** Runs `use` on an engine of its own: on this file, otherwise in memory. */
export async function withEngine<T>(
  file: string | undefined,
  use: (engine: Engine) => Promise<T>,
): Promise<T> {
  const engine = await startEngine(file)
  try {
    return await use(engine)
  } finally {
    await engine.stop()
  }
}

export const tableOfEngine = ({ endpoint }: Engine) => ({
  client: createClient({ endpoint, tableName: TABLE }),
  tableName: TABLE,
})

/** A stopped clock, and the same random numbers each time. */
export function servicesOf(engine: Engine, now = DEMO_TIME): Services {
  const table = tableOfEngine(engine)
  return {
    openStore: (meter) => createStore({ ...table, meter }),
    clock: () => now,
    transport: { streams: false, maxBytes: 4_400_000 },
    random: repeatedRandom(),
    // The answer of a failed call is only `Internal error`.
    log: ({ error }) => void (error && process.stderr.write(`${inspect(error)}\n`)),
  }
}

/** Draws the same numbers each time: the documentation contains the secrets of the examples. */
function repeatedRandom(): Services['random'] {
  let drawn = 0
  return {
    below: (bound) => {
      const digest = createHash('sha256').update(`draw ${drawn++}`).digest()
      return digest.readUInt32BE() % bound
    },
  }
}
