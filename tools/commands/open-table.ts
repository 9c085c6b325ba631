import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { CallArchive } from '#lib/store/call-archive.ts'
import type { Item } from '#lib/store/items.ts'
import type { Key } from '#lib/store/keys.ts'
import { REMEMBERED_MS } from '#lib/store/recent-items.ts'
import { patiently } from '#lib/store/requests/aws-config.ts'
import { keyOfChange } from '#lib/store/requests/changes.ts'
import { createClient, type StoreOptions } from '#lib/store/requests/client.ts'
import { everyItem } from '#lib/store/requests/every-item.ts'
import { createMeter } from '#lib/store/requests/meter.ts'
import { createStore, type Store } from '#lib/store/store.ts'
import type { TableLocation } from '#lib/store/table.ts'
import { archiveOf } from '#tools/machine/archive-location.ts'

/** Whether there are AWS credentials: in the environment, a profile, single sign-on or the instance. They may be invalid. */
export const hasCredentials = (): Promise<boolean> =>
  new DynamoDBClient({ region: 'eu-central-1' }).config.credentials().then(
    () => true,
    () => false,
  )

/**
 * Opens a table for a command, with longer timeouts than those of a Lambda. A command that changes what functions remember
 * ends when the change holds everywhere: then the call that follows it sees the change (wire.md 2).
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
  const { isRemembered } = await import('#tools/machine/remembered-keys.ts')
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

/** The archive of a table. What reads its files is loaded with the first call that is looked for there. */
function archiveAt(location: TableLocation): CallArchive | undefined {
  const bucket = archiveOf(location)
  if (bucket === undefined) return undefined
  const load = async () => {
    const { callArchiveOf } = await import('#lib/archive/call-archive.ts')
    return callArchiveOf({ ...process.env, ARCHIVE_BUCKET: bucket })
  }
  let loading: ReturnType<typeof load> | undefined
  return {
    find: async (day, calls) => {
      loading ??= load()
      return (await loading)?.find(day, calls) ?? []
    },
  }
}
