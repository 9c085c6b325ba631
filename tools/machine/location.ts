import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type TableLocation, tableLocation } from '#lib/store/table.ts'
import { listRunning, type Running } from './running.ts'
import { CommandError } from './terminal.ts'

/** The folder of this repository, with a slash at its end. */
export const root = fileURLToPath(new URL('../../', import.meta.url))

/** The file that Node runs for `npx tollgate`. */
export const program = `${root}tools/bin/tollgate.js`

/** The options `--endpoint`, `--table` and `--data` of a command. */
export interface TableOptions {
  readonly endpoint?: string | undefined
  readonly table?: string | undefined
  /** The dataset of a local installation. */
  readonly data?: string | undefined
}

export const chooseLocation = (options: TableOptions): TableLocation => locationIn(root, process.env, options)

/**
 * The table that a command works on. The options come first, then TABLE_NAME and DYNAMODB_ENDPOINT. If none of them is
 * set, it is the first local installation that `npm start` runs in `folder`, otherwise a table of AWS.
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
  throw new CommandError(`No installation runs on ${data}: run npm start -- --data ${data} first`)
}

/** Names the installation that a command uses by default if several run; otherwise `undefined`. */
export function defaultNotice(options: TableOptions): string | undefined {
  const running = isTableNamed(process.env, options) ? [] : listRunning(root)
  const [first] = running
  if (!first || running.length === 1) return undefined
  return `${running.length} installations run here: this is ${first.url} with ${first.dataset}. Choose with --data.`
}
