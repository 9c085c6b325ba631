import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type TableLocation, tableLocation } from '#lib/store/table.ts'

/** The folder of this repository, with a slash at its end. */
export const root = fileURLToPath(new URL('../../', import.meta.url))

/** `npm start` writes the endpoint of its engine into this file. */
export const ENDPOINT_FILE = '.data/endpoint'

/** `npm start` writes the address of its API into this file. */
export const URL_FILE = '.data/url'

/** The address of the API that `npm start` serves; its default address when it does not run. */
export const localUrl = (): string => readIfPresent(root + URL_FILE) ?? 'http://localhost:3000'

const LOCAL_TABLE = 'tollgate'

/** The options `--endpoint` and `--table` of a command. */
export interface TableOptions {
  readonly endpoint?: string | undefined
  readonly table?: string | undefined
}

export const chooseLocation = (options: TableOptions): TableLocation => locationIn(root, process.env, options)

/**
 * The table that a command works on. The options come first, then TABLE_NAME and DYNAMODB_ENDPOINT. If none of them is
 * set, it is the local installation that `npm start` runs in `folder`, or else a table of AWS.
 */
export function locationIn(
  folder: string,
  environment: NodeJS.ProcessEnv,
  { endpoint, table }: TableOptions,
): TableLocation {
  const { TABLE_NAME, DYNAMODB_ENDPOINT } = environment
  const isNamed = [endpoint, table, TABLE_NAME, DYNAMODB_ENDPOINT].some(Boolean)
  const local = isNamed ? undefined : readIfPresent(join(folder, ENDPOINT_FILE))
  if (local) return { tableName: LOCAL_TABLE, endpoint: local }
  return tableLocation({
    ...environment,
    ...(table && { TABLE_NAME: table }),
    ...(endpoint && { DYNAMODB_ENDPOINT: endpoint }),
  })
}

function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim() || undefined
  } catch {
    return undefined
  }
}
