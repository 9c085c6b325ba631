import { randomUUID } from 'node:crypto'
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import { MOST_TRIES, type WebhookMessage } from '#lib/alerts/sender.ts'
import type { Item } from '#lib/table/items.ts'
import { keyForm, keyIn } from '#lib/table/keys.ts'
import { is } from '#lib/table/requests/changes.ts'
import { hasWritten } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'

/** Messages of this machine's queue in place of SQS. They are in the table to outlive a crash. */
export const localQueueKey = keyForm('LOCALQUEUE', '<id>')

/** A message that was received comes again after these seconds, unless it is deleted. */
const VISIBILITY_SECONDS = 30

/** The messages of one owner that are worked on at once: those of the others do not wait for them. */
const SHARE_OF_AN_OWNER = 5

type Handler = (event: SQSEvent) => Promise<SQSBatchResponse>

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

  const { failing, working, takeShare } = openShares()

  const handleOne = async (item: Item, handler: Handler): Promise<number> => {
    const [record] = await receive(item)
    if (!record) return 0
    const { batchItemFailures } = await handler({ Records: [record] })
    if (batchItemFailures.length > 0) failing.add(item['endpoint'])
    else failing.delete(item['endpoint'])
    if (batchItemFailures.length > 0) await countTry(record)
    else await store.removeBatch([localQueueKey(record.messageId)])
    return 1
  }

  return {
    send: (messages: readonly Pick<WebhookMessage, 'owner' | 'endpoint'>[]): Promise<void> =>
      store.putBatch(
        messages.map((message) => ({
          ...localQueueKey(randomUUID()),
          owner: message.owner,
          endpoint: message.endpoint,
          body: JSON.stringify(message),
          received: 0,
          visible_at: 0,
        })),
      ),

    hide: (id: string, seconds: number): Promise<unknown> =>
      store.update(localQueueKey(id), { set: { visible_at: visibleIn(seconds) } }),

    /**
     * Gives the visible messages to the handler, each on its own and a share of each owner, and waits for
     * them. Meanwhile it may be called again for other owners. Returns how many they were.
     */
    async consume(handler: Handler): Promise<number> {
      const all = await store.list(localQueueKey.range())
      const visible = all.filter((item) => Number(item['visible_at']) <= clock().getTime())
      const handled = await Promise.all(
        takeShare(visible).map((item) => handleOne(item, handler).finally(() => working.delete(item))),
      )
      return handled.reduce((sum, one) => sum + one, 0)
    },
  }
}

/** Which messages may be worked on now. One at a time tries an endpoint that fails. */
function openShares() {
  /** The endpoints whose last message was left. */
  const failing = new Set<unknown>()
  const working = new Set<Item>()
  const count = (column: 'owner' | 'endpoint', value: unknown): number =>
    [...working].filter((item) => item[column] === value).length
  const takeShare = (visible: readonly Item[]): Item[] =>
    visible.filter((item) => {
      const { owner, endpoint } = item
      const isFree =
        count('owner', owner) < SHARE_OF_AN_OWNER &&
        !(failing.has(endpoint) && count('endpoint', endpoint) > 0)
      if (isFree) working.add(item)
      return isFree
    })
  return { failing, working, takeShare }
}

const recordOf = (item: Item) =>
  ({
    messageId: String(item['SK']),
    receiptHandle: String(item['SK']),
    body: String(item['body']),
    attributes: { ApproximateReceiveCount: String(Number(item['received']) + 1) },
  }) as unknown as SQSRecord
