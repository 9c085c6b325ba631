import { RowRefused } from '#lib/domain/row-refused.ts'
import type { StoredFile } from './file-store.ts'
import type { FilePart } from './split-file.ts'

/** A file that was dropped, or a part of it. */
export interface FileTask extends StoredFile {
  readonly size: number
  readonly part?: FilePart
}

const PART = 'file_part'

export const partMessage = (task: FileTask, part: FilePart): object => ({ type: PART, ...task, part })

/** As S3 announces a new object. */
interface ObjectCreated {
  readonly s3: {
    readonly bucket: { readonly name: string }
    readonly object: { readonly key: string; readonly size?: number; readonly eTag?: string }
  }
}

/** What a message of the file queue is about: announced objects, or one part; nothing, when S3 only tries the queue. */
export function readFileMessage(text: string): FileTask[] {
  const document = parsed(text)
  if (document['type'] === PART) return [document as unknown as FileTask]
  if (document['Event'] === 's3:TestEvent') return []
  if (!Array.isArray(document['Records'])) throw new RowRefused('is no message about files')
  return tasksIn(document['Records'] as ObjectCreated[])
}

/** Keys come as in a form: encoded, with + for a space. */
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
    // Told below, like everything else that is no object.
  }
  throw new RowRefused('is no JSON object')
}
