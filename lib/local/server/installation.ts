import { once } from 'node:events'
import { createServer } from 'node:net'
import { ListTablesCommand } from '@aws-sdk/client-dynamodb'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { readSettings, type Settings, startupWarning } from '#lib/domain/settings.ts'
import {
  type DataFiles,
  dataFilesOf,
  prepareDataFolder,
  readEndpoint,
  removeEndpoint,
  removeUrl,
  shortPath,
  writeEndpoint,
  writeUrl,
} from '#lib/local/data-folder.ts'
import { lockFile } from '#lib/local/file-lock.ts'
import { CommandError } from '#lib/local/terminal.ts'
import { findSettings } from '#lib/store/installation/settings.ts'
import { createClient } from '#lib/store/requests/client.ts'
import { createMeter } from '#lib/store/requests/meter.ts'
import { createStore } from '#lib/store/store.ts'
import { type TableLocation, tableLocation } from '#lib/store/table.ts'
import { createTable, type Engine, startEngine } from './engine.ts'
import { importOnFirstStart } from './first-import.ts'
import { serveSource } from './source-gateway.ts'

export interface InstallationOptions {
  readonly port: number
  readonly dataset: string
  readonly fresh: boolean
  /** Is told in a sentence what happens while it runs. */
  readonly tell: (sentence: string) => void
}

/** The whole product on this machine: the table and the API over it. */
export interface Installation {
  readonly url: string
  readonly location: TableLocation
  readonly client: DynamoDBDocumentClient
  /** Where the data is, in words. */
  readonly data: string
  readonly loaded: boolean
  /** What its settings leave open, or keep closed, in sentences. */
  readonly warnings: readonly string[]
  /** Whether the other commands work on it when they are told nothing. */
  readonly isFirst: boolean
  /** Settles when the engine ends on its own, which it should not. */
  readonly engineEnded: Promise<unknown>
  stop(): Promise<void>
}

/** DYNAMODB_ENDPOINT names a DynamoDB that runs already; else the embedded one is started. */
export async function startInstallation(options: InstallationOptions): Promise<Installation> {
  await refuseBusyPort(options.port)
  const files = dataFilesOf(options.dataset)
  await prepareDataFolder(files, false)
  const engine = process.env['DYNAMODB_ENDPOINT'] ? undefined : await startOwnEngine(files, options.fresh)
  try {
    return await completeInstallation(options, engine)
  } catch (error) {
    await stopEngine(engine, files)
    throw error
  }
}

async function completeInstallation(
  { port, dataset, tell }: InstallationOptions,
  engine: OwnEngine | undefined,
): Promise<Installation> {
  const location = { ...tableLocation(process.env), ...(engine && { endpoint: engine.endpoint }) }
  const client = createClient(location)
  const files = dataFilesOf(dataset)
  await createTable(client, location.tableName).catch((error: Error) => {
    throw new CommandError(
      `There is no table to use at ${location.endpoint ?? 'AWS'}: ${error.message || error.name}`,
    )
  })
  const loaded = await importOnFirstStart({ client, location, dataset, files })
  const environment = environmentOf(location)
  const gateway = await serveSource({ port, environment, folder: files.functions, tell })
  const isFirst = engine?.isFirst ?? true
  if (isFirst) await writeUrl(gateway.url)
  return {
    url: gateway.url,
    location,
    client,
    data: engine ? shortPath(files.database) : `table ${location.tableName} at ${location.endpoint}`,
    loaded,
    warnings: await warningsOf(client, location),
    isFirst,
    engineEnded: engine ? once(engine.process, 'exit') : new Promise(() => {}),
    stop: async () => {
      if (isFirst) await removeUrl()
      await gateway.stop()
      await stopEngine(engine, files)
    },
  }
}

const environmentOf = ({ tableName, endpoint }: TableLocation) => ({
  TABLE_NAME: tableName,
  ...(endpoint && { DYNAMODB_ENDPOINT: endpoint }),
})

async function warningsOf(client: DynamoDBDocumentClient, { tableName }: TableLocation): Promise<string[]> {
  const store = createStore({ client, tableName, meter: createMeter() })
  const settings = readSettings(await findSettings(store))
  return [startupWarning(settings), closedBecause(settings)].filter((sentence) => sentence !== undefined)
}

/** Why every method refuses every call. */
function closedBecause({ Allow_API, API_Secret_Key }: Settings): string | undefined {
  const isOpen = Allow_API && API_Secret_Key !== ''
  if (isOpen) return undefined
  const missing = [...(Allow_API ? [] : ['Allow_API']), ...(API_Secret_Key === '' ? ['API_Secret_Key'] : [])]
  return `Nobody can call the API before ${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} set: in settings.csv, or with npm run settings`
}

/** The lock comes first: a second start must not delete or open what the first one uses. */
async function startOwnEngine(files: DataFiles, fresh: boolean): Promise<OwnEngine> {
  const release = lockFile(files.lock, () => RUNS_ALREADY)
  try {
    if (await isRunning(await readEndpoint(files))) throw new CommandError(RUNS_ALREADY)
    await prepareDataFolder(files, fresh)
    const isFirst = !(await isRunning(await readEndpoint()))
    const engine = await startEngine(files.database)
    await writeEndpoint(files, engine.endpoint, isFirst)
    return { ...engine, isFirst, stop: () => engine.stop().then(release) }
  } catch (error) {
    release()
    throw error
  }
}

const RUNS_ALREADY =
  'Tollgate runs here already, and its data can be open only once: stop the other npm start first.'

/** Commands that are told nothing work on the installation that was started first. */
interface OwnEngine extends Engine {
  readonly isFirst: boolean
}

const isRunning = async (endpoint: string | undefined): Promise<boolean> =>
  endpoint !== undefined && (await answers(endpoint))

async function stopEngine(engine: Engine | undefined, files: DataFiles): Promise<void> {
  if (!engine) return
  await removeEndpoint(files, engine.endpoint)
  await engine.stop()
}

const answers = (endpoint: string): Promise<boolean> =>
  createClient({ endpoint, tableName: '' })
    .send(new ListTablesCommand({}))
    .then(
      () => true,
      () => false,
    )

/** A start that cannot listen must not load or delete anything: the port is tried before the rest. */
async function refuseBusyPort(port: number): Promise<void> {
  const probe = createServer()
  try {
    await once(probe.listen(port, 'localhost'), 'listening')
  } catch {
    throw new CommandError(
      `Port ${port} is taken: stop what listens there, or choose another one with npm start -- --port N.`,
    )
  }
  probe.close()
  await once(probe, 'close')
}
