import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readdir, readFile, symlink, truncate, utimes, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { settingsKey } from '#lib/settings/stored-settings.ts'
import { createClient } from '#lib/table/requests/client.ts'
import { createMeter } from '#lib/table/requests/meter.ts'
import { createStore } from '#lib/table/store.ts'
import { withoutKey } from '#lib/table/table.ts'
import { noted, notedLine, noteSecretsOfAnswer } from '#test/evidence/log-evidence.ts'
import { findFunctionFile } from '../../contracts/function-files.ts'
import { demoKey } from '../../contracts/generated-files.ts'
import { exampleEvent, signedParameters } from '../../contracts/signed-call.ts'
import { startEngine } from '../../server/engine.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** The program of the copy. */
const PROGRAM = 'tools/bin/tollgate.js'

/** A copy of the repository, so that the tests do not touch your own installation. */
let folder: string
let port: number
const started: ChildProcess[] = []
const outputs: { text: string }[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-'))
  for (const name of [
    'console',
    'docs',
    'functions',
    'infra',
    'lib',
    'tools',
    'package.json',
    'tsconfig.json',
    'serverless.yml',
  ]) {
    await cp(join(root, name), join(folder, name), {
      recursive: true,
      filter: (path) => !path.endsWith('.test.ts'),
    })
  }
  await cp(join(root, 'data/demo/settings.csv'), join(folder, 'data/demo/settings.csv'))
  await cp(join(root, 'data/numbering-plans.json'), join(folder, 'data/numbering-plans.json'))
  await cp(join(root, 'events/examples.json'), join(folder, 'events/examples.json'))
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  await cp(join(folder, 'data/demo'), join(folder, 'small'), { recursive: true })
  await writeFile(
    join(folder, 'small/users.csv'),
    `id,username,password_hash,usertype,owner_id\n0,admin,${'a'.repeat(40)},admin,0\n`,
  )
  port = await freePort()
})

/** The next test must not find the engine of the previous one. */
afterEach(async () => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
  const engine = await endpoint().catch(() => undefined)
  if (engine) await expect.poll(() => answers(engine)).toBe(false)
})

afterAll(() => {
  for (const { text } of outputs) for (const line of text.match(LOG_LINE) ?? []) notedLine(line)
})

/** Other lines are messages for the operator. */
const LOG_LINE = /^\{.*$/gm

async function freePort(): Promise<number> {
  const server = await listening(0)
  const { port: free } = server.address() as { port: number }
  server.close()
  return free
}

async function listening(on: number): Promise<Server> {
  const server = createServer().listen(on)
  await once(server, 'listening')
  return server
}

function start(...options: string[]) {
  const args = [PROGRAM, 'start', '--data', 'small', '--port', String(port), ...options]
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  started.push(child)
  const said = { text: '' }
  outputs.push(said)
  child.stdout.on('data', (chunk: Buffer) => {
    said.text += chunk
  })
  child.stderr.on('data', (chunk: Buffer) => {
    said.text += chunk
  })
  return { child, said, ended: once(child, 'exit').then(([code]) => code as number | null) }
}

type Started = ReturnType<typeof start>

const untilReady = ({ said }: Started) => expect.poll(() => said.text).toContain('Tollgate listens on')

/** Starts an installation that writes its log as JSON, and waits until it is ready. */
async function running(...options: string[]): Promise<Started> {
  const installation = start('--json', ...options)
  await untilReady(installation)
  return installation
}

/** The description of the last installation: a killed one leaves its own behind. */
const endpoint = async () => {
  const names = await readdir(join(folder, '.data/running'))
  const texts = await Promise.all(names.map((name) => readFile(join(folder, '.data/running', name), 'utf8')))
  const running = texts
    .map((one) => JSON.parse(one))
    .sort((one, other) => one.startedAt.localeCompare(other.startedAt))
  return String(running.at(-1).location.endpoint)
}

const answers = (url: string) =>
  fetch(withoutKey(url)).then(
    () => true,
    () => false,
  )

/** Signed with the demo's key alone: both hashed parameters are blank. */
async function createDevice(): Promise<string> {
  const hash = createHash('sha1').update('demo-secret-key').digest('hex')
  const body = new URLSearchParams(noted({ u: 'admin', user_id: '0', pin: '', hash }))
  const answer = await fetch(`http://localhost:${port}/api/device_create`, { method: 'POST', body })
  const text = await answer.text()
  noteSecretsOfAnswer(text)
  return text
}

/** One sentence on one line; it may begin with the name of a file. */
const oneSentence = /^[^\n]{20,200}\n$/

test('it serves the API, loses nothing when it ends, resumes with its data, and leaves no engine running', async () => {
  const first = await running()
  expect(await createDevice()).toContain('<status>device_created</status><id>1</id>')
  expect(await (await fetch(`http://localhost:${port}/nothing`)).text()).toContain(
    '<error>Unknown method</error>',
  )
  const engine = await endpoint()

  first.child.kill('SIGINT')

  expect(await first.ended).toBe(0)
  expect(await answers(engine)).toBe(false)
  const second = start()
  await untilReady(second)
  expect(await createDevice()).toContain('<status>device_created</status><id>2</id>')
  expect(first.said.text).toContain('{"method":"device_create","caller":0,"outcome":"answered",')
  expect(second.said.text).toMatch(/^\d{2}:\d{2}:\d{2} {2}device_create {9}account 0 {4}answered {2}\d+ ms$/m)
})

test('a second start is refused in one sentence, and a killed one leaves no engine running', async () => {
  const { child } = await running()
  const second = start('--port', String(await freePort()))
  expect(await second.ended).toBe(1)
  expect(second.said.text).toMatch(oneSentence)
  const its = await endpoint()

  child.kill('SIGKILL')

  await expect.poll(() => answers(its)).toBe(false)
})

test('of several simultaneous starts on one data folder one runs, and the others delete nothing', async () => {
  const ports = await Promise.all([freePort(), freePort(), freePort()])
  const starts = ports.map((other) => start('--fresh', '--yes', '--port', String(other)))
  const runs = starts.map(({ said, ended }) =>
    Promise.race([
      ended.then(() => false),
      expect
        .poll(() => said.text)
        .toContain('Tollgate listens on')
        .then(() => true),
    ]),
  )

  const isRunning = await Promise.all(runs)

  expect(isRunning.filter(Boolean)).toHaveLength(1)
  for (const [index, { said, ended }] of starts.entries()) {
    if (isRunning[index]) continue
    expect(await ended).toBe(1)
    expect(said.text).toMatch(oneSentence)
  }
})

const unsigned = async (method: string) => {
  const answer = await fetch(`http://localhost:${port}/api/${method}`, { method: 'POST' }).catch(
    () => undefined,
  )
  return answer?.text()
}

/** Waits until the source is built, also on a busy machine. */
const answersTo = (method: string) => expect.poll(() => unsigned(method))

test('edits to the source are served, new methods included, and errors in the source are reported', async () => {
  const { said } = await running()
  const errors = join(folder, 'lib/api/errors.ts')
  const before = await readFile(errors, 'utf8')

  await writeFile(errors, before.replace('Incorrect hash', 'Another hash'))
  await answersTo('services_get').toContain('<error>Another hash</error>')

  await mkdir(join(folder, 'functions/new'))
  const method = await readFile(join(folder, 'functions/billing/services_get.ts'), 'utf8')
  await writeFile(join(folder, 'functions/new/new_get.ts'), method.replace("'services_get'", "'new_get'"))
  await answersTo('new_get').toContain('<error>Another hash</error>')

  await writeFile(errors, `${before}\nexport const = 1\n`)
  const place = `lib/api/errors.ts:${before.split('\n').length + 1}:14: `
  await answersTo('services_get').toContain(`<error>The source cannot be built: ${place}`)
  expect(said.text).toContain(`The source cannot be built: ${place}`)

  await writeFile(errors, before)
  await answersTo('services_get').toContain('<error>Incorrect hash</error>')
})

/** The file that runs `npx tollgate key` in the copy; blank if that is the source. */
const builtProgram = async (): Promise<string> =>
  said(
    '--eval',
    "import('./tools/machine/built-program.ts').then(({ builtProgramOf }) => process.stdout.write(builtProgramOf('key') ?? ''))",
  )

test('the next start and commands run what the first start has built, until a source changes', async () => {
  await writeFile(join(folder, 'guard.mjs'), GUARD)
  await running()
  await expect.poll(builtProgram, { interval: 500 }).toContain('.data/built/tollgate-')
  started.pop()?.kill('SIGINT')
  const { inputs } = JSON.parse(await readFile(join(folder, '.data/built/program.json'), 'utf8'))
  const ofPackages = Object.keys(inputs).filter((path) => path.includes('node_modules/'))
  expect(ofPackages).toEqual(['node_modules/.package-lock.json'])
  const errors = join(folder, 'lib/api/errors.ts')
  const key = join(folder, 'tools/commands/key/key.ts')
  const [text, keyText] = await Promise.all([readFile(errors, 'utf8'), readFile(key, 'utf8')])

  const { said: output } = await running()
  expect(await unsigned('services_get')).toContain('<error>Incorrect hash</error>')
  expect(await (await fetch(`http://localhost:${port}/`)).text()).toContain('<script')
  await writeFile(errors, text.replace('Incorrect hash', 'Another hash'))
  await answersTo('services_get').toContain('<error>Another hash</error>')
  expect(output.text).toContain('The source has changed and is loaded again.')
  expect(await builtProgram()).toBe('')
  await writeFile(key, keyText.replace('without their secrets', 'in other words'))
  expect(await said(PROGRAM, 'key', '--help')).toContain('in other words')

  const built = join(folder, '.data/built')
  const earlier = await readdir(built)
  for (const name of earlier) await utimes(join(built, name), 0, 0)
  started.pop()?.kill('SIGINT')
  await running()
  await expect.poll(builtProgram, { interval: 500 }).toContain('.data/built/tollgate-')
  expect(await readdir(built)).toEqual(expect.arrayContaining(earlier))

  await writeFile(join(folder, 'no-watch.mjs'), NO_WATCH)
  vi.stubEnv('NODE_OPTIONS', '--import ./no-watch.mjs')
  started.pop()?.kill('SIGINT')
  await running()
  await writeFile(errors, text)
  await answersTo('services_get').toContain('<error>Incorrect hash</error>')
  vi.unstubAllEnvs()

  await Promise.all([writeFile(errors, text), writeFile(key, keyText)])
})

/** A system whose watches of files are used up. */
const NO_WATCH = `import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
fs.watch = () => { throw new Error('ENOSPC: System limit for number of file watchers reached') }
syncBuiltinESMExports()`

/** Reports every connection that leaves the machine on standard error. */
const GUARD = `import { Socket } from 'node:net'
const { connect } = Socket.prototype
Socket.prototype.connect = function (...args) {
  const [{ host = 'localhost', path }] = Array.isArray(args[0]) ? args[0] : args
  if (!path && !/^(localhost|127\\.0\\.0\\.1|::1)$/.test(host)) process.stderr.write('Asked ' + host)
  return connect.apply(this, args)
}`

/** The output of a program in the copy of the repository, without AWS credentials. */
async function said(...words: string[]): Promise<string> {
  await writeFile(join(folder, 'guard.mjs'), GUARD)
  const aws = Object.keys(process.env).filter((name) => name.startsWith('AWS_'))
  const env = { ...process.env, ...Object.fromEntries(aws.map((name) => [name, undefined])) }
  const child = spawn(process.execPath, ['--import', './guard.mjs', ...words], { cwd: folder, env })
  const [out, complaints] = await Promise.all([text(child.stdout), text(child.stderr)])
  for (const line of out.match(/^\{"method".*$/gm) ?? []) notedLine(line)
  return out + complaints
}

test('--fresh starts with an empty table; serverless and npx tollgate invoke use this table, and connect to no other machine', async () => {
  const serverless = [join(root, 'node_modules/serverless/bin/serverless.js'), 'invoke', 'local']
  const invoke = () => said(...serverless, '-f', 'devices_get', '--path', 'event.json')
  const { method } = await findFunctionFile('devices_get')
  const event = exampleEvent(method, signedParameters(method, { u: 'admin', user_id: '0' }, demoKey()))
  await writeFile(join(folder, 'event.json'), JSON.stringify(event))

  expect(await invoke()).toContain('There is no local table: run npm start first')
  await running('--fresh', '--yes')
  expect(await createDevice()).toContain('<id>1</id>')

  const [bySls, byScript] = [
    await invoke(),
    await said(PROGRAM, 'invoke', 'devices_get', '--event', 'event.json', 'u=nobody'),
  ]
  expect(bySls).toContain('<devices><device><device_id>1</device_id>')
  expect(byScript).toContain('<error>Bad login</error>')
  expect(bySls + byScript).not.toContain('Asked')
})

test('a busy port is reported in one sentence', async () => {
  const other = await listening(port)

  const { ended, said } = start()

  expect(await ended).toBe(1)
  expect(said.text).toMatch(oneSentence)
  expect(said.text).toContain(String(port))
  other.close()
})

test('--fresh names what it would delete of your own data, and without a terminal it needs --yes', async () => {
  const files = async () => (await readdir(join(folder, '.data'))).filter((name) => name.endsWith('.db'))
  const before = await files()

  const { ended, said } = start('--fresh')

  expect(await ended).toBe(1)
  expect(said.text).toMatch(
    /^--fresh deletes everything stored for small: \.data\/small-\w+\.db \(\d+\.\d MB, changed \S+\)\nNothing was deleted: pass --yes to delete it\n$/,
  )
  expect(await files()).toEqual(before)
})

test('data without a stamp is refused in one sentence, with the remedy, and stays as it is', async () => {
  const [database = ''] = (await readdir(join(folder, '.data'))).filter((name) =>
    /^small-\w+\.db$/.test(name),
  )
  const engine = await startEngine(join(folder, '.data', database))
  const client = createClient({ endpoint: engine.endpoint, tableName: 'tollgate' })
  const store = createStore({ client, tableName: 'tollgate', meter: createMeter() })
  await store.update(settingsKey, { set: { table_format: undefined } })
  await engine.stop()

  const { ended, said } = start()

  expect(await ended).toBe(1)
  expect(said.text).toMatch(/^The table has no stamp of its format, [^\n]* npm start -- --fresh\.\n$/)
})

test.each([
  ['truncated', (path: string) => truncate(path, 50_000)],
  ['overwritten', (path: string) => writeFile(path, 'no database'.repeat(1000))],
])('a data file that is %s is reported in one sentence, with the remedy', async (_how, damage) => {
  const files = (await readdir(join(folder, '.data'))).filter((name) => name.includes('.db'))
  for (const name of files) await damage(join(folder, '.data', name))

  const { ended, said } = start()

  expect(await ended).toBe(1)
  expect(said.text).toMatch(oneSentence)
  expect(said.text).toContain('--fresh')
})
