import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Cell, Result } from '@duckdb/node-api'
import pMap from 'p-map'
import type { Day } from '#lib/base/calendar.ts'
import { countOf } from '#lib/base/text.ts'
import type { ArchiveBucket } from '#lib/calls/archive/bucket.ts'
import { readManifest } from '#lib/calls/archive/manifest.ts'
import { listArchivedDays } from '#lib/calls/archived-day.ts'
import { objectChanged } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import { throwInstallLine } from '#tools/machine/optional-packages.ts'
import { CommandError } from '#tools/machine/terminal.ts'
import type { ListedRow, Listing } from '../../command-line/listing.ts'

/** Its decimals are exact. */
const loadDuckDb = () => import('@duckdb/node-api')

/** The query, with its first and last day. */
export interface ArchiveQuery {
  readonly sql: string
  readonly from: Day
  readonly till: Day
}

/** The files of a bucket, or the folder that has them already. */
export type ArchivePlace = { readonly folder: string } | { readonly bucket: ArchiveBucket }

/** Runs SQL over the view `calls` of archived days. A bucket's files are copied to a temporary folder. */
export async function queryArchive(
  store: Store,
  place: ArchivePlace,
  query: ArchiveQuery,
  load: typeof loadDuckDb = loadDuckDb,
): Promise<Listing> {
  const { DuckDBInstance } = await load().catch(throwInstallLine('DuckDB, 70 MB,', '@duckdb/node-api'))
  const days = await daysOf(store, query)
  const { folder, remove } = 'folder' in place ? { ...place, remove: keep } : await copyOf(place.bucket, days)
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  const end = async () => {
    connection.closeSync()
    await remove()
  }
  try {
    await connection.run(viewOver(folder, query))
    const result = await connection.stream(query.sql)
    return listingOf(result, end)
  } catch (error) {
    await end()
    throw error instanceof Error ? new CommandError(error.message) : error
  }
}

const keep = async () => undefined

async function daysOf(store: Store, { from, till }: ArchiveQuery): Promise<Day[]> {
  const archived = await listArchivedDays(store)
  const days = [...archived.keys()].filter((day) => from <= day && day <= till)
  if (days.length > 0) return days
  throw new CommandError('No such day is archived: npx tollgate archive list names the days that are')
}

/** In Athena the table has the same columns: the day comes from the folder, as text. */
const viewOver = (folder: string, { from, till }: ArchiveQuery): string => `
  CREATE VIEW calls AS SELECT * EXCLUDE (owner)
  FROM read_parquet('${folder.replaceAll("'", "''")}/calls/*/*/*.parquet', hive_partitioning = true, hive_types_autocast = false)
  WHERE day BETWEEN '${from}' AND '${till}'`

const FILES_AT_ONCE = 4

/** Memory holds some files at a time. */
async function copyOf(bucket: ArchiveBucket, days: readonly Day[]) {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-query-'))
  const remove = () => rm(folder, { recursive: true, force: true })
  const copyFile = async (key: string) => {
    const object = await bucket.open(key)
    if (!object) throw objectChanged(key)
    await mkdir(dirname(join(folder, key)), { recursive: true })
    await writeFile(join(folder, key), await object.read(0, object.bytes))
  }
  try {
    for (const day of days) {
      const files = (await readManifest(bucket, day))?.manifest.files ?? []
      await pMap(files, ({ key }) => copyFile(key), { concurrency: FILES_AT_ONCE })
    }
  } catch (error) {
    await remove()
    throw error
  }
  return { folder, remove }
}

const NUMBERS = /^(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT|U.*INT|FLOAT|DOUBLE|DECIMAL)/

function listingOf(result: Result, end: () => Promise<void>): Listing {
  const names = result.deduplicatedColumnNames()
  const types = result.columnTypes().map(String)
  const decimals = new Set(names.filter((_, index) => types[index]?.startsWith('DECIMAL')))
  return {
    columns: Object.fromEntries(
      names.map((name, index) => [name, NUMBERS.test(types[index] ?? '') ? 'number' : 'text']),
    ),
    rows: rowsOf(result, decimals, end),
    summary: (rows) => countOf(rows, 'row'),
  }
}

async function* rowsOf(
  result: Result,
  decimals: ReadonlySet<string>,
  end: () => Promise<void>,
): AsyncGenerator<ListedRow> {
  try {
    for await (const rows of result.yieldRowObjectJson()) {
      for (const row of rows)
        yield Object.fromEntries(
          Object.entries(row).map(([name, cell]) => [name, cellOf(cell, decimals.has(name))]),
        )
    }
  } finally {
    await end()
  }
}

/** DuckDB fills decimals up with zeros. */
function cellOf(cell: Cell, isDecimal: boolean): ListedRow[string] {
  if (cell === null) return undefined
  if (typeof cell === 'object') return JSON.stringify(cell)
  return isDecimal ? String(cell).replace(/\.?0+$/, '') : cell
}
