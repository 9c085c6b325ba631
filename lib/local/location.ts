import { readFileSync } from 'node:fs'
import { type TableLocation, tableLocation } from '#lib/store/client.ts'

/** Where `npm start` writes the endpoint of its engine. */
export const ENDPOINT_FILE = '.data/endpoint'

const LOCAL_TABLE = 'tollgate'

export interface Wishes {
  readonly endpoint?: string | undefined
  readonly table?: string | undefined
}

/**
 * The table that a script works on: what its options name, else what TABLE_NAME and DYNAMODB_ENDPOINT name, else, when
 * nothing at all is named, the local installation that `npm start` runs. Without that it is AWS's.
 */
export function chooseLocation({ endpoint, table }: Wishes): TableLocation {
  const { TABLE_NAME, DYNAMODB_ENDPOINT } = process.env
  const isNamed = [endpoint, table, TABLE_NAME, DYNAMODB_ENDPOINT].some(Boolean)
  const local = isNamed ? undefined : localEndpoint()
  if (local) return { tableName: LOCAL_TABLE, endpoint: local }
  return tableLocation({
    ...process.env,
    ...(table && { TABLE_NAME: table }),
    ...(endpoint && { DYNAMODB_ENDPOINT: endpoint }),
  })
}

function localEndpoint(): string | undefined {
  try {
    return readFileSync(ENDPOINT_FILE, 'utf8').trim() || undefined
  } catch {
    return undefined
  }
}
