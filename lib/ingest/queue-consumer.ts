import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import type { Cells } from '#lib/dataset/format/row-source.ts'
import { groupBy } from '#lib/domain/collections.ts'
import { reasonIn } from '#lib/domain/row-refused.ts'
import type { CallArchive } from '#lib/store/call-archive.ts'
import { beginInvocation } from '#lib/store/invocation.ts'
import { rememberingReader, withRecentSettings } from '#lib/store/recent-items.ts'
import { isolatingPoison, isTransient } from '#lib/store/requests/retries.ts'
import { lambdaTableServices, type TableServices } from '#lib/store/store.ts'
import { type IngestedTable, readMessage, type StoreRecords } from './message-kinds.ts'

export type QueueConsumer = (event: SQSEvent) => Promise<SQSBatchResponse>

/**
 * Stores the records of messages, those of one kind together, and reports each failed message: the queue delivers it again and,
 * after a few attempts, moves it to the dead-letter queue. A message does not fail because of another one. Its valid records
 * are stored, and are duplicates when it comes again. The log has the first reason of a failure, never the content of a message.
 */
export const queueConsumer =
  (name: string, services: TableServices): QueueConsumer =>
  async ({ Records }) => {
    const { store, writeLine } = beginInvocation(services)
    const opened = Records.map(open)
    const failed = opened.flatMap((one) => ('reason' in one ? [refused(one.id, one.reason)] : []))
    const valid = opened.filter((one) => 'store' in one)
    for (const [storeRecords, ofOneKind] of groupBy(valid, (message) => message.store)) {
      const work = (some: readonly OpenMessage[]) =>
        storeMessages(some, storeRecords, { store, clock: services.clock })
      failed.push(...(await isolatingPoison(ofOneKind, work, poisonous)))
    }
    const failures = new Map(failed.toReversed())
    for (const [message, failure] of failures) services.log({ function: name, message, ...failure })
    writeLine({ function: name, outcome: 'ingested', messages: Records.length, failed: failures.size })
    return { batchItemFailures: [...failures.keys()].map((itemIdentifier) => ({ itemIdentifier })) }
  }

/** The services of a Lambda that takes many batches a second: it remembers the settings for a second. */
export function consumerServices(archive: CallArchive | undefined): TableServices {
  const { openStore, clock, log } = lambdaTableServices(archive)
  const readItems = rememberingReader(clock)
  return { openStore: (meter) => withRecentSettings(openStore(meter), readItems), clock, log }
}

/** `refused`: the content of the message is wrong. `failed`: the table did not answer, and a retry may succeed. */
interface MessageFailure {
  readonly outcome: 'refused' | 'failed'
  readonly reason: string
}

type FailedMessage = readonly [id: string, failure: MessageFailure]

/** The records of a message, and the function that stores them. */
interface OpenMessage {
  readonly id: string
  readonly store: StoreRecords
  readonly records: readonly Cells[]
}

function open({ messageId: id, body }: SQSRecord): OpenMessage | { id: string; reason: string } {
  try {
    const { kind, records } = readMessage(body)
    return { id, store: kind.store, records }
  } catch (error) {
    return { id, reason: reasonIn(error) }
  }
}

const refused = (id: string, reason: string): FailedMessage => [id, { outcome: 'refused', reason }]

const poisonous = ({ id }: OpenMessage, error: unknown): FailedMessage => refused(id, sentenceOf(error))

const sentenceOf = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error)

/** Stores the records of messages together. All messages fail if the table does not answer. */
const storeMessages = (
  messages: readonly OpenMessage[],
  store: StoreRecords,
  table: IngestedTable,
): Promise<FailedMessage[]> =>
  store(
    messages.flatMap(({ records }) => records),
    table,
  ).then((reasons) => messages.flatMap((message) => refusalOf(message, reasons)), failTransiently(messages))

function refusalOf({ id, records }: OpenMessage, reasons: ReadonlyMap<Cells, string>): FailedMessage[] {
  const [reason] = records.flatMap((record) => reasons.get(record) ?? [])
  return reason === undefined ? [] : [refused(id, reason)]
}

const failTransiently =
  (messages: readonly OpenMessage[]) =>
  (error: unknown): FailedMessage[] => {
    if (!isTransient(error)) throw error
    return messages.map(({ id }) => [id, { outcome: 'failed', reason: sentenceOf(error) }])
  }
