import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import type { Item } from '#lib/store/items.ts'
import { type Key, keyIn } from '#lib/store/keys.ts'
import { ask, type StoreOptions } from './client.ts'

/** Items of the table as they are scanned, and the position behind them; none behind the last page. */
export interface ScannedPage {
  readonly items: Item[]
  readonly next: Key | undefined
}

/**
 * Every item of the table, page by page, in any order. The cost grows with the table, so only commands of operators use it,
 * never a request of the API.
 */
export async function* everyItem(options: StoreOptions): AsyncGenerator<Item[]> {
  for await (const { items } of scannedPages(options)) yield items
}

/** The same behind a position, with at most `pageSize` items in a page. */
export async function* scannedPages(
  options: StoreOptions,
  { start, pageSize }: { readonly start?: Key | undefined; readonly pageSize?: number } = {},
): AsyncGenerator<ScannedPage> {
  let position = start
  do {
    const input = { TableName: options.tableName, ConsistentRead: true, Limit: pageSize }
    const command = new ScanCommand({
      ...input,
      ExclusiveStartKey: position,
      ReturnConsumedCapacity: 'TOTAL',
    })
    const { Items = [], LastEvaluatedKey } = await ask(options, 'read', command)
    position = LastEvaluatedKey && keyIn(LastEvaluatedKey)
    yield { items: Items, next: position }
  } while (position)
}
