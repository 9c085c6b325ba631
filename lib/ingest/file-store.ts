import { createWriteStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import {
  CopyObjectCommand,
  GetObjectCommand,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { attempts, functionConfig } from '#lib/store/requests/aws-config.ts'

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
  /** The object as it is now, if it is there. */
  find(bucket: string, key: string): Promise<Readable | undefined>
  /** Puts the object under another key as well. Throws FileChanged when it is another one by now. */
  copy(file: StoredFile, key: string): Promise<void>
  /** A file of refused rows. */
  write(bucket: string, key: string, path: string): Promise<void>
  enqueue(message: object): Promise<void>
}

/** Another object has taken its place, which is announced by a message of its own. */
export class FileChanged extends Error {}

/** In milliseconds: a reader of an object may pause for that long, for example to send its parts. */
const LONGEST_PAUSE = 30_000

/** FILE_QUEUE_URL names the queue; S3_ENDPOINT any other store that speaks S3. */
export function awsFileStore(environment: NodeJS.ProcessEnv): FileStore {
  const config = { ...attempts, ...functionConfig(environment) }
  const objects = new S3Client({
    ...config,
    ...otherStore(environment['S3_ENDPOINT']),
    requestHandler: { socketTimeout: LONGEST_PAUSE },
  })
  const queue = new SQSClient(config)

  return {
    read: async ({ bucket, key, etag }, range) => {
      const Range = range && `bytes=${range.from}-${range.to - 1}`
      const input = { Bucket: bucket, Key: key, IfMatch: `"${etag}"`, Range }
      const { Body } = await objects.send(new GetObjectCommand(input)).catch(throwChanged)
      return Body as Readable
    },
    find: async (bucket, key) => {
      const found = await objects
        .send(new GetObjectCommand({ Bucket: bucket, Key: key }))
        .catch(undefinedIfAbsent)
      return found?.Body as Readable | undefined
    },
    copy: async ({ bucket, key, etag }, to) => {
      const CopySource = encodeURIComponent(`${bucket}/${key}`)
      const input = { Bucket: bucket, Key: to, CopySource, CopySourceIfMatch: `"${etag}"` }
      await objects.send(new CopyObjectCommand(input)).catch(throwChanged)
    },
    write: async (bucket, key, path) => {
      const ContentType = 'text/csv; charset=utf-8'
      const input = { Bucket: bucket, Key: key, ContentType, Body: await readFile(path) }
      await objects.send(new PutObjectCommand(input))
    },
    enqueue: async (message) => {
      const QueueUrl = environment['FILE_QUEUE_URL']
      await queue.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(message) }))
    },
  }
}

/** AWS's S3 has the bucket in the host, any other one in the path. */
const otherStore = (endpoint: string | undefined) => endpoint && { endpoint, forcePathStyle: true }

const PRECONDITION_FAILED = 412

/** Who may not list a bucket is told that it may not have what is not there. */
const ABSENT = [403, 404]

function undefinedIfAbsent(error: unknown): undefined {
  const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined
  if (status === undefined || !ABSENT.includes(status)) throw error
}

function throwChanged(error: unknown): never {
  const status = error instanceof S3ServiceException && error.$metadata.httpStatusCode
  throw status === PRECONDITION_FAILED ? new FileChanged('The object has changed', { cause: error }) : error
}

/** The bytes on disk, behind a first line of their own. */
export const saveAs = (path: string, bytes: Readable, firstLine = ''): Promise<void> =>
  pipeline(prefixed(firstLine, bytes), createWriteStream(path, { mode: 0o600 }))

async function* prefixed(firstLine: string, bytes: Readable): AsyncGenerator<string | Buffer> {
  yield firstLine
  yield* bytes
}
