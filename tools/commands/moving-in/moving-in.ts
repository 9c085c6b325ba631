import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Command } from '@commander-js/extra-typings'
import { isZero } from '#lib/base/money.ts'
import { countOf } from '#lib/base/text.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Store } from '#lib/table/store.ts'
import type { TableLocation } from '#lib/table/table.ts'
import { pathArgument } from '../../command-line/arguments.ts'
import { itemsIn } from '../../command-line/open-table.ts'
import { changeTable, overTable, withTableOptions } from '../../command-line/over-table.ts'
import { balanceFigures, type OldFigure, sumUpTable } from '../../datasets/moving-in-balance.ts'
import {
  countOfTables,
  type DatabaseSchema,
  type FittedQuery,
  fitQuery,
  movingInQueries,
  otherTables,
  readSchema,
} from '../../datasets/moving-in-queries.ts'
import { reportUnimported } from '../../datasets/unimported.ts'
import { CommandError, printLine } from '../../machine/terminal.ts'

export function declare(command: Command): void {
  command.description('docs/moving-in.md describes each step of a move from the original database.')
  declareQueries(command)
  declareBalance(command)
  declareUnimported(command)
}

const declareQueries = (command: Command) =>
  command
    .command('queries')
    .description(
      'write the queries of data/moving-in as files: prepare.sql, the folders check, export, left-behind and compare, and a list of \
the tables that no query reads',
    )
    .option(
      '--schema <FILE>',
      'the tables and columns of your database: NULL takes the place of columns that it lacks. The file is a dump without data \
(mariadb-dump --no-data), or table names and column names from information_schema.columns, separated by tabs',
      pathArgument,
    )
    .option('--into <FOLDER>', 'the folder, which is created if it is missing', pathArgument, 'queries')
    .action(({ schema, into }) => writeQueries(schema, into))

const declareBalance = (command: Command) =>
  withTableOptions(command.command('balance'))
    .description(
      'compare the old database with the table: old = moved + left behind. It reads the whole table once, about one read unit for each \
4 KB. Exit code 1: a difference is not 0.',
    )
    .argument('<file>', 'what the query compare/balance.sql prints about the old database', pathArgument)
    .action((file, options) => overTable(options, (store, location) => printBalance(store, location, file)))

const declareUnimported = (command: Command) =>
  withTableOptions(command.command('unimported'))
    .description(
      'list the rows of the table that the last export lacks, because the old system has deleted them since an earlier one. Kinds of rows \
for which the folder has no file are not compared. --remove removes those that nothing names any more; calls are never removed. It reads \
the whole table once. Exit code 1: such rows are left.',
    )
    .argument('<folder>', 'the last export, which was imported before', pathArgument)
    .option('--list <FILE>', 'the list, as CSV', pathArgument, 'unimported.csv')
    .option('--remove', 'remove the rows that can go, after asking')
    .option(
      '--accept-rejected',
      'remove although the table lacks rows of the export, because the import refuses them',
    )
    .option('--yes', 'remove without asking; required without a terminal')
    .action((folder, { endpoint, table, data, ...options }) =>
      (options.remove ? changeTable : overTable)({ endpoint, table, data }, (store, location) =>
        reportUnimported(store, itemsIn(location, store), folder, options),
      ),
    )

const BALANCED = 0
const DIFFERENT = 1

const COLUMNS = ['what', 'of', 'old', 'moved', 'left_behind', 'difference'] as const

async function printBalance(store: Store, location: TableLocation, file: string): Promise<number> {
  const old = await readFigures(file)
  const { Default_Currency: defaultCurrency } = await settingsOf(store)
  const moved = await sumUpTable(store, itemsIn(location, store), defaultCurrency)
  const figures = balanceFigures(old, moved)
  printLine(COLUMNS.join(','))
  for (const figure of figures) printLine(COLUMNS.map((name) => figure[name]).join(','))
  return figures.every(({ difference }) => isZero(difference)) ? BALANCED : DIFFERENT
}

async function readFigures(file: string): Promise<OldFigure[]> {
  const [header = '', ...lines] = (await textOfFile(file)).trimEnd().split('\n')
  const figures = lines.map((line) => line.split(','))
  if (header !== 'what,of,old,left_behind')
    throw new CommandError(`${file} is not the output of queries/compare/balance.sql`)
  return figures.map(([what = '', of = '', old = '', left_behind = '']) => ({ what, of, old, left_behind }))
}

const textOfFile = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch(() => {
    throw new CommandError(`There is no file ${file}`)
  })

/** The file with the names of the tables that no query reads. */
const OTHER_TABLES = 'other-tables'

async function writeQueries(schemaFile: string | undefined, folder: string): Promise<void> {
  const schema = schemaFile === undefined ? undefined : await schemaIn(schemaFile)
  const queries = movingInQueries().map((query) =>
    schema ? fitQuery(query, schema) : { ...query, lacking: [] },
  )
  const prepare = queries.filter(({ step }) => step === 'prepare')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'prepare.sql'), prepare.map(({ sql }) => sql).join('\n'))
  const others = schema ? otherTables(schema) : []
  await writeFile(join(folder, OTHER_TABLES), others.map((table) => `${table}\n`).join(''))
  const files = [...queries.filter(({ step }) => step !== 'prepare'), countOfTables(others)]
  for (const { step, name, sql } of files) {
    await mkdir(join(folder, step), { recursive: true })
    await writeFile(join(folder, step, `${name}.sql`), sql)
  }
  printLine(`Wrote ${countOf(files.length + 2, 'file')} to ${folder}`)
  describeLacking(queries)
  printLine(
    'Payments_With_VAT and Allocate_Payments stay off: the VAT in a payment is credit, as in the old system',
  )
}

function describeLacking(queries: readonly FittedQuery[]): void {
  const lacking = [...new Set(queries.flatMap((query) => query.lacking))].sort()
  const tables = lacking.filter((name) => !name.includes('.'))
  const columns = lacking.filter((name) => name.includes('.'))
  if (tables.length > 0)
    printLine(`Tables that the database lacks, empty in the queries: ${tables.join(', ')}`)
  if (columns.length > 0) printLine(`Columns that it lacks, NULL in the queries: ${columns.join(', ')}`)
}

async function schemaIn(file: string): Promise<DatabaseSchema> {
  const text = await textOfFile(file)
  const schema = readSchema(text)
  if (schema) return schema
  throw new CommandError(
    `${file} names no tables: pass the output of mariadb-dump --no-data, or of a query for table_name and column_name`,
  )
}
