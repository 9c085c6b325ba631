/** The attribute that holds a packed row. A list asks for it alone. */
export const ROW = 'row'

export interface TableLocation {
  readonly tableName: string
  /** The URL of a DynamoDB engine other than AWS's. `http://KEY@127.0.0.1:8000` also names an access key. */
  readonly endpoint?: string
}

/** An endpoint without its access key, as it may be printed. */
export const withoutKey = (endpoint: string): string => endpoint.replace(/(?<=:\/\/)[^@/]*@/, '')

/** The access key that an endpoint names. An engine of the demo checks it, others read anything. */
export const accessKeyIn = (endpoint: string): string => /:\/\/([^@/]+)@/.exec(endpoint)?.[1] ?? 'local'

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
