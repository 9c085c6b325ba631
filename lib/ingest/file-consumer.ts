import type { Context, S3Event, SQSBatchResponse, SQSEvent } from 'aws-lambda'
import pMap from 'p-map'
import { isFileName } from '#lib/dataset/import/files.ts'
import { openMediation } from '#lib/mediation/mediation.ts'
import { measureSuspense, type RetryRequest, reasonsCuredBy, retryBatches } from '#lib/mediation/retry.ts'
import { createMeter } from '#lib/store/requests/meter.ts'
import type { TableServices } from '#lib/store/store.ts'
import { admit, type Door } from './doors.ts'
import { type FileTask, readFileMessage, readRetry, retryMessage, tasksIn } from './file-message.ts'
import { FileChanged } from './file-store.ts'
import { type DroppedFiles, type FileOutcome, importFile } from './import-file.ts'
import { isSwitchFile, takeSwitchFile } from './switch-file.ts'

/**
 * Takes messages about files from their queue, or events straight from a bucket, which AWS sends again if this throws.
 * After a file from the queue that may cure suspended CDRs, a message of the same queue asks for their retry.
 */
export type FileConsumer = (event: SQSEvent | S3Event, context?: TimeLeft) => Promise<SQSBatchResponse>

/** Of a Lambda. */
type TimeLeft = Pick<Context, 'getRemainingTimeInMillis'>

/** In milliseconds: the retry of a lot takes far less. */
const TIME_FOR_A_LOT = 180_000

type FileServices = TableServices & DroppedFiles

export function fileConsumer(name: string, services: FileServices): FileConsumer {
  const { log, door, files } = services
  const take = takingFiles(name, services)

  const takeAndCure = async (task: FileTask): Promise<void> => {
    const outcome = await take(task)
    const reasons = outcome?.outcome === 'imported' ? reasonsCuredBy([fileIn(door, task)]) : []
    if (reasons.length > 0) await files.enqueue(retryMessage({ reasons, after: '' }))
  }

  const takeMessage = async (
    { messageId, body }: SQSEvent['Records'][number],
    hasTime: () => boolean,
  ): Promise<string[]> => {
    try {
      const retry = readRetry(body)
      if (retry) await retrySuspense(name, services, retry, hasTime)
      else for (const task of readFileMessage(body)) await takeAndCure(task)
      return []
    } catch (error) {
      log({ function: name, outcome: 'refused', message: messageId, reason: String(error) })
      return [messageId]
    }
  }

  return async (event, context) => {
    if (isFromBucket(event)) {
      for (const task of tasksIn(event.Records)) await take(task)
      return { batchItemFailures: [] }
    }
    const hasTime = () => (context?.getRemainingTimeInMillis() ?? TIME_FOR_A_LOT) >= TIME_FOR_A_LOT
    const failed = await pMap(event.Records, (message) => takeMessage(message, hasTime), { concurrency: 1 })
    return { batchItemFailures: failed.flat().map((itemIdentifier) => ({ itemIdentifier })) }
  }
}

/** Retries what is suspended. Another message asks for what there is no time for. */
async function retrySuspense(
  name: string,
  { openStore, clock, log, files }: FileServices,
  retry: RetryRequest,
  hasTime: () => boolean,
): Promise<void> {
  const meter = createMeter()
  const startedAt = clock()
  const mediation = await openMediation(openStore(meter), startedAt)
  const { next, stored, suspended } = await retryBatches(mediation, retry, hasTime)
  if (next !== undefined) await files.enqueue(retryMessage({ ...retry, after: next }))
  const size = retry.after === '' && (await measureSuspense(mediation))
  log({
    function: name,
    outcome: next === undefined ? 'retried' : 'retried in part',
    stored,
    still_suspended: suspended,
    ...size,
    ...meter.noted,
    milliseconds: clock().getTime() - startedAt.getTime(),
    read_units: meter.spent.read,
    write_units: meter.spent.write,
  })
}

/** Takes a file in and tells the log; answers `undefined` for one that another has replaced meanwhile. */
function takingFiles(name: string, { openStore, clock, log, ...dropped }: FileServices) {
  const take = async (task: FileTask): Promise<FileOutcome> => {
    const meter = createMeter()
    const startedAt = clock()
    const takeIn = dropped.door.takesSwitchFiles && isSwitchFile(task) ? takeSwitchFile : importFile
    const outcome = await takeIn({ ...dropped, store: openStore(meter), clock }, task)
    const milliseconds = clock().getTime() - startedAt.getTime()
    const units = { read_units: meter.spent.read, write_units: meter.spent.write }
    log({ function: name, ...nameOf(task), ...outcome, ...meter.noted, milliseconds, ...units })
    return outcome
  }

  return (task: FileTask): Promise<FileOutcome | undefined> =>
    take(task).catch((error: unknown) => {
      const isReplaced = error instanceof FileChanged
      const outcome = isReplaced ? 'replaced meanwhile' : 'failed'
      log({ function: name, ...nameOf(task), outcome, reason: String(error) })
      if (!isReplaced) throw error
      return undefined
    })
}

function fileIn(door: Door, { key }: FileTask): string {
  const { name } = admit(door, key)
  return isFileName(name) ? name : SHEET
}

/** A carrier's sheet brings rates. */
const SHEET = 'rates'

const nameOf = ({ key, part }: FileTask) => ({ key, ...(part && { from: part.from }) })

const isFromBucket = (event: SQSEvent | S3Event): event is S3Event =>
  event.Records.some((record) => 's3' in record)
