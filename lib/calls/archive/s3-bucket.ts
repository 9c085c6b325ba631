import { readFile } from 'node:fs/promises'
import {
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import { type ArchiveBucket, ArchiveChanged } from './bucket.ts'

export const s3Bucket = (Bucket: string, client: S3Client): ArchiveBucket => ({
  open: async (Key) => {
    const found = await client.send(new HeadObjectCommand({ Bucket, Key })).catch(undefinedIfMissing)
    if (!found) return undefined
    const { ContentLength: bytes = 0, ETag: version = '' } = found
    const read = async (from: number, to: number) => {
      const part = { Bucket, Key, IfMatch: version, Range: `bytes=${from}-${to - 1}` }
      const { Body } = await client.send(new GetObjectCommand(part)).catch(throwIfChanged(Key))
      return (await Body?.transformToByteArray()) ?? new Uint8Array()
    }
    return { bytes, version, read }
  },
  write: async (Key, path, replaced) => {
    const condition = replaced === undefined ? { IfNoneMatch: '*' } : { IfMatch: replaced }
    const Body = await readFile(path)
    const command = new PutObjectCommand({ Bucket, Key, Body, ...condition })
    const { ETag = '' } = await client.send(command).catch(throwIfChanged(Key))
    return ETag
  },
})

const NOT_FOUND = 404

/** The roles may list the bucket, so that S3 answers 403 only where a permission is missing. */
function undefinedIfMissing(error: unknown): undefined {
  if (statusOf(error) !== NOT_FOUND) throw error
}

/** S3 answers 409 if another conditional write of the object is under way. */
const CHANGED_STATUSES: readonly unknown[] = [409, 412]

/** An object that was deleted is missing, so no version can match. */
const isChanged = (error: unknown): boolean =>
  CHANGED_STATUSES.includes(statusOf(error)) ||
  (error instanceof S3ServiceException && error.name === 'NoSuchKey')

const throwIfChanged =
  (key: string) =>
  (error: unknown): never => {
    throw isChanged(error) ? new ArchiveChanged(key) : error
  }

const statusOf = (error: unknown): number | undefined =>
  error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined
