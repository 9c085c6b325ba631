import type { SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { type ImportWorld, nothingAccepted } from '#lib/dataset/format/import-world.ts'
import type { Cells } from '#lib/dataset/format/row-source.ts'
import { groupBy, slices } from '#lib/domain/collections.ts'
import { type Reasons, reasonIn } from '#lib/domain/row-refused.ts'
import { readSettings } from '#lib/domain/settings.ts'
import { findSettings } from '#lib/store/installation/settings.ts'
import { rememberingReader, withRecentSettings } from '#lib/store/recent-items.ts'
import { createMeter } from '#lib/store/requests/meter.ts'
import { isTransient } from '#lib/store/requests/retries.ts'
import { lambdaTableServices, type Store, type TableServices } from '#lib/store/store.ts'
import { readMessage, type StoreRecords } from './message-kinds.ts'

export type QueueConsumer = (event: SQSEvent) => Promise<SQSBatchResponse>

/**
 * Consumes messages and reports each failed one: the queue delivers it again and, after a few attempts, moves it to the
 * dead-letter queue. The log has the reason of a failure, never the content of a message.
 */
export const queueConsumer =
  (name: string, { openStore, clock, log } = consumerServices()): QueueConsumer =>
  async ({ Records }) => {
    const meter = createMeter()
    const startedAt = clock()
    const world = await openIngestWorld(openStore(meter), clock)
    const messages = Records.map(({ messageId, body }) => ({ id: messageId, body }))
    const failures = await ingestMessages(messages, world)
    for (const [message, failure] of failures) log({ function: name, message, ...failure })
    log({
      function: name,
      outcome: 'ingested',
      messages: Records.length,
      failed: failures.size,
      ...meter.noted,
      milliseconds: clock().getTime() - startedAt.getTime(),
      read_units: meter.spent.read,
      write_units: meter.spent.write,
    })
    return { batchItemFailures: [...failures.keys()].map((itemIdentifier) => ({ itemIdentifier })) }
  }

/** The services of a Lambda that takes many batches a second: it remembers the settings for a second. */
function consumerServices(): TableServices {
  const { openStore, clock, log } = lambdaTableServices()
  const readItems = rememberingReader(clock)
  return { openStore: (meter) => withRecentSettings(openStore(meter), readItems), clock, log }
}

/** The world that records are checked against and written into. No rows of a dataset precede them. */
export async function openIngestWorld(store: Store, clock: () => Date): Promise<ImportWorld> {
  const { Timezone } = readSettings(await findSettings(store))
  const calendar = { firstImport: clock(), zone: Timezone }
  return { store, clock, calendar, accepted: nothingAccepted() }
}

/** A message of the queue as SQS delivers it. */
interface QueueMessage {
  readonly id: string
  readonly body: string
}

/** `refused`: the content of the message is wrong. `failed`: the table did not answer, and a retry may succeed. */
interface MessageFailure {
  readonly outcome: 'refused' | 'failed'
  readonly reason: string
}

type FailedMessage = readonly [id: string, failure: MessageFailure]

/** The records of a message, and the function that stores them. */
interface ReadMessage {
  readonly id: string
  readonly store: StoreRecords
  readonly records: readonly Cells[]
}

/**
 * Stores the records of messages, those of one kind together. Returns the first failure of each failed message. A message
 * does not fail because of another one. Its valid records are stored, and are duplicates when it comes again.
 */
export async function ingestMessages(
  messages: readonly QueueMessage[],
  world: ImportWorld,
): Promise<ReadonlyMap<string, MessageFailure>> {
  const opened = messages.map(open)
  const failed: FailedMessage[] = opened.flatMap((one) => ('reason' in one ? [refused(one)] : []))
  const read = opened.filter((one) => 'store' in one)
  for (const ofOneKind of groupBy(read, ({ store }) => store).values()) {
    failed.push(...(await storeMessages(ofOneKind, world)))
  }
  return new Map(failed.toReversed())
}

function open({ id, body }: QueueMessage): ReadMessage | { id: string; reason: string } {
  try {
    const { kind, records } = readMessage(body)
    return { id, store: kind.store, records }
  } catch (error) {
    return { id, reason: reasonIn(error) }
  }
}

const refused = ({ id, reason }: { id: string; reason: string }): FailedMessage => [
  id,
  { outcome: 'refused', reason },
]

/** Stores messages together. If one of them makes that fail, each is stored alone, so that it delays no other. */
async function storeMessages(
  messages: readonly ReadMessage[],
  world: ImportWorld,
): Promise<readonly FailedMessage[]> {
  try {
    return await storeTogether(messages, world)
  } catch (error) {
    if (messages.length === 1 || isTransient(error)) return failAll(messages, error)
    const failed: FailedMessage[] = []
    for (const message of messages) failed.push(...(await storeMessages([message], world)))
    return failed
  }
}

function failAll(messages: readonly ReadMessage[], error: unknown): FailedMessage[] {
  const outcome = isTransient(error) ? 'failed' : 'refused'
  const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return messages.map(({ id }) => [id, { outcome, reason }])
}

const RECORDS_AT_ONCE = 1000

async function storeTogether(messages: readonly ReadMessage[], world: ImportWorld): Promise<FailedMessage[]> {
  const all = messages.flatMap(({ id, store, records }) => records.map((record) => ({ id, store, record })))
  const failed: FailedMessage[] = []
  for (const some of slices(all, RECORDS_AT_ONCE)) {
    const records = some.map(({ record }) => record)
    const reasons: Reasons = (await some[0]?.store(records, world)) ?? []
    failed.push(
      ...some.flatMap(({ id }, position) => {
        const reason = reasons[position]
        return reason === undefined ? [] : [refused({ id, reason })]
      }),
    )
  }
  return failed
}
