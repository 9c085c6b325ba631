import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Command } from '@commander-js/extra-typings'
import {
  type DatabaseSchema,
  type FittedQuery,
  fitQuery,
  queriesOfPage,
  readSchema,
} from '#tools/datasets/moving-in-queries.ts'
import { root } from '#tools/machine/location.ts'
import { CommandError, countOf, printLine } from '#tools/machine/terminal.ts'

export function declare(command: Command): void {
  command
    .description('docs/moving-in.md describes each step of a move from the original database.')
    .command('queries')
    .description(
      'write the queries of docs/moving-in.md as files: prepare.sql, and the folders check, export, left-behind and compare',
    )
    .option(
      '--schema <FILE>',
      'the tables and columns of your database: NULL takes the place of columns that it lacks. The file is a dump without data \
(mariadb-dump --no-data), or table names and column names from information_schema.columns, separated by tabs',
    )
    .option('--into <FOLDER>', 'the folder, which is created if it is missing', 'queries')
    .action(({ schema, into }) => writeQueries(schema, into))
}

async function writeQueries(schemaFile: string | undefined, folder: string): Promise<void> {
  const schema = schemaFile === undefined ? undefined : await schemaIn(schemaFile)
  const page = await readFile(`${root}docs/moving-in.md`, 'utf8')
  const queries = queriesOfPage(page).map((query) =>
    schema ? fitQuery(query, schema) : { ...query, lacking: [] },
  )
  const prepare = queries.filter(({ step }) => step === 'prepare')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'prepare.sql'), prepare.map(({ sql }) => sql).join('\n'))
  const files = queries.filter(({ step }) => step !== 'prepare')
  for (const { step, name, sql } of files) {
    await mkdir(join(folder, step), { recursive: true })
    await writeFile(join(folder, step, `${name}.sql`), sql)
  }
  printLine(`Wrote ${countOf(files.length + 1, 'file')} to ${folder}`)
  describeLacking(queries)
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
  const text = await readFile(file, 'utf8').catch(() => {
    throw new CommandError(`There is no file ${file}`)
  })
  const schema = readSchema(text)
  if (schema) return schema
  throw new CommandError(
    `${file} names no tables: pass the output of mariadb-dump --no-data, or of a query for table_name and column_name`,
  )
}
