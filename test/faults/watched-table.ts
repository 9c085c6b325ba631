import {
  type AttributeValue,
  BatchWriteItemCommand,
  type DynamoDBClientConfig,
  type QueryInput,
  ScanCommand,
} from '@aws-sdk/client-dynamodb'
import { slices } from '#lib/base/collections.ts'
import type { Key } from '#lib/table/keys.ts'
import { ITEMS_IN_ONE_WRITE } from '#lib/table/requests/batches.ts'
import { createClient } from '#lib/table/requests/client.ts'
import { faultyEndpoint, isDoneDespite, type MishapOf } from '#test/faults/faulty-endpoint.ts'
import { type World, withClient } from '#test/world.ts'

/** A world's table behind a faulty endpoint that watches requests, to undo what they wrote. */
export interface WatchedTable<W extends World> {
  /** The keys that requests have written since the last `undo`. */
  readonly written: ReadonlyMap<string, Key>
  /** The keys in requests since then that are longer than DynamoDB takes; the embedded engine takes them. */
  readonly tooLong: readonly Key[]
  /** The mishaps of the requests that follow. */
  fail(mishapOf: MishapOf): void
  /** The world over a client of its own: AWS's client remembers how many of its requests failed. */
  connect(config?: DynamoDBClientConfig): { readonly world: W; close(): void }
  /** Takes the items back to the beginning, but those that `isKept`. */
  undo(isKept?: (key: Key) => boolean): Promise<void>
}

/** In bytes, of DynamoDB. */
const LONGEST_KEY = { PK: 2048, SK: 1024 }

const READS = new Set(['BatchGetItem', 'Query', 'GetItem', 'Scan'])

/** Watches the table of a world from now on. */
export async function aWatchedTable<W extends World>(world: W): Promise<WatchedTable<W>> {
  const { tableName } = world.table
  const beginning = await rawItems(world)
  const written = new Map<string, Key>()
  const tooLong: Key[] = []
  let next: MishapOf = () => undefined
  const { origin } = await faultyEndpoint((request) => {
    const mishap = next(request)
    const keys = keysIn(JSON.parse(request.input))
    tooLong.push(...keys.filter(isTooLong))
    const isWritten = isDoneDespite(mishap) && !READS.has(request.operation)
    for (const key of isWritten ? keys : []) written.set(nameOf(key), key)
    return mishap
  })
  return {
    written,
    tooLong,
    fail: (mishapOf) => {
      next = mishapOf
    },
    connect: (config) => {
      const client = createClient({ tableName, endpoint: origin }, config)
      return { world: withClient(world, client), close: () => client.destroy() }
    },
    undo: async (isKept = () => false) => {
      const writes = [...written].flatMap(([name, key]) =>
        isKept(key) ? [] : [undoing(key, beginning.get(name))],
      )
      for (const batch of slices(writes, ITEMS_IN_ONE_WRITE)) {
        await world.table.client.send(new BatchWriteItemCommand({ RequestItems: { [tableName]: batch } }))
      }
      written.clear()
      tooLong.length = 0
    },
  }
}

const nameOf = ({ PK, SK }: Key): string => `${PK} ${SK}`

type RawItem = Record<string, AttributeValue>

async function rawItems({ table: { client, tableName } }: World): Promise<Map<string, RawItem>> {
  const { Items = [] } = await client.send(new ScanCommand({ TableName: tableName }))
  return new Map(Items.map((item) => [`${item['PK']?.S} ${item['SK']?.S}`, item]))
}

const undoing = ({ PK, SK }: Key, item: RawItem | undefined) =>
  item ? { PutRequest: { Item: item } } : { DeleteRequest: { Key: { PK: { S: PK }, SK: { S: SK } } } }

const isTooLong = ({ PK, SK }: Key): boolean =>
  Buffer.byteLength(PK) > LONGEST_KEY.PK || Buffer.byteLength(SK) > LONGEST_KEY.SK

/** The keys anywhere in a request's input. A key that is only checked is not written. */
function keysIn(value: unknown): Key[] {
  if (typeof value !== 'object' || value === null) return []
  if (isRawKey(value)) return [{ PK: value.PK.S, SK: value.SK.S }]
  if (isQuery(value)) return [keyOfQuery(value)]
  return Object.entries(value).flatMap(([name, part]) => (name === 'ConditionCheck' ? [] : keysIn(part)))
}

type RawKey = Readonly<Record<'PK' | 'SK', { readonly S: string }>>

const isRawKey = (value: object): value is RawKey => 'PK' in value && 'SK' in value

const isQuery = (value: object): value is QueryInput => 'KeyConditionExpression' in value

/** The partition of a query, and the longer end of its range. */
function keyOfQuery({ ExpressionAttributeValues: values = {} }: QueryInput): Key {
  const { ':pk': partition, ...ends } = values
  const texts = Object.values(ends).map(({ S = '' }) => S)
  return { PK: partition?.S ?? '', SK: texts.sort((one, other) => other.length - one.length)[0] ?? '' }
}
