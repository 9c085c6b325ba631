import { randomUUID } from 'node:crypto'
import { importPath } from '#lib/dataset/import/folder.ts'
import { createClient } from '#lib/table/requests/client.ts'
import { createMeter } from '#lib/table/requests/meter.ts'
import { createStore, type Store } from '#lib/table/store.ts'
import { demoKey } from '#tools/contracts/generated-files.ts'
import { dataFolder, demoDataset } from '#tools/machine/data-folder.ts'
import { buildConsole } from '#tools/server/console-build.ts'
import { consoleRoutes } from '#tools/server/console-routes.ts'
import { createTable, freePort } from '#tools/server/engine.ts'
import type { Gateway } from '#tools/server/gateway.ts'
import { sumUpOnce } from '#tools/server/schedule.ts'
import { serveSource } from '#tools/server/source-gateway.ts'

/** A served demo, and its table. */
export interface DemoServer extends Gateway {
  readonly store: Store
}

/** `npm start` of a source builds the page again for each load of it, in a second of a processor. */
let built: ReturnType<typeof buildConsole> | undefined
const builtPage = () => (built ??= buildConsole())

/** Serves a dataset as `npm start` does, in a new table and on a free port. For tests and screenshots. */
export async function startDemo(endpoint: string, dataset = demoDataset): Promise<DemoServer> {
  const tableName = `demo-${randomUUID()}`
  const client = createClient({ tableName, endpoint })
  await createTable(client, tableName)
  const store = createStore({ client, tableName, meter: createMeter() })
  await importPath({ store, clock: () => new Date() }, dataset)
  await sumUpOnce({ tableName, endpoint })
  const gateway = await serveSource({
    port: await freePort(),
    folder: `${dataFolder}/${tableName}`,
    environment: { TABLE_NAME: tableName, DYNAMODB_ENDPOINT: endpoint },
    print: () => {},
    beside: consoleRoutes(async (path) => (await builtPage())[path], demoKey()),
  })
  return { ...gateway, store }
}
