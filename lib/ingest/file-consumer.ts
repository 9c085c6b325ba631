import type { S3Event, SQSBatchResponse, SQSEvent } from 'aws-lambda'
import pMap from 'p-map'
import { isRefusal } from '#lib/base/refusal.ts'
import { openMediation } from '#lib/cdrs/mediation.ts'
import { measureSuspense, type RetryRequest, reasonsCuredBy, retryBatches } from '#lib/cdrs/pipeline/retry.ts'
import {
  type Failure,
  forgetFailedImport,
  forgetFailedPart,
  noteFailedImport,
} from '#lib/settings/failed-import.ts'
import { findSettings } from '#lib/settings/stored-settings.ts'
import type { CallArchive } from '#lib/table/call-archive.ts'
import { invocation, type TimeLeft } from '#lib/table/invocation.ts'
import { lambdaTableServices, type TableServices } from '#lib/table/store.ts'
import { datasetFileOf } from './bucket-prefixes.ts'
import { type FileTask, readFileMessage, retryMessage, tasksIn } from './file-message.ts'
import { awsFileStore } from './file-store.ts'
import { type DroppedFiles, type FileImport, type FileOutcome, importFile } from './import-file.ts'
import { isSwitchFile, mediateFile } from './switch-file.ts'

/**
 * Consumes messages of the file queue, or a bucket's events, which AWS repeats if the consumer throws. A file
 * that may cure suspended CDRs is followed by a message that requests their retry.
 */
export type FileConsumer = (event: SQSEvent | S3Event, context?: TimeLeft) => Promise<SQSBatchResponse>

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
  const consumer = { ...services, name }

  return async (event, context) => {
    if (isFromBucket(event)) {
      for (const task of tasksIn(event.Records)) await importTask(consumer, task)
      return { batchItemFailures: [] }
    }
    const hasTime = () => (context?.getRemainingTimeInMillis() ?? BATCH_RESERVE_MS) >= BATCH_RESERVE_MS
    const consume = (message: Message) => consumeMessage(consumer, message, hasTime)
    const failed = await pMap(event.Records, consume, { concurrency: 1 })
    return { batchItemFailures: failed.flat().map((itemIdentifier) => ({ itemIdentifier })) }
  }
}

type Consumer = TableServices & DroppedFiles & { readonly name: string }

type Message = SQSEvent['Records'][number]

const isFromBucket = (event: SQSEvent | S3Event): event is S3Event =>
  event.Records.some((record) => 's3' in record)

/** Returns the id of a failed message. */
async function consumeMessage(
  consumer: Consumer,
  { messageId, body }: Message,
  hasTime: () => boolean,
): Promise<string[]> {
  try {
    const wanted = readFileMessage(body)
    if (!Array.isArray(wanted)) await retrySuspense(consumer, wanted, hasTime)
    else for (const task of wanted) await importAndRequestRetry(consumer, task)
    return []
  } catch (error) {
    consumer.log({ function: consumer.name, outcome: 'refused', message: messageId, reason: String(error) })
    return [messageId]
  }
}

async function importAndRequestRetry(consumer: Consumer, task: FileTask): Promise<void> {
  const outcome = await importTask(consumer, task)
  // Rate sheets import `rates`.
  const file = datasetFileOf(task.key) ?? 'rates'
  const reasons = outcome?.outcome === 'imported' ? reasonsCuredBy([file]) : []
  if (reasons.length > 0) await consumer.files.enqueue(retryMessage({ reasons, after: '' }))
}

/** Retries suspended CDRs. When time runs out, another message requests the rest. */
const retrySuspense = (consumer: Consumer, retry: RetryRequest, hasTime: () => boolean): Promise<object> =>
  invocation(consumer, consumer.name, async ({ store, startedAt }) => {
    const mediation = await openMediation(store, startedAt)
    const { next, stored, suspended } = await retryBatches(mediation, retry, hasTime)
    if (next !== undefined) await consumer.files.enqueue(retryMessage({ ...retry, after: next }))
    const size = retry.after === '' && (await measureSuspense(mediation))
    const outcome = next === undefined ? 'retried' : 'retried in part'
    return { outcome, stored, still_suspended: suspended, ...size }
  })

/** Imports or mediates a file and logs the outcome; `undefined` for a file that was replaced. */
async function importTask(consumer: Consumer, task: FileTask): Promise<FileOutcome | undefined> {
  const { name, log, prefix } = consumer
  const logName = { key: task.key, ...(task.part && { from: task.part.from }) }
  const handle = prefix.acceptsSwitchFiles && isSwitchFile(task) ? mediateFile : importFile
  try {
    return await invocation(consumer, name, async ({ store }) => {
      // Throws over a table of another format: a failed import would be listed there.
      await findSettings(store)
      const fileImport = { ...consumer, store }
      const outcome = await listingFailures(fileImport, task, () => handle(fileImport, task))
      return { ...logName, ...outcome }
    })
  } catch (error) {
    const isReplaced = isRefusal(error, 'object_changed')
    const outcome = isReplaced ? 'replaced meanwhile' : 'failed'
    log({ function: name, ...logName, outcome, reason: String(error) })
    if (!isReplaced) throw error
    return undefined
  }
}

type Services = Pick<FileImport, 'store' | 'clock' | 'importSheet'>

/**
 * Runs the import of a file and keeps the list of failed imports: a file that fails or has refused rows is
 * put into it, and a later import without either takes it off.
 */
async function listingFailures(
  services: Services,
  task: FileTask,
  run: () => Promise<FileOutcome>,
): Promise<FileOutcome> {
  const { store } = services
  const outcome = await run().catch(async (error: unknown) => {
    const failure = failureOf(services, task, { reason: reasonOf(error) })
    // The log has the error even if the table does not take the entry.
    if (!isRefusal(error, 'object_changed')) await noteFailedImport(store, failure).catch(() => undefined)
    throw error
  })
  const reason = outcome.outcome === 'imported' ? outcome.reason : undefined
  if (reason !== undefined) await noteFailedImport(store, failureOf(services, task, { ...outcome, reason }))
  else if (task.part) await forgetFailedPart(store, task.key, task.part.from)
  else if (outcome.outcome !== 'split') await forgetFailedImport(store, task.key)
  return outcome
}

type FailedOutcome = Pick<Failure, 'reason' | 'rejected'> & Partial<Pick<Failure['part'], 'rows' | 'refused'>>

function failureOf({ clock, importSheet }: Services, task: FileTask, outcome: FailedOutcome): Failure {
  const { reason, rejected, rows = 0, refused = 0 } = outcome
  return {
    file: task.key,
    kind: kindOf(task) ?? (importSheet ? 'rate sheet' : 'unknown'),
    at: clock().toISOString(),
    reason,
    ...(rejected && { rejected }),
    part: { from: task.part?.from ?? 0, rows, refused },
  }
}

const kindOf = (task: FileTask): string | undefined => (isSwitchFile(task) ? 'CDRs' : datasetFileOf(task.key))

/** Errors about a file are sentences for its sender. Any other text may say what only the log should. */
const reasonOf = (error: unknown): string =>
  isRefusal(error, 'refused_file')
    ? error.message
    : `internal error (${error instanceof Error ? error.name : 'unknown'}): the log of the function has the details`
