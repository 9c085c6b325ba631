import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { importPath } from '#lib/dataset/import/folder.ts'
import { loadFunctionFiles } from '#lib/local/contracts/function-files.ts'
import { functionConfigs } from '#lib/local/contracts/functions-config.ts'
import { dataFolder, demoDataset } from '#lib/local/data-folder.ts'
import { createClient } from '#lib/store/requests/client.ts'
import { createMeter } from '#lib/store/requests/meter.ts'
import { createStore } from '#lib/store/store.ts'
import { buildFunctions } from './build-functions.ts'
import { createTable, freePort } from './engine.ts'
import { type Gateway, startGateway } from './gateway.ts'

/** What `npm start` serves on the demo, in a table of its own on a free port; for tests and pictures. */
export async function startDemo(endpoint: string): Promise<Gateway> {
  const location = { tableName: `demo-${randomUUID()}`, endpoint }
  const client = createClient(location)
  await createTable(client, location.tableName)
  const store = createStore({ client, tableName: location.tableName, meter: createMeter() })
  await importPath({ store, clock: () => new Date() }, demoDataset)
  const functions = functionConfigs(await loadFunctionFiles())
  const folder = `${dataFolder}/functions-${randomUUID()}`
  await buildFunctions(functions, folder)
  const environment = { TABLE_NAME: location.tableName, DYNAMODB_ENDPOINT: location.endpoint }
  const gateway = await startGateway({ port: await freePort(), folder, functions, environment })
  const stop = async () => {
    await gateway.stop()
    await rm(folder, { recursive: true, force: true })
  }
  return { ...gateway, stop }
}
