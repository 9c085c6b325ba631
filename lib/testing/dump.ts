import { type DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb'
import type { Key } from '#lib/store/keys.ts'
import { noted } from './log-evidence.ts'

/** An item as a test looks at it. */
export type DumpedItem = Key & Readonly<Record<string, unknown>>

/** Every item of a table, in key order. */
export async function dumpTable(client: DynamoDBDocumentClient, tableName: string): Promise<DumpedItem[]> {
  const { Items = [], LastEvaluatedKey } = await client.send(new ScanCommand({ TableName: tableName }))
  if (LastEvaluatedKey) throw new Error('The table is too large to dump')
  return (Items as DumpedItem[]).map(noted).sort((one, other) => nameOf(one).localeCompare(nameOf(other)))
}

const nameOf = ({ PK, SK }: Key): string => `${PK} ${SK}`
