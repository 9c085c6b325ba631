import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { parse as parseCsv } from 'csv-parse/sync'
import { importPath, type WrittenReport } from '#lib/dataset/import/folder.ts'
import { aFolder, exportOf } from '#test/datasets/exported.ts'
import type { OldDatabase } from '#test/datasets/old-database.ts'
import { aWorld, type World } from '#test/world.ts'
import type { OldFigure } from '#tools/datasets/moving-in-balance.ts'
import {
  type DatabaseSchema,
  type FittedQuery,
  fitQuery,
  movingInQueries,
  readSchema,
} from '#tools/datasets/moving-in-queries.ts'

type Cells = Readonly<Record<string, string>>

/** The rows of files by the names of the files. */
export type Files = ReadonlyMap<string, readonly Cells[]>

export interface RowLeftBehind {
  readonly reason: string
  readonly row: Readonly<Record<string, unknown>>
}

/** A database that was moved as docs/moving-in.md describes. */
export interface Moved {
  readonly queries: readonly FittedQuery[]
  /** The output of each check. */
  readonly checks: ReadonlyMap<string, string>
  readonly leftBehind: Files
  /** The rows that the import refused, with their reasons. */
  readonly refused: ReadonlyMap<string, readonly RowLeftBehind[]>
  /** The tables of the old database. */
  readonly schema: DatabaseSchema
  /** The content of the new table, as an export writes it. */
  readonly table: Files
  readonly world: World
  /** The output of the query of the balance. */
  readonly oldFigures: readonly OldFigure[]
}

/** Moves what the database holds into a table of its own. Rows may be refused. */
export async function moveOf(database: OldDatabase): Promise<Moved> {
  const schema = await schemaOf(database)
  const queries = movingInQueries().map((query) => fitQuery(query, schema))
  const step = (name: string) => queries.filter((query) => query.step === name)
  const answers = async (name: string) => {
    const printed: [string, string][] = []
    for (const query of step(name)) printed.push([query.name, await database.ask(query.sql)])
    return new Map(printed)
  }
  for (const { sql } of step('prepare')) await database.ask(sql)
  const folder = await aFolder()
  const exported = new Map<string, readonly string[]>()
  for (const { name, sql } of step('export')) {
    const lines = await database.bytes(sql)
    await writeFile(join(folder, `${name}.ndjson`), lines)
    exported.set(name, lines.toString('latin1').split('\n'))
  }
  const world = await aWorld()
  const reports = await importPath({ store: world.store, clock: () => world.now }, folder, {
    dataset: 'old',
  })
  await rm(folder, { recursive: true })
  const leftBehind = new Map<string, readonly Cells[]>()
  for (const [name, csv] of await answers('left-behind')) leftBehind.set(name, rowsOfCsv(csv))
  return {
    schema,
    queries,
    checks: await answers('check'),
    leftBehind,
    refused: new Map(reports.map((report) => [report.file, refusedRows(report, exported.get(report.file))])),
    table: await exportedRows(world),
    world,
    oldFigures: await oldFiguresOf(database, queries),
  }
}

/** The output of the query of the balance about the old database as it is now. */
async function oldFiguresOf(database: OldDatabase, queries: readonly FittedQuery[]): Promise<OldFigure[]> {
  const balance = queries.find(({ step, name }) => step === 'compare' && name === 'balance')
  return rowsOfCsv(await database.ask(balance?.sql ?? '')).map(toFigure)
}

const toFigure = ({ what = '', of = '', old = '', left_behind = '' }: Cells): OldFigure => ({
  what,
  of,
  old,
  left_behind,
})

async function schemaOf(database: OldDatabase): Promise<DatabaseSchema> {
  const columns = await database.ask(
    "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'mor'",
  )
  const schema = readSchema(columns)
  if (!schema) throw new Error('The database has no tables')
  return schema
}

const refusedRows = ({ refused }: WrittenReport, lines: readonly string[] = []): RowLeftBehind[] =>
  [...refused].map(([line, reason]) => ({ reason, row: JSON.parse(lines[line - 1] ?? '') }))

async function exportedRows(world: World): Promise<Files> {
  const { folder } = await exportOf(world)
  const files = new Map<string, readonly Cells[]>()
  for (const name of await readdir(folder)) {
    files.set(parse(name).name, rowsOfCsv(await readFile(join(folder, name), 'utf8')))
  }
  await rm(folder, { recursive: true })
  return files
}

/** Throws unless every row has as many cells as the header. */
const rowsOfCsv = (text: string): Cells[] => parseCsv<Cells>(text, { columns: true, bom: true })
