import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { ScanCommand, type ScanCommandInput } from '@aws-sdk/lib-dynamodb'
import { REMEMBERED_MS } from '#lib/settings/recent-items.ts'
import type { CallArchive } from '#lib/table/call-archive.ts'
import type { Item } from '#lib/table/items.ts'
import { type Key, keyIn } from '#lib/table/keys.ts'
import { attempts, MAX_SILENCE_MS } from '#lib/table/requests/aws-config.ts'
import { keyOfChange } from '#lib/table/requests/changes.ts'
import { ask, createClient, type StoreOptions } from '#lib/table/requests/client.ts'
import { createMeter } from '#lib/table/requests/meter.ts'
import { createStore, type Store } from '#lib/table/store.ts'
import type { TableLocation } from '#lib/table/table.ts'
import { archiveOf } from '../machine/archive-location.ts'

/** Whether there are AWS credentials, perhaps invalid: environment, profile, single sign-on, instance. */
export const hasCredentials = (): Promise<boolean> =>
  new DynamoDBClient({ region: 'eu-central-1' }).config.credentials().then(
    () => true,
    () => false,
  )

/**
 * Opens a table for a command, with longer timeouts than a Lambda's. A command that changes what functions
 * remember ends when the change holds everywhere: the next call sees it (wire.md 2).
 */
export function openTable(location: TableLocation): Store {
  const store = createStore(optionsFor(location))
  return {
    ...store,
    update: async (key, ...change) => {
      const item = await store.update(key, ...change)
      await stayFor([key])
      return item
    },
    transact: async (changes) => {
      await store.transact(changes)
      await stayFor(changes.filter((change) => !('check' in change)).map(keyOfChange))
    },
  }
}

/** The timer keeps the process alive. */
async function stayFor(changed: readonly Key[]): Promise<void> {
  const { isRemembered } = await import('../machine/remembered-keys.ts')
  if (changed.some(isRemembered)) setTimeout(() => {}, REMEMBERED_MS)
}

/** The region of AWS that a table without an endpoint is looked for in. */
export const regionOf = ({ endpoint }: TableLocation): Promise<string> =>
  endpoint === undefined
    ? new DynamoDBClient({}).config.region().catch(() => 'no region is set')
    : Promise.resolve('')

/** All items of a table. A given meter counts the capacity units. */
export const itemsIn = (location: TableLocation, { meter }: Partial<Store> = {}): AsyncGenerator<Item[]> =>
  everyItem({ ...optionsFor(location), ...(meter && { meter }) })

/** How a command reaches a table. */
export const optionsFor = (location: TableLocation): StoreOptions => ({
  client: createClient(location, patiently),
  tableName: location.tableName,
  meter: createMeter(),
  archive: archiveAt(location),
})

/** The archive of a table. The reader of its files is loaded with the first call that is looked for there. */
function archiveAt(location: TableLocation): CallArchive | undefined {
  const bucket = archiveOf(location)
  if (bucket === undefined) return undefined
  const load = async () => {
    const { callArchiveOf } = await import('#lib/calls/archive/call-archive.ts')
    return callArchiveOf({ ...process.env, ARCHIVE_BUCKET: bucket })
  }
  let loading: ReturnType<typeof load> | undefined
  return {
    find: async (day, calls) => {
      loading ??= load()
      return (await loading)?.find(day, calls) ?? []
    },
    calls: async function* (day) {
      loading ??= load()
      yield* (await loading)?.calls(day) ?? []
    },
  }
}

/** Items of the table as they are scanned, and the position after them; none after the last page. */
export interface ScannedPage {
  readonly items: Item[]
  readonly next: Key | undefined
}

/**
 * Every item of the table, page by page, in any order. The cost grows with the table, so only commands of
 * operators use it, never a request of the API.
 */
export async function* everyItem(options: StoreOptions): AsyncGenerator<Item[]> {
  for await (const { items } of scannedPages(options)) yield items
}

interface Scan {
  /** The position to begin after. */
  readonly start?: Key | undefined
  readonly pageSize?: number
  /** The filter that DynamoDB applies before it sends a page. */
  readonly filter?: Pick<
    ScanCommandInput,
    'FilterExpression' | 'ExpressionAttributeValues' | 'ProjectionExpression'
  >
}

/** The same after a position, or of some items alone. */
export async function* scannedPages(
  options: StoreOptions,
  { start, pageSize, filter }: Scan = {},
): AsyncGenerator<ScannedPage> {
  let position = start
  do {
    const input = { TableName: options.tableName, ConsistentRead: true, Limit: pageSize, ...filter }
    const command = new ScanCommand({
      ...input,
      ExclusiveStartKey: position,
      ReturnConsumedCapacity: 'TOTAL',
    })
    const { Items = [], LastEvaluatedKey } = await ask(options, 'read', command)
    position = LastEvaluatedKey && keyIn(LastEvaluatedKey)
    yield { items: Items, next: position }
  } while (position)
}

/** For an operator's commands, which take minutes: to start over costs more than to wait. */
export const patiently = {
  ...attempts,
  maxAttempts: 5,
  requestHandler: { socketTimeout: 10 * MAX_SILENCE_MS },
} as const
