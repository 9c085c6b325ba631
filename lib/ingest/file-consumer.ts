import type { Context, S3Event, SQSBatchResponse, SQSEvent } from 'aws-lambda'
import pMap from 'p-map'
import { isFileName } from '#lib/dataset/import/files.ts'
import { openMediation } from '#lib/mediation/mediation.ts'
import { measureSuspense, type RetryRequest, reasonsCuredBy, retryBatches } from '#lib/mediation/retry.ts'
import type { CallArchive } from '#lib/store/call-archive.ts'
import { findSettings } from '#lib/store/installation/settings.ts'
import { invocation } from '#lib/store/invocation.ts'
import { lambdaTableServices, type TableServices } from '#lib/store/store.ts'
import { nameFile } from './doors.ts'
import { type FileTask, readFileMessage, readRetry, retryMessage, tasksIn } from './file-message.ts'
import { awsFileStore, FileChanged } from './file-store.ts'
import { type DroppedFiles, type FileOutcome, importFile } from './import-file.ts'
import { listingFailures } from './listed-failures.ts'
import { isSwitchFile, mediateFile } from './switch-file.ts'

/**
 * Consumes messages of the file queue, or events directly from a bucket, which AWS sends again if the consumer throws. After a
 * file from the queue that may cure suspended CDRs, a message of the same queue requests their retry.
 */
export type FileConsumer = (event: SQSEvent | S3Event, context?: TimeLeft) => Promise<SQSBatchResponse>

/** A Lambda's context. */
type TimeLeft = Pick<Context, 'getRemainingTimeInMillis'>

/** The time that another batch of a retry needs at most. It usually takes far less. */
const BATCH_RESERVE_MS = 180_000

const PART_BYTES = 8_000_000

/** The services of a running Lambda that imports files. */
export const lambdaFileServices = (archive: CallArchive | undefined) => ({
  ...lambdaTableServices(archive),
  files: awsFileStore(process.env),
  partBytes: PART_BYTES,
})

export function fileConsumer(name: string, services: TableServices & DroppedFiles): FileConsumer {
  const { log, files } = services
  const importTask = taskImporter(name, services)

  const importAndRequestRetry = async (task: FileTask): Promise<void> => {
    const outcome = await importTask(task)
    const reasons = outcome?.outcome === 'imported' ? reasonsCuredBy([datasetFileOf(task)]) : []
    if (reasons.length > 0) await files.enqueue(retryMessage({ reasons, after: '' }))
  }

  const consumeMessage = async (
    { messageId, body }: SQSEvent['Records'][number],
    hasTime: () => boolean,
  ): Promise<string[]> => {
    try {
      const retry = readRetry(body)
      if (retry) await retrySuspense(name, services, retry, hasTime)
      else for (const task of readFileMessage(body)) await importAndRequestRetry(task)
      return []
    } catch (error) {
      log({ function: name, outcome: 'refused', message: messageId, reason: String(error) })
      return [messageId]
    }
  }

  return async (event, context) => {
    if (isFromBucket(event)) {
      for (const task of tasksIn(event.Records)) await importTask(task)
      return { batchItemFailures: [] }
    }
    const hasTime = () => (context?.getRemainingTimeInMillis() ?? BATCH_RESERVE_MS) >= BATCH_RESERVE_MS
    const failed = await pMap(event.Records, (message) => consumeMessage(message, hasTime), {
      concurrency: 1,
    })
    return { batchItemFailures: failed.flat().map((itemIdentifier) => ({ itemIdentifier })) }
  }
}

/** Retries suspended CDRs. When time runs out, another message requests the rest. */
const retrySuspense = (
  name: string,
  services: TableServices & DroppedFiles,
  retry: RetryRequest,
  hasTime: () => boolean,
): Promise<object> =>
  invocation(services, name, async ({ store, startedAt }) => {
    const mediation = await openMediation(store, startedAt)
    const { next, stored, suspended } = await retryBatches(mediation, retry, hasTime)
    if (next !== undefined) await services.files.enqueue(retryMessage({ ...retry, after: next }))
    const size = retry.after === '' && (await measureSuspense(mediation))
    const outcome = next === undefined ? 'retried' : 'retried in part'
    return { outcome, stored, still_suspended: suspended, ...size }
  })

/** Returns a function that imports or mediates a file and logs the outcome; `undefined` for a file that was replaced. */
function taskImporter(name: string, services: TableServices & DroppedFiles) {
  const { openStore: _, clock, log, ...dropped } = services
  const run = (task: FileTask): Promise<FileOutcome> =>
    invocation(services, name, async ({ store }) => {
      // Throws over a table of another format: a failed import would be listed there.
      await findSettings(store)
      const handle = dropped.door.acceptsSwitchFiles && isSwitchFile(task) ? mediateFile : importFile
      const fileImport = { ...dropped, store, clock }
      const outcome = await listingFailures(fileImport, task, () => handle(fileImport, task))
      return { ...logNameOf(task), ...outcome }
    })

  return (task: FileTask): Promise<FileOutcome | undefined> =>
    run(task).catch((error: unknown) => {
      const isReplaced = error instanceof FileChanged
      const outcome = isReplaced ? 'replaced meanwhile' : 'failed'
      log({ function: name, ...logNameOf(task), outcome, reason: String(error) })
      if (!isReplaced) throw error
      return undefined
    })
}

/** The dataset file that a task imports. Rate sheets import `rates`. */
function datasetFileOf({ key }: FileTask): string {
  const { name } = nameFile(key)
  return isFileName(name) ? name : 'rates'
}

const logNameOf = ({ key, part }: FileTask) => ({ key, ...(part && { from: part.from }) })

const isFromBucket = (event: SQSEvent | S3Event): event is S3Event =>
  event.Records.some((record) => 's3' in record)
