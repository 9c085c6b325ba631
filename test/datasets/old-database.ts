import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { root } from '#tools/machine/location.ts'

const run = promisify(execFile)

/** Debian installs the server in a folder that is only in the PATH of root. */
const environment = { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin:/usr/local/sbin` }

const isInstalled = await run('mariadbd', ['--version'], { env: environment }).then(
  () => true,
  () => false,
)

/** The workflow installs MariaDB: there the tests must not be skipped. */
const mustRun = process.env['TOLLGATE_NEEDS_MARIADB'] !== undefined

/** True where the tests of a move have no database to move from. */
export const lacksDatabase = !isInstalled && !mustRun

if (lacksDatabase) process.stdout.write('Skipped docs/moving-in.md: mariadbd is not installed\n')

/** A MariaDB of its own. */
export interface OldDatabase {
  /** A home folder, whose .my.cnf leads the client to the server. */
  readonly home: string
  /** Makes the database `mor` again, with the tables of tools/datasets/moving-in.tables.sql and more statements. */
  fill(more?: string): Promise<void>
  /** What the client prints for statements. Throws its error. */
  ask(sql: string): Promise<string>
  /** The same in the bytes that it prints. */
  bytes(sql: string): Promise<Buffer>
  stop(): Promise<void>
}

export async function startOldDatabase(): Promise<OldDatabase> {
  const home = await mkdtemp(join(tmpdir(), 'mariadb-'))
  const server = await startServer(home)
  await writeFile(join(home, '.my.cnf'), `[client]\nsocket=${join(home, 'socket')}\nuser=root\n`)
  await untilItAnswers(server, () => clientOutput(home, [], 'SELECT 1'))
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

async function startServer(home: string): Promise<ChildProcess> {
  const asRoot = process.getuid?.() === 0 ? ['--user=root'] : []
  const common = ['--no-defaults', `--datadir=${join(home, 'data')}`, ...asRoot]
  await run('mariadb-install-db', [...common, '--auth-root-authentication-method=normal', '--skip-test-db'], {
    env: environment,
  })
  const options = [`--socket=${join(home, 'socket')}`, '--skip-networking', '--default-time-zone=+00:00']
  return spawn('mariadbd', [...common, ...options, '--innodb-flush-log-at-trx-commit=0'], {
    env: environment,
    stdio: 'ignore',
  })
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

async function clientOutput(home: string, words: readonly string[], sql: string): Promise<Buffer> {
  const options = ['-N', '-B', '-r', '--default-character-set=utf8mb4', ...words]
  const client = spawn('mariadb', options, { env: { ...environment, HOME: home } })
  const exit = once(client, 'exit')
  client.stdin.end(sql)
  const [printed, problem] = await Promise.all([buffer(client.stdout), text(client.stderr)])
  await exit
  if (client.exitCode !== 0) throw new Error(problem)
  return printed
}
