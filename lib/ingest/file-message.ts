import * as v from 'valibot'
import { rowRefused } from '#lib/base/row-refused.ts'
import type { RetryRequest } from '#lib/cdrs/pipeline/retry.ts'
import type { ByteRange, StoredFile } from './file-store.ts'

/** A part of a file of rows: whole rows, and the end of the header that is read before them. */
export interface FilePart extends ByteRange {
  readonly headerEnd: number
}

export interface FileTask extends StoredFile {
  readonly size: number
  readonly part?: FilePart
}

const PART = 'file_part'
const RETRY = 'retry_suspense'

const partSchema = v.object({
  bucket: v.string(),
  key: v.string(),
  etag: v.string(),
  size: v.number(),
  part: v.object({ headerEnd: v.number(), from: v.number(), to: v.number() }),
})

export const partMessage = (task: FileTask, part: FilePart): object => ({ type: PART, ...task, part })

const retrySchema = v.object({ type: v.literal(RETRY), reasons: v.array(v.string()), after: v.string() })

export const retryMessage = (retry: RetryRequest): object => ({ type: RETRY, ...retry })

/** A record of S3's notification of a new object. */
interface ObjectCreated {
  readonly s3: {
    readonly bucket: { readonly name: string }
    readonly object: { readonly key: string; readonly size?: number; readonly eTag?: string }
  }
}

/** A message of the file queue: a retry, new objects, or one part. S3's test message has no task. */
export function readFileMessage(text: string): RetryRequest | FileTask[] {
  const document = parsed(text)
  const retry = v.safeParse(retrySchema, document)
  if (retry.success) return retry.output
  if (document['type'] === PART) return [readPart(document)]
  if (document['Event'] === 's3:TestEvent') return []
  if (!Array.isArray(document['Records'])) throw rowRefused('is not a message about files')
  return tasksIn(document['Records'] as ObjectCreated[])
}

function readPart(document: Readonly<Record<string, unknown>>): FileTask {
  const task = v.safeParse(partSchema, document)
  if (task.success) return task.output
  throw rowRefused('is not a message about a part of a file')
}

/** The tasks of new objects. S3 encodes keys as in a form, with + for a space. */
export const tasksIn = (records: readonly ObjectCreated[]): FileTask[] =>
  records.map(({ s3: { bucket, object } }) => ({
    bucket: bucket.name,
    key: decodeURIComponent(object.key.replaceAll('+', ' ')),
    etag: object.eTag ?? '*',
    size: object.size ?? 0,
  }))

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const document: unknown = JSON.parse(text)
    if (typeof document === 'object' && document !== null) return document as Record<string, unknown>
  } catch {
    // Refused below, like any other text that is not an object.
  }
  throw rowRefused('is not a JSON object')
}
