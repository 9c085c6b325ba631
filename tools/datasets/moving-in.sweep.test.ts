import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rm } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { afterAll, expect, onTestFinished, test, vi } from 'vitest'
import { copyTree, surroundingsIn } from '#test/copied-tree.ts'
import { moveOf } from '#test/datasets/moved.ts'
import { lacksDatabase, type OldDatabase, startOldDatabase } from '#test/datasets/old-database.ts'
import { balanceFigures, sumUpTable } from '#tools/datasets/moving-in-balance.ts'
import { root } from '#tools/machine/program.ts'
import { freePort } from '#tools/server/engine.ts'
import { everyItem } from '../command-line/open-table.ts'

const database = lacksDatabase ? undefined : await startOldDatabase()

afterAll(() => database?.stop())

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
  await database?.fill()
  const folder = await copyTree()
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  const { env } = surroundingsIn(folder)
  const options = { cwd: folder, env: { ...env, HOME: database?.home } }
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

/** The balance of the page as its lines, without the header. */
const balanceIn = (printed: string): string[] => {
  const [, ...lines] = printed.slice(printed.indexOf('what,of,old')).split('\n')
  return lines.filter((line) => line.split(',').length === 6)
}

const EQUAL = ['calls', 'incoming', 'rates', 'payments', 'invoices', 'objects']
  .map((of) => `${of}:\nequal\n`)
  .join('')

test.skipIf(lacksDatabase)(
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
    // The old database has a rate of working days alone, from 8 in the morning.
    expect(moved).not.toMatch(/[1-9]\d* refused|warning(?!: 3706 falls to 370 on)|not replaced/)
    expect(moved).toContain(EQUAL)
    const balance = balanceIn(moved)
    expect(balance.filter((line) => !line.endsWith(',0'))).toEqual([])
    expect(balance).toEqual(
      expect.arrayContaining([
        'calls,count,14,9,5,0',
        'calls,did_price,0.19,0.15,0.04,0',
        'calls,user_price,4.836667701,1.036666701,3.800001,0',
        'devices,count,2,1,1,0',
        'dids,count,3,2,1,0',
        'invoices in EUR,price,177.047173044368,177.047173044368,0,0',
        'payments in USD,net,21.000000000000001,1.000000000000001,20,0',
        'rates of tariff 1,sum,-0.388766,-0.888766,0.5,0',
        'rates of tariff 4,count,4,1,3,0',
        'users,count,5,4,1,0',
      ]),
    )
    expect(moved).toMatch(/^ *3 left-behind\/card_calls.csv$/m)
    expect(await operator.types('grep -c "INSERT INTO" left-behind/other-tables.sql')).toBe('3\n')

    expect(moved).toContain('The table has no row that the dataset lacks')
    await database?.ask(
      'DELETE FROM subscriptions; DELETE FROM locationrules; DELETE FROM devicerules; DELETE FROM calls LIMIT 1;',
    )
    const again = await operator.types(AGAIN)
    expect(again).toContain('All of them: unimported.csv\n3 rows removed\n')
    expect(again).toContain('calls: 1 unimported row, 0 can be removed')
    expect(balanceIn(again)).toContain('calls,count,13,9,5,-1')
    expect(
      balanceIn(again).filter((line) => /^(subscriptions|device_rules|location_rules),/.test(line)),
    ).toEqual(['device_rules,count,0,0,0,0', 'location_rules,count,0,0,0,0', 'subscriptions,count,0,0,0,0'])

    const bob = await operator.types('npx tollgate call user_details_get username=bob')
    expect(bob).toContain('Tallinn')
    expect(bob).toContain('EE123456789')

    const asks = (words: string) => operator.types(`npx tollgate call ${words}`)
    expect(await asks('rate_get prefix=370612 username=bob')).not.toContain('error')
    expect(await asks('rate_get prefix=3709 username=bob')).toContain('Rate_was_not_found')
    expect(await loginOf(url, 'bob', 'bob of old')).not.toContain('failed')
    expect(await loginOf(url, 'eve', 'eve of old')).toContain('failed')
  },
)

/** The last export, after the old system has deleted rows. */
const AGAIN = `ask() { mariadb --quick -N -B -r --default-character-set=utf8mb4 mor < "$1"; }
for file in subscriptions location_rules device_rules calls; do ask queries/export/$file.sql > old/$file.ndjson; done
rm old/calls-*
npx tollgate import old && npx tollgate moving-in unimported old --remove --yes
cat unimported.csv
ask queries/compare/balance.sql > old-figures.csv
npx tollgate moving-in balance old-figures.csv`

const loginOf = async (url: string, u: string, p: string): Promise<string> =>
  (await fetch(`${url}/api/user_login`, { method: 'POST', body: new URLSearchParams({ u, p }) })).text()

const OLDER = `ALTER TABLE invoices DROP COLUMN invoice_currency, DROP COLUMN invoice_exchange_rate;
ALTER TABLE rates DROP COLUMN effective_from;
ALTER TABLE invoicedetails DROP COLUMN prefix, DROP COLUMN total_time;
DROP TABLE calls_old;
ALTER TABLE users DROP COLUMN daily_balance_limit;
UPDATE users SET password = 'plain' WHERE id = 5;
UPDATE users SET username = 'bob' WHERE id = 6;`

test.skipIf(lacksDatabase)(
  'the queries fit an older schema, and the checks name what moves in another form',
  { timeout: 300_000 },
  async () => {
    await database?.fill(OLDER)
    const { queries, checks, oldFigures, world } = await moveOf(database as OldDatabase)

    expect([...new Set(queries.flatMap(({ lacking }) => lacking))].sort()).toEqual([
      'calls_old',
      'invoicedetails.prefix',
      'invoicedetails.total_time',
      'invoices.invoice_currency',
      'invoices.invoice_exchange_rate',
      'rates.effective_from',
      'rates.prefix',
      'users.daily_balance_limit',
    ])
    expect(checks.get('duplicate_usernames')).toBe('username bob of user 6 becomes bob-6\n')
    expect(checks.get('passwords')).toBe('user 5 has no password: it is not a SHA-1\n')
    expect(checks.get('destinations_without_group')).toContain('prefix 49 has no group')
    const pages = everyItem({ ...world.table, meter: world.meter })
    const balance = balanceFigures(oldFigures, await sumUpTable(world.store, pages, 'USD'))
    expect(balance.filter(({ difference }) => difference !== '0')).toEqual([])
    expect(balance).toContainEqual({
      what: 'invoices in USD',
      of: 'price',
      old: '239.6733667',
      moved: '238.6733667',
      left_behind: '1',
      difference: '0',
    })
  },
)
