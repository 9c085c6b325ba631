import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { numberOf } from '#lib/store/items.ts'
import type { TableLocation } from '#lib/store/table-location.ts'
import { attempts, withoutFiles } from './aws-config.ts'
import { renewExpired } from './expired-credentials.ts'
import type { Meter } from './meter.ts'

/** What the store asks of DynamoDB's client; the seam at which tests make requests fail. */
export type TableClient = Pick<DynamoDBDocumentClient, 'send'>

export interface StoreOptions {
  readonly client: TableClient
  readonly tableName: string
  readonly meter: Meter
  /** Requests wait for it: a connection that is being opened. */
  readonly opened?: Promise<unknown>
}

/** For engines that take no account of who asks. */
const NOBODY = {
  ...withoutFiles('local'),
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
}

/**
 * Asks AWS's DynamoDB in the name of whoever runs this process, found as all of AWS's tools do it unless `config` says
 * more; any other one in nobody's, whatever it says.
 */
export function createClient(
  { endpoint }: TableLocation,
  config: DynamoDBClientConfig = {},
): DynamoDBDocumentClient {
  const client = new DynamoDBClient({ ...attempts, ...config, ...(endpoint && { endpoint, ...NOBODY }) })
  // It copies every answer, item by item, for a log that nobody keeps.
  client.middlewareStack.remove('loggerMiddleware')
  renewExpired(client)
  return DynamoDBDocumentClient.from(client, {
    marshallOptions: { removeUndefinedValues: true },
    unmarshallOptions: { wrapNumbers: numberOf },
  })
}
