import { readdirSync, readFileSync } from 'node:fs'
import { root } from '#tools/machine/program.ts'

export interface MovingInQuery {
  /** The folder of its step. */
  readonly step: (typeof STEPS)[number]
  readonly name: string
  readonly sql: string
}

const STEPS = ['prepare', 'check', 'export', 'left-behind', 'compare'] as const

/** The queries by step, without comments. A number orders those that need each other. */
export const movingInQueries = (): MovingInQuery[] =>
  STEPS.flatMap((step) => {
    const folder = `${root}data/moving-in/${step}/`
    return readdirSync(folder)
      .sort()
      .map((file) => ({
        step,
        name: file.replace(/^\d+-|\.sql$/g, ''),
        sql: readFileSync(folder + file, 'utf8').replace(/^-- .*\n/gm, ''),
      }))
  })

/** The columns of a database, by table, in lower case. */
export type DatabaseSchema = ReadonlyMap<string, ReadonlySet<string>>

/**
 * Reads a list of tables and columns, as a query of information_schema.columns prints them, or the CREATE
 * TABLE statements of a dump. Returns `undefined` for a text that is neither.
 */
export function readSchema(text: string): DatabaseSchema | undefined {
  const pairs = /^CREATE TABLE/im.test(text) ? columnsOfDump(text) : columnsOfList(text)
  if (pairs.length === 0) return undefined
  const schema = new Map<string, Set<string>>()
  for (const [table, column] of pairs) {
    const columns = schema.get(table.toLowerCase()) ?? new Set()
    schema.set(table.toLowerCase(), columns.add(column.toLowerCase()))
  }
  return schema
}

type TableColumn = readonly [table: string, column: string]

const columnsOfList = (text: string): TableColumn[] =>
  [...text.matchAll(/^`?"?(\w+)`?"?[\t,;]`?"?([\w-]+)`?"?/gm)].map(([, table = '', column = '']) => [
    table,
    column,
  ])

const columnsOfDump = (text: string): TableColumn[] =>
  [...text.matchAll(/^CREATE TABLE (?:IF NOT EXISTS )?`?(\w+)`? \((.*?)^\)/gims)].flatMap(
    ([, table = '', body = '']) =>
      [...body.matchAll(/^\s*`([^`]+)`/gm)].map(([, column = '']): TableColumn => [table, column]),
  )

/** The tables whose rows move, or are in a file of `left-behind/` of their own. */
export const MOVED_TABLES: ReadonlySet<string> = new Set(
  `acustratedetails aratedetails calls calls_old cards conflines credit_notes currencies customrates days destinations devicerules
devices dids invoicedetails invoices lcrs locationrules locations payments providers ratedetails rates services subscriptions tariffs
users`.split(/\s/),
)

/** The tables that stay behind as a whole. */
export const otherTables = (schema: DatabaseSchema): string[] =>
  [...schema.keys()].filter((table) => !MOVED_TABLES.has(table)).sort()

export const countOfTables = (tables: readonly string[]): MovingInQuery => ({
  step: 'left-behind',
  name: 'tables',
  sql: [
    "SELECT 'table,rows';\n",
    ...tables.map((table) => `SELECT CONCAT('${table},', COUNT(*)) FROM \`${table}\`;\n`),
  ].join(''),
})

/** A query that fits a database, and what the database lacks. */
export interface FittedQuery extends MovingInQuery {
  /** `table` for a missing table, `table.column` for a missing column. */
  readonly lacking: readonly string[]
}

/** A table with its alias, as every query names it, unless it is a view that `prepare` makes. */
const TABLE = /\b(FROM|JOIN) (?!moving_|every_)(\w+) (\w+)/g

/** Replaces a query's tables by derived ones: missing columns are NULL, missing tables empty. */
export function fitQuery(query: MovingInQuery, schema: DatabaseSchema): FittedQuery {
  const statements = query.sql.split(/(?<=;\n)/).map((sql) => fitStatement(sql, schema))
  return {
    ...query,
    sql: statements.map(({ sql }) => sql).join(''),
    lacking: [...new Set(statements.flatMap(({ lacking }) => lacking))],
  }
}

/** An alias means a table within one statement. */
function fitStatement(statement: string, schema: DatabaseSchema): Pick<FittedQuery, 'sql' | 'lacking'> {
  const lacking: string[] = []
  const sql = statement.replace(TABLE, (named, word: string, table: string, alias: string) => {
    const missing = missingColumns(schema, table, columnsUsed(statement, alias))
    if (missing?.length === 0) return named
    lacking.push(...(missing?.map((column) => `${table}.${column}`) ?? [table]))
    return `${word} (${missing ? withNulls(table, missing) : emptyTable(statement, alias)}) ${alias}`
  })
  return { sql, lacking }
}

/** The columns that a table lacks; `undefined` for an unknown table. */
function missingColumns(
  schema: DatabaseSchema,
  table: string,
  columns: readonly string[],
): string[] | undefined {
  const known = schema.get(table.toLowerCase())
  return known && columns.filter((column) => !known.has(column.toLowerCase()))
}

const nulls = (columns: readonly string[]): string =>
  columns.map((column) => `NULL AS \`${column}\``).join(', ')

const withNulls = (table: string, missing: readonly string[]): string =>
  `SELECT t.*, ${nulls(missing)} FROM ${table} t`

const emptyTable = (sql: string, alias: string): string =>
  `SELECT ${nulls(['id', ...columnsUsed(sql, alias).filter((column) => column !== 'id')])} FROM DUAL WHERE FALSE`

/** The columns that a query reads through an alias. */
const columnsUsed = (sql: string, alias: string): string[] => [
  ...new Set([...sql.matchAll(new RegExp(`\\b${alias}\\.\`?(\\w+)`, 'g'))].map(([, column = '']) => column)),
]
