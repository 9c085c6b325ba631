import '#lib/local/quiet-sdk.ts'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { Item } from '#lib/store/items.ts'
import { patiently } from '#lib/store/requests/aws-config.ts'
import { createClient, type StoreOptions } from '#lib/store/requests/client.ts'
import { createMeter } from '#lib/store/requests/meter.ts'
import { everyItem } from '#lib/store/requests/query.ts'
import { createStore, type Store } from '#lib/store/store.ts'
import type { TableLocation } from '#lib/store/table.ts'

/**
 * Whether whoever runs this script has any: in the environment, a profile, by single sign-on, of the instance. Whether
 * AWS accepts them, only AWS can tell.
 */
export const hasCredentials = (): Promise<boolean> =>
  new DynamoDBClient({ region: 'eu-central-1' }).config.credentials().then(
    () => true,
    () => false,
  )

/** The table of a script, which is not a Lambda. */
export const openTable = (location: TableLocation): Store => createStore(optionsFor(location))

/** All that is in it. What reading it takes counts on the meter of the table, where it is given. */
export const itemsOf = (location: TableLocation, { meter }: Partial<Store> = {}): AsyncGenerator<Item[]> =>
  everyItem({ ...optionsFor(location), ...(meter && { meter }) })

const optionsFor = (location: TableLocation): StoreOptions => ({
  client: createClient(location, patiently),
  tableName: location.tableName,
  meter: createMeter(),
})
