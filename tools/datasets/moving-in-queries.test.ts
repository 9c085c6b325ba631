import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { root } from '#tools/machine/program.ts'
import {
  fitQuery,
  MOVED_TABLES,
  type MovingInQuery,
  movingInQueries,
  readSchema,
} from './moving-in-queries.ts'

const page = await readFile(`${root}docs/moving-in.md`, 'utf8')

test('every step has queries, without the comments of their files', () => {
  const queries = movingInQueries()

  expect([...new Set(queries.map(({ step }) => step))]).toEqual([
    'prepare',
    'check',
    'export',
    'left-behind',
    'compare',
  ])
  expect(queries.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['every_call', 'card_calls', 'balance']),
  )
  expect(queries.filter(({ sql }) => !/^(?:SELECT|CREATE|WITH)\b/.test(sql))).toEqual([])
})

test('the page opens with the tables that move, and those with money, in a table of few rows', () => {
  const [overview = ''] = page.split('\n## ')
  const named = new Set([...overview.matchAll(/`(\w+)`/g)].map(([, name]) => name))
  // The names are of the public schema, selenium/sqls/callshop/callshop_invoices.sql.
  const withMoney = [
    'cards',
    'vouchers',
    'cc_invoices',
    'cs_invoices',
    'didrates',
    'flatrate_data',
    'sms_rates',
  ]

  expect([...MOVED_TABLES, ...withMoney].filter((table) => !named.has(table))).toEqual([])
  expect(overview.split('\n').filter((line) => line.startsWith('| ')).length - 2).toBeLessThanOrEqual(10)
})

const aQuery: MovingInQuery = {
  step: 'export',
  name: 'x',
  sql: 'SELECT c.id, c.`add`, o.name FROM calls c LEFT JOIN owners o ON o.id = c.owner JOIN moving_calls m ON m.x = c.id',
}

test.each([
  [
    'of information_schema',
    'TABLE_NAME\tCOLUMN_NAME\nCalls\tID\ncalls\tadd\ncalls\towner\nowners\tid\nowners\tname\n',
  ],
  [
    'of a dump',
    'CREATE TABLE `calls` (\n  `id` int,\n  `add` int,\n  `owner` int,\n  KEY `x` (`y`)\n) ENGINE=InnoDB;\nCREATE TABLE `owners` (\n  `id` int,\n  `name` int\n);\n',
  ],
])('a query stays as it is where a schema %s has all of its columns', (_case, text) => {
  expect(fitQuery(aQuery, readSchema(text) ?? new Map())).toEqual({ ...aQuery, lacking: [] })
})

test('NULL takes the place of missing columns, and a missing table is empty', () => {
  const { sql, lacking } = fitQuery(aQuery, readSchema('calls,id\ncalls,other') ?? new Map())

  expect(sql).toBe(
    'SELECT c.id, c.`add`, o.name FROM (SELECT t.*, NULL AS `add`, NULL AS `owner` FROM calls t) c ' +
      'LEFT JOIN (SELECT NULL AS `id`, NULL AS `name` FROM DUAL WHERE FALSE) o ON o.id = c.owner JOIN moving_calls m ON m.x = c.id',
  )
  expect(lacking).toEqual(['calls.add', 'calls.owner', 'owners'])
})

test.each(['', 'Field Type\n', '{"a": 1}'])('no schema: "%s"', (text) => {
  expect(readSchema(text)).toBeUndefined()
})
