import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import mysql, { type Connection } from 'mysql2/promise'
import pRetry from 'p-retry'
import { slices } from '#lib/domain/collections.ts'
import { generatedRates } from '#test/examples/generated-rates.ts'
import { CommandError } from '#tools/machine/terminal.ts'
import { freePort } from '#tools/server/engine.ts'
import { customerAt, type Size, TARIFF, usernameOf } from '../load/datasets.ts'
import { KEY } from '../load/installation.ts'
import { type LoadedServer, usageOf } from '../load/server.ts'
import { callAt } from '../load/written-calls.ts'

/** The server of server.ts over a MariaDB with the dataset. Throws CommandError where MariaDB is not installed. */
export async function servePeer(size: Size): Promise<Omit<LoadedServer, 'location'>> {
  const database = await startMariaDb()
  const port = await freePort()
  await fill(database.socket, size)
  const server = spawn(
    process.execPath,
    [`${import.meta.dirname}/server.ts`, database.socket, String(port), KEY],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const [ended] = await Promise.race([once(server.stdout, 'data'), once(server, 'exit')])
  if (typeof ended === 'number') throw new Error(`The small server ended with ${ended}`)
  return {
    url: `http://localhost:${port}`,
    usage: () => ({ server: usageOf(server.pid), engine: usageOf(database.process.pid) }),
    remove: async () => {
      for (const one of [server, database.process]) await kill(one)
      await rm(database.home, { recursive: true, force: true })
    },
  }
}

async function kill(process: ChildProcess): Promise<void> {
  const ended = once(process, 'exit')
  process.kill('SIGKILL')
  await ended
}

/** The programs of MariaDB are not in the path of every user. */
const env = { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin` }

const INSTALL = 'mariadb-install-db'

interface MariaDb {
  /** The folder of its data. */
  readonly home: string
  readonly socket: string
  readonly process: ChildProcess
}

/** Starts a MariaDB with its own defaults, but with room in memory for all of the data. */
async function startMariaDb(): Promise<MariaDb> {
  const home = mkdtempSync(join(tmpdir(), 'tollgate-peer-'))
  const asRoot = process.getuid?.() === 0 ? ['--user=root'] : []
  const common = ['--no-defaults', `--datadir=${home}/data`, ...asRoot]
  try {
    const install = [...common, '--auth-root-authentication-method=normal', '--skip-test-db']
    execFileSync(INSTALL, install, { env, stdio: 'ignore' })
  } catch {
    throw new CommandError('MariaDB did not start: install it, on Debian with apt-get install mariadb-server')
  }
  const socket = `${home}/socket`
  const options = [`--socket=${socket}`, '--skip-networking', '--default-time-zone=+00:00']
  const started = spawn('mariadbd', [...common, ...options, '--innodb-buffer-pool-size=1G'], {
    env,
    stdio: 'ignore',
  })
  await pRetry(async () => (await connect(socket)).end(), { retries: 300, minTimeout: 100, factor: 1 })
  return { home, socket, process: started }
}

const connect = (socketPath: string): Promise<Connection> =>
  mysql.createConnection({ socketPath, user: 'root' })

const TABLES = [
  'CREATE DATABASE peer CHARACTER SET utf8mb4',
  'USE peer',
  'CREATE TABLE accounts (username VARCHAR(100) PRIMARY KEY, id INT, tariff_id INT)',
  'CREATE TABLE rates (tariff_id INT, prefix VARCHAR(20), destination VARCHAR(100), tariff_rate DECIMAL(20,10), PRIMARY KEY (tariff_id, prefix))',
  'CREATE TABLE active_calls (id INT PRIMARY KEY, answer_time DATETIME)',
  `CREATE TABLE calls (uniqueid VARCHAR(150) PRIMARY KEY, calldate INT, day DATE, src VARCHAR(80), dst VARCHAR(80), disposition VARCHAR(40),
    billsec INT, hangupcause INT, user_id INT, provider_id INT, user_rate DECIMAL(20,10), user_price DECIMAL(20,10),
    provider_rate DECIMAL(20,10), provider_price DECIMAL(20,10), reseller_price DECIMAL(20,10),
    INDEX (day), INDEX (user_id, calldate))`,
]

async function fill(socket: string, size: Size): Promise<void> {
  const connection = await connect(socket)
  for (const statement of TABLES) await connection.query(statement)
  await insert(connection, 'accounts', accountsOf(size))
  await insert(connection, 'rates', ratesOf(size))
  await insert(connection, 'calls', callsOf(size))
  await connection.query('ANALYZE TABLE calls, rates')
  await connection.end()
}

type Row = Readonly<Record<string, unknown>>

const ROWS_OF_AN_INSERT = 1000

async function insert(connection: Connection, table: string, rows: Iterable<Row>): Promise<void> {
  for (const some of slices(rows, ROWS_OF_AN_INSERT)) {
    const columns = Object.keys(some[0] ?? {})
    const values = some.map((row) => columns.map((column) => row[column]))
    await connection.query(`INSERT INTO ${table} (${columns}) VALUES ?`, [values])
  }
}

function* accountsOf(size: Size): Generator<Row> {
  for (let position = 0; position < size.customers; position += 1) {
    const id = customerAt(position, size)
    yield { id, username: usernameOf(id), tariff_id: TARIFF }
  }
}

function* ratesOf({ rates }: Size): Generator<Row> {
  for (const { tariff_id, prefix, destination, tariff_rate } of generatedRates(TARIFF, rates))
    yield { tariff_id, prefix, destination, tariff_rate }
}

function* callsOf(size: Size): Generator<Row> {
  for (let n = 0; n < size.count; n += 1) yield columnsOf(callAt(n, size))
}

const columnsOf = ({
  uniqueid,
  calldate,
  day,
  src,
  dst,
  disposition,
  ...call
}: ReturnType<typeof callAt>) => ({
  ...{ uniqueid, calldate, day, src, dst, disposition },
  billsec: call.billsec,
  hangupcause: call.hangupcause,
  user_id: call.user_id,
  provider_id: call.provider_id,
  user_rate: call.user_rate,
  user_price: call.user_price,
  provider_rate: call.provider_rate,
  provider_price: call.provider_price,
  reseller_price: call.reseller_price,
})
