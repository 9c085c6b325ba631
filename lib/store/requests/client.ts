import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { numberOf } from '#lib/store/items.ts'
import { attempts, isLambda, withoutFiles } from '#lib/store/requests/aws-config.ts'
import type { Meter } from '#lib/store/requests/meter.ts'
import type { TableLocation } from '#lib/store/table-location.ts'

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

const EXPIRED = 'ExpiredTokenException'

/**
 * For credentials that AWS took before and no longer takes: a program asks once more where it found them, and sends its
 * request again. A Lambda has those of its environment only, which stay as they are for as long as its process runs: the
 * process ends, the gateway answers 500 or the queue delivers again, and the next process has fresh ones.
 */
export function renewExpired(client: DynamoDBClient): void {
  const renew = isLambda(process.env) ? endProcess : () => client.config.credentials({ forceRefresh: true })
  client.middlewareStack.add(
    (next) => (request) =>
      next(request).catch(async (error: Error) => {
        if (error.name !== EXPIRED) throw error
        await renew()
        return next(request)
      }),
    // Within what prepares the input, which must not be done twice, and around what looks for credentials.
    { name: 'renewExpired', step: 'initialize', priority: 'low' },
  )
}

async function endProcess(): Promise<never> {
  const error = 'The credentials have expired: this process ends, and the next one starts with fresh ones'
  process.stdout.write(`${JSON.stringify({ error })}\n`)
  return process.exit(1)
}
