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
