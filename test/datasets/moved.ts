import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { readCsv } from '#lib/csv/reader.ts'
import { importPath, type WrittenReport } from '#lib/dataset/import/folder.ts'
import { aFolder, exportOf } from '#test/datasets/exported.ts'
import type { OldDatabase } from '#test/datasets/old-database.ts'
import { aWorld, type World } from '#test/world.ts'
import type { OldFigure } from '#tools/datasets/moving-in-balance.ts'
import { type FittedQuery, fitQuery, queriesOfPage, readSchema } from '#tools/datasets/moving-in-queries.ts'
import { root } from '#tools/machine/location.ts'

type Cells = Readonly<Record<string, string>>

/** The rows of files by the names of the files. */
export type Files = ReadonlyMap<string, readonly Cells[]>

/** A database that was moved as docs/moving-in.md describes. */
export interface Moved {
  readonly queries: readonly FittedQuery[]
  /** What each check prints. */
  readonly checks: ReadonlyMap<string, string>
  readonly leftBehind: Files
  readonly reports: readonly WrittenReport[]
  /** What the new table holds, as an export writes it. */
  readonly table: Files
  readonly world: World
  /** What the query of the balance prints. */
  readonly oldFigures: readonly OldFigure[]
}

/** Moves what the database holds into a table of its own. Rows may be refused. */
export async function moveOf(database: OldDatabase): Promise<Moved> {
  const queries = await fittedQueries(database)
  const step = (name: string) => queries.filter((query) => query.step === name)
  for (const { sql } of step('prepare')) await database.ask(sql)
  const folder = await aFolder()
  for (const { name, sql } of step('export')) {
    await writeFile(join(folder, `${name}.ndjson`), await database.ask(sql))
  }
  const world = await aWorld()
  const reports = await importPath({ store: world.store, clock: () => world.now }, folder, {
    dataset: 'old',
  })
  await rm(folder, { recursive: true })
  const leftBehind = new Map<string, readonly Cells[]>()
  for (const { name, sql } of step('left-behind'))
    leftBehind.set(name, await rowsOfCsv(await database.ask(sql)))
  const checks = new Map<string, string>()
  for (const { name, sql } of step('check')) checks.set(name, await database.ask(sql))
  const [balance] = step('compare').filter(({ name }) => name === 'balance')
  const figures = await rowsOfCsv(await database.ask(balance?.sql ?? ''))
  const oldFigures = figures.map(({ what = '', of = '', old = '', left_behind = '' }) => ({
    what,
    of,
    old,
    left_behind,
  }))
  return { oldFigures, queries, checks, leftBehind, reports, table: await exportedRows(world), world }
}

async function fittedQueries(database: OldDatabase): Promise<FittedQuery[]> {
  const page = await readFile(`${root}docs/moving-in.md`, 'utf8')
  const columns = await database.ask(
    "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'mor'",
  )
  const schema = readSchema(columns)
  if (!schema) throw new Error('The database has no tables')
  return queriesOfPage(page).map((query) => fitQuery(query, schema))
}

async function exportedRows(world: World): Promise<Files> {
  const { folder } = await exportOf(world)
  const files = new Map<string, readonly Cells[]>()
  for (const name of await readdir(folder)) {
    files.set(parse(name).name, await rowsOfCsv(await readFile(join(folder, name), 'utf8')))
  }
  await rm(folder, { recursive: true })
  return files
}

/** Throws unless every row has as many cells as the header. */
export async function rowsOfCsv(text: string): Promise<Cells[]> {
  const lines: (readonly string[])[] = []
  const broken = (line: number) => new Error(`unbalanced quotes after line ${line}`)
  for await (const { cells } of readCsv([text], broken)) lines.push(cells)
  const [header = [], ...rows] = lines
  return rows.map((cells) => {
    if (cells.length !== header.length) throw new Error(`${cells.length} cells in: ${cells.join(',')}`)
    return Object.fromEntries(header.map((name, index) => [name, cells[index] ?? '']))
  })
}
