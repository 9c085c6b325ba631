import type { QueryCommandInput } from '@aws-sdk/lib-dynamodb'
import type { Item } from './items.ts'
import { type IndexName, table } from './table.ts'

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
}

export function toQueryInput(query: Query, TableName: string, start: Item | undefined): QueryCommandInput {
  const { partition, sort } = query.index ? table.indexes[query.index] : table.key
  const range = sortKeyRange(query)
  return {
    TableName,
    IndexName: query.index,
    ConsistentRead: !query.index && !query.eventual,
    KeyConditionExpression: ['#pk = :pk', range.expression].filter(Boolean).join(' AND '),
    ExpressionAttributeNames: { '#pk': partition, ...(range.expression && { '#sk': sort }) },
    ExpressionAttributeValues: { ':pk': query.partition, ...range.values },
    ScanIndexForward: !query.newestFirst,
    Limit: query.pageSize,
    ExclusiveStartKey: start,
    ReturnConsumedCapacity: 'TOTAL',
  }
}

function sortKeyRange({ prefix, between }: Query): { expression: string; values: Record<string, string> } {
  if (prefix !== undefined) return { expression: 'begins_with(#sk, :prefix)', values: { ':prefix': prefix } }
  if (!between) return { expression: '', values: {} }
  const [from, to] = between
  return { expression: '#sk BETWEEN :from AND :to', values: { ':from': from, ':to': to } }
}
