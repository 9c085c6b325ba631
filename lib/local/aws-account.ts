import './quiet-sdk.ts'
import type { Account } from '#lib/aws/account.ts'
import { type Client, createClient } from '#lib/store/client.ts'
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

/** For scripts, which are no Lambdas. */
export const openTable = async (location: TableLocation): Promise<Client> =>
  location.endpoint ? createClient(location) : createClient(location, await ownAccount())
