import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
import {
  type $Command,
  type DynamoDBDocumentClientResolvedConfig as Config,
  DynamoDBDocumentClient,
  type ServiceInputTypes as Input,
  type ServiceOutputTypes as Output,
} from '@aws-sdk/lib-dynamodb'
import type { CallArchive } from '../call-archive.ts'
import { numberOf } from '../items.ts'
import { writeLogLine } from '../log-line.ts'
import { accessKeyIn, type TableLocation, withoutKey } from '../table.ts'
import { attempts, isLambda, withoutFiles } from './aws-config.ts'
import { type CapacityKind, type Meter, OutOfTime } from './meter.ts'

/** The part of DynamoDB's client that the store uses. Tests make requests fail here. */
export type TableClient = Pick<DynamoDBDocumentClient, 'send'>

export interface StoreOptions {
  readonly client: TableClient
  readonly tableName: string
  readonly meter: Meter
  readonly archive?: CallArchive | undefined
}

/** Engines other than AWS's read the form of a signature and never check it, so none is computed. */
const placeholderSigner = (accessKey: string): NonNullable<DynamoDBClientConfig['signer']> => ({
  sign: async (request, { signingDate = new Date() } = {}) => {
    const date = new Date(signingDate).toISOString().replace(/[-:]|\.\d+/g, '')
    const scope = `${accessKey}/${date.slice(0, 8)}/local/dynamodb/aws4_request`
    const authorization = `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host;x-amz-date, Signature=${'0'.repeat(64)}`
    return { ...request, headers: { ...request.headers, 'x-amz-date': date, authorization } }
  },
})

/** For engines other than AWS's, which check the access key at most. */
const localConfig = (endpoint: string): DynamoDBClientConfig => ({
  ...withoutFiles('local'),
  endpoint: withoutKey(endpoint),
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  signer: placeholderSigner(accessKeyIn(endpoint)),
})

/** Headers that only AWS reads, or that Node writes itself: a fifth of a request to an engine. */
const UNREAD = [
  'contentLengthMiddleware',
  'getUserAgentMiddleware',
  'hostHeaderMiddleware',
  'recursionDetectionMiddleware',
]

/**
 * Connects to AWS's DynamoDB, with credentials and region from `config` or from the environment and the files
 * of AWS's tools; or to an endpoint, with placeholders for both.
 */
export function createClient(
  { endpoint }: TableLocation,
  config: DynamoDBClientConfig = {},
): DynamoDBDocumentClient {
  const client = new DynamoDBClient({
    ...attempts,
    ...config,
    ...(endpoint && localConfig(endpoint)),
  })
  // This middleware copies every answer, item by item, for a log that is not kept.
  client.middlewareStack.remove('loggerMiddleware')
  if (endpoint) for (const name of UNREAD) client.middlewareStack.remove(name)
  renewExpired(client)
  return DynamoDBDocumentClient.from(client, {
    marshallOptions: { removeUndefinedValues: true },
    unmarshallOptions: { wrapNumbers: numberOf },
  })
}

const EXPIRED = 'ExpiredTokenException'

/**
 * Handles credentials that expire while the process runs. A program reads them again from their source and
 * repeats the request. A Lambda has only those of its environment, which never change: it ends its process.
 * The gateway then answers 500, or the queue delivers again, and the next process has fresh credentials.
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
    // Low priority: after the steps that prepare the input once, before the lookup of credentials.
    { name: 'renewExpired', step: 'initialize', priority: 'low' },
  )
}

async function endProcess(): Promise<never> {
  const error = 'The credentials have expired: this process ends, and the next one starts with fresh ones'
  writeLogLine({ error })
  return process.exit(1)
}

interface Capacity {
  readonly CapacityUnits?: number | undefined
}

/** An answer with its cost, if the request asked for that. */
type Answer = Output & { ConsumedCapacity?: Capacity | Capacity[] | undefined }

/**
 * Sends a request to the table and counts its round trip and capacity on the meter; all requests use it.
 * Throws OutOfTime when the meter's time is over, instead of sending or waiting for the answer.
 */
export async function ask<I extends Input, A extends Answer>(
  { client, meter }: StoreOptions,
  kind: CapacityKind,
  command: $Command<I, A, Config, Input, Output>,
): Promise<A> {
  const signal = meter.time?.signal
  signal?.throwIfAborted()
  const finish = meter.start()
  let units = 0
  try {
    const answer = await untilAborted(client.send(command, signal && { abortSignal: signal }), signal)
    units = unitsOf(answer.ConsumedCapacity)
    return answer
  } catch (error) {
    if (signal?.aborted) throw new OutOfTime(kind === 'write' ? 'unknown' : 'nothing done', { cause: error })
    throw error
  } finally {
    finish(kind, units)
  }
}

/** Rejects as soon as the signal aborts. AWS's client checks it before sending, not between two attempts. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

const unitsOf = (capacity: Capacity | Capacity[] = []): number =>
  [capacity].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0)
