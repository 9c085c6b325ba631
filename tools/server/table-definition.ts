import type { Projection } from '@aws-sdk/client-dynamodb'
import { activeCallColumns } from '#lib/calls/live/active-call.ts'
import { type IndexName, ROW, table } from '#lib/table/table.ts'

/**
 * GSI1 lists entities that are read whole. GSI2 lists calls and calls in progress alone: it projects the
 * packed rows of the former and the columns of the latter.
 */
const projections: Record<IndexName, Projection> = {
  GSI1: { ProjectionType: 'ALL' },
  GSI2: { ProjectionType: 'INCLUDE', NonKeyAttributes: [ROW, ...Object.keys(activeCallColumns)] },
}

/** The input of CreateTable, for the embedded engine. In AWS the stack creates the same table. */
export function tableDefinition(tableName: string) {
  const names = [table.key, ...Object.values(table.indexes)].flatMap(({ partition, sort }) => [
    partition,
    sort,
  ])
  return {
    TableName: tableName,
    BillingMode: 'PAY_PER_REQUEST' as const,
    AttributeDefinitions: names.map((name) => ({ AttributeName: name, AttributeType: 'S' as const })),
    KeySchema: keySchema(table.key),
    GlobalSecondaryIndexes: Object.entries(table.indexes).map(([name, key]) => ({
      IndexName: name,
      KeySchema: keySchema(key),
      Projection: projections[name as IndexName],
    })),
  }
}

const keySchema = ({ partition, sort }: { partition: string; sort: string }) => [
  { AttributeName: partition, KeyType: 'HASH' as const },
  { AttributeName: sort, KeyType: 'RANGE' as const },
]
