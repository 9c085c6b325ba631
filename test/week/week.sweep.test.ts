import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pRetry, { AbortError } from 'p-retry'
import { expect, onTestFinished, test } from 'vitest'
import { add, createSum, type Money, round, subtract } from '#lib/base/money.ts'
import type { ReportRow } from '#lib/calls/report/report.ts'
import { addIntake } from '#lib/cdrs/switches/intake-acts.ts'
import { recordsPrefix } from '#lib/ingest/bucket-prefixes.ts'
import { fileConsumer } from '#lib/ingest/file-consumer.ts'
import { awsFileStore } from '#lib/ingest/file-store.ts'
import { deliverToQueue } from '#lib/ingest/http/deliver-to-queue.ts'
import { queueConsumer } from '#lib/ingest/queue-consumer.ts'
import { createClient } from '#lib/table/requests/client.ts'
import type { Meter } from '#lib/table/requests/meter.ts'
import { createStore } from '#lib/table/store.ts'
import { type TableLocation, tableLocation } from '#lib/table/table.ts'
import { secretOf } from '#test/acts/carry-out.ts'
import { aQueueAndBucket } from '#test/queue/queue-and-bucket.ts'
import { readFixture } from '#test/releases/fixture.ts'
import { putLines } from '#test/releases/fixture-table.ts'
import { type ServedFolder, serveFolder } from '#test/soak/server-process.ts'
import { openTable } from '#tools/command-line/open-table.ts'
import { balancesReport } from '#tools/commands/report/balances.ts'
import { TOTALS, totalsOf } from '#tools/commands/report/totals.ts'
import { signedParameters } from '#tools/contracts/signed-call.ts'
import { dataFilesOf, prepareDataFolder } from '#tools/machine/data-folder.ts'
import { program, root } from '#tools/machine/location.ts'
import { createTable, startEngine } from '#tools/server/engine.ts'
import { method as devicesGet } from '../../functions/devices/devices_get.ts'

// A machine's week: a folder of release 1.0.0 is upgraded, takes traffic, is killed, backed up under load,
// restored elsewhere, ends a month, and moves to a second engine as DynamoDB. All sums stay equal.

const RELEASE = '1.0.0'

/** The month before the present one is over, so that it can be billed. */
const month = new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() - 1))
  .toISOString()
  .slice(0, 7)
const monthStart = Date.parse(`${month}-01T00:00:00Z`) / 1000
const SINCE = '2026-03-01'

/** The sums of an installation. */
interface Sums {
  readonly calls: number
  readonly seconds: number
  /** What customers and their resellers pay. */
  readonly prices: Money
  readonly rates: number
  readonly payments: Money
  readonly invoices: number
  readonly invoiced: Money
  readonly balances: Money
  readonly accounts: string
}

async function sumsOf(location: TableLocation): Promise<Sums> {
  const store = openTable(location)
  const days = { from: SINCE, till: new Date().toISOString().slice(0, 10) }
  const rows = Object.fromEntries(
    await Promise.all(
      TOTALS.map(async (kind) => [kind, await Array.fromAsync(totalsOf(store, kind, days).rows)]),
    ),
  ) as Record<(typeof TOTALS)[number], ReportRow[]>
  const everyBalance = await balancesReport(store, { accounts: undefined, below: undefined })
    .then(({ rows: some }) => Array.fromAsync(some))
    .catch(() => [])
  const sum = (some: readonly ReportRow[], name: string): Money => {
    const total = createSum()
    for (const row of some) total.add(String(row[name] ?? 0))
    return total.total()
  }
  return {
    calls: Number(sum(rows.calls, 'count')),
    seconds: Number(sum(rows.calls, 'billsec')),
    prices: add(sum(rows.calls, 'user_price'), sum(rows.calls, 'reseller_price')),
    rates: Number(sum(rows.rates, 'count')),
    payments: sum(rows.payments, 'amount'),
    invoices: Number(sum(rows.invoices, 'count')),
    invoiced: round(sum(rows.invoices, 'price'), 6),
    balances: round(sum(everyBalance, 'balance'), 6),
    accounts: rows.objects.map(({ object, count }) => `${object} ${count}`).join(', '),
  }
}

/** Runs a command and returns what it printed. */
const run = async (words: readonly string[], environment: Readonly<Record<string, string>> = {}) => {
  const env = { ...process.env, ...environment }
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...words], { cwd: root, env })
  return stdout
}

/** A call of carol, a customer of the fixture, as cdr_custom of Asterisk writes it. */
const cdr = (number: number) => ({
  uniqueid: `week.${number}`,
  accountcode: number % 3 === 0 ? 'nw_bakery' : 'carol',
  src: '12025550130',
  dst: '442079460000',
  start: monthStart + number * 997,
  duration: 120,
  billsec: 60 + (number % 50),
  disposition: 'ANSWERED',
})

/** Sends CDRs in sequence until acknowledged, like a switch. The server may be down for 30 seconds. */
async function send(url: string, authorization: string, numbers: Iterable<number>): Promise<void> {
  for (const number of numbers)
    await pRetry(() => sendOne(url, authorization, number), { retries: 600, minTimeout: 50, factor: 1 })
}

async function sendOne(url: string, authorization: string, number: number): Promise<void> {
  const init = { method: 'POST', headers: { authorization }, body: JSON.stringify(cdr(number)) }
  const { status } = await fetch(`${url}/intake/asterisk-json`, init)
  if (status === 401) throw new AbortError(`the CDR ${number} got 401`)
  if (status !== 200) throw new Error(`the CDR ${number} got ${status}`)
}

const numbers = (from: number, count: number) => Array.from({ length: count }, (_, index) => from + index)

/** The database of a release, in the place where the present code looks for that of a folder. */
async function putRelease(folder: string): Promise<void> {
  const files = dataFilesOf(folder)
  await prepareDataFolder(files, false)
  const engine = await startEngine(files.database)
  const location = tableLocation({ DYNAMODB_ENDPOINT: engine.endpoint })
  const client = createClient(location)
  await createTable(client, location.tableName)
  await putLines({ client, tableName: location.tableName }, readFixture(RELEASE).lines)
  await engine.stop()
}

const served = async (...given: Parameters<typeof serveFolder>): Promise<ServedFolder> => {
  const one = await serveFolder(...given)
  onTestFinished(one.remove)
  return one
}

const DATASET = { settings: [{ name: 'Allow_API', value: '1' }] }

test('a week on one machine, and the move', { timeout: 600_000 }, async () => {
  const table: Record<string, Sums> = {}
  const note = async (step: string, location: TableLocation) => (table[step] = await sumsOf(location))

  // Monday: an older release is upgraded.
  const shop = await served(DATASET, {}, putRelease)
  const here = ['--data', shop.folder]
  const old = await note('release 1.0.0, started', shop.location())
  await run(['migrate', ...here])
  expect(await note('migrated', shop.location())).toEqual(old)
  const begin = (name: string) => run(['settings', 'set', name, `${month}-01`, '--as', 'admin', ...here])
  for (const name of ['Balance_From', 'Invoices_From']) await begin(name)
  // Reports show all decimals of a balance.
  await run(['settings', 'set', 'Nice_Number_Digits', '8', '--as', 'admin', ...here])
  const opened = { store: openTable(shop.location()), now: new Date() }
  const secret = await secretOf(opened, addIntake, { name: 'pbx' })
  const authorization = `Basic ${Buffer.from(`pbx:${secret}`).toString('base64')}`
  const before = await note('balances are kept', shop.location())

  // Tuesday: traffic and a kill.
  const traffic = send(shop.url, authorization, numbers(0, 300))
  await new Promise((resolve) => setTimeout(resolve, 2000))
  await shop.killAndStart()
  await traffic
  const tuesday = await note('300 calls, with a kill -9', shop.location())
  expect(tuesday.calls - before.calls).toBe(300)
  expect(tuesday.seconds - before.seconds).toBe(numbers(0, 300).reduce((sum, n) => sum + cdr(n).billsec, 0))
  expect(subtract(before.balances, tuesday.balances)).toBe(subtract(tuesday.prices, before.prices))

  // Wednesday: a backup under load, restored into another folder.
  const backups = await mkdtemp(join(tmpdir(), 'tollgate-week-'))
  const load = send(shop.url, authorization, numbers(300, 300))
  await run(['backup', backups, ...here])
  await load
  const wednesday = await note('300 more, with a backup', shop.location())
  expect(wednesday.calls - before.calls).toBe(600)
  const copy = await served(DATASET, {}, (folder) => restoreNewest(backups, folder))
  const restored = await note('that backup, in another folder', copy.location())
  expect(restored.calls).toBeGreaterThanOrEqual(tuesday.calls)
  expect(restored.calls).toBeLessThanOrEqual(wednesday.calls)
  await run(['check-data', '--data', copy.folder])
  await send(copy.url, authorization, numbers(0, 600))
  expect(await note('and all CDRs again', copy.location())).toEqual(wednesday)

  // Thursday: the month ends.
  await begin('Charges_From')
  await run(['charges', 'run', ...here])
  const charged = await note('charged', shop.location())
  await run(['invoices', 'issue', '--month', month, '--despite-suspense', ...here]).catch(
    ({ stdout, stderr }) => process.stdout.write(`${stdout}${stderr}`),
  )
  const billed = await note('invoiced', shop.location())
  expect(billed.invoices).toBeGreaterThan(charged.invoices)
  await run(['check-data', ...here])

  // Friday: all of it is restored into a third folder.
  const later = await mkdtemp(join(tmpdir(), 'tollgate-week-'))
  await run(['backup', later, ...here])
  const third = await served(DATASET, {}, (folder) => restoreNewest(later, folder))
  expect(await note('a restore in a third folder', third.location())).toEqual(billed)

  // Saturday: the move. Switches and portals change an address and nothing else.
  const aws = await startEngine()
  onTestFinished(aws.stop)
  const there = { DYNAMODB_ENDPOINT: aws.endpoint, TABLE_NAME: 'tollgate-prod' }
  const cloud = tableLocation({ ...process.env, ...there })
  await createTable(createClient(cloud), cloud.tableName)
  await mkdir(later, { recursive: true })
  const everything = join(later, 'everything')
  process.stdout.write(await run(['export', everything, '--with-secrets', '--data', third.folder]))
  process.stdout.write(await run(['import', everything, '--table', 'tollgate-prod'], there))
  expect(await note('moved by export and import', cloud)).toEqual(billed)
  await secretOf({ store: openTable(cloud), now: new Date() }, addIntake, { name: 'pbx', secret })
  const moved = await served(DATASET, there)
  await send(moved.url, authorization, numbers(0, 600))
  expect(await note('and all CDRs again, there', cloud)).toEqual(billed)
  for (const u of ['carol', 'nw_bakery']) expect(await call(moved.url, u)).toBe(await call(shop.url, u))
  await throughQueueAndBucket(cloud)
  const last = await note('and 40 more by queue and bucket', cloud)
  expect(last.calls - billed.calls).toBe(40)
  await run(['check-data', '--table', 'tollgate-prod'], there)

  for (const [step, sums] of Object.entries(table))
    process.stdout.write(`${step.padEnd(32)} ${Object.values(sums).join(' | ')}\n`)
})

const restoreNewest = async (backups: string, folder: string): Promise<void> => {
  const newest =
    (await readdir(backups))
      .filter((name) => name.endsWith('.db'))
      .sort()
      .at(-1) ?? ''
  await run(['restore', join(backups, newest), '--data', folder, '--yes'])
}

/** The devices of a customer, as a portal asks for them. */
async function call(url: string, u: string): Promise<string> {
  const form = signedParameters(devicesGet, { u }, 'demo-secret-key')
  const answer = await fetch(`${url}/api/devices_get`, { method: 'POST', body: new URLSearchParams(form) })
  return answer.text()
}

/** In AWS CDRs come through a queue or a bucket: 600 again and 40 new ones. */
async function throughQueueAndBucket(location: TableLocation): Promise<void> {
  const aws = await aQueueAndBucket()
  const table = { client: createClient(location), tableName: location.tableName }
  const services = {
    openStore: (meter: Meter) => createStore({ ...table, meter }),
    clock: () => new Date(),
    log: () => {},
  }
  const text = (some: readonly number[]) => some.map((number) => JSON.stringify(cdr(number))).join('\n')
  const deliver = deliverToQueue(aws.environment('intake'))
  await deliver(openTable(location), new Date(), {
    source: 'pbx',
    zone: '',
    format: 'asterisk-json',
    text: text(numbers(0, 620)),
  })
  await aws.consume('ingest_calls', queueConsumer('ingest_calls', services))
  await aws.put('switches/pbx/asterisk-json/day.json', text(numbers(610, 30)))
  const files = awsFileStore(aws.environment('ingest_record_files'))
  await aws.consume(
    'ingest_record_files',
    fileConsumer('ingest_record_files', { ...services, files, prefix: recordsPrefix, partBytes: 1_000_000 }),
  )
}
