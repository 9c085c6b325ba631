import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { importPath } from '#lib/dataset/import/folder.ts'
import { loadFunctionFiles } from '#lib/local/contracts/function-files.ts'
import { root } from '#lib/local/location.ts'
import { aWorld, type World } from '#lib/testing/world.ts'

const run = promisify(execFile)

/** Debian installs the server in a folder that is only in the PATH of root. */
const environment = { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin:/usr/local/sbin` }

const isInstalled = await run('mariadbd', ['--version'], { env: environment }).then(
  () => true,
  () => false,
)

/** The workflow installs MariaDB: there the test must not be skipped. */
const mustRun = process.env['TOLLGATE_NEEDS_MARIADB'] !== undefined

/** Starts a MariaDB and returns a function that runs a query and returns its output, a line for each row. */
async function aDatabase(): Promise<(sql: string) => Promise<string>> {
  const folder = await mkdtemp(join(tmpdir(), 'mariadb-'))
  const socket = join(folder, 'socket')
  const data = join(folder, 'data')
  const asRoot = process.getuid?.() === 0 ? ['--user=root'] : []
  const installed = [
    '--no-defaults',
    `--datadir=${data}`,
    '--auth-root-authentication-method=normal',
    '--skip-test-db',
  ]
  await run('mariadb-install-db', [...installed, ...asRoot], { env: environment })
  const server = spawn(
    'mariadbd',
    [
      '--no-defaults',
      `--datadir=${data}`,
      `--socket=${socket}`,
      '--skip-networking',
      '--default-time-zone=+00:00',
      ...asRoot,
    ],
    { env: environment, stdio: 'ignore' },
  )
  onTestFinished(() => ended(server, folder))
  const query = (sql: string, ...options: string[]) =>
    printed(sql, ['--no-defaults', `--socket=${socket}`, '-uroot', ...options])
  await untilItAnswers(server, () => query('SELECT 1'))
  await query('CREATE DATABASE mor CHARACTER SET utf8mb4')
  return (sql) => query(sql, '-N', '-B', '-r', '--default-character-set=utf8mb4', 'mor')
}

async function printed(sql: string, options: string[]): Promise<string> {
  const client = run('mariadb', options, { env: environment })
  client.child.stdin?.end(sql)
  return (await client).stdout
}

async function untilItAnswers(server: ChildProcess, ask: () => Promise<unknown>): Promise<void> {
  while (
    !(await ask().then(
      () => true,
      () => false,
    ))
  ) {
    if (server.exitCode !== null) throw new Error(`mariadbd ended with ${server.exitCode}`)
    await setTimeout(50)
  }
}

async function ended(server: ChildProcess, folder: string): Promise<void> {
  server.kill('SIGKILL')
  await once(server, 'exit')
  await rm(folder, { recursive: true, force: true })
}

/** The queries of docs/moving-in.md, by the file that they write. */
async function queriesOfPage(): Promise<(readonly [file: string, sql: string])[]> {
  const page = await readFile(`${root}docs/moving-in.md`, 'utf8')
  return [...page.matchAll(/^### (\w+)\n\n```sql\n(.+?)```/gms)].map(([, file = '', sql = '']) => [file, sql])
}

const methods = (await loadFunctionFiles()).map(({ method }) => method)

async function answer(world: World, name: string, username: string, params = {}): Promise<string> {
  const method = methods.find((one) => one.name === name)
  if (!method) throw new Error(`There is no method ${name}`)
  return world.call(method, username, params)
}

test('the output of the queries in docs/moving-in.md is imported from MariaDB, and the methods answer from it', async ({
  skip,
}) => {
  if (!isInstalled && !mustRun) return skip('mariadbd is not installed')
  const database = await aDatabase()
  await database(await readFile(`${root}lib/local/datasets/moving-in.tables.sql`, 'utf8'))
  const folder = join(await mkdtemp(join(tmpdir(), 'moving-in-')), 'old')
  await mkdir(folder)
  const queries = await queriesOfPage()
  for (const [file, sql] of queries) await writeFile(join(folder, `${file}.ndjson`), await database(sql))
  const world = await aWorld()
  const reports = await importPath({ store: world.store, clock: () => world.now }, folder)

  expect(queries.length).toBeGreaterThan(18)
  expect(reports.flatMap(({ file, refused }) => [...refused].map((reason) => [file, ...reason]))).toEqual([])
  expect(Object.fromEntries(reports.map(({ file, rows }) => [file, rows]))).toMatchObject({
    users: 4,
    rates: 6,
    devices: 1,
    calls: 3,
    dids: 2,
    invoices: 1,
    invoice_products: 2,
    location_rules: 1,
  })
  expect(reports.find(({ file }) => file === 'invoices')?.remarks).toEqual([
    'warning: the price of invoice 1 is 10.01, but its products add up to 10',
  ])
  expect(await answer(world, 'user_login', 'bob', { p: 'bob of old' })).not.toContain('failed')
  expect(await answer(world, 'user_login', 'eve', { p: 'eve of old' })).toContain('failed')
  await world.set({ Devices_Check_Rate: '1' })
  expect(await answer(world, 'rate_get', 'admin', { prefix: '37061', username: 'bob' })).toContain('0.2')
  const [count, price] = (await database('SELECT COUNT(*), SUM(user_price) FROM calls WHERE user_id = 5'))
    .trim()
    .split('\t')
  const calls = await answer(world, 'user_calls_get', 'admin', { s_user: 5, period_start: 0 })
  expect(calls.match(/<uniqueid>|<call>/g)?.length ?? 0).toBeGreaterThanOrEqual(Number(count))
  expect(calls).toContain(price)
  expect(await answer(world, 'devices_get', 'admin', { user_id: 5 })).toContain('<device_id>7</device_id>')
})
