import { QueryCommand, type QueryInput } from '@aws-sdk/client-dynamodb'
import { type Attributes, type Item, readItem } from '#lib/store/items.ts'
import { type IndexName, ROW, table } from '#lib/store/table.ts'
import { ask } from './ask.ts'
import type { StoreOptions } from './client.ts'

/** One partition, or a stretch of it, in key order. */
export interface Query {
  readonly partition: string
  readonly index?: IndexName
  readonly prefix?: string
  /** Both ends belong to the range. */
  readonly between?: readonly [from: string, to: string]
  readonly newestFirst?: boolean
  readonly pageSize?: number
  /** For what never changes once written: half the price. Indexes are always eventual. */
  readonly eventual?: boolean
  /** Returns the packed rows of the items and no other attribute. */
  readonly rowOnly?: boolean
}

/**
 * Page by page. The one request that is the bare client's: what it answers is decoded here (see `readItem`), and where a
 * page ends goes back as it came.
 */
export async function* queryPages(options: StoreOptions, query: Query): AsyncGenerator<Item[]> {
  let start: Attributes | undefined
  do {
    const input = toQueryInput(query, options.tableName, start)
    const page = await ask(options, 'read', new QueryCommand(input))
    yield (page.Items ?? []).map(readItem)
    start = page.LastEvaluatedKey
  } while (start)
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
    Limit: query.pageSize,
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
