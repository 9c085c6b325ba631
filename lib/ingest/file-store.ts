import { createWriteStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { type Account, domainOf, runtimeAccount } from '#lib/aws/account.ts'
import { AwsError, retryingPassing } from '#lib/aws/errors.ts'
import { jsonOperations } from '#lib/aws/json-protocol.ts'
import { type AwsRequest, openRequests, pathOf } from '#lib/aws/requests.ts'
import { once } from '#lib/domain/collections.ts'

/** An object of a bucket, in the version that was announced. */
export interface StoredFile {
  readonly bucket: string
  readonly key: string
  /** As a bucket announces it, without quotes. */
  readonly etag: string
}

/** From the first byte to before the last one. */
export interface ByteRange {
  readonly from: number
  readonly to: number
}

/** Where dropped files are, and the queue through which large ones are split. */
export interface FileStore {
  /** Throws FileChanged when the object is another one by now. */
  read(file: StoredFile, range?: ByteRange): Promise<Readable>
  /** A file of refused rows. */
  write(bucket: string, key: string, path: string): Promise<void>
  enqueue(message: object): Promise<void>
}

/** Another object has taken its place, which is announced by a message of its own. */
export class FileChanged extends Error {}

/** FILE_QUEUE_URL names the queue; S3_ENDPOINT any other store that speaks S3. */
export function awsFileStore(environment: NodeJS.ProcessEnv): FileStore {
  const account = runtimeAccount(environment)
  const objectsAt = once((endpoint: string) => openRequests({ name: 's3', endpoint, account }))
  const queueAt = once((endpoint: string) =>
    jsonOperations(openRequests({ name: 'sqs', endpoint, account }), 'AmazonSQS'),
  )
  const locate = objectLocations(environment['S3_ENDPOINT'], account)
  const queueUrl = environment['FILE_QUEUE_URL'] ?? ''

  const ask = ({ bucket, key }: Pick<StoredFile, 'bucket' | 'key'>, request: Omit<AwsRequest, 'path'>) => {
    const { endpoint, path } = locate(bucket, key)
    const send = () => objectsAt(endpoint).send({ ...request, path })
    return retryingPassing(async () => successful(await send(), `${request.method} ${key}`))
  }

  return {
    read: (file, range) => {
      const bytes = range && { Range: `bytes=${range.from}-${range.to - 1}` }
      return ask(file, { method: 'GET', headers: { 'If-Match': `"${file.etag}"`, ...bytes } })
    },
    write: async (bucket, key, path) => {
      const headers = { 'Content-Type': 'text/csv; charset=utf-8' }
      await text(await ask({ bucket, key }, { method: 'PUT', headers, body: await readFile(path) }))
    },
    enqueue: async (message) => {
      const queue = queueAt(new URL(queueUrl).origin)
      await queue('SendMessage', { QueueUrl: queueUrl, MessageBody: JSON.stringify(message) })
    },
  }
}

/** AWS's S3 has the bucket in the host, any other one in the path. */
const objectLocations =
  (endpoint: string | undefined, { region }: Account) =>
  (bucket: string, key: string) => {
    const names = key.split('/')
    return endpoint
      ? { endpoint, path: pathOf(bucket, ...names) }
      : { endpoint: `https://${bucket}.s3.${domainOf(region)}`, path: pathOf(...names) }
  }

const PRECONDITION_FAILED = 412

async function successful(answer: IncomingMessage, request: string): Promise<IncomingMessage> {
  const { statusCode: status = 0 } = answer
  if (status >= 200 && status < 300) return answer
  const complaint = await text(answer)
  if (status === PRECONDITION_FAILED) throw new FileChanged(`${request}: the object has changed`)
  throw new AwsError(`HTTP ${status}`, `${request}: ${complaint.slice(0, 300)}`, { status })
}

/** The bytes on disk, behind a first line of their own. */
export const saveAs = (path: string, bytes: Readable, firstLine = ''): Promise<void> =>
  pipeline(prefixed(firstLine, bytes), createWriteStream(path, { mode: 0o600 }))

async function* prefixed(firstLine: string, bytes: Readable): AsyncGenerator<string | Buffer> {
  yield firstLine
  yield* bytes
}
