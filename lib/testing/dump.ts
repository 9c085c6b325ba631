import { type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb'
import { fromAttributes } from '#lib/store/items.ts'

/** Every item of a table, in key order. */
export async function dumpTable(client: DynamoDBClient, tableName: string): Promise<unknown[]> {
  const { Items = [], LastEvaluatedKey } = await client.send(new ScanCommand({ TableName: tableName }))
  if (LastEvaluatedKey) throw new Error('The table is too large to dump')
  return Items.map(fromAttributes).sort((one, other) => nameOf(one).localeCompare(nameOf(other)))
}

const nameOf = (item: Readonly<Record<string, unknown>>): string => `${item['PK']} ${item['SK']}`
