import { randomUUID } from 'node:crypto'
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import { MOST_TRIES } from '#lib/alerts/sender.ts'
import type { Item } from '#lib/table/items.ts'
import { keyForm, keyIn } from '#lib/table/keys.ts'
import { is } from '#lib/table/requests/changes.ts'
import { hasWritten } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'

/** Messages of this machine's queue in place of SQS. They are in the table to outlive a crash. */
export const localQueueKey = keyForm('LOCALQUEUE', '<id>')

/** A message that was received comes again after these seconds, unless it is deleted. */
const VISIBILITY_SECONDS = 30

const BATCH = 10

/** A queue by SQS's rules: at least once, hidden while worked on, dropped after its last try. Times in ms. */
export function createLocalQueue(store: Store, clock: () => Date) {
  const visibleIn = (seconds: number) => clock().getTime() + seconds * 1000

  /** Another server may have received a message meanwhile. A try of which the server dies is not counted. */
  const receive = async (item: Item): Promise<SQSRecord[]> => {
    const set = { visible_at: visibleIn(VISIBILITY_SECONDS) }
    const when = { visible_at: is(item['visible_at']) }
    return (await hasWritten(store.update(keyIn(item), { set }, when))) ? [recordOf(item)] : []
  }

  /** The last deliveries list what failed: it can be sent again from there. */
  const countTry = async ({ messageId, attributes }: SQSRecord): Promise<unknown> =>
    Number(attributes.ApproximateReceiveCount) >= MOST_TRIES
      ? store.removeBatch([localQueueKey(messageId)])
      : store.update(localQueueKey(messageId), { add: { received: 1 } })

  return {
    send: (messages: readonly unknown[]): Promise<void> =>
      store.putBatch(
        messages.map((message) => ({
          ...localQueueKey(randomUUID()),
          body: JSON.stringify(message),
          received: 0,
          visible_at: 0,
        })),
      ),

    hide: (id: string, seconds: number): Promise<unknown> =>
      store.update(localQueueKey(id), { set: { visible_at: visibleIn(seconds) } }),

    /** Gives the visible messages to the handler, as Lambda does. Returns how many they were. */
    async consume(handler: (event: SQSEvent) => Promise<SQSBatchResponse>): Promise<number> {
      const all = await store.list(localQueueKey.range())
      const visible = all.filter((item) => Number(item['visible_at']) <= clock().getTime()).slice(0, BATCH)
      const records = (await Promise.all(visible.map(receive))).flat()
      if (records.length === 0) return 0
      const { batchItemFailures } = await handler({ Records: records })
      const left = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier))
      const done = records.filter(({ messageId }) => !left.has(messageId))
      await store.removeBatch(done.map(({ messageId }) => localQueueKey(messageId)))
      await Promise.all(records.filter(({ messageId }) => left.has(messageId)).map(countTry))
      return records.length
    },
  }
}

const recordOf = (item: Item) =>
  ({
    messageId: String(item['SK']),
    receiptHandle: String(item['SK']),
    body: String(item['body']),
    attributes: { ApproximateReceiveCount: String(Number(item['received']) + 1) },
  }) as unknown as SQSRecord
