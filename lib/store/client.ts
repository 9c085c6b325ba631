import type * as DynamoDb from '@aws-sdk/client-dynamodb'
import { type Account, domainOf, runtimeAccount } from '#lib/aws/account.ts'
import { jsonOperations } from '#lib/aws/json-protocol.ts'
import { openRequests } from '#lib/aws/requests.ts'
import type { TableLocation } from './table-location.ts'

/** DynamoDB's operations that anything here asks for; binary values travel as base64 text. */
interface Operations {
  BatchGetItem: (input: DynamoDb.BatchGetItemInput) => DynamoDb.BatchGetItemOutput
  BatchWriteItem: (input: DynamoDb.BatchWriteItemInput) => DynamoDb.BatchWriteItemOutput
  CreateTable: (input: DynamoDb.CreateTableInput) => DynamoDb.CreateTableOutput
  GetItem: (input: DynamoDb.GetItemInput) => DynamoDb.GetItemOutput
  ListTables: (input: DynamoDb.ListTablesInput) => DynamoDb.ListTablesOutput
  Query: (input: DynamoDb.QueryInput) => DynamoDb.QueryOutput
  Scan: (input: DynamoDb.ScanInput) => DynamoDb.ScanOutput
  TransactWriteItems: (input: DynamoDb.TransactWriteItemsInput) => DynamoDb.TransactWriteItemsOutput
  UpdateItem: (input: DynamoDb.UpdateItemInput) => DynamoDb.UpdateItemOutput
}

type OperationName = keyof Operations

/** Throws AwsError for what DynamoDB refuses. */
export type Send = <O extends OperationName>(
  operation: O,
  input: Parameters<Operations[O]>[0],
) => Promise<ReturnType<Operations[O]>>

export interface Client {
  readonly send: Send
  close(): void
}

/** For engines that take no account of who asks. */
const NOBODY: Account = {
  region: 'local',
  credentials: () => ({ accessKeyId: 'local', secretAccessKey: 'local' }),
}

/** Asks AWS's DynamoDB in the name of the account, by default the one this Lambda runs in; any other one in nobody's. */
export function createClient(
  { endpoint }: TableLocation,
  account: Account = runtimeAccount(process.env),
): Client {
  const requests = openRequests({
    name: 'dynamodb',
    endpoint: endpoint ?? `https://dynamodb.${domainOf(account.region)}`,
    account: endpoint ? NOBODY : account,
  })
  return { send: jsonOperations(requests, 'DynamoDB_20120810'), close: requests.close }
}
