import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname } from 'node:path'
import { ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { countOf } from '#lib/base/text.ts'
import { readSettings, type Settings, settingNames, startupWarning } from '#lib/settings/settings.ts'
import { findSettings } from '#lib/settings/stored-settings.ts'
import type { LogFields } from '#lib/table/log-line.ts'
import { createClient } from '#lib/table/requests/client.ts'
import { createMeter } from '#lib/table/requests/meter.ts'
import { createStore, type Store } from '#lib/table/store.ts'
import { type TableLocation, tableLocation, withoutKey } from '#lib/table/table.ts'
import { UnreadableTable } from '#lib/table/table-format.ts'
import { demoKey } from '#tools/contracts/generated-files.ts'
import { archiveOf } from '#tools/machine/archive-location.ts'
import {
  copyDemo,
  type DataFiles,
  dataFilesOf,
  demoDataset,
  prepareDataFolder,
} from '#tools/machine/data-folder.ts'
import { lockFile } from '#tools/machine/file-lock.ts'
import { shortPath } from '#tools/machine/location.ts'
import { root, START_COMMAND } from '#tools/machine/program.ts'
import { announceRunning, endpointsOf, listRunning } from '#tools/machine/running.ts'
import { CommandError, printLine } from '#tools/machine/terminal.ts'
import { reportError } from '../command-line/error-message.ts'
import { migrationNotice } from '../command-line/migration-progress.ts'
import { openTable } from '../command-line/open-table.ts'
import { hasOwners } from '../command-line/over-table.ts'
import { stampIfEmpty } from '../command-line/table-stamp.ts'
import { createTable, type Engine, startEngine } from './engine.ts'
import { healthRoutes } from './health.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { readableLine } from './readable-log.ts'
import { serveSource } from './source-gateway.ts'

export interface InstallationOptions {
  readonly port: number
  /** The address that it listens on: localhost, unless a container or another machine has to reach it. */
  readonly host?: string | undefined
  readonly dataset: string
  /** Given if stored data goes first. Called when no other start can use the data; throws to keep it. */
  readonly confirmDeletion?: (() => Promise<void>) | undefined
  /** The functions write their log as JSON. */
  readonly json?: boolean | undefined
  /** Receives a sentence about each event while it runs. */
  readonly print: (sentence: string) => void
}

/** A running installation: the table, and the API over it. */
export interface Installation {
  readonly url: string
  readonly store: Store
  /** A description of where the data is. */
  readonly data: string
  readonly loaded: boolean
  /** Sentences about settings that leave the API open, or keep it closed. */
  readonly warnings: readonly string[]
  /** True if the other commands use this installation by default. */
  readonly isDefault: boolean
  /** Settles when the engine ends unexpectedly. */
  readonly engineEnded: Promise<unknown>
  stop(): Promise<void>
}

/** Starts the embedded engine, unless DYNAMODB_ENDPOINT names a running DynamoDB. */
export async function startInstallation(options: InstallationOptions): Promise<Installation> {
  await refuseBusyPort(options)
  await prepareDataFolder(dataFilesOf(options.dataset), false)
  const engine = process.env['DYNAMODB_ENDPOINT'] ? undefined : await startOwnEngine(options)
  try {
    return await completeInstallation(options, engine)
  } catch (error) {
    await engine?.stop()
    throw error
  }
}

async function completeInstallation(
  { port, host, dataset, json, print }: InstallationOptions,
  engine: Engine | undefined,
): Promise<Installation> {
  const location = { ...tableLocation(process.env), ...(engine && { endpoint: engine.endpoint }) }
  const client = createClient(location)
  const files = dataFilesOf(dataset)
  await createTable(client, location.tableName).catch((error: Error) => {
    throw new CommandError(`There is no table to use at ${placeOf(location)}: ${error.message || error.name}`)
  })
  await refuseOtherFormat(location)
  const store = createStore({ client, tableName: location.tableName, meter: createMeter() })
  const isDefault = listRunning(root).length === 0
  const url = `http://localhost:${port}`
  const startedAt = new Date().toISOString()
  const withdraw = await announceRunning(root, { url, dataset, location, startedAt })
  const metrics = createMetrics()
  const log = countedLog(metrics, json)
  const importing = importOnFirstStart(store, location, dataset, files)
  const serving = serveSource({
    port,
    host,
    environment: environmentOf(location, files),
    folder: files.functions,
    log,
    beside: healthRoutes(store, metrics, engine && { ...files, folder: dirname(files.database) }),
    ready: importing,
    print,
    demoKey: dataset === demoDataset ? demoKey() : undefined,
  })
  const [loaded, gateway] = await Promise.all([importing, serving]).catch(async (error: Error) => {
    await serving.then(({ stop }) => stop()).catch(() => {})
    throw error
  })
  // It works at once, and would delay the first answer, also by being loaded.
  const background = import('./background.ts').then(({ startBackground }) =>
    startBackground(location, { log, count: metrics.count, isOwnEngine: engine !== undefined }),
  )
  return {
    url,
    store,
    data: engine ? shortPath(files.database) : `table ${location.tableName} at ${placeOf(location)}`,
    loaded,
    warnings: await warningsOf(store),
    isDefault,
    engineEnded: engine ? once(engine.process, 'exit') : new Promise(() => {}),
    stop: async () => {
      await withdraw()
      await gateway.stop()
      await background.then((stop) => stop())
      await engine?.stop()
    },
  }
}

const environmentOf = (location: TableLocation, { archive }: DataFiles): Record<string, string> => ({
  TABLE_NAME: location.tableName,
  ...(location.endpoint && { DYNAMODB_ENDPOINT: location.endpoint }),
  ARCHIVE_BUCKET: archiveOf(location) ?? archive,
})

const placeOf = ({ endpoint }: TableLocation): string => withoutKey(endpoint ?? 'AWS')

/** Prints each line of the log, and counts it. */
const countedLog =
  (metrics: Metrics, isJson = false) =>
  (line: LogFields): void => {
    metrics.count(line)
    printLine(isJson ? JSON.stringify(line) : readableLine(line, new Date()))
  }

/** An interrupted first start can leave a table without a stamp. */
const refuseOtherFormat = (location: TableLocation): Promise<void> =>
  stampIfEmpty(location).catch((error: Error) => {
    if (!(error instanceof UnreadableTable)) throw error
    throw new CommandError(`${error.message}. To replace the data: ${START_COMMAND} --fresh.`)
  })

async function warningsOf(store: Store): Promise<string[]> {
  const stored = await findSettings(store)
  const settings = readSettings(stored)
  return [migrationNotice(stored), startupWarning(settings), closedWarning(settings)].filter(
    (sentence) => sentence !== undefined,
  )
}

/** The warning that every method refuses every call; `undefined` if the API is open. */
function closedWarning({ Allow_API, API_Secret_Key }: Settings): string | undefined {
  const isOpen = Allow_API && API_Secret_Key !== ''
  if (isOpen) return undefined
  const missing = [...(Allow_API ? [] : ['Allow_API']), ...(API_Secret_Key === '' ? ['API_Secret_Key'] : [])]
  return `The API refuses every call until ${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} set: in settings.csv, or with npx tollgate settings`
}

/** Takes the lock first: a second start must neither delete nor open the data of the first one. */
async function startOwnEngine({ dataset, confirmDeletion }: InstallationOptions): Promise<Engine> {
  const files = dataFilesOf(dataset)
  const release = lockFile(files.lock, () => runsAlready(dataset))
  try {
    const running = await Promise.all(endpointsOf(root, dataset).map(answers))
    if (running.includes(true)) throw new CommandError(runsAlready(dataset))
    await confirmDeletion?.()
    await prepareDataFolder(files, confirmDeletion !== undefined)
    if (dataset === demoDataset) await copyDemo(files)
    const engine = await startEngine(files.database)
    return { ...engine, stop: () => engine.stop().then(release) }
  } catch (error) {
    release()
    throw error
  }
}

function runsAlready(dataset: string): string {
  const other = listRunning(root).find((running) => running.dataset === dataset)
  const where = other ? ` at ${other.url}` : ''
  return `Tollgate already runs on ${shortPath(dataset)}${where}: use that one, or stop it first. Data can be open only once.`
}

const answers = (endpoint: string): Promise<boolean> =>
  createClient({ endpoint, tableName: '' })
    .send(new ListTablesCommand({}))
    .then(
      () => true,
      () => false,
    )

/** Tries the port before anything else: a start that cannot listen must not load or delete data. */
async function refuseBusyPort({ port, host = 'localhost' }: InstallationOptions): Promise<void> {
  const probe = createServer()
  try {
    await once(probe.listen(port, host), 'listening')
  } catch {
    throw new CommandError(
      `Port ${port} is taken: stop the program that listens there, or choose another port with ${START_COMMAND} --port N`,
    )
  }
  probe.close()
  await once(probe, 'close')
}

/** Imports the dataset into an empty table, or if its first import was interrupted. Says whether it did. */
async function importOnFirstStart(
  store: Store,
  location: TableLocation,
  dataset: string,
  files: DataFiles,
): Promise<boolean> {
  if (!existsSync(files.loading) && !(await isEmpty(store))) return false
  await writeFile(files.loading, '')
  await runImport(dataset, location)
  await rm(files.loading)
  return true
}

/** A setting or an account is the first item of every installation. */
async function isEmpty(store: Store): Promise<boolean> {
  const stored = await findSettings(store)
  return !settingNames.some((name) => name in stored) && !(await hasOwners(store))
}

/** Imports the dataset and prints a line about it, and one for each file with refused rows or a remark. */
async function runImport(dataset: string, location: TableLocation): Promise<void> {
  const { addBooks, importFolder, printImportedFile, retrySuspended } = await import(
    '../commands/import/import.ts'
  )
  const store = openTable(location)
  printLine(`Loading ${shortPath(dataset)}`)
  try {
    const reports = await importFolder(dataset, store, {})
    const rows = reports.reduce((sum, report) => sum + report.rows, 0)
    printLine(`Loaded ${countOf(rows, 'row')} of ${countOf(reports.length, 'file')}`)
    await addBooks(store, location, dataset)
    for (const report of reports)
      if (report.refused.size > 0 || report.notReplaced) printImportedFile(report, false)
    await retrySuspended(store, reports)
  } catch (error) {
    reportError(error, location)
    throw new CommandError(
      `${shortPath(dataset)} was imported only in part. Correct it and start again, or replace the data with ${START_COMMAND} --fresh.`,
    )
  }
}
