import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import type { Item } from '#lib/store/items.ts'
import type { StoreOptions } from './client.ts'

/**
 * Every item of the table, page by page, in any order: as expensive as the table is large, so no request does it. For
 * what an operator asks of the whole table.
 */
export async function* everyItem({
  client,
  tableName,
}: Pick<StoreOptions, 'client' | 'tableName'>): AsyncGenerator<Item[]> {
  let start: Item | undefined
  do {
    const input = { TableName: tableName, ConsistentRead: true, ExclusiveStartKey: start }
    const page = await client.send(new ScanCommand(input))
    yield page.Items ?? []
    start = page.LastEvaluatedKey
  } while (start)
}
