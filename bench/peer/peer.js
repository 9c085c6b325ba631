/*
 * `npm start` beside a small server over MariaDB with the same data: the same requests to both, in turn.
 *
 *   node bench/peer/peer.js [calls]
 *
 * It installs its own packages, needs MariaDB (on Debian, apt-get install mariadb-server), and keeps nothing.
 */
import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

const HERE = import.meta.dirname
const ROOT = join(HERE, '../..')
const KEY = 'peer-secret-key'
const DAY = 86_400
const DAYS = 22
const CUSTOMERS = 40
const CALLS = Number(process.argv[2] ?? 200_000)
const RATES = CALLS / 2
const FIRST = 10_000
const MIDNIGHT = Math.floor(Date.now() / 1000 / DAY) * DAY - DAYS * DAY

const note = (text) => process.stderr.write(`${text}\n`)

const packages = join(ROOT, '.build/peer')
if (!existsSync(join(packages, 'node_modules'))) {
  mkdirSync(packages, { recursive: true })
  copyFileSync(join(HERE, 'package.json'), join(packages, 'package.json'))
  execFileSync('npm', ['install', '--no-package-lock', '--no-audit'], { cwd: packages, stdio: 'inherit' })
}
const ofPackages = createRequire(join(packages, 'package.json'))
const mysql = ofPackages('mysql2/promise')
const autocannon = ofPackages('autocannon')

// The data

/** The same numbers in each run, from 0 to below 1. */
let state = 41
const random = () => {
  state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
  return state / 0x80000000
}
const below = (bound) => Math.floor(random() * bound)

const prefixes = new Set()
while (prefixes.size < RATES) prefixes.add(`${1 + below(998)}${below(10 ** (1 + below(7)))}`)
const rates = [...prefixes].map((prefix) => ({
  tariff_id: 1,
  direction: `Country ${prefix.slice(0, 3)}`,
  destination: `Country ${prefix.slice(0, 3)} mobile ${prefix.length}`,
  prefix,
  tariff_rate: (below(100_000) / 100_000).toFixed(5),
}))
const customers = Array.from({ length: CUSTOMERS }, (_, index) => FIRST + index)

function* calls() {
  for (let n = 0; n < CALLS; n += 1) {
    const calldate = MIDNIGHT + Math.floor((n * DAYS * DAY) / CALLS)
    yield {
      ...{ uniqueid: `${calldate}.${n}`, calldate, src: '37060012345', dst: '12025550199' },
      ...{ disposition: 'ANSWERED', duration: 70, billsec: 61, hangupcause: 16 },
      ...{ user_id: FIRST + (n % CUSTOMERS), provider_id: 7, user_rate: '0.0987', user_price: '0.100345' },
      ...{ provider_rate: '0.05', provider_price: '0.050833', reseller_price: '0.070123' },
    }
  }
}

const dateOf = (seconds) => new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')

// npm start

const home = mkdtempSync(join(tmpdir(), 'tollgate-peer-'))

function writeFile(name, rows) {
  const lines = []
  let columns
  for (const row of rows) {
    columns ??= Object.keys(row)
    lines.push(columns.map((column) => row[column]).join(','))
  }
  writeFileSync(join(home, 'dataset', `${name}.csv`), [columns.join(','), ...lines, ''].join('\n'))
}

function writeDataset() {
  mkdirSync(join(home, 'dataset'))
  const settings = { Allow_API: 'on', API_Secret_Key: KEY, Devices_Check_Rate: 'on', Default_Currency: 'EUR' }
  writeFile(
    'settings',
    Object.entries(settings).map(([name, value]) => ({ name, value })),
  )
  writeFile('currencies', [{ name: 'EUR', exchange_rate: 1 }])
  writeFile('tariffs', [{ id: 1, name: 'Retail', currency: 'EUR', purpose: 'retail', owner_id: 0 }])
  writeFile('providers', [{ id: 7, name: 'Carrier' }])
  const account = (id, username, usertype, tariff_id) => ({
    ...{ id, username, usertype, owner_id: 0, tariff_id },
    // A legacy hash that no password has.
    password_hash: '0'.repeat(40),
  })
  const users = customers.map((id) => account(id, `user${id}`, 'user', 1))
  writeFile('users', [account(0, 'admin', 'admin', ''), ...users])
  writeFile('rates', rates)
  writeFile(
    'calls',
    calls().map((call) => ({ ...call, calldate: dateOf(call.calldate) })),
  )
}

const started = []

const freePort = async () => {
  const server = createServer().listen(0, 'localhost')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  return port
}

async function serveTollgate() {
  const port = await freePort()
  const data = ['--data', join(home, 'dataset'), '--port', String(port), '--yes']
  const server = spawn(process.execPath, ['tools/tollgate.ts', 'start', ...data], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  started.push(server)
  const url = `http://localhost:${port}`
  const answers = () =>
    fetch(`${url}/health`).then(
      ({ ok }) => ok,
      () => false,
    )
  while (!(await answers())) {
    if (server.exitCode !== null) throw new Error(`npm start ended with ${server.exitCode}`)
    await setTimeout(200)
  }
  return { url, processor: () => processorOf(server.pid, /dynoxide/) }
}

// The small server over MariaDB

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

async function insert(connection, table, rows) {
  let some = []
  let columns
  const write = () =>
    connection.query(`INSERT INTO ${table} (${columns}) VALUES ?`, [
      some.map((row) => columns.map((column) => row[column])),
    ])
  for (const row of rows) {
    columns ??= Object.keys(row)
    if (some.push(row) < 1000) continue
    await write()
    some = []
  }
  if (some.length > 0) await write()
}

async function servePeer() {
  const socketPath = join(home, 'socket')
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` }
  const asRoot = process.getuid() === 0 ? ['--user=root'] : []
  const common = ['--no-defaults', `--datadir=${join(home, 'mariadb')}`, ...asRoot]
  const setup = ['--auth-root-authentication-method=normal', '--skip-test-db']
  execFileSync('mariadb-install-db', [...common, ...setup], { env, stdio: 'ignore' })
  // It has its own defaults, but room in memory for all of the data.
  const own = ['--skip-networking', '--default-time-zone=+00:00', '--innodb-buffer-pool-size=1G']
  const database = spawn('mariadbd', [...common, `--socket=${socketPath}`, ...own], { env, stdio: 'ignore' })
  started.push(database)
  const connect = () => mysql.createConnection({ socketPath, user: 'root' })
  let connection
  while (!connection) {
    if (database.exitCode !== null) throw new Error(`mariadbd ended with ${database.exitCode}`)
    connection = await connect().catch(() => setTimeout(100))
  }
  for (const statement of TABLES) await connection.query(statement)
  await insert(
    connection,
    'accounts',
    customers.map((id) => ({ id, username: `user${id}`, tariff_id: 1 })),
  )
  await insert(
    connection,
    'rates',
    rates.map(({ direction: _, ...rate }) => rate),
  )
  await insert(
    connection,
    'calls',
    calls().map(({ duration: _, ...call }) => ({ ...call, day: dateOf(call.calldate).slice(0, 10) })),
  )
  await connection.query('ANALYZE TABLE calls, rates')
  await connection.end()
  const port = await freePort()
  const options = [socketPath, String(port), KEY, join(packages, 'package.json')]
  const server = spawn(process.execPath, [join(HERE, 'server.js'), ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  started.push(server)
  await once(server.stdout, 'data')
  const processor = () => {
    const [ofServer, ofDatabase] = [server.pid, database.pid].map((pid) => processorOf(pid, /mariadbd/))
    return { all: ofServer.all + ofDatabase.all, database: ofDatabase.database }
  }
  return { url: `http://localhost:${port}`, processor }
}

// The processor

/** The words of a process's state: 1 is its parent, 11 and 12 its time in hundredths of a second. */
const stateOf = (pid) =>
  readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')

/** The processor time of a process and of those that it started, and the database's part, in milliseconds. */
function processorOf(pid, database) {
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const words = stateOf(name)
        const program = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0')[0]
        const time = 10 * (Number(words[11]) + Number(words[12]))
        return [{ pid: Number(name), parent: Number(words[1]), time, isDatabase: database.test(program) }]
      } catch {
        return []
      }
    })
  const spent = { all: 0, database: 0 }
  const add = ({ pid: one, time, isDatabase }) => {
    spent.all += time
    if (isDatabase) spent.database += time
    for (const child of processes) if (child.parent === one) add(child)
  }
  for (const one of processes) if (one.pid === pid) add(one)
  return spent
}

/** After an import `npm start` sums up the calls for its reports: neither server is loaded before it rests. */
async function untilAtRest({ processor }) {
  for (;;) {
    const before = processor().all
    await setTimeout(2000)
    if (processor().all - before < 100) return
  }
}

// The requests

const customer = () => customers[below(CUSTOMERS)]
const signed = (method, signedNames, draw) =>
  Array.from({ length: 200 }, () => {
    const sent = draw()
    const text = signedNames.map((name) => sent[name]).join('') + KEY
    const hash = createHash('sha1').update(text).digest('hex')
    return {
      ...{ method: 'POST', path: `/api/${method}`, body: String(new URLSearchParams({ ...sent, hash })) },
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    }
  })
const callsFrom = (start, days) => ({
  ...{ u: 'admin', s_user: String(customer()) },
  ...{ period_start: String(start), period_end: String(start + days * DAY - 1) },
})
const PERIOD = ['period_start', 'period_end', 's_user']

const COMPARED = [
  {
    ...{ name: 'quickstats_get', goal: 8, connections: 4 },
    requests: signed('quickstats_get', [], () => ({ u: 'admin' })),
  },
  {
    ...{ name: 'rate_get', goal: 0.8, connections: 4 },
    requests: signed('rate_get', ['username'], () => ({
      ...{ u: 'admin', username: `user${customer()}` },
      prefix: `${rates[below(RATES)].prefix}12345`,
    })),
  },
  {
    ...{ name: `a customer's day, ${Math.round(CALLS / DAYS / CUSTOMERS)} calls`, goal: 0.7, connections: 4 },
    requests: signed('user_calls_get', PERIOD, () => callsFrom(MIDNIGHT + below(DAYS) * DAY, 1)),
  },
  {
    ...{ name: `a customer's month, ${CALLS / CUSTOMERS} calls`, goal: 0.6, connections: 2 },
    requests: signed('user_calls_get', PERIOD, () => callsFrom(MIDNIGHT, DAYS)),
  },
]

const COUNTS = [/<total_calls>\d+/, /<rate>[^<]+/, /<this_month><calls>\d+/]

async function requireSameAnswers(own, peer, { name, requests }) {
  for (const { path, ...request } of requests.slice(0, 10)) {
    const [ours, theirs] = await Promise.all(
      [own, peer].map(async ({ url }) => {
        const answer = await (await fetch(url + path, request)).text()
        return COUNTS.map((count) => count.exec(answer)?.[0] ?? '').join('') || answer.slice(0, 300)
      }),
    )
    if (ours !== theirs)
      throw new Error(`${name}: ${ours} at npm start, ${theirs} at the peer, ${request.body}`)
  }
}

// The same load

const ROUNDS = 3
const SECONDS = 5

async function shoot({ url, processor }, { requests, connections }) {
  let clients = 0
  const setupClient = (client) => {
    const first = Math.floor((clients++ * requests.length) / connections)
    client.setRequests([...requests.slice(first), ...requests.slice(0, first)].map((one) => ({ ...one })))
  }
  const before = processor()
  const load = await autocannon({ url, connections, duration: SECONDS, setupClient })
  if (load.non2xx + load.errors + load.timeouts > 0) throw new Error(`${url} answered with errors`)
  const sent = load.requests.total
  const after = processor()
  const [all, database] = ['all', 'database'].map((part) => (after[part] - before[part]) / sent)
  return { rate: sent / SECONDS, all, database }
}

const middleOf = (values) => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)]

/** Each round loads one server and then the other, for the speed of a shared machine drifts. */
async function compare(own, peer, compared) {
  await requireSameAnswers(own, peer, compared)
  const rounds = []
  // The first round is for the compilers.
  for (let round = 0; round <= ROUNDS; round += 1)
    rounds.push([await shoot(own, compared), await shoot(peer, compared)])
  const counted = rounds.slice(1)
  const middle = (which, figure) => middleOf(counted.map((pair) => pair[which][figure]))
  const ratios = counted.map(([ours, theirs]) => ours.rate / theirs.rate)
  return [
    ...[compared.name, middle(1, 'rate').toFixed(0), middle(0, 'rate').toFixed(0)],
    ...[middleOf(ratios).toFixed(2), Math.min(...ratios).toFixed(2), String(compared.goal)],
    ...[0, 1].flatMap((which) => ['all', 'database'].map((part) => middle(which, part).toFixed(2))),
  ]
}

const COLUMNS = [
  'request',
  'Node and MariaDB, a second',
  '`npm start`, a second',
  'ratio',
  'least ratio',
  'goal',
]
const PROCESSOR = ['our processor, ms', 'of it the engine', 'theirs, ms', 'of it MariaDB']

try {
  note(`Writing ${CALLS} calls and ${RATES} rates`)
  writeDataset()
  note('Filling MariaDB')
  const peer = await servePeer()
  note('Filling Tollgate')
  const own = await serveTollgate()
  await untilAtRest(own)
  const columns = [...COLUMNS, ...PROCESSOR]
  const rows = [columns, columns.map(() => '---')]
  for (const compared of COMPARED) {
    note(compared.name)
    rows.push(await compare(own, peer, compared))
  }
  process.stdout.write(rows.map((row) => `| ${row.join(' | ')} |\n`).join(''))
} finally {
  for (const one of started.toReversed()) one.kill('SIGTERM')
  await Promise.all(started.map((one) => one.exitCode === null && once(one, 'exit')))
  rmSync(home, { recursive: true, force: true })
}
