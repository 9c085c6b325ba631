import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import { reasonIn } from '#lib/base/row-refused.ts'
import { rememberingReader, withRecentSettings } from '#lib/settings/recent-items.ts'
import type { CallArchive } from '#lib/table/call-archive.ts'
import type { Cells } from '#lib/table/cells/row-source.ts'
import { beginInvocation } from '#lib/table/invocation.ts'
import { isolatingPoison, isTransient } from '#lib/table/requests/retries.ts'
import { lambdaTableServices, type TableServices } from '#lib/table/store.ts'
import { readMessage } from './message-kinds.ts'
import type { IngestedTable, StoreRecords } from './stored-rows.ts'

export type QueueConsumer = (event: SQSEvent) => Promise<SQSBatchResponse>

/**
 * Stores the records of messages, by kind, and reports each failed message: the queue repeats it and finally
 * moves it to the dead-letter queue. No message fails because of another one. Valid records are stored, and
 * are duplicates next time. The log has a failure's first reason, never the content of a message.
 */
export const queueConsumer =
  (name: string, services: TableServices): QueueConsumer =>
  async ({ Records }) => {
    const { store, writeLine } = beginInvocation(services)
    const messages = Records.map(openMessage)
    const failures = messages.filter((one) => 'reason' in one)
    const byKind = Map.groupBy(
      messages.filter((one) => 'records' in one),
      (message) => message.store,
    )
    for (const [storeRecords, ofOneKind] of byKind) {
      const work = (some: readonly OpenMessage[]) =>
        storeTogether(some, storeRecords, { store, clock: services.clock })
      failures.push(...(await isolatingPoison(ofOneKind, work, poisonous)))
    }
    for (const failure of failures) services.log({ function: name, ...failure })
    writeLine({ function: name, outcome: 'ingested', messages: Records.length, failed: failures.length })
    return { batchItemFailures: failures.map(({ message }) => ({ itemIdentifier: message })) }
  }

/** The services of a Lambda that takes many batches a second: it remembers the settings for a second. */
export function consumerServices(archive: CallArchive | undefined): TableServices {
  const { openStore, clock, log } = lambdaTableServices(archive)
  const readItems = rememberingReader(clock)
  return { openStore: (meter) => withRecentSettings(openStore(meter), readItems), clock, log }
}

/** The records of a message, and the function that stores them. */
interface OpenMessage {
  readonly message: string
  readonly store: StoreRecords
  readonly records: readonly Cells[]
}

/** `refused`: the content is wrong. `failed`: the table did not answer, a retry may succeed. */
interface FailedMessage {
  readonly message: string
  readonly outcome: 'refused' | 'failed'
  readonly reason: string
}

function openMessage({ messageId: message, body }: SQSRecord): OpenMessage | FailedMessage {
  try {
    const { kind, records } = readMessage(body)
    return { message, store: kind.store, records }
  } catch (error) {
    return { message, outcome: 'refused', reason: reasonIn(error) }
  }
}

/** Stores the records of messages together. All messages fail if the table does not answer. */
async function storeTogether(
  messages: readonly OpenMessage[],
  store: StoreRecords,
  table: IngestedTable,
): Promise<FailedMessage[]> {
  try {
    const records = messages.flatMap((message) => message.records)
    const reasons = await store(records, table)
    return messages.flatMap((one) => {
      const [reason] = one.records.flatMap((record) => reasons.get(record) ?? [])
      return reason === undefined ? [] : [{ message: one.message, outcome: 'refused', reason }]
    })
  } catch (error) {
    if (!isTransient(error)) throw error
    return messages.map(({ message }) => ({ message, outcome: 'failed', reason: sentenceOf(error) }))
  }
}

const poisonous = ({ message }: OpenMessage, error: unknown): FailedMessage => ({
  message,
  outcome: 'refused',
  reason: sentenceOf(error),
})

const sentenceOf = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error)
