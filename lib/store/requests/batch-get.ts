import { BatchGetCommand } from '@aws-sdk/lib-dynamodb'
import { slices } from '#lib/domain/collections.ts'
import type { Item } from '#lib/store/items.ts'
import type { Key } from '#lib/store/keys.ts'
import { ask } from './ask.ts'
import type { StoreOptions } from './client.ts'
import { LeftUndone, repeating } from './retries.ts'

/** BatchGetItem's own limit. */
const KEYS_IN_ONE_REQUEST = 100

/** DynamoDB's limits in bytes: a longer key names nothing, as one that is no Unicode text, and asking for it is an error. */
const LONGEST_KEY = { PK: 2048, SK: 1024 }

/** How a read sees earlier writes. An eventual one may miss those of this moment, and costs half. */
export type Consistency = 'strong' | 'eventual'

/** The items of the keys, in their order. */
export async function getAll(
  options: StoreOptions,
  keys: readonly Key[],
  consistency: Consistency,
): Promise<(Item | undefined)[]> {
  const askedFor = new Map(keys.filter(canExist).map((key) => [nameOf(key), key]))
  const batches = [...slices(askedFor.values(), KEYS_IN_ONE_REQUEST)]
  const found = await Promise.all(batches.map((batch) => getBatch(options, batch, consistency)))
  const byName = new Map(found.flat().map((item) => [nameOf(item), item]))
  return keys.map((key) => byName.get(nameOf(key)))
}

/** DynamoDB may leave keys unread under load; they are asked for again, ever more slowly. */
async function getBatch(
  options: StoreOptions,
  keys: readonly Key[],
  consistency: Consistency,
): Promise<Item[]> {
  const { tableName } = options
  const found: Item[] = []
  let wanted: Record<string, unknown>[] = [...keys]
  const readRest = async () => {
    const RequestItems = { [tableName]: { Keys: wanted, ConsistentRead: consistency === 'strong' } }
    const input = { RequestItems, ReturnConsumedCapacity: 'TOTAL' } as const
    const answer = await ask(options, 'read', new BatchGetCommand(input))
    found.push(...(answer.Responses?.[tableName] ?? []))
    wanted = answer.UnprocessedKeys?.[tableName]?.Keys ?? []
    if (wanted.length > 0) throw new LeftUndone(`${wanted.length} keys were left unread`)
  }
  await repeating(options.meter, readRest, { passes: (error) => error instanceof LeftUndone })
  return found
}

const canExist = ({ PK, SK }: Key): boolean =>
  PK.isWellFormed() &&
  SK.isWellFormed() &&
  Buffer.byteLength(PK) <= LONGEST_KEY.PK &&
  Buffer.byteLength(SK) <= LONGEST_KEY.SK

/** A key as text, or that of an item. */
export const nameOf = ({ PK, SK }: { readonly PK?: unknown; readonly SK?: unknown }): string =>
  JSON.stringify([PK, SK])
