import { randomUUID } from 'node:crypto'
import { copyFile, link, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import { attempts, functionConfig, otherStore } from '#lib/table/requests/aws-config.ts'
import { objectChanged } from '#lib/table/requests/retries.ts'

/** An object of the archive in the version that was opened. */
export interface ArchivedObject {
  readonly bytes: number
  /** Differs for each content of the object. */
  readonly version: string
  /** The bytes from an offset up to another one. Throws object_changed if the object was replaced. */
  read(from: number, to: number): Promise<Uint8Array>
}

/** The bucket of the archive, or a folder in its place. */
export interface ArchiveBucket {
  /** `undefined` if there is no such object. */
  open(key: string): Promise<ArchivedObject | undefined>
  /**
   * Stores a local file in place of the version that was read, `undefined` for a new object, and returns its
   * version. Throws object_changed.
   */
  write(key: string, path: string, replaced: string | undefined): Promise<string>
  remove(key: string): Promise<void>
}

/**
 * A folder in place of the bucket, for npm start and tests. Only one process at a time may write objects that
 * exist: `archive` locks the folder.
 */
export const folderBucket = (folder: string): ArchiveBucket => ({
  open: async (key) => {
    const path = join(folder, key)
    const found = await versionAt(path)
    if (!found) return undefined
    const read = async (from: number, to: number) => {
      if ((await versionAt(path))?.version !== found.version) throw objectChanged(key)
      return bytesOf(path, from, to)
    }
    return { ...found, read }
  },
  write: async (key, source, replaced) => {
    const path = join(folder, key)
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const copy = `${path}.${randomUUID()}`
    try {
      await copyDurably(source, copy)
      if (replaced === undefined) await link(copy, path).catch(throwIfThere(key))
      else if ((await versionAt(path))?.version === replaced) await rename(copy, path)
      else throw objectChanged(key)
      return (await versionAt(path))?.version ?? ''
    } finally {
      await rm(copy, { force: true })
    }
  },
  remove: (key) => rm(join(folder, key), { force: true }),
})

/** A replaced file is another one of the file system, with another time. */
async function versionAt(path: string): Promise<{ bytes: number; version: string } | undefined> {
  const found = await stat(path, { bigint: true }).catch(undefinedIfAbsent)
  return found && { bytes: Number(found.size), version: `${found.ino} ${found.mtimeNs} ${found.size}` }
}

function undefinedIfAbsent(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error
}

const throwIfThere =
  (key: string) =>
  (error: unknown): never => {
    throw codeOf(error) === 'EEXIST' ? objectChanged(key) : error
  }

const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined

async function bytesOf(path: string, from: number, to: number): Promise<Uint8Array> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(new Uint8Array(to - from), 0, to - from, from)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

/** The calls leave the table because of this file, so it is on the disk before it has its name. */
async function copyDurably(source: string, copy: string): Promise<void> {
  await copyFile(source, copy)
  const file = await open(copy)
  await file.sync()
  await file.close()
}

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
  remove: async (Key) => {
    await client.send(new DeleteObjectCommand({ Bucket, Key }))
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
    throw isChanged(error) ? objectChanged(key) : error
  }

const statusOf = (error: unknown): number | undefined =>
  error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined

/** The bucket that ARCHIVE_BUCKET names, or the folder if it is an absolute path; `undefined` without it. */
export function archiveBucketOf(environment: NodeJS.ProcessEnv): ArchiveBucket | undefined {
  const { ARCHIVE_BUCKET: name = '' } = environment
  if (name === '') return undefined
  if (name.startsWith('/')) return folderBucket(name)
  const client = new S3Client({ ...attempts, ...functionConfig(environment), ...otherStore(environment) })
  // The errors of AWS's clients do not name their service.
  client.middlewareStack.add(
    (next) => (request) =>
      next(request).catch((error) => {
        throw Object.assign(error, { service: 'S3' })
      }),
    { step: 'initialize' },
  )
  return s3Bucket(name, client)
}
