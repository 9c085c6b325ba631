import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import mysql, { type Connection } from 'mysql2/promise'
import { slices } from '#lib/base/collections.ts'
import { hasMariaDb, startMariaDb } from '#test/datasets/mariadb.ts'
import { generatedRates } from '#test/examples/generated-rates.ts'
import { CommandError } from '#tools/machine/terminal.ts'
import { freePort } from '#tools/server/engine.ts'
import { accountName, KEY } from '../installation.ts'
import { callAt } from '../written-calls.ts'
import { customerAt, type Size, TARIFF } from './dataset.ts'
import { type LoadedServer, processorOf } from './shot.ts'

/** server.ts over a MariaDB with the dataset. Throws CommandError if MariaDB is not installed. */
export async function servePeer(size: Size): Promise<LoadedServer> {
  if (!(await hasMariaDb()))
    throw new CommandError('MariaDB is not installed: on Debian, run apt-get install mariadb-server')
  const home = await mkdtemp(join(tmpdir(), 'tollgate-peer-'))
  const socket = join(home, 'socket')
  const answers = async () => (await connect(socket)).end()
  // MariaDB has its own defaults, but room in memory for all of the data.
  const database = await startMariaDb(home, '--innodb-buffer-pool-size=1G', answers)
  const port = await freePort()
  await fill(socket, size)
  const server = spawn(process.execPath, [`${import.meta.dirname}/server.ts`, socket, String(port), KEY], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [ended] = await Promise.race([once(server.stdout, 'data'), once(server, 'exit')])
  if (typeof ended === 'number') throw new Error(`The small server ended with ${ended}`)
  return {
    url: `http://localhost:${port}`,
    usage: () => ({ server: processorOf(server.pid), engine: processorOf(database.pid) }),
    remove: async () => {
      for (const one of [server, database]) await kill(one)
      await rm(home, { recursive: true, force: true })
    },
  }
}

async function kill(process: ChildProcess): Promise<void> {
  const ended = once(process, 'exit')
  process.kill('SIGKILL')
  await ended
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
  await insert(connection, 'accounts', ['id', 'username', 'tariff_id'], accountsOf(size))
  await insert(connection, 'rates', RATE_COLUMNS, generatedRates(TARIFF, size.rates))
  await insert(connection, 'calls', CALL_COLUMNS, callsOf(size))
  await connection.query('ANALYZE TABLE calls, rates')
  await connection.end()
}

const RATE_COLUMNS = ['tariff_id', 'prefix', 'destination', 'tariff_rate']
const CALL_COLUMNS = [
  ...['uniqueid', 'calldate', 'day', 'src', 'dst', 'disposition', 'billsec', 'hangupcause', 'user_id'],
  ...['provider_id', 'user_rate', 'user_price', 'provider_rate', 'provider_price', 'reseller_price'],
]

type Row = Readonly<Record<string, unknown>>

const ROWS_OF_AN_INSERT = 1000

async function insert(
  connection: Connection,
  table: string,
  columns: readonly string[],
  rows: Iterable<Row>,
): Promise<void> {
  for (const some of slices(rows, ROWS_OF_AN_INSERT)) {
    const values = some.map((row) => columns.map((column) => row[column]))
    await connection.query(`INSERT INTO ${table} (${columns}) VALUES ?`, [values])
  }
}

function* accountsOf(size: Size): Generator<Row> {
  for (let position = 0; position < size.customers; position += 1) {
    const id = customerAt(position, size)
    yield { id, username: accountName(id), tariff_id: TARIFF }
  }
}

function* callsOf(size: Size): Generator<Row> {
  for (let n = 0; n < size.count; n += 1) yield { ...callAt(n, size) }
}
