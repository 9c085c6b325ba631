import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import type { Item } from '#lib/store/items.ts'
import { ask } from './ask.ts'
import type { StoreOptions } from './client.ts'

/**
 * Every item of the table, page by page, in any order: as expensive as the table is large, so no request does it. For
 * what an operator asks of the whole table.
 */
export async function* everyItem(options: StoreOptions): AsyncGenerator<Item[]> {
  let start: Item | undefined
  do {
    const input = { TableName: options.tableName, ConsistentRead: true, ExclusiveStartKey: start }
    const command = new ScanCommand({ ...input, ReturnConsumedCapacity: 'TOTAL' })
    const page = await ask(options, 'read', command)
    yield page.Items ?? []
    start = page.LastEvaluatedKey
  } while (start)
}
