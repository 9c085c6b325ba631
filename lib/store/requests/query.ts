import { QueryCommand, type QueryInput } from '@aws-sdk/client-dynamodb'
import { type Attributes, type Item, readItem } from '#lib/store/items.ts'
import { type IndexName, ROW, table } from '#lib/store/table.ts'
import { ask, type StoreOptions } from './client.ts'

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
}

/** Page by page. It uses the bare client's command, because `readItem` decodes items faster than the document client. */
export async function* queryPages(options: StoreOptions, query: Query): AsyncGenerator<Item[]> {
  let start: Attributes | undefined
  do {
    const input = toQueryInput(query, options.tableName, start)
    const page = await ask(options, 'read', new QueryCommand(input))
    yield (page.Items ?? []).map(readItem)
    start = page.LastEvaluatedKey
  } while (start)
}

/** The numbers of items and of those that have an attribute. */
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
  let start: Attributes | undefined
  do {
    const input = toQueryInput(query, options.tableName, start)
    const filter = {
      Select: 'COUNT',
      FilterExpression: 'attribute_exists(#attribute)',
      ExpressionAttributeNames: { ...input.ExpressionAttributeNames, '#attribute': attribute },
    } as const
    const page = await ask(options, 'read', new QueryCommand({ ...input, ...filter }))
    counts.all += page.ScannedCount ?? 0
    counts.having += page.Count ?? 0
    start = page.LastEvaluatedKey
  } while (start)
  return counts
}

function toQueryInput(query: Query, TableName: string, start: Attributes | undefined): QueryInput {
  const { partition, sort } = query.index ? table.indexes[query.index] : table.key
  const range = sortKeyRange(query)
  return {
    TableName,
    IndexName: query.index,
    ConsistentRead: !query.index && !query.eventual,
    KeyConditionExpression: ['#pk = :pk', range.expression].filter(Boolean).join(' AND '),
    ProjectionExpression: query.rowOnly ? '#row' : undefined,
    ExpressionAttributeNames: {
      '#pk': partition,
      ...(range.expression && { '#sk': sort }),
      ...(query.rowOnly && { '#row': ROW }),
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
