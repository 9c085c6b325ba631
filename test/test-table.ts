import { isDeepStrictEqual } from 'node:util'
import {
  type AttributeValue,
  BatchWriteItemCommand,
  DeleteTableCommand,
  ScanCommand,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb'

import { inject, onTestFinished, TestRunner } from 'vitest'
import { memoize, slices } from '#lib/base/collections.ts'
import { ITEMS_IN_ONE_WRITE } from '#lib/table/requests/batches.ts'
import { createClient, type StoreOptions } from '#lib/table/requests/client.ts'
import { atEndOfFile } from '#test/end-of-file.ts'
import { createTable } from '#tools/server/engine.ts'

type Table = Pick<StoreOptions, 'client' | 'tableName'>

/**
 * An empty table of the run's engine, dropped at the end of its test, or of its file if created outside of
 * one: the embedded engine creates a table 12 µs slower for each that it holds, of a run's thousands.
 */
export async function createTestTable(tableName: string) {
  const client = clientFor(inject('endpoint'))
  const table = { client, tableName }
  await createTable(client, tableName)
  if (TestRunner.getCurrentTest()) onTestFinished(() => dropTable(table))
  else atEndOfFile.push(() => dropTable(table))
  return table
}

/** One for all tables of a process: what a client keeps between requests is its connections. */
const clientFor = memoize((endpoint: string) => createClient({ tableName: '', endpoint }))

async function dropTable({ client, tableName }: Table): Promise<void> {
  await client.send(new DeleteTableCommand({ TableName: tableName }))
}

// Beginnings

type Items = readonly Record<string, AttributeValue>[]

/** The items of tables that an import has filled, by the imported rows. */
const beginnings = new Map<string, Items>()
const MOST_KEPT = 60
const LONGEST_NAME = 100_000

/**
 * Fills an empty table with what `fill` writes. Many tests begin alike: then earlier written items are
 * copied, at a tenth of the cost of their import.
 */
export async function beginWith(table: Table, rows: unknown, fill: () => Promise<void>): Promise<void> {
  const name = JSON.stringify(rows)
  const known = beginnings.get(name)
  if (known) return copyInto(table, known)
  await fill()
  if (name.length < LONGEST_NAME) await keep(table, name)
}

const copyInto = (table: Table, items: Items): Promise<void> =>
  writeAll(
    table,
    items.map((Item) => ({ PutRequest: { Item } })),
  )

async function writeAll({ client, tableName }: Table, writes: readonly WriteRequest[]): Promise<void> {
  await Promise.all(
    Array.from(slices(writes, ITEMS_IN_ONE_WRITE), (batch) =>
      client.send(new BatchWriteItemCommand({ RequestItems: { [tableName]: batch } })),
    ),
  )
}

async function keep({ client, tableName }: Table, name: string): Promise<void> {
  const { Items = [], LastEvaluatedKey } = await client.send(new ScanCommand({ TableName: tableName }))
  if (LastEvaluatedKey) return
  const [oldest] = beginnings.keys()
  if (beginnings.size >= MOST_KEPT && oldest !== undefined) beginnings.delete(oldest)
  beginnings.set(name, Items)
}

/** Takes the table back to the items that it has now, whenever it is called: for tests that share a world. */
export async function restoring(table: Table): Promise<() => Promise<void>> {
  const beginning = await rawItems(table)
  return async () => {
    const now = await rawItems(table)
    const added = [...now.keys()].filter((name) => !beginning.has(name))
    const changed = [...beginning].filter(([name, item]) => !isDeepStrictEqual(now.get(name), item))
    await writeAll(table, [
      ...changed.map(([, Item]) => ({ PutRequest: { Item } })),
      ...added.map((name) => ({ DeleteRequest: { Key: keyOf(now.get(name) ?? {}) } })),
    ])
  }
}

const keyOf = ({ PK, SK }: Items[number]) => ({ PK: PK as AttributeValue, SK: SK as AttributeValue })

async function rawItems({ client, tableName }: Table): Promise<Map<string, Items[number]>> {
  const { Items = [], LastEvaluatedKey } = await client.send(new ScanCommand({ TableName: tableName }))
  if (LastEvaluatedKey) throw new Error('The table is too large to be read at once')
  return new Map(Items.map((item) => [`${item['PK']?.S} ${item['SK']?.S}`, item]))
}
