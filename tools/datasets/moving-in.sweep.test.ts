import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect, onTestFinished, test, vi } from 'vitest'
import { copyTree, surroundingsIn } from '#test/copied-tree.ts'
import { root } from '#tools/machine/location.ts'
import { freePort } from '#tools/server/engine.ts'

const run = promisify(execFile)

/** Debian installs the server in a folder that is only in the PATH of root. */
const environment = { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin:/usr/local/sbin` }

const isInstalled = await run('mariadbd', ['--version'], { env: environment }).then(
  () => true,
  () => false,
)

/** The workflow installs MariaDB: there the test must not be skipped. */
const mustRun = process.env['TOLLGATE_NEEDS_MARIADB'] !== undefined

if (!isInstalled && !mustRun) process.stdout.write('Skipped docs/moving-in.md: mariadbd is not installed\n')

/** Starts a MariaDB. Returns a home folder, whose .my.cnf leads the client to it. */
async function aDatabase(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'mariadb-'))
  const data = join(home, 'data')
  const socket = join(home, 'socket')
  const asRoot = process.getuid?.() === 0 ? ['--user=root'] : []
  const common = ['--no-defaults', `--datadir=${data}`, ...asRoot]
  await run('mariadb-install-db', [...common, '--auth-root-authentication-method=normal', '--skip-test-db'], {
    env: environment,
  })
  const server = spawn(
    'mariadbd',
    [...common, `--socket=${socket}`, '--skip-networking', '--default-time-zone=+00:00'],
    { env: environment, stdio: 'ignore' },
  )
  onTestFinished(() => ended(server, home))
  await writeFile(join(home, '.my.cnf'), `[client]\nsocket=${socket}\nuser=root\n`)
  const query = (sql: string) => promiseOf('mariadb', ['-e', sql], home)
  await untilItAnswers(server, () => query('SELECT 1'))
  await query('CREATE DATABASE mor CHARACTER SET utf8mb4')
  const tables = await readFile(`${root}tools/datasets/moving-in.tables.sql`, 'utf8')
  await promiseOf('mariadb', ['--default-character-set=utf8mb4', '-e', tables, 'mor'], home)
  return home
}

const promiseOf = (command: string, words: string[], home: string) =>
  run(command, words, { env: { ...environment, HOME: home } })

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

async function ended(server: ChildProcess, home: string): Promise<void> {
  server.kill('SIGKILL')
  await once(server, 'exit')
  await rm(home, { recursive: true, force: true })
}

/** The commands of the page, in its order, and the command that starts the empty installation. */
async function commandsOfPage() {
  const page = await readFile(`${root}docs/moving-in.md`, 'utf8')
  const blocks = [...page.matchAll(/^```sh\n(.+?)^```/gms)].map(([, block = '']) => block)
  const start = blocks.findIndex((block) => block.includes('npm start'))
  return {
    before: blocks.slice(0, start),
    start: blocks[start] ?? '',
    after: [blocks[0] ?? '', ...blocks.slice(start + 1)],
  }
}

/** A person at a terminal: a copy of the tree, and a home that leads to the old database. */
async function anOperator() {
  const home = await aDatabase()
  const folder = await copyTree()
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  const { env } = surroundingsIn(folder)
  const options = { cwd: folder, env: { ...env, HOME: home } }
  const types = async (commands: string): Promise<string> => {
    const shell = spawn('bash', ['-c', `exec 2>&1\n${commands}`], options)
    return text(shell.stdout)
  }
  const starts = async (command: string, url: string): Promise<void> => {
    const installation = spawn('bash', ['-c', command], { ...options, detached: true, stdio: 'ignore' })
    onTestFinished(async () => {
      const exit = once(installation, 'exit')
      process.kill(-Number(installation.pid), 'SIGINT')
      await exit
    })
    await vi.waitUntil(() => answers(url), { timeout: 300_000, interval: 200 })
  }
  return { types, starts }
}

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => true,
    () => false,
  )

/** The balance of the page as its cells, without the header. */
const balanceIn = (printed: string): string[][] => {
  const [, ...lines] = printed.slice(printed.indexOf('what,of,old')).split('\n')
  return lines.slice(0, lines.indexOf('file,count,of,sum')).map((line) => line.split(','))
}

const EQUAL = ['calls', 'incoming', 'rates', 'payments', 'invoices', 'objects']
  .map((of) => `${of}:\nequal\n`)
  .join('')

test.skipIf(!isInstalled && !mustRun)(
  'following docs/moving-in.md moves everything, or leaves it behind in a file, to the last digit',
  { timeout: 900_000 },
  async () => {
    const operator = await anOperator()
    const { before, start, after } = await commandsOfPage()
    const port = await freePort()
    const url = `http://localhost:${port}`

    const exported = await operator.types(before.join('\n'))
    await operator.starts(start.replace('3400', String(port)), url)
    const moved = await operator.types(after.join('\n'))

    expect(exported).not.toContain('ERROR')
    expect(moved).toContain('calls-2026-01: 2 rows, 2 new, 0 changed, 0 unchanged, 0 removed, 0 refused')
    expect(moved).not.toMatch(/[1-9]\d* refused|warning|not replaced/)
    expect(moved).toContain(EQUAL)
    const balance = balanceIn(moved)
    expect(balance.filter(([, , , , , difference]) => difference !== '0')).toEqual([])
    expect(balance.map((cells) => cells.join(','))).toEqual(
      expect.arrayContaining([
        'calls,count,14,9,5,0',
        'calls,did_price,0.19,0.15,0.04,0',
        'calls,user_price,4.836667701,1.036666701,3.800001,0',
        'devices,count,2,1,1,0',
        'dids,count,3,2,1,0',
        'invoices in EUR,price,177.047173044368,177.047173044368,0,0',
        'payments in USD,amount,28.770000000000001,1.000000000000001,27.77,0',
        'rates of tariff 1,sum,-0.388766,-0.888766,0.5,0',
        'rates of tariff 4,count,4,1,3,0',
        'users,count,5,4,1,0',
      ]),
    )
    expect(moved).toMatch(/^card_calls,2,user_price,1.5\n.*^customer_rates|^customer_rates,2,price,0.033\n/ms)
    expect(moved).toContain('\ncard_payments,1,USD,20\n')

    const asks = (words: string) => operator.types(`npx tollgate call ${words}`)
    expect(await asks('rate_get prefix=370612 username=bob')).not.toContain('error')
    expect(await asks('rate_get prefix=3709 username=bob')).toContain('Rate_was_not_found')
    expect(await loginOf(url, 'bob', 'bob of old')).not.toContain('failed')
    expect(await loginOf(url, 'eve', 'eve of old')).toContain('failed')
  },
)

const loginOf = async (url: string, u: string, p: string): Promise<string> =>
  (await fetch(`${url}/api/user_login`, { method: 'POST', body: new URLSearchParams({ u, p }) })).text()

const OLDER = `ALTER TABLE invoices DROP COLUMN invoice_currency, DROP COLUMN invoice_exchange_rate;
ALTER TABLE rates DROP COLUMN effective_from;
ALTER TABLE invoicedetails DROP COLUMN prefix, DROP COLUMN total_time;
DROP TABLE calls_old;
UPDATE users SET password = 'plain' WHERE id = 5;
UPDATE users SET username = 'bob' WHERE id = 6;`

test.skipIf(!isInstalled && !mustRun)(
  'the queries fit an older schema, and the checks report what the import would refuse',
  { timeout: 300_000 },
  async () => {
    const operator = await anOperator()
    const { before } = await commandsOfPage()

    const printed = await operator.types(
      [`mariadb mor -e "${OLDER}"`, ...before, 'ask queries/compare/balance.sql'].join('\n'),
    )

    expect(printed).not.toContain('ERROR')
    expect(printed).toContain('Tables that the database lacks, empty in the queries: calls_old\n')
    expect(printed).toContain(
      'invoices.invoice_currency, invoices.invoice_exchange_rate, rates.effective_from\n',
    )
    expect(printed).toContain('username bob belongs to the users 5,6\n')
    expect(printed).toContain('the password of user 5 is not a SHA-1\n')
    expect(printed).toContain('prefix 49 has no group')
    const balance = printed.slice(printed.indexOf('what,of,old')).trim().split('\n').slice(1)
    expect(balance.filter((line) => !line.endsWith(',0'))).toEqual([])
    expect(balance).toContain('invoices in USD,price,239.6733667,238.6733667,1,0')
  },
)
