import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { type AttributeValue, BatchWriteItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import type { Services } from '#lib/api/method.ts'
import { slices } from '#lib/base/collections.ts'
import type { Attributes } from '#lib/table/items.ts'
import { ITEMS_IN_ONE_WRITE } from '#lib/table/requests/batches.ts'
import type { StoreOptions } from '#lib/table/requests/client.ts'
import { createMeter } from '#lib/table/requests/meter.ts'
import type { Store } from '#lib/table/store.ts'
import { servicesOf, tableOfEngine, withEngine } from '#tools/examples/demo-copies.ts'
import { createTable } from '#tools/server/engine.ts'

/** A table in an engine of its own, with a stopped clock. */
export interface FixtureTable {
  readonly services: Services
  readonly store: Store
  readonly client: DynamoDBDocumentClient
  readonly tableName: string
}

/** Runs `use` on an empty table, where the same work stores the same items each time. */
export const onEmptyTable = <T>(now: Date, use: (table: FixtureTable) => Promise<T>): Promise<T> =>
  withEngine(undefined, async (engine) => {
    const table = tableOfEngine(engine)
    await createTable(table.client, table.tableName)
    const services = servicesOf(engine, now)
    const store = services.openStore(createMeter())
    return withRepeatableRandomness(() => use({ ...table, services, store }))
  })

/** Runs `work` with repeatable randomness: suffixes of logs are counted, and shards the first ones. */
async function withRepeatableRandomness<T>(work: () => Promise<T>): Promise<T> {
  const { randomInt, randomUUID } = crypto
  let drawn = 0
  const counted = () => `00000000-0000-4000-8000-${String(drawn++).padStart(12, '0')}`
  replace({ randomInt: () => 0, randomUUID: counted })
  try {
    return await work()
  } finally {
    replace({ randomInt, randomUUID })
  }
}

/** Also replaces what modules have imported by name. */
function replace(functions: Readonly<Record<'randomInt' | 'randomUUID', unknown>>): void {
  Object.assign(crypto, functions)
  syncBuiltinESMExports()
}

/** The items as lines, each in the JSON that AWS exports a table in, sorted by key. */
export async function linesOfTable({ client, tableName }: FixtureTable): Promise<string[]> {
  const { Items = [], LastEvaluatedKey } = await client.send(new ScanCommand({ TableName: tableName }))
  if (LastEvaluatedKey) throw new Error('The table is too large for a fixture')
  return Items.sort((one, other) => (keyText(one) < keyText(other) ? -1 : 1)).map(lineOf)
}

export async function putLines(
  { client, tableName }: Pick<StoreOptions, 'client' | 'tableName'>,
  lines: readonly string[],
): Promise<void> {
  for (const some of slices(lines.map(itemIn), ITEMS_IN_ONE_WRITE)) {
    const requests = some.map((Item) => ({ PutRequest: { Item } }))
    await client.send(new BatchWriteItemCommand({ RequestItems: { [tableName]: requests } }))
  }
}

const keyText = ({ PK, SK }: Attributes): string => `${PK?.S}\0${SK?.S}`

const lineOf = (item: Attributes): string => JSON.stringify({ Item: item }, repeatably)

/** Binary values as base64; attributes of items and maps sorted, since they come in any order. */
function repeatably(_: string, value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
}

/** The item of a line. Text under `B` is base64. */
export const itemIn = (line: string): Attributes =>
  JSON.parse(line, (name, value) =>
    name === 'B' && typeof value === 'string' ? Buffer.from(value, 'base64') : value,
  ).Item as Record<string, AttributeValue>
