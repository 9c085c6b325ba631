import { createWriteStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { AwsClient } from 'aws4fetch'

/** An object of a bucket, in the version that was announced. */
export interface StoredFile {
  readonly bucket: string
  readonly key: string
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
  write(bucket: string, key: string, path: string): Promise<void>
  enqueue(message: object): Promise<void>
}

/** Another object has taken its place, which is announced by a message of its own. */
export class FileChanged extends Error {}

const PRECONDITION_FAILED = 412

/** S3 and SQS over signed requests: their clients would be larger than everything else in the bundle. */
export function awsFileStore(environment: NodeJS.ProcessEnv): FileStore {
  const aws = new AwsClient({
    accessKeyId: environment['AWS_ACCESS_KEY_ID'] ?? '',
    secretAccessKey: environment['AWS_SECRET_ACCESS_KEY'] ?? '',
    ...(environment['AWS_SESSION_TOKEN'] && { sessionToken: environment['AWS_SESSION_TOKEN'] }),
    region: environment['AWS_REGION'] ?? '',
  })
  const urlOf = objectUrls(environment)
  const queueUrl = environment['FILE_QUEUE_URL'] ?? ''

  return {
    read: async ({ bucket, key, etag }, range) => {
      const headers = { 'If-Match': etag, ...(range && { Range: `bytes=${range.from}-${range.to - 1}` }) }
      const answer = await aws.fetch(urlOf(bucket, key), { headers, aws: { service: 's3' } })
      if (answer.status === PRECONDITION_FAILED) throw new FileChanged(`${key} has changed`)
      const { body } = await successful(answer, `GET ${key}`)
      return body ? Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]) : Readable.from([])
    },
    write: async (bucket, key, path) => {
      const body = await readFile(path)
      const request = { method: 'PUT', body, aws: { service: 's3' } }
      await successful(await aws.fetch(urlOf(bucket, key), request), `PUT ${key}`)
    },
    enqueue: async (message) => {
      const request = {
        method: 'POST',
        headers: {
          'Content-Type': 'application/x-amz-json-1.0',
          'X-Amz-Target': 'AmazonSQS.SendMessage',
        },
        body: JSON.stringify({ QueueUrl: queueUrl, MessageBody: JSON.stringify(message) }),
        aws: { service: 'sqs' },
      }
      await successful(await aws.fetch(new URL(queueUrl).origin, request), 'SendMessage')
    },
  }
}

/** S3_ENDPOINT names any other store that speaks S3, with the bucket in the path. */
function objectUrls(environment: NodeJS.ProcessEnv): (bucket: string, key: string) => string {
  const { S3_ENDPOINT: endpoint, AWS_REGION: region = '' } = environment
  const suffix = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com'
  return (bucket, key) => {
    const path = key.split('/').map(encodeURIComponent).join('/')
    return endpoint ? `${endpoint}/${bucket}/${path}` : `https://${bucket}.s3.${region}.${suffix}/${path}`
  }
}

async function successful(answer: Response, request: string): Promise<Response> {
  if (answer.ok) return answer
  throw new Error(`${request}: ${answer.status} ${(await answer.text()).slice(0, 300)}`)
}

/** The bytes on disk, behind a first line of their own. */
export const saveAs = (path: string, bytes: Readable, firstLine = ''): Promise<void> =>
  pipeline(prefixed(firstLine, bytes), createWriteStream(path, { mode: 0o600 }))

async function* prefixed(firstLine: string, bytes: Readable): AsyncGenerator<string | Buffer> {
  yield firstLine
  yield* bytes
}
