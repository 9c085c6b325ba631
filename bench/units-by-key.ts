import { GetCommand } from '@aws-sdk/lib-dynamodb'
import { type Attributes, readItem } from '#lib/table/items.ts'
import type { TableClient } from '#lib/table/requests/client.ts'
import { table } from '#lib/table/table.ts'
import { aroundRequests } from '#test/faults/around-requests.ts'
import { tableDefinition } from '#tools/server/table-definition.ts'

/** DynamoDB's limits for one partition key, in units a second. */
const LIMIT = { write: 1000, read: 3000 }

export interface Units {
  readonly write: number
  readonly read: number
}

export interface KeyCounter {
  readonly client: TableClient
  readonly byKey: ReadonlyMap<string, Units>
  total(): Units
  clear(): void
}

/** Counts units by partition key, of the table and its indexes, from the sizes of items. */
export function countUnitsByKey(client: TableClient, tableName: string): KeyCounter {
  const byKey = new Map<string, Units>()
  const add = ([key, kind, count]: Cost) => {
    const known = byKey.get(key) ?? NOTHING
    byKey.set(key, { ...known, [kind]: known[kind] + count })
  }
  const find = async (key: Values): Promise<Values | undefined> => {
    const Key = { PK: key['PK'], SK: key['SK'] }
    const { Item } = await client.send(new GetCommand({ TableName: tableName, Key, ConsistentRead: true }))
    return Item
  }
  return {
    byKey,
    total: () => [...byKey.values()].reduce(sumOf, NOTHING),
    clear: () => byKey.clear(),
    client: aroundRequests(client, async (command, request) => {
      const { input } = command as { readonly input: Input }
      const keys = keysWritten(input, tableName)
      const before = await Promise.all(keys.map(find))
      const answer = await request()
      const after = await Promise.all(keys.map(find))
      const factor = input.TransactItems ? 2 : 1
      const writes = keys.flatMap((key, n) => writeCosts(key, [before[n], after[n]], factor))
      for (const cost of [...writes, ...readCosts(input, answer as Answer, tableName)]) add(cost)
      return answer
    }),
  }
}

const NOTHING: Units = { write: 0, read: 0 }

export const sumOf = (one: Units, other: Units): Units => ({
  write: one.write + other.write,
  read: one.read + other.read,
})

/** The part of a key's limits that units in one second use. */
export const shareOfKey = ({ write, read }: Units): number => Math.max(write / LIMIT.write, read / LIMIT.read)

type Cost = readonly [key: string, kind: keyof Units, units: number]

export type Values = Readonly<Record<string, unknown>>

/** The fields of the requests that the store sends. */
interface Input {
  readonly TransactItems?: readonly Readonly<Record<string, Write>>[]
  readonly RequestItems?: Readonly<Record<string, BatchedWrites | BatchedReads>>
  readonly IndexName?: string
  readonly ExpressionAttributeValues?: Readonly<Record<string, { readonly S?: string }>>
  readonly Key?: Values
}

type Write = Readonly<Partial<Record<'Key' | 'Item', Values>>>

type BatchedWrites = readonly Readonly<Record<string, Write>>[]

/** Batches are read with the bare client's command, so their keys and items are as DynamoDB sends them. */
interface BatchedReads {
  readonly Keys: readonly Attributes[]
  readonly ConsistentRead: boolean
}

interface Answer {
  readonly Responses?: Readonly<Record<string, readonly Attributes[]>>
  readonly ConsumedCapacity?: { readonly CapacityUnits?: number }
}

const isReads = (batch: BatchedWrites | BatchedReads | undefined): batch is BatchedReads =>
  batch !== undefined && 'Keys' in batch

/** The keys that a request writes, or checks in a transaction. */
export function keysWritten({ TransactItems, RequestItems, Key }: Input, tableName: string): Values[] {
  if (Key) return [Key]
  const batch = RequestItems?.[tableName]
  const writes = TransactItems ?? (isReads(batch) ? [] : (batch ?? []))
  return writes.flatMap((write) => Object.values(write).map(({ Item, Key: key }) => Item ?? key ?? {}))
}

/** A unit a KB of the larger of old and new item, doubled in a transaction, and for index entries. */
function writeCosts(key: Values, states: readonly (Values | undefined)[], factor: number): Cost[] {
  const larger = Math.max(1, ...states.map(writeUnits))
  return [[String(key['PK']), 'write', factor * larger], ...INDEXES.flatMap((costsIn) => costsIn(states))]
}

/** The costs of an index: an entry that is added, changed or removed costs its size, one that moves both. */
const INDEXES = tableDefinition('any').GlobalSecondaryIndexes.map(({ IndexName, Projection }) => {
  const { partition, sort } = table.indexes[IndexName as keyof typeof table.indexes]
  const projected = new Set(['PK', 'SK', partition, sort, ...(Projection.NonKeyAttributes ?? [])])
  const entryOf = (item: Values | undefined): Values[] => {
    if (item?.[partition] === undefined || item[sort] === undefined) return []
    if (Projection.ProjectionType === 'ALL') return [item]
    return [Object.fromEntries(Object.entries(item).filter(([name]) => projected.has(name)))]
  }
  return (states: readonly (Values | undefined)[]): Cost[] => {
    const entries = states.flatMap(entryOf)
    const [was, is] = entries
    const costs = entries.map(
      (entry): Cost => [`${IndexName} ${entry[partition]}`, 'write', writeUnits(entry)],
    )
    if (!was || !is || was[partition] !== is[partition] || was[sort] !== is[sort]) return costs
    return textOf(was) === textOf(is) ? [] : costs.slice(1)
  }
})

const textOf = (item: Values): string =>
  JSON.stringify(Object.entries(item).sort(([one], [other]) => (one < other ? -1 : 1)))

/** A read costs a unit for each 4 KB, and half of that if it is eventual. A query says what it has cost. */
function readCosts(input: Input, answer: Answer, tableName: string): Cost[] {
  const batch = input.RequestItems?.[tableName]
  if (isReads(batch)) {
    const found = (answer.Responses?.[tableName] ?? []).map(readCopy)
    return batch.Keys.map(readCopy).map((key): Cost => {
      const item = found.find(({ PK, SK }) => PK === key['PK'] && SK === key['SK'])
      return [String(key['PK']), 'read', readUnits(item, batch.ConsistentRead)]
    })
  }
  const partition = input.ExpressionAttributeValues?.[':pk']?.S
  if (partition === undefined) return []
  const key = [input.IndexName, partition].filter(Boolean).join(' ')
  return [[key, 'read', answer.ConsumedCapacity?.CapacityUnits ?? 0]]
}

/** The store also reads these attributes, which `readItem` overwrites. */
const readCopy = (attributes: Attributes): Values => readItem({ ...attributes })

const writeUnits = (item: Values | undefined): number => (item ? Math.ceil(sizeOf(item) / 1024) : 0)

const readUnits = (item: Values | undefined, isStrong: boolean): number =>
  Math.max(1, Math.ceil(sizeOf(item ?? {}) / 4096)) * (isStrong ? 1 : 0.5)

/** The size of a value in bytes, as DynamoDB counts it. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (typeof value === 'number') return Math.ceil(String(value).length / 2) + 1
  if (value instanceof Uint8Array) return value.length
  if (value instanceof Set) return sizeOf([...value])
  if (Array.isArray(value)) return value.reduce((sum: number, one) => sum + 1 + sizeOf(one), 3)
  if (typeof value !== 'object' || value === null) return 1
  return Object.entries(value).reduce((sum, [name, one]) => sum + Buffer.byteLength(name) + sizeOf(one), 0)
}
