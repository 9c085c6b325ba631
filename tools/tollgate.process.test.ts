import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { Command } from 'commander'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isNight, shareOf } from '#test/sweep.ts'
import { program, root } from '#tools/machine/program.ts'
import { COMMANDS, loadCommand } from './command-list.ts'

const { scripts, version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as {
  scripts: Readonly<Record<string, string>>
  version: string
}

const commands = Object.keys(COMMANDS).sort()

const start = (...words: string[]): ChildProcessWithoutNullStreams =>
  spawn(process.execPath, [program, ...words], {
    cwd: root,
    env: { ...process.env, DYNAMODB_ENDPOINT: 'http://127.0.0.1:9' },
  })

async function run(...words: string[]) {
  const child = start(...words)
  const closed = once(child, 'close')
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  const [status] = (await closed) as [number | null]
  return { status, stdout, stderr }
}

const BODY = 'x'.repeat(1_000_000)

/** A server whose answer is far longer than a pipe's buffer. */
const talkative = createServer((_request, response) => response.end(BODY))

beforeAll(() => once(talkative.listen(0), 'listening'))

afterAll(() => talkative.close())

const callTalkative = () => {
  const { port } = talkative.address() as AddressInfo
  return start('call', 'devices_get', '--raw', '--key', 'k', '--url', `http://localhost:${port}`)
}

test('a script of package.json that a person types is a tool, or starts the command of its name', () => {
  const typed = Object.keys(scripts).filter((name) => name !== 'postinstall')
  const tools = typed.filter(
    (name) => !commands.includes(name) || scripts[name] !== `node tools/bin/tollgate.js ${name}`,
  )

  // npm runs the last one in npm version.
  expect(tools).toEqual(['test', 'sweep', 'biome', 'check', 'fix', 'version'])
  expect(Object.keys(scripts).length).toBeLessThanOrEqual(16)
})

test('npx finds the program of the checkout, without a network and without a cache of packages', async () => {
  const cache = await mkdtemp(join(tmpdir(), 'tollgate-npx-'))
  const env = { ...process.env, npm_config_cache: cache, npm_config_registry: 'http://127.0.0.1:9' }
  const child = spawn('npx', ['tollgate', '--version'], {
    cwd: `${root}docs`,
    env,
    shell: process.platform === 'win32',
  })

  expect(await text(child.stdout)).toBe(`${version}\n`)
})

test('--help lists every command', async () => {
  const { status, stdout } = await run('--help')

  const listed = [...stdout.matchAll(/^ {2}([a-z:-]+) {2,}[A-Z].+\.$/gm)].map(([, name = '']) => name)
  expect({ status, listed: listed.sort() }).toEqual({ status: 0, listed: commands })
})

test.each(commands)('%s declares a help without running', async (name) => {
  const { declare } = await loadCommand(name)
  const command = new Command(name)
  declare(command)

  expect(command.helpInformation()).toContain(`Usage: ${name} `)
})

function startOf(name: string): string {
  if (name === 'start') return 'npm start --'
  return name in scripts ? `npm run ${name} --` : `npx tollgate ${name}`
}

test.concurrent.each(['import', 'start'])(
  '%s --help prints the usage and does nothing else',
  async (name) => {
    const { status, stdout, stderr } = await run(name, '--help')

    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toContain(`Usage: ${startOf(name)} `)
  },
)

test.each([
  ['help', 'Usage: npx tollgate [options] [command]'],
  ['help report calls', 'Usage: npx tollgate report calls [options]'],
  ['help subscriptions end', 'Usage: npx tollgate subscription end [options] <subscription>'],
])('a command behind help is shown with its options: %s', async (line, usage) => {
  const { status, stdout, stderr } = await run(...line.split(' '))

  expect({ status, usage: stdout.split('\n', 1)[0], stderr }).toEqual({ status: 0, usage, stderr: '' })
})

/** One of each kind by day, which are the first six, and at night all: each starts a process. */
const usageErrors: readonly (readonly [line: string, error: string])[] = [
  ['imprt', "Unknown command 'imprt' (Did you mean import?)"],
  ['settings list --tabel t', "Unknown option '--tabel' (Did you mean --table?)"],
  ['settings get', "Missing required argument 'name'"],
  [
    'import data/demo --decimal-comma --decimal-point',
    "Option '--decimal-comma' cannot be used with option '--decimal-point'",
  ],
  ['rerate --from 2026-03-01', 'Missing --till DAY, --with ACTIVE|AS-OF'],
  ['export ""', "Command-argument value '' is invalid for argument 'folder'. The path is blank"],
  ['help imprt', "Unknown command 'imprt' (Did you mean import?)"],
  ['devices_get user_id=10', "Unknown command 'devices_get' (Did you mean call devices_get?)"],
  ['rate_gte', "Unknown command 'rate_gte' (Did you mean call rate_get?)"],
  ['account lst', "Unknown command 'lst' (Did you mean list?)"],
  [
    'call devices_get --format yaml',
    "Option '--format <FORMAT>' argument 'yaml' is invalid. Allowed choices are xml, table, json",
  ],
  [
    'import data/demo --check-use=x',
    "Option '--check-use [days]' argument 'x' is invalid. Use a number of days",
  ],
  [
    'suspense list --from 2026-13-01',
    "Option '--from <DAY>' argument '2026-13-01' is invalid. Use a day of the calendar: YYYY-MM-DD",
  ],
  [
    'report calls --till 2026-02-30',
    "Option '--till <DAY>' argument '2026-02-30' is invalid. Use a day of the calendar: YYYY-MM-DD",
  ],
  [
    'key rotate crm --overlap 721',
    "Option '--overlap <HOURS>' argument '721' is invalid. It takes a number of hours from 0 to 720",
  ],
  ['import ""', "Command-argument value '' is invalid for argument 'path'. The path is blank"],
  ['account list --data ""', "Option '--data <FOLDER>' argument '' is invalid. The path is blank"],
  [
    'ingest csv a.csv "" --source x',
    "Command-argument value '' is invalid for argument 'files'. The path is blank",
  ],
]

const OF_EACH_KIND = 6

test.concurrent.each(isNight ? usageErrors : usageErrors.slice(0, OF_EACH_KIND))(
  'a usage error is one line: %s',
  async (line, error) => {
    const words = line.split(' ').map((word) => (word === '""' ? '' : word))
    const { status, stdout, stderr } = await run(...words)

    expect({ status, stdout, stderr }).toEqual({ status: 2, stdout: '', stderr: `${error}: see --help\n` })
  },
)

test.each(['', 'settings', 'account'])(
  'without a command the help is printed as an error: "%s"',
  async (name) => {
    const { status, stdout, stderr } = await run(...name.split(' ').filter(Boolean))

    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toContain(`Usage: npx tollgate ${name}`)
  },
)

/** Command lines that are valid but fail without a table, a server, a file or a right. */
const failing = [
  'account show erin',
  'call devices_get --key k --url localhost:9',
  'check-data',
  'explain carol 442079460000',
  'import nowhere',
  'ingest csv nowhere.csv --source gw1',
  'intake list',
  'rates preview nowhere.csv --tariff 1',
  'remove --stage prod',
  'report calls',
  'rerate --from 2026-03-01 --till 2026-03-02 --with active --dry-run',
  'settings list',
  'smoke localhost:9',
  'start --data nowhere',
  'suspense list',
  'tariff list',
]

/** Command lines that lack something, or hold a value that no run could use. */
const misused = [
  'account set-password erin --password-stdin --bogus',
  'call devices_get user_id',
  'init never-written',
  'init never-written --company Voice --currency EURO',
  'export never-written user',
  'ingest csv records.csv --source gw1 --zone nowhere',
  'package --stage of-production',
]

/** A share of them, and an unknown option of a share of the commands; at night all. */
const codes = [
  ...shareOf(failing, 0).map((line) => [1, line] as const),
  ...shareOf(misused, 1).map((line) => [2, line] as const),
  ...shareOf(commands, 2).map((name) => [2, `${name} --no-such-option`] as const),
]

test.each(codes)('the exit code is %s, as docs/README.md says: %s', async (code, line) => {
  const { status, stderr } = await run(...line.split(' '))

  expect({ status, stderr }).toEqual({ status: code, stderr: expect.stringMatching(/\S/) })
})

test('a package is not built for a name that no stage can have', async () => {
  const { status, stdout, stderr } = await run('package', '--stage', 'of-production')

  expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  expect(stderr).toContain('"of-production" is not a name of a stage: use up to ten lower-case letters')
})

test.each([
  ['smoke localhost:9', 'http://localhost:9: check the URL'],
  [
    'call devices_get --key k --url localhost:9',
    'http://localhost:9: run npm start first, or name another address with --url',
  ],
  [
    'settings list --table t --endpoint http://127.0.0.1:9',
    'http://127.0.0.1:9: is npm start running? Name another DynamoDB with --endpoint.',
  ],
])('an address that does not answer ends a command with 1: %s', async (line, remedy) => {
  const { status, stderr } = await run(...line.split(' '))

  expect({ status, stderr }).toEqual({ status: 1, stderr: `No answer from ${remedy}\n` })
})

/** A share of the commands that change a table; at night all. */
const changes = [
  'settings set Allow_API on',
  'call device_delete device=1 --key k --url http://127.0.0.1:9',
  ...shareOf(
    [
      'settings timezone UTC',
      'account block erin',
      'account unblock erin',
      'account set-password erin --password-stdin',
      'tariff rollback 1',
      'intake add pbx1',
      'intake revoke pbx1',
      'suspense retry',
      'suspense drop --source pbx1 --yes',
      'import data/demo',
      'import data/demo --dry-run',
      'rates import data/demo/rates.csv --tariff 1',
      'ingest freeswitch-json data/switches/freeswitch.ndjson --source fs1',
      'rerate --from 2026-03-01 --till 2026-03-02 --with active --yes',
    ],
    0,
  ),
]

test.each(changes)('a command that changes a table names the installation first: %s', async (line) => {
  const isCall = line.startsWith('call')
  const { stderr } = await run(
    ...line.split(' '),
    ...(isCall ? [] : ['--table', 't', '--endpoint', 'http://127.0.0.1:9']),
  )

  expect(stderr.split('\n', 1)[0]).toBe(`Installation: ${isCall ? '' : 'table t at '}http://127.0.0.1:9`)
})

test('--check-use takes a number, and not the path that follows it', async () => {
  const { status, stderr } = await run('import', '--check-use', 'nowhere')

  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: 'There is no folder or file nowhere\n',
  })
})

test('a path behind npm run is taken from where npm was called', async () => {
  const child = spawn(process.execPath, [program, 'import', 'demo'], {
    cwd: root,
    env: {
      ...process.env,
      DYNAMODB_ENDPOINT: 'http://127.0.0.1:9',
      INIT_CWD: `${root}data`,
      npm_lifecycle_event: 'import',
    },
  })

  expect(await text(child.stderr)).toContain('No answer from http://127.0.0.1:9')
})

test('--version is that of package.json', async () => {
  expect(await run('--version')).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' })
})

test('a shell completes commands, options and choices', async () => {
  const completed = async (...words: string[]) => (await run('complete', '--', ...words)).stdout.split('\n')

  expect(await completed('sus')).toContain('suspense\tShows, retries and drops suspended CDRs.')
  expect(await completed('settings', 'ti')).toContainEqual(expect.stringMatching(/^timezone\t/))
  expect(await completed('import', '--dry')).toContainEqual(expect.stringMatching(/^--dry-run\t/))
  expect(await completed('call', 'devices_get', '--format', '')).toEqual(
    expect.arrayContaining(['xml\t', 'table\t']),
  )
  expect((await run('complete', 'bash')).stdout).toContain('tollgate complete -- ')
})

test('a slow reader gets the whole output', async () => {
  const child = callTalkative()
  const closed = once(child, 'close')
  await setTimeout(2000)

  expect(await text(child.stdout)).toBe(`${BODY}\n`)
  expect(await closed).toEqual([0, null])
})

test.each(['stdout', 'stderr'] as const)(
  'a reader of %s that stops reading ends the command without an error',
  async (name) => {
    const child = callTalkative()
    const closed = once(child, 'close')
    child[name].destroy()

    expect(await text(name === 'stdout' ? child.stderr : child.stdout)).not.toContain('EPIPE')
    expect(await closed).toEqual([0, null])
  },
)
