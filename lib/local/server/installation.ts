import { once } from 'node:events'
import { createServer } from 'node:net'
import { ListTablesCommand } from '@aws-sdk/client-dynamodb'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { readSettings, settingsWarning } from '#lib/domain/settings.ts'
import { loadFunctionFiles } from '#lib/local/contracts/function-files.ts'
import { type FunctionConfig, functionConfigs, INTAKE_PATH } from '#lib/local/contracts/functions-config.ts'
import {
  dataFilesOf,
  dataFolder,
  prepareDataFolder,
  readEndpoint,
  removeEndpoint,
  shown,
  writeEndpoint,
} from '#lib/local/data-folder.ts'
import { Failure } from '#lib/local/failure.ts'
import { findSettings } from '#lib/store/installation/settings.ts'
import { createClient } from '#lib/store/requests/client.ts'
import { createMeter } from '#lib/store/requests/meter.ts'
import { createStore } from '#lib/store/store.ts'
import { type TableLocation, tableLocation } from '#lib/store/table-location.ts'
import { buildFunctions } from './build-functions.ts'
import { createTable, type Engine, startEngine } from './engine.ts'
import { importOnFirstStart } from './first-import.ts'
import { type Gateway, startGateway } from './gateway.ts'

export interface InstallationOptions {
  readonly port: number
  readonly dataset: string
  readonly fresh: boolean
}

/** The whole product on this machine: the table and the API over it. */
export interface Installation {
  readonly url: string
  readonly location: TableLocation
  readonly client: DynamoDBDocumentClient
  /** Where the data is, in words. */
  readonly data: string
  readonly loaded: boolean
  /** What its settings leave open, in a sentence. */
  readonly warning: string | undefined
  /** Settles when the engine ends on its own, which it should not. */
  readonly engineEnded: Promise<unknown>
  stop(): Promise<void>
}

/** DYNAMODB_ENDPOINT names a DynamoDB that runs already; else the embedded one is started. */
export async function startInstallation(options: InstallationOptions): Promise<Installation> {
  await refuseBusyPort(options.port)
  const files = dataFilesOf(options.dataset)
  await prepareDataFolder(files, options.fresh)
  const engine = process.env['DYNAMODB_ENDPOINT'] ? undefined : await startOwnEngine(files.database)
  try {
    return await completeInstallation(options, engine)
  } catch (error) {
    await stopEngine(engine)
    throw error
  }
}

async function completeInstallation(
  { port, dataset }: InstallationOptions,
  engine: Engine | undefined,
): Promise<Installation> {
  const location = { ...tableLocation(process.env), ...(engine && { endpoint: engine.endpoint }) }
  const client = createClient(location)
  const files = dataFilesOf(dataset)
  await createTable(client, location.tableName).catch((error: Error) => {
    throw new Failure(
      `There is no table to use at ${location.endpoint ?? 'AWS'}: ${error.message || error.name}`,
    )
  })
  const loaded = await importOnFirstStart({ client, location, dataset, files })
  const gateway = await serveFunctions(port, location)
  return {
    url: gateway.url,
    location,
    client,
    data: engine ? shown(files.database) : `table ${location.tableName} at ${location.endpoint}`,
    loaded,
    warning: await warningOf(client, location),
    engineEnded: engine ? once(engine.process, 'exit') : new Promise(() => {}),
    stop: async () => {
      await gateway.stop()
      await stopEngine(engine)
    },
  }
}

async function warningOf(
  client: DynamoDBDocumentClient,
  { tableName }: TableLocation,
): Promise<string | undefined> {
  const store = createStore({ client, tableName, meter: createMeter() })
  return settingsWarning(readSettings(await findSettings(store)))
}

async function startOwnEngine(database: string): Promise<Engine> {
  const running = await readEndpoint()
  if (running && (await answers(running))) {
    throw new Failure(
      'Tollgate runs here already, and its data can be open only once: stop the other npm start first.',
    )
  }
  const engine = await startEngine(database)
  await writeEndpoint(engine.endpoint)
  return engine
}

async function stopEngine(engine: Engine | undefined): Promise<void> {
  if (!engine) return
  await removeEndpoint()
  await engine.stop()
}

const answers = (endpoint: string): Promise<boolean> =>
  createClient({ endpoint, tableName: '' })
    .send(new ListTablesCommand({}))
    .then(
      () => true,
      () => false,
    )

/** Without a queue: records go into the table at once. */
const INTAKE: FunctionConfig = {
  handler: 'functions/ingest/intake_locally.handler',
  description: '',
  role: '',
  events: [{ http: { path: INTAKE_PATH, method: 'any' } }],
}

async function serveFunctions(port: number, { tableName, endpoint }: TableLocation): Promise<Gateway> {
  const functions = { ...functionConfigs(await loadFunctionFiles()), intake: INTAKE }
  const folder = `${dataFolder}/functions`
  await buildFunctions(functions, folder)
  const environment = { TABLE_NAME: tableName, ...(endpoint && { DYNAMODB_ENDPOINT: endpoint }) }
  return startGateway({ port, functions, folder, environment })
}

/** Looked at first, because serverless-offline ends the process when it finds out. */
async function refuseBusyPort(port: number): Promise<void> {
  const probe = createServer()
  try {
    await once(probe.listen(port, 'localhost'), 'listening')
  } catch {
    throw new Failure(
      `Port ${port} is taken: stop what listens there, or choose another one with npm start -- --port N.`,
    )
  }
  probe.close()
  await once(probe, 'close')
}
