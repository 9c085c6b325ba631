import type { WriteRequest } from '@aws-sdk/client-dynamodb'
import pRetry from 'p-retry'
import { type Attributes, toAttributes } from './items.ts'
import type { Key } from './keys.ts'
import { metered } from './meter.ts'
import type { StoreOptions } from './store.ts'

/** BatchWriteItem's own limit. */
export const ITEMS_IN_ONE_WRITE = 25

/** Puts items that nothing else writes: at half a transaction's price, without its promise of all or none. */
export const putBatch = (options: StoreOptions, items: readonly Key[]): Promise<void> =>
  writeBatch(
    options,
    items.map((item) => ({ PutRequest: { Item: toAttributes(item) } })),
  )

export const removeBatch = (options: StoreOptions, keys: readonly Key[]): Promise<void> =>
  writeBatch(
    options,
    keys.map(
      ({ PK, SK }): WriteRequest => ({ DeleteRequest: { Key: toAttributes({ PK, SK }) as Attributes } }),
    ),
  )

/** DynamoDB may leave requests undone under load; they are sent again, ever more slowly. */
async function writeBatch(
  { client, tableName, meter }: StoreOptions,
  requests: readonly WriteRequest[],
): Promise<void> {
  let wanted = [...requests]
  const send = async () => {
    const input = { RequestItems: { [tableName]: wanted }, ReturnConsumedCapacity: 'TOTAL' } as const
    const answer = await metered(meter, 'write', () => client.send('BatchWriteItem', input))
    wanted = answer.UnprocessedItems?.[tableName] ?? []
    if (wanted.length > 0) throw new WritesLeftUndone(`${wanted.length} items were left unwritten`)
  }
  await pRetry(send, {
    retries: 10,
    minTimeout: 50,
    randomize: true,
    shouldRetry: ({ error }) => error instanceof WritesLeftUndone,
  })
}

class WritesLeftUndone extends Error {}
