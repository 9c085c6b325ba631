import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  DynamoDBClient,
  QueryCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import type { Client } from '#lib/store/client.ts'
import type { TableLocation } from '#lib/store/table-location.ts'

const COMMANDS: Readonly<Record<string, new (input: never) => QueryCommand>> = {
  BatchGetItem: BatchGetItemCommand,
  BatchWriteItem: BatchWriteItemCommand,
  Query: QueryCommand,
  TransactWriteItems: TransactWriteItemsCommand,
  UpdateItem: UpdateItemCommand,
} as never

/** AWS's own client where ours would be: the same operations, for comparing how long functions take to start. */
export function createClient({ endpoint }: TableLocation): Client {
  const client = new DynamoDBClient(endpoint ? { endpoint } : {})
  const send = async (operation: string, input: object) => {
    const Command = COMMANDS[operation]
    if (!Command) throw new TypeError(`${operation} is none of them`)
    return client.send(new Command(input as never))
  }
  return { send: send as Client['send'], close: () => client.destroy() }
}
