import type { Projection } from '@aws-sdk/client-dynamodb'

/** The attribute that holds a packed row. A list asks for it alone. */
export const ROW = 'row'

/** The name of the table and where it is. `endpoint` is that of a DynamoDB engine other than AWS's. */
export interface TableLocation {
  readonly tableName: string
  readonly endpoint?: string
}

/** Reads TABLE_NAME and DYNAMODB_ENDPOINT. */
export const tableLocation = (environment: NodeJS.ProcessEnv): TableLocation => ({
  tableName: environment['TABLE_NAME'] ?? 'tollgate',
  ...(environment['DYNAMODB_ENDPOINT'] && { endpoint: environment['DYNAMODB_ENDPOINT'] }),
})

/** Two key attributes, two overloaded indexes, a time to live. `infra/` declares the same. */
export const table = {
  key: { partition: 'PK', sort: 'SK' },
  indexes: {
    GSI1: { partition: 'GSI1PK', sort: 'GSI1SK' },
    GSI2: { partition: 'GSI2PK', sort: 'GSI2SK' },
  },
  timeToLive: 'expires_at',
} as const

export type IndexName = keyof typeof table.indexes

/** The columns of a call in progress, as a list shows them. */
const ACTIVE_CALL = [
  'id',
  'start_time',
  'answer_time',
  'src',
  'user_id',
  'device_id',
  'localized_dst',
  'dst_user_id',
  'dst_device_id',
  'destination_name',
  'provider_name',
  'channel',
]

/**
 * GSI1 lists entities that are read whole. GSI2 lists calls and calls in progress alone: it projects the packed rows of the
 * ones and the columns of the others, and nothing else.
 */
const projections: Record<IndexName, Projection> = {
  GSI1: { ProjectionType: 'ALL' },
  GSI2: { ProjectionType: 'INCLUDE', NonKeyAttributes: [ROW, ...ACTIVE_CALL] },
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
