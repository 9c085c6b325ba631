import { randomUUID } from 'node:crypto'
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
import { readItem } from '#lib/table/items.ts'
import { ITEMS_IN_ONE_WRITE } from '#lib/table/requests/batches.ts'
import { createClient, type StoreOptions } from '#lib/table/requests/client.ts'
import type { DumpedItem } from '#test/dump.ts'
import { atEndOfFile } from '#test/end-of-file.ts'
import { createTable } from '#tools/server/engine.ts'

type Table = Pick<StoreOptions, 'client' | 'tableName'>

/**
 * An empty table of the run's engine, dropped at the end of its test, or of its file if created outside of
 * one: the embedded engine creates a table 12 µs slower for each that it holds.
 */
export async function createTestTable(tableName: string) {
  const table = await newTable(tableName)
  atEnd(() => dropTable(table))
  return table
}

async function newTable(tableName: string) {
  const client = clientFor(inject('endpoint'))
  await createTable(client, tableName)
  return { client, tableName }
}

function atEnd(cleanUp: () => Promise<void>): void {
  if (TestRunner.getCurrentTest()) onTestFinished(cleanUp)
  else atEndOfFile.push(cleanUp)
}

/** One for all tables of a process: what a client keeps between requests is its connections. */
const clientFor = memoize((endpoint: string) => createClient({ tableName: '', endpoint }))

async function dropTable({ client, tableName }: Table): Promise<void> {
  await client.send(new DeleteTableCommand({ TableName: tableName }))
}

// Beginnings

type TestTable = Awaited<ReturnType<typeof newTable>>
type Item = Record<string, AttributeValue>
type Items = ReadonlyMap<string, Item>

interface Beginning {
  readonly items: Items
  /** Tables that began so, with what their tests have made of them. */
  readonly used: TestTable[]
}

const beginnings = new Map<string, Beginning>()
const MOST_KEPT = 60
const MOST_USED = 4
const LONGEST_NAME = 100_000

/**
 * A table with what `fill` writes into an empty one. Many tests begin alike: then a table of an earlier test
 * is taken back to its beginning, or the items are copied, at a tenth of the cost of their import.
 */
export async function tableBeginningWith(
  rows: unknown,
  fill: (table: TestTable) => Promise<void>,
): Promise<TestTable> {
  const name = JSON.stringify(rows)
  const table = (await usedTable(beginnings.get(name))) ?? (await filledTable(name, fill))
  atEnd(async () => {
    const used = beginnings.get(name)?.used
    if (used && used.length < MOST_USED) used.push(table)
    else await dropTable(table)
  })
  return table
}

async function usedTable(beginning: Beginning | undefined): Promise<TestTable | undefined> {
  const table = beginning?.used.pop()
  if (!beginning || !table) return undefined
  const now = await rawItems(table)
  const writes = now && writesBack(now, beginning.items)
  if (!writes || writes.length > beginning.items.size) return dropTable(table).then(() => undefined)
  await writeAll(table, writes)
  return table
}

async function filledTable(name: string, fill: (table: TestTable) => Promise<void>): Promise<TestTable> {
  const table = await newTable(`world-${randomUUID()}`)
  const known = beginnings.get(name)
  if (known) await writeAll(table, [...known.items.values()].map(put))
  else {
    await fill(table)
    const items = name.length < LONGEST_NAME ? await rawItems(table) : undefined
    if (items) await keep(name, { items, used: [] })
  }
  return table
}

async function keep(name: string, beginning: Beginning): Promise<void> {
  beginnings.set(name, beginning)
  const [[oldest, { used }] = ['', beginning]] = beginnings
  if (beginnings.size <= MOST_KEPT) return
  beginnings.delete(oldest)
  await Promise.all(used.map(dropTable))
}

const put = (Item: Item): WriteRequest => ({ PutRequest: { Item } })

async function writeAll({ client, tableName }: Table, writes: readonly WriteRequest[]): Promise<void> {
  await Promise.all(
    Array.from(slices(writes, ITEMS_IN_ONE_WRITE), (batch) =>
      client.send(new BatchWriteItemCommand({ RequestItems: { [tableName]: batch } })),
    ),
  )
}

/** A table that is taken back to the items that it has now: for tests that share a world. */
export async function returningTable(table: Table) {
  const beginning = await allItems(table)
  return {
    items: () => allItems(table),
    /** The items that are other than at the beginning, and those that `isWanted` in any case. */
    changed: (now: Items, isWanted: (partition: string) => boolean): DumpedItem[] =>
      [...now]
        .filter(([name, item]) => isWanted(name) || !isDeepStrictEqual(beginning.get(name), item))
        .map(([, item]) => readItem({ ...item }) as DumpedItem),
    restore: (now: Items) => writeAll(table, writesBack(now, beginning)),
  }
}

function writesBack(now: Items, beginning: Items): WriteRequest[] {
  const added = [...now].filter(([name]) => !beginning.has(name))
  const changed = [...beginning].filter(([name, item]) => !isDeepStrictEqual(now.get(name), item))
  return [
    ...changed.map(([, item]) => put(item)),
    ...added.map(([, { PK, SK }]) => ({ DeleteRequest: { Key: { PK, SK } as Item } })),
  ]
}

async function allItems(table: Table): Promise<Items> {
  const items = await rawItems(table)
  if (!items) throw new Error('The table is too large to be read at once')
  return items
}

/** `undefined` if they do not fit one answer. */
async function rawItems({ client, tableName }: Table): Promise<Items | undefined> {
  const { Items = [], LastEvaluatedKey } = await client.send(new ScanCommand({ TableName: tableName }))
  return LastEvaluatedKey
    ? undefined
    : new Map(Items.map((item) => [`${item['PK']?.S} ${item['SK']?.S}`, item]))
}
