import { execFile } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { type AttributeValue, ScanCommand } from '@aws-sdk/client-dynamodb'
import type { TableClient } from '#lib/store/requests/client.ts'
import { tableDefinition } from '#lib/store/table.ts'
import { findEngineBinary } from '#tools/server/engine-binary.ts'

/**
 * The ids of the objects that an import has stored, and that fillers are copied from. They occur nowhere else. Fillers have
 * lower ids, because the next new object gets the id after the highest imported one. An id of a filler is a multiple of 16
 * below that of its template: so it belongs in the same shard.
 */
export const TEMPLATE_IDS = Array.from({ length: 16 }, (_, n) => 7_999_984 + n)

type RawItem = Record<string, AttributeValue>

/** All items of a table, each as JSON. */
export async function readItems(client: TableClient, tableName: string): Promise<string[]> {
  const found: string[] = []
  let start: RawItem | undefined
  do {
    const page = await client.send(new ScanCommand({ TableName: tableName, ExclusiveStartKey: start }))
    found.push(...(page.Items ?? []).map((item) => JSON.stringify(item)))
    start = page.LastEvaluatedKey
  } while (start)
  return found
}

/**
 * Writes a file for the engine: these items, and copies of those of the templates, until there are `size` objects. The
 * engine imports an export of DynamoDB some ten times as fast as it answers requests.
 */
export async function writeFilledFile(
  file: string,
  tableName: string,
  items: readonly string[],
  size: number,
): Promise<void> {
  const [source, schema] = [`${file}.export`, `${file}.json`]
  const data = join(source, tableName, 'data')
  await mkdir(data, { recursive: true })
  await writeFile(schema, JSON.stringify(tableDefinition(tableName)))
  await pipeline(Readable.from(linesOf(items, size)), createWriteStream(join(data, 'items.json')))
  await promisify(execFile)(findEngineBinary(), [
    ...['import', '--source', source, '--schema', schema, '--output', file],
  ])
  await rm(source, { recursive: true })
  await rm(schema)
}

/** The lines of an export. The id of a template is replaced wherever it stands: in keys, in columns and in packed rows. */
function* linesOf(items: readonly string[], size: number): Generator<string> {
  yield* items.map(lineOf)
  const templates = TEMPLATE_IDS.map((id) => ({ id, lines: ownItems(items, id).map(lineOf).join('') }))
  for (let below = templates.length; below < size; below += templates.length)
    for (const { id, lines } of templates.slice(0, size - below))
      yield lines.replaceAll(String(id), String(id - below))
}

const lineOf = (item: string): string => `{"Item":${item}}\n`

/** The items of one object. Items that many objects share, such as counters of days, are left out. */
const ownItems = (items: readonly string[], id: number): string[] =>
  items.filter((item) => {
    const { PK, SK } = JSON.parse(item) as RawItem
    return `${PK?.S} ${SK?.S}`.includes(String(id))
  })
