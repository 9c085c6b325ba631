/** Where the table is. `endpoint` names any DynamoDB that is not AWS's own. */
export interface TableLocation {
  readonly tableName: string
  readonly endpoint?: string
}

/** Reads TABLE_NAME and DYNAMODB_ENDPOINT. */
export const tableLocation = (environment: NodeJS.ProcessEnv): TableLocation => ({
  tableName: environment['TABLE_NAME'] ?? 'tollgate',
  ...(environment['DYNAMODB_ENDPOINT'] && { endpoint: environment['DYNAMODB_ENDPOINT'] }),
})
