import '#lib/local/quiet-sdk.ts'
import type { Account } from '#lib/aws/account.ts'
import { createClient } from '#lib/store/client.ts'
import { createMeter } from '#lib/store/meter.ts'
import { createStore, type Store } from '#lib/store/store.ts'
import type { TableLocation } from '#lib/store/table-location.ts'

/** Imported when it is needed: that takes a third of a second. */
const sdk = () => import('@aws-sdk/client-dynamodb')

/**
 * The account of whoever runs a script, found as all of AWS's tools do it: environment, profile, single sign-on,
 * instance. Rejects when there is no region, or there are no credentials.
 */
async function ownAccount(): Promise<Account> {
  const { DynamoDBClient } = await sdk()
  const { config } = new DynamoDBClient({})
  const region = await config.region()
  await config.credentials()
  return { region, credentials: () => config.credentials() }
}

/** Whether AWS accepts them, only AWS can tell. */
export async function hasCredentials(): Promise<boolean> {
  const { DynamoDBClient } = await sdk()
  const { config } = new DynamoDBClient({ region: 'eu-central-1' })
  return config.credentials().then(
    () => true,
    () => false,
  )
}

/** The table of a script, which is not a Lambda. */
export async function openTable(location: TableLocation): Promise<Store> {
  const client = location.endpoint ? createClient(location) : createClient(location, await ownAccount())
  return createStore({ client, tableName: location.tableName, meter: createMeter() })
}
