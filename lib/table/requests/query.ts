import { QueryCommand, type QueryCommandOutput, type QueryInput } from '@aws-sdk/client-dynamodb'
import pMap from 'p-map'
import { type Attributes, type Item, readItem } from '../items.ts'
import { type IndexName, ROW, table } from '../table.ts'
import { ask, type StoreOptions } from './client.ts'

/** The number of queries that are sent at the same time. Each has a page of answers in memory. */
export const QUERIES_AT_ONCE = 16

/** The result for each item, in their order. `find` sends one query after the other. */
export const findForEach = <T, R>(items: Iterable<T>, find: (item: T) => R | Promise<R>): Promise<R[]> =>
  pMap(items, find, { concurrency: QUERIES_AT_ONCE })

/** One partition or a part of it, in key order. */
export interface Query {
  readonly partition: string
  readonly index?: IndexName
  readonly prefix?: string
  /** Both ends belong to the range. */
  readonly between?: readonly [from: string, to: string]
  readonly newestFirst?: boolean
  readonly pageSize?: number
  /** A smaller first page, so that its rows are there soon. */
  readonly firstPageSize?: number
  /** Costs half, and may miss the latest writes. Reads through an index are always eventual. */
  readonly eventual?: boolean
  /** Returns the packed rows of the items and no other attribute. */
  readonly rowOnly?: boolean
  /** Returns these attributes and no other one. A page costs the same units, and its items less time. */
  readonly attributes?: readonly string[]
}

/** Sends the bare client's command: `readItem` decodes items faster than the document client. */
export async function* queryPages(options: StoreOptions, query: Query): AsyncGenerator<Item[]> {
  for await (const { Items = [] } of answersTo(options, query)) yield Items.map(readItem)
}

export interface ItemCounts {
  readonly all: number
  readonly having: number
}

/** Costs the units of the items, but DynamoDB sends none of them. */
export async function countItems(
  options: StoreOptions,
  query: Query,
  attribute: string,
): Promise<ItemCounts> {
  const counts = { all: 0, having: 0 }
  for await (const { ScannedCount = 0, Count = 0 } of answersTo(options, query, attribute)) {
    counts.all += ScannedCount
    counts.having += Count
  }
  return counts
}

/** With `counted`, the answers only have the numbers of items, and of items with this attribute. */
async function* answersTo(
  options: StoreOptions,
  query: Query,
  counted?: string,
): AsyncGenerator<QueryCommandOutput> {
  let start: Attributes | undefined
  do {
    const input = toQueryInput(query, options.tableName, start)
    const command = new QueryCommand(counted === undefined ? input : countingOnly(input, counted))
    const answer = await ask(options, 'read', command)
    yield answer
    start = answer.LastEvaluatedKey
  } while (start)
}

const countingOnly = (input: QueryInput, attribute: string): QueryInput => ({
  ...input,
  Select: 'COUNT',
  FilterExpression: 'attribute_exists(#attribute)',
  ExpressionAttributeNames: { ...input.ExpressionAttributeNames, '#attribute': attribute },
})

function toQueryInput(query: Query, TableName: string, start: Attributes | undefined): QueryInput {
  const { partition, sort } = query.index ? table.indexes[query.index] : table.key
  const range = sortKeyRange(query)
  const wanted = query.rowOnly ? [ROW] : query.attributes
  return {
    TableName,
    IndexName: query.index,
    ConsistentRead: !query.index && !query.eventual,
    KeyConditionExpression: ['#pk = :pk', range.expression].filter(Boolean).join(' AND '),
    ProjectionExpression: wanted?.map((_, index) => `#a${index}`).join(', '),
    ExpressionAttributeNames: {
      '#pk': partition,
      ...(range.expression && { '#sk': sort }),
      ...Object.fromEntries((wanted ?? []).map((name, index) => [`#a${index}`, name])),
    },
    ExpressionAttributeValues: { ':pk': { S: query.partition }, ...range.values },
    ScanIndexForward: !query.newestFirst,
    Limit: start ? query.pageSize : (query.firstPageSize ?? query.pageSize),
    ExclusiveStartKey: start,
    ReturnConsumedCapacity: 'TOTAL',
  }
}

function sortKeyRange({ prefix, between }: Query): { expression: string; values: Attributes } {
  if (prefix) {
    return { expression: 'begins_with(#sk, :prefix)', values: { ':prefix': { S: prefix } } }
  }
  if (!between) return { expression: '', values: {} }
  const [from, to] = between
  return { expression: '#sk BETWEEN :from AND :to', values: { ':from': { S: from }, ':to': { S: to } } }
}
