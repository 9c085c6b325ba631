import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb'
import type { Key } from '#lib/store/keys.ts'
import { ask } from './ask.ts'
import { nameOf } from './batch-get.ts'
import type { StoreOptions } from './client.ts'
import { LeftUndone, repeating } from './retries.ts'

/** BatchWriteItem's own limit. */
export const ITEMS_IN_ONE_WRITE = 25

/** Puts items that nothing else writes: at half a transaction's price, without its promise of all or none. */
export const putBatch = (options: StoreOptions, items: readonly Key[]): Promise<void> =>
  writeBatch(
    options,
    items.map((item) => ({ PutRequest: { Item: item } })),
  )

export const removeBatch = (options: StoreOptions, keys: readonly Key[]): Promise<void> =>
  writeBatch(
    options,
    keys.map(({ PK, SK }) => ({ DeleteRequest: { Key: { PK, SK } } })),
  )

/** As DynamoDB takes it, and as it gives back those that it left undone. */
interface Write {
  readonly PutRequest?: { Item: Record<string, unknown> | undefined } | undefined
  readonly DeleteRequest?: { Key: Record<string, unknown> | undefined } | undefined
}

/** DynamoDB may leave requests undone under load; they are sent again, ever more slowly. */
async function writeBatch(options: StoreOptions, writes: readonly Write[]): Promise<void> {
  const { tableName } = options
  let wanted = [...writes]
  const writeRest = async () => {
    const input = { RequestItems: { [tableName]: wanted }, ReturnConsumedCapacity: 'TOTAL' } as const
    const answer = await ask(options, 'write', new BatchWriteCommand(input))
    wanted = restOf(wanted, answer.UnprocessedItems?.[tableName])
    if (wanted.length > 0) throw new LeftUndone(`${wanted.length} items were left unwritten`)
  }
  await repeating(options.meter, writeRest, { passes: (error) => error instanceof LeftUndone })
}

/** What was left undone, as it was given: an amount that was a number would come back as text. */
function restOf(writes: Write[], undone: readonly Write[] = []): Write[] {
  const names = new Set(undone.map(nameOfWrite))
  return names.size > 0 ? writes.filter((write) => names.has(nameOfWrite(write))) : []
}

const nameOfWrite = ({ PutRequest, DeleteRequest }: Write): string =>
  nameOf(PutRequest?.Item ?? DeleteRequest?.Key ?? {})
