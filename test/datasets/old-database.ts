import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { root } from '#tools/machine/program.ts'

const run = promisify(execFile)

/** Debian installs the server in a folder that is only in the PATH of root. */
const mariaDbEnvironment = { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin:/usr/local/sbin` }

const hasMariaDb = (): Promise<boolean> =>
  run('mariadbd', ['--version'], { env: mariaDbEnvironment }).then(
    () => true,
    () => false,
  )

/** Starts a MariaDB with its data and its `socket` in a folder. It listens as soon as `ask` resolves. */
async function startMariaDb(
  home: string,
  option: string,
  ask: () => Promise<unknown>,
): Promise<ChildProcess> {
  const env = mariaDbEnvironment
  const asRoot = process.getuid?.() === 0 ? ['--user=root'] : []
  const common = ['--no-defaults', `--datadir=${join(home, 'data')}`, ...asRoot]
  await run('mariadb-install-db', [...common, '--auth-root-authentication-method=normal', '--skip-test-db'], {
    env,
  })
  const options = [`--socket=${join(home, 'socket')}`, '--skip-networking', '--default-time-zone=+00:00']
  const server = spawn('mariadbd', [...common, ...options, option], { env, stdio: 'ignore' })
  const isListening = () =>
    ask().then(
      () => true,
      () => false,
    )
  while (!(await isListening())) {
    if (server.exitCode !== null) throw new Error(`mariadbd ended with ${server.exitCode}`)
    await setTimeout(50)
  }
  return server
}

const isInstalled = await hasMariaDb()

/** The workflow installs MariaDB: there the tests must not be skipped. */
const mustRun = process.env['TOLLGATE_NEEDS_MARIADB'] !== undefined

/** True where the tests of a move have no database to move from. */
export const lacksDatabase = !isInstalled && !mustRun

if (lacksDatabase) process.stdout.write('Skipped docs/moving-in.md: mariadbd is not installed\n')

/** A MariaDB of its own. */
export interface OldDatabase {
  /** A home folder, whose .my.cnf leads the client to the server. */
  readonly home: string
  /** Makes the database `mor` again, with tools/datasets/moving-in.tables.sql and more statements. */
  fill(more?: string): Promise<void>
  /** The client's output for statements. Throws its error. */
  ask(sql: string): Promise<string>
  /** The same in the bytes that it prints. */
  bytes(sql: string): Promise<Buffer>
  stop(): Promise<void>
}

export async function startOldDatabase(): Promise<OldDatabase> {
  const home = await mkdtemp(join(tmpdir(), 'mariadb-'))
  await writeFile(join(home, '.my.cnf'), `[client]\nsocket=${join(home, 'socket')}\nuser=root\n`)
  const ask = () => clientOutput(home, [], 'SELECT 1')
  const server = await startMariaDb(home, '--innodb-flush-log-at-trx-commit=0', ask)
  const tables = await readFile(`${root}tools/datasets/moving-in.tables.sql`, 'utf8')
  return {
    home,
    fill: async (more = '') => {
      const empty = 'DROP DATABASE IF EXISTS mor; CREATE DATABASE mor CHARACTER SET utf8mb4; USE mor;\n'
      await clientOutput(home, [], empty + tables + more)
    },
    ask: async (sql) => (await clientOutput(home, ['mor'], sql)).toString(),
    bytes: (sql) => clientOutput(home, ['mor'], sql),
    stop: async () => {
      server.kill('SIGKILL')
      await once(server, 'exit')
      await rm(home, { recursive: true, force: true })
    },
  }
}

async function clientOutput(home: string, words: readonly string[], sql: string): Promise<Buffer> {
  const options = ['-N', '-B', '-r', '--default-character-set=utf8mb4', ...words]
  const client = spawn('mariadb', options, { env: { ...mariaDbEnvironment, HOME: home } })
  const exit = once(client, 'exit')
  // A client that does not reach the server ends before it reads: its exit code and its error tell of it.
  client.stdin.on('error', () => {})
  client.stdin.end(sql)
  const [printed, problem] = await Promise.all([buffer(client.stdout), text(client.stderr)])
  await exit
  if (client.exitCode !== 0) throw new Error(problem)
  return printed
}
