import { BatchGetItemCommand } from '@aws-sdk/client-dynamodb'
import { BatchWriteCommand, type BatchWriteCommandInput } from '@aws-sdk/lib-dynamodb'
import { slices } from '#lib/base/collections.ts'
import { type Attributes, type Item, readItem } from '../items.ts'
import { type Key, keyText, MAX_KEY_BYTES } from '../keys.ts'
import { ask, type StoreOptions } from './client.ts'
import { repeating, TooMuchContention } from './retries.ts'

/** BatchGetItem's limit. */
const KEYS_IN_ONE_REQUEST = 100

/** BatchWriteItem's limit. */
export const ITEMS_IN_ONE_WRITE = 25

/** A strong read sees all earlier writes. An eventual one may miss the latest, and costs half. */
export type Consistency = 'strong' | 'eventual'

export async function getAll(
  options: StoreOptions,
  keys: readonly Key[],
  consistency: Consistency,
): Promise<(Item | undefined)[]> {
  const distinct = new Map(keys.filter(canExist).map((key) => [keyText(key), key]))
  const batches = [...slices(distinct.values(), KEYS_IN_ONE_REQUEST)]
  const found = await Promise.all(batches.map((batch) => getBatch(options, batch, consistency)))
  const byKey = new Map(found.flat().map((item) => [keyText(item), item]))
  return keys.map((key) => byKey.get(keyText(key)))
}

/**
 * Under load DynamoDB leaves keys unread. They are requested again, at growing intervals. It uses the bare
 * client's command, as queries do: the document client takes a sixth longer.
 */
async function getBatch(
  options: StoreOptions,
  keys: readonly Key[],
  consistency: Consistency,
): Promise<Item[]> {
  const { tableName } = options
  const found: Item[] = []
  let wanted: Attributes[] = keys.map(({ PK, SK }) => ({ PK: { S: PK }, SK: { S: SK } }))
  const readRest = async () => {
    const RequestItems = { [tableName]: { Keys: wanted, ConsistentRead: consistency === 'strong' } }
    const input = { RequestItems, ReturnConsumedCapacity: 'TOTAL' } as const
    const answer = await ask(options, 'read', new BatchGetItemCommand(input))
    found.push(...(answer.Responses?.[tableName] ?? []).map(readItem))
    wanted = answer.UnprocessedKeys?.[tableName]?.Keys ?? []
    if (wanted.length > 0) throw new TooMuchContention(`${wanted.length} keys were left unread`)
  }
  await repeating(options.meter, readRest, isTooMuchContention)
  return found
}

/** Whether DynamoDB accepts the key: not too long, not empty, and well-formed Unicode. */
const canExist = ({ PK, SK }: Key): boolean =>
  PK !== '' &&
  PK.isWellFormed() &&
  SK.isWellFormed() &&
  Buffer.byteLength(PK) <= MAX_KEY_BYTES.PK &&
  Buffer.byteLength(SK) <= MAX_KEY_BYTES.SK

const isTooMuchContention = (error: Error): boolean => error instanceof TooMuchContention

/** Puts items at half the price of a transaction, but not all or none. Nothing else may write them. */
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

/** A write as DynamoDB takes it, and as it returns one that it left undone. */
type BatchedWrite = NonNullable<BatchWriteCommandInput['RequestItems']>[string][number]

async function writeBatch(options: StoreOptions, writes: readonly BatchedWrite[]): Promise<void> {
  for (const some of slices(writes, ITEMS_IN_ONE_WRITE)) await writeSome(options, some)
}

/** Under load DynamoDB leaves writes undone. They are sent again, at growing intervals. */
async function writeSome(options: StoreOptions, writes: readonly BatchedWrite[]): Promise<void> {
  const { tableName } = options
  let wanted = [...writes]
  const writeRest = async () => {
    const input = { RequestItems: { [tableName]: wanted }, ReturnConsumedCapacity: 'TOTAL' } as const
    const answer = await ask(options, 'write', new BatchWriteCommand(input))
    wanted = restOf(wanted, answer.UnprocessedItems?.[tableName])
    if (wanted.length > 0) throw new TooMuchContention(`${wanted.length} items were left unwritten`)
  }
  await repeating(options.meter, writeRest, isTooMuchContention)
}

/** The unprocessed writes as they were given: DynamoDB returns numbers that are not safe integers as text. */
function restOf(writes: BatchedWrite[], undone: readonly BatchedWrite[] = []): BatchedWrite[] {
  const keys = new Set(undone.map(keyOfWrite))
  return keys.size > 0 ? writes.filter((write) => keys.has(keyOfWrite(write))) : []
}

const keyOfWrite = ({ PutRequest, DeleteRequest }: BatchedWrite): string =>
  keyText(PutRequest?.Item ?? DeleteRequest?.Key ?? {})
