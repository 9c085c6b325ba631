import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import type { Item } from '#lib/store/items.ts'
import { ask, type StoreOptions } from './client.ts'

/**
 * Every item of the table, page by page, in any order. The cost grows with the table, so only commands of operators use it,
 * never a request of the API.
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
