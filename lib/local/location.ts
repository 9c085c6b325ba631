import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TableLocation, tableLocation } from '#lib/store/table-location.ts'
import { root } from './root.ts'

/** Where `npm start` writes the endpoint of its engine. */
export const ENDPOINT_FILE = '.data/endpoint'

/** Where `npm start` writes its address. */
export const URL_FILE = '.data/url'

/** The address of the API that `npm start` serves, as it left it; its usual one when it runs nowhere. */
export const localUrl = (): string => leftIn(root, URL_FILE) ?? 'http://localhost:3000'

const LOCAL_TABLE = 'tollgate'

export interface Wishes {
  readonly endpoint?: string | undefined
  readonly table?: string | undefined
}

interface Surroundings {
  /** The repository, in which `npm start` leaves its endpoint. */
  readonly folder: string
  readonly environment: NodeJS.ProcessEnv
}

export const chooseLocation = (wishes: Wishes): TableLocation =>
  locationIn({ folder: root, environment: process.env }, wishes)

/**
 * The table that a script works on: what its options name, else what TABLE_NAME and DYNAMODB_ENDPOINT name, else, when
 * nothing at all is named, the local installation that `npm start` runs. Without that it is AWS's.
 */
export function locationIn(
  { folder, environment }: Surroundings,
  { endpoint, table }: Wishes,
): TableLocation {
  const { TABLE_NAME, DYNAMODB_ENDPOINT } = environment
  const isNamed = [endpoint, table, TABLE_NAME, DYNAMODB_ENDPOINT].some(Boolean)
  const local = isNamed ? undefined : leftIn(folder, ENDPOINT_FILE)
  if (local) return { tableName: LOCAL_TABLE, endpoint: local }
  return tableLocation({
    ...environment,
    ...(table && { TABLE_NAME: table }),
    ...(endpoint && { DYNAMODB_ENDPOINT: endpoint }),
  })
}

function leftIn(folder: string, file: string): string | undefined {
  try {
    return readFileSync(join(folder, file), 'utf8').trim() || undefined
  } catch {
    return undefined
  }
}
