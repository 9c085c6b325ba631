import type { Readable } from 'node:stream'
import {
  CopyObjectCommand,
  GetObjectCommand,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { attempts, functionConfig, otherStore } from '#lib/table/requests/aws-config.ts'
import { objectChanged } from '#lib/table/requests/retries.ts'

/** An object of a bucket, in the version that S3 announced. */
export interface StoredFile {
  readonly bucket: string
  readonly key: string
  /** Without quotes, as in the notification. */
  readonly etag: string
}

/** Offsets in bytes; `to` is exclusive. */
export interface ByteRange {
  readonly from: number
  readonly to: number
}

/** The bucket of dropped files, and the queue of their messages. */
export interface FileStore {
  /** Throws object_changed if the object was replaced. */
  read(file: StoredFile, range?: ByteRange): Promise<Readable>
  /** The current version of an object; `undefined` if there is none. */
  find(bucket: string, key: string): Promise<Readable | undefined>
  /** Copies the object to another key. Throws object_changed if the object was replaced. */
  copy(file: StoredFile, key: string): Promise<void>
  /** Uploads rows as CSV. */
  write(bucket: string, key: string, rows: string | Uint8Array): Promise<void>
  enqueue(message: object): Promise<void>
}

/** A reader may pause for this long while it reads an object, for example to send its parts. */
const MAX_READ_PAUSE_MS = 30_000

/** FILE_QUEUE_URL names the queue. */
export function awsFileStore(environment: NodeJS.ProcessEnv): FileStore {
  const config = { ...attempts, ...functionConfig(environment) }
  const objects = new S3Client({
    ...config,
    ...otherStore(environment),
    requestHandler: { socketTimeout: MAX_READ_PAUSE_MS },
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
    write: async (bucket, key, rows) => {
      const ContentType = 'text/csv; charset=utf-8'
      const input = { Bucket: bucket, Key: key, ContentType, Body: rows }
      await objects.send(new PutObjectCommand(input))
    },
    enqueue: async (message) => {
      const QueueUrl = environment['FILE_QUEUE_URL']
      await queue.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(message) }))
    },
  }
}

const PRECONDITION_FAILED = 412

/** Without ListBucket, S3 answers 403 for a missing key. */
const ABSENT_STATUSES = [403, 404]

function undefinedIfAbsent(error: unknown): undefined {
  const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined
  if (status === undefined || !ABSENT_STATUSES.includes(status)) throw error
}

function throwChanged(error: unknown): never {
  const status = error instanceof S3ServiceException && error.$metadata.httpStatusCode
  throw status === PRECONDITION_FAILED ? objectChanged('The object', { cause: error }) : error
}
