import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Scope } from '#lib/base/scope.ts'
import { s3Bucket } from '#lib/calls/archive/bucket.ts'
import { listDaysOfCalls } from '#lib/calls/counters/call-stats.ts'
import { addTallies, type Tally } from '#lib/calls/counters/statistics.ts'
import { callsReport } from '#lib/calls/report/calls-report.ts'
import { type ArchivedWorld, anArchivedWorld } from '#test/archive/archived-world.ts'
import { ARCHIVE_BUCKET, aConditionalS3 } from '#test/archive/conditional-s3.ts'
import { callsIn } from '#test/dump.ts'
import { people } from '#test/examples/examples.ts'
import { listedCall } from '#test/examples/listed-calls.ts'
import { installLine } from '#tools/machine/optional-packages.ts'
import { root } from '#tools/machine/program.ts'
import { queryArchive } from './query-tool.ts'

const isInstalled = await import('@duckdb/node-api').then(
  () => true,
  () => false,
)
const skip = !isInstalled && !process.env['TOLLGATE_NEEDS_DUCKDB']

const PAGE = readFileSync(`${root}docs/archive.md`, 'utf8')
const PAGE_SQL = readFileSync(`${root}docs/adapters/archive.sql`, 'utf8')

const MARCH = { from: '2026-03-01', till: '2026-03-31' }

const calls = Array.from({ length: 24 }, (_, index) => {
  const user = ['10', '20', '30'][index % 3] ?? ''
  return listedCall(`call-${index}`, {
    calldate: `2026-03-0${4 + (index % 2)} 09:00:${String(index).padStart(2, '0')}`,
    user_id: user,
    device_id: '',
    provider_id: index % 4 === 0 ? '' : '6',
    hangupcause: index % 5 === 0 ? '17' : '16',
    disposition: index % 6 === 0 ? 'BUSY' : 'ANSWERED',
    billsec: String(10 + index),
    user_price: `1.${index}00000000001`,
    reseller_price: user === '10' ? '' : '0.1',
    provider_price: '0.0000001',
  })
})

/** A month in a bucket, and the report about it from the time when it was in the table. */
async function anArchivedMonth() {
  const { client } = await aConditionalS3()
  const world = await anArchivedWorld(
    { users: people, calls },
    { Calls_Keep_Days: '4' },
    s3Bucket(ARCHIVE_BUCKET, client),
  )
  const report = await callsReport(world.store, {
    days: MARCH,
    customers: undefined,
    filters: new Map(),
    groups: undefined,
    mobile: /mobile/,
    by: ['provider'],
    measures: ['attempts', 'answered', 'billsec'],
  })
  const byProvider = await Array.fromAsync(report.rows)
  const before = callsIn(await world.dump())
  await world.archive()
  return { world, byProvider, before }
}

const rowsOf = async (world: ArchivedWorld, sql: string, days = MARCH) => {
  const { rows } = await queryArchive(world.store, { bucket: world.bucket }, { sql, ...days })
  return Array.fromAsync(rows)
}

const talliesOf = async ({ store }: ArchivedWorld, scope: Scope): Promise<(Tally & { day: string })[]> =>
  (await listDaysOfCalls(store, scope, MARCH)).map(({ day, tally }) => ({ day, ...tally }))

const numbers = (row: object): object =>
  Object.fromEntries(
    Object.entries(row).map(([name, cell]) => [name, /^-?\d+$/.test(String(cell)) ? Number(cell) : cell]),
  )

const QUERIES = PAGE_SQL.split(';').filter((query) => query.includes('SELECT'))

test('a query of the page is not an option where it is given to the command with its comment', () => {
  expect(QUERIES.filter((query) => query.trim().startsWith('-'))).toEqual([])
})

test('the five queries of the page equal counters, manifests and reports', { skip }, async () => {
  const { world, byProvider, before } = await anArchivedMonth()

  const results: object[][] = []
  for (const query of QUERIES) results.push((await rowsOf(world, query)).map(numbers))
  const [days, owners, customers, carriers, bill] = results

  expect(QUERIES).toHaveLength(5)
  expect(days).toEqual((await talliesOf(world, 'everyone')).map(numbers))
  const ofOwner = async (owner: number) => {
    const { calls: count, revenue, self_cost } = addTallies(...(await talliesOf(world, { owner })))
    return numbers({ owner_id: owner, calls: count, revenue, self_cost })
  }
  expect(owners).toEqual([await ofOwner(2), await ofOwner(3)])
  const { customers: sums = {} } = (await world.manifest('2026-03-05')) ?? {}
  expect(customers).toMatchObject(
    Object.entries(sums).map(([id, { calls: count, user_price, provider_price }]) =>
      numbers({ user_id: id, calls: count, user_price, provider_price }),
    ),
  )
  const figures = ({ answered, billsec, ...row }: Record<string, unknown>) =>
    `${row['calls'] ?? row['attempts']} ${answered} ${billsec}`
  expect(carriers?.map((row) => figures({ ...row })).sort()).toEqual(byProvider.map(figures).sort())
  expect(bill?.map((row) => `${Object(row).uniqueid} ${Object(row).user_price}`)).toEqual(
    before
      .filter(({ user_id }) => user_id === 10)
      .sort((one, other) => Number(one['calldate']) - Number(other['calldate']))
      .map(({ uniqueid, user_price }) => `${uniqueid} ${user_price}`),
  )
})

test('only the days of the query are read, and a wrong query is one sentence', { skip }, async () => {
  const { world } = await anArchivedMonth()
  const days = { from: '2026-03-05', till: '2026-03-05' }

  expect(await rowsOf(world, 'SELECT DISTINCT day FROM calls', days)).toEqual([{ day: '2026-03-05' }])
  await expect(rowsOf(world, 'SELECT nothing FROM calls')).rejects.toThrow(/nothing/)
  await expect(rowsOf(world, 'SELECT 1', { from: '2025-01-01', till: '2025-01-02' })).rejects.toThrow(
    'No such day is archived',
  )
})

test('without DuckDB the command says how to install it, and so does the page', async () => {
  const { world } = await anArchivedMonth()
  const missing = () => Promise.reject(Object.assign(new Error('none'), { code: 'ERR_MODULE_NOT_FOUND' }))

  const query = queryArchive(world.store, { bucket: world.bucket }, { sql: 'SELECT 1', ...MARCH }, missing)

  const line = installLine('@duckdb/node-api')
  await expect(query).rejects.toThrow(`DuckDB, 70 MB, is not installed: run ${line}, then this again`)
  expect(PAGE).toContain(line)
})
