import { type AttributeValue, BatchWriteItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb'
import pMap from 'p-map'
import { inBatches } from '#lib/domain/collections.ts'
import { ITEMS_IN_ONE_WRITE } from '#lib/store/requests/batches.ts'
import type { TableClient } from '#lib/store/requests/client.ts'

/**
 * The id of the object that an import has stored, and that fillers are copied from. It occurs nowhere else. Fillers have lower
 * ids, because the next new object gets the id after the highest imported one.
 */
export const TEMPLATE_ID = 7_999_999

type RawItem = Record<string, AttributeValue>

/** The items of the template, as JSON. Items that many objects share, such as counters of days, are left out. */
export async function readTemplate(client: TableClient, tableName: string): Promise<string[]> {
  const found: string[] = []
  let start: RawItem | undefined
  do {
    const page = await client.send(new ScanCommand({ TableName: tableName, ExclusiveStartKey: start }))
    const items: RawItem[] = page.Items ?? []
    const own = items.filter(({ PK, SK }) => `${PK?.S} ${SK?.S}`.includes(String(TEMPLATE_ID)))
    found.push(...own.map((item) => JSON.stringify(item)))
    start = page.LastEvaluatedKey
  } while (start)
  return found
}

const WRITES_AT_ONCE = 8

/** Writes copies of the template straight into the table: those from one number up to another, excluded. */
export async function writeFillers(
  client: TableClient,
  tableName: string,
  template: readonly string[],
  [first, end]: readonly [number, number],
): Promise<void> {
  const writeBatch = (items: readonly RawItem[]) => {
    const puts = items.map((Item) => ({ PutRequest: { Item } }))
    return client.send(new BatchWriteItemCommand({ RequestItems: { [tableName]: puts } }))
  }
  for await (const some of inBatches(copies(template, [first, end]), WRITES_AT_ONCE * ITEMS_IN_ONE_WRITE)) {
    const starts = Array.from({ length: WRITES_AT_ONCE }, (_, n) => n * ITEMS_IN_ONE_WRITE)
    const batches = starts.map((from) => some.slice(from, from + ITEMS_IN_ONE_WRITE))
    await pMap(
      batches.filter((batch) => batch.length > 0),
      writeBatch,
    )
  }
}

/** The id is replaced wherever it stands: in keys, in columns and in packed rows. */
async function* copies(
  template: readonly string[],
  [first, end]: readonly [number, number],
): AsyncGenerator<RawItem> {
  for (let n = first; n < end; n += 1)
    for (const item of template)
      yield JSON.parse(item.replaceAll(String(TEMPLATE_ID), String(TEMPLATE_ID - n)))
}
