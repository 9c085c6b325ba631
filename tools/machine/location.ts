import { relative, resolve } from 'node:path'
import { type TableLocation, tableLocation, withoutKey } from '#lib/table/table.ts'
import { root, START_COMMAND } from './program.ts'
import { listRunning, type Running, runningOver } from './running.ts'
import { CommandError, usageError } from './terminal.ts'

/** A path relative to the current folder, unless it is outside of it. */
export function shortPath(path: string): string {
  const short = relative(process.cwd(), path)
  return short.startsWith('..') ? path : short || '.'
}

export interface TableOptions {
  readonly endpoint?: string | undefined
  readonly table?: string | undefined
  /** The dataset of a local installation. */
  readonly data?: string | undefined
}

export const chooseLocation = (options: TableOptions): TableLocation => locationIn(root, process.env, options)

/**
 * A command's table: by options, then TABLE_NAME and DYNAMODB_ENDPOINT. Without them, the first local
 * installation that `npm start` runs in `folder`, otherwise a table of AWS.
 */
export function locationIn(
  folder: string,
  environment: NodeJS.ProcessEnv,
  options: TableOptions,
): TableLocation {
  const { endpoint, table, data } = options
  if (data !== undefined) return { ...runningWith(folder, data).location, ...(table && { tableName: table }) }
  const [local] = isTableNamed(environment, options) ? [] : listRunning(folder)
  if (local) return local.location
  return tableLocation({
    ...environment,
    ...(table && { TABLE_NAME: table }),
    ...(endpoint && { DYNAMODB_ENDPOINT: endpoint }),
  })
}

export const isTableNamed = (
  { TABLE_NAME, DYNAMODB_ENDPOINT }: NodeJS.ProcessEnv,
  { endpoint, table, data }: TableOptions,
): boolean => [endpoint, table, data, TABLE_NAME, DYNAMODB_ENDPOINT].some(Boolean)

/** The installation of a dataset. Throws CommandError if it does not run. */
function runningWith(folder: string, data: string): Running {
  const found = listRunning(folder).find(({ dataset }) => dataset === resolve(data))
  if (found) return found
  throw new CommandError(`No installation runs on ${data}: run ${START_COMMAND} --data ${data} first`)
}

/**
 * Throws CommandError if several installations run in `folder` and the options name none: a change never goes
 * to one of them by default.
 */
export function refuseAnyOfSeveral(
  folder: string,
  environment: NodeJS.ProcessEnv,
  options: TableOptions,
): void {
  const running = isTableNamed(environment, options) ? [] : listRunning(folder)
  if (running.length < 2) return
  const choices = running.map(({ url, dataset }) => `--data ${shortPath(dataset)} (${url})`)
  throw usageError(`${running.length} installations run here: pass ${choices.join(' or ')}`)
}

/** A local installation's dataset and address, otherwise the table with its endpoint or AWS region. */
export function installationAt(folder: string, location: TableLocation, region: string): string {
  const local = runningOver(folder, location)
  if (local) return `${shortPath(local.dataset)} at ${local.url}`
  return `table ${location.tableName} at ${withoutKey(location.endpoint ?? `AWS, ${region}`)}`
}

/** Names the installation that a command uses by default if several run; otherwise `undefined`. */
export function defaultNotice(options: TableOptions): string | undefined {
  const running = isTableNamed(process.env, options) ? [] : listRunning(root)
  const [first] = running
  if (!first || running.length === 1) return undefined
  return `${running.length} installations run here: this is ${first.url} with ${first.dataset}. Choose with --data.`
}
