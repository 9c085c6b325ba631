import type { S3Event, SQSBatchResponse, SQSEvent } from 'aws-lambda'
import pMap from 'p-map'
import { createMeter } from '#lib/store/requests/meter.ts'
import type { TableServices } from '#lib/store/services.ts'
import { type FileTask, readFileMessage, tasksIn } from './file-message.ts'
import { FileChanged } from './file-store.ts'
import { type DroppedFiles, importFile } from './import-file.ts'

/** Takes messages about files from their queue, or events straight from a bucket, which are tried again when this throws. */
export type FileConsumer = (event: SQSEvent | S3Event) => Promise<SQSBatchResponse>

export function fileConsumer(name: string, services: TableServices & DroppedFiles): FileConsumer {
  const { openStore, clock, log, ...dropped } = services

  const take = async (task: FileTask): Promise<void> => {
    const meter = createMeter()
    const startedAt = clock()
    const outcome = await importFile({ ...dropped, store: openStore(meter), clock }, task)
    const milliseconds = clock().getTime() - startedAt.getTime()
    const units = { read_units: meter.spent.read, write_units: meter.spent.write }
    log({ function: name, ...nameOf(task), ...outcome, ...meter.noted, milliseconds, ...units })
  }

  const takeOrTell = (task: FileTask): Promise<void> =>
    take(task).catch((error: unknown) => {
      const isReplaced = error instanceof FileChanged
      const outcome = isReplaced ? 'replaced meanwhile' : 'failed'
      log({ function: name, ...nameOf(task), outcome, reason: String(error) })
      if (!isReplaced) throw error
    })

  const takeMessage = async ({ messageId, body }: SQSEvent['Records'][number]): Promise<string[]> => {
    try {
      for (const task of readFileMessage(body)) await takeOrTell(task)
      return []
    } catch (error) {
      log({ function: name, outcome: 'refused', message: messageId, reason: String(error) })
      return [messageId]
    }
  }

  return async (event) => {
    if (isFromBucket(event)) {
      for (const task of tasksIn(event.Records)) await takeOrTell(task)
      return { batchItemFailures: [] }
    }
    const failed = await pMap(event.Records, takeMessage, { concurrency: 1 })
    return { batchItemFailures: failed.flat().map((itemIdentifier) => ({ itemIdentifier })) }
  }
}

const nameOf = ({ key, part }: FileTask) => ({ key, ...(part && { from: part.from }) })

const isFromBucket = (event: SQSEvent | S3Event): event is S3Event =>
  event.Records.some((record) => 's3' in record)
