import { execFile } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { openTable } from '#tools/commands/open-table.ts'
import { addIntakeNamed } from '#tools/commands/switches/intake-tool.ts'
import { findFunctionFile } from '#tools/contracts/function-files.ts'
import { signedParameters } from '#tools/contracts/signed-call.ts'
import { program, root } from '#tools/machine/location.ts'
import { type ServedFolder, serveFolder } from './server-process.ts'

/** The length of a soak, and the number of rates that each replacement of the tariff has. */
export interface SoakOptions {
  readonly minutes: number
  readonly rates: number
  /** Receives a line about each event. */
  readonly tell: (line: string) => void
}

/** The acknowledged writes of a soak, and the problems found after it. */
export interface SoakResult {
  readonly acknowledged: Readonly<
    Record<'cdrs' | 'created' | 'deleted' | 'reads' | 'tariffs' | 'kills', number>
  >
  readonly problems: readonly string[]
}

/** Mixed traffic over an installation that is killed at random; then everything that was acknowledged is looked for. */
export async function soak({ minutes, rates, tell }: SoakOptions): Promise<SoakResult> {
  const installation = await startSoaked(rates)
  const traffic = new Traffic(installation)
  const until = Date.now() + minutes * 60_000
  try {
    await Promise.all([
      repeatUntil(until, () => traffic.sendCdrs()),
      repeatUntil(until, () => traffic.sendCdrs()),
      repeatUntil(until, () => traffic.changeDevices()),
      repeatUntil(until, () => traffic.read()),
      repeatUntil(until, () => replaceTariff(installation, traffic, rates)),
      repeatUntil(until, async () => {
        const pause = randomInt(SHORTEST_LIFE_MS, longestLifeMs(minutes))
        await setTimeout(Math.min(pause, Math.max(until - Date.now(), 0)))
        if (Date.now() >= until) return
        await installation.killAndStart()
        traffic.counts.kills += 1
        tell(`Killed and started again; so far ${JSON.stringify(traffic.counts)}`)
      }),
    ])
    return { acknowledged: traffic.counts, problems: await problemsOf(installation, traffic) }
  } finally {
    await installation.remove()
  }
}

const SHORTEST_LIFE_MS = 5_000

/** Some lives of the server must be longer than the import of a large tariff, and a short soak needs kills, too. */
const longestLifeMs = (minutes: number): number => Math.min(minutes * 12_000, 180_000)

async function repeatUntil(until: number, act: () => Promise<void>): Promise<void> {
  while (Date.now() < until) await act()
}

const BILLSEC = 60

class Traffic {
  readonly counts = { cdrs: 0, created: 0, deleted: 0, reads: 0, tariffs: 0, kills: 0 }
  /** The ids of devices, by whether they exist. A deletion without an answer may or may not be done. */
  readonly devices = new Map<string, 'exists' | 'deleted' | 'unknown'>()
  readonly complaints: string[] = []
  readonly #installation: SoakedInstallation
  #sent = 0

  constructor(installation: SoakedInstallation) {
    this.#installation = installation
  }

  /** Sends a batch until it is acknowledged, as a switch does. */
  async sendCdrs(): Promise<void> {
    const cdrs = Array.from({ length: 10 }, () => cdrOf(this.#sent++))
    const { url, authorization } = this.#installation
    for (;;) {
      const status = await fetch(`${url}/intake/asterisk-json`, {
        method: 'POST',
        headers: { authorization },
        body: cdrs.map((cdr) => JSON.stringify(cdr)).join('\n'),
      }).then(
        (answer) => answer.status,
        () => 0,
      )
      if (status === 200) break
      if (![0, 500, 503].includes(status)) this.complaints.push(`The intake answered ${status}`)
      await setTimeout(200)
    }
    this.counts.cdrs += cdrs.length
  }

  /** Creates a device, and deletes every second one again. */
  async changeDevices(): Promise<void> {
    const user_id = String(CUSTOMERS[randomInt(CUSTOMERS.length)])
    const created = /<id>(\d+)/.exec((await this.#call('device_create', { user_id })) ?? '')?.[1]
    if (created === undefined) return void (await setTimeout(100))
    this.devices.set(created, 'exists')
    this.counts.created += 1
    if (randomInt(2) === 0) return
    const answer = await this.#call('device_delete', { device: created })
    const isDeleted = answer?.includes('Device was deleted')
    this.devices.set(created, isDeleted ? 'deleted' : 'unknown')
    if (isDeleted) this.counts.deleted += 1
  }

  async read(): Promise<void> {
    const customer = CUSTOMERS[randomInt(CUSTOMERS.length)] ?? 0
    const answers = await Promise.all([
      this.#call('devices_get', { user_id: String(customer) }),
      this.#call('quickstats_get', {}),
      this.#call('user_calls_get', { s_user: String(customer) }),
      this.#call('rate_get', { prefix: '1000012345', username: soakedUsername(customer) }),
    ])
    this.counts.reads += answers.filter((answer) => answer !== undefined).length
    await setTimeout(50)
  }

  /** The document of an answer, or undefined while the server is down. */
  async #call(name: string, params: Readonly<Record<string, string>>): Promise<string | undefined> {
    const answer = await callAsAdmin(this.#installation, name, params).catch(() => undefined)
    const document = await answer?.text().catch(() => undefined)
    if (answer && ![200, 500, 503].includes(answer.status)) this.complaints.push(`${name}: ${answer.status}`)
    return answer?.status === 200 ? document : undefined
  }
}

async function callAsAdmin(
  { url, key }: SoakedInstallation,
  name: string,
  params: Readonly<Record<string, string>>,
): Promise<Response> {
  const { method } = await findFunctionFile(name)
  const body = new URLSearchParams(signedParameters(method, { u: 'admin', ...params }, key))
  return fetch(`${url}/api/${name}`, { method: 'POST', body })
}

const START = '2026-03-10 10:00:00'

/** Customers call in turn. */
const cdrOf = (at: number) => ({
  src: '370',
  dst: `1000${at % 10}12345`,
  start: START,
  answer: START,
  end: '2026-03-10 10:01:00',
  duration: BILLSEC,
  billsec: BILLSEC,
  disposition: 'ANSWERED',
  accountcode: soakedUsername(CUSTOMERS[at % CUSTOMERS.length] ?? 0),
  uniqueid: `1773136800.${at}`,
})

/** An import that a kill has interrupted is repeated. */
async function replaceTariff(
  installation: SoakedInstallation,
  { counts }: Traffic,
  rates: number,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-soak-rates-'))
  const path = join(folder, 'rates.csv')
  await writeFile(path, ratesCsv(rates, `0.${randomInt(1, 9)}`))
  const { isDone } = await run(installation, 'import', path)
  await rm(folder, { recursive: true, force: true })
  if (isDone) counts.tariffs += 1
  await setTimeout(1000)
}

/** Looks for every acknowledged write, and lets check-data recount every counter. */
async function problemsOf(installation: SoakedInstallation, traffic: Traffic): Promise<string[]> {
  await installation.killAndStart()
  const checked = await run(installation, 'check-data')
  const totals = await run(installation, 'report', 'totals', '--of', 'calls', '--format', 'csv')
  const listed = await devicesOf(installation)
  return [
    ...traffic.complaints,
    ...(checked.isDone ? [] : [`check-data: ${checked.output}`]),
    ...callProblems(totals.output, traffic.counts.cdrs),
    ...[...traffic.devices]
      .filter(([id, state]) => state !== 'unknown' && listed.has(id) !== (state === 'exists'))
      .map(([id, state]) => `The device ${id} should be: ${state}`),
  ]
}

/** The lines of the report are day, customer, count, billed seconds and price. */
function callProblems(csv: string, cdrs: number): string[] {
  const rows = [...csv.matchAll(/^2026-03-10,\d+,(\d+),(\d+),/gm)]
  const [calls, billsec] = [1, 2].map((column) => rows.reduce((sum, row) => sum + Number(row[column]), 0))
  if (calls === cdrs && billsec === cdrs * BILLSEC) return []
  return [`${cdrs} CDRs were acknowledged; the report has ${calls} calls of ${billsec} seconds`]
}

async function devicesOf(installation: SoakedInstallation): Promise<Set<string>> {
  const ids: string[] = []
  for (const customer of CUSTOMERS) {
    const answer = await callAsAdmin(installation, 'devices_get', { user_id: String(customer) })
    ids.push(...[...(await answer.text()).matchAll(/<device_id>(\d+)/g)].map(([, id = '']) => id))
  }
  return new Set(ids)
}

// The installation

/** The customers of the soak, by id. */
const CUSTOMERS = Array.from({ length: 20 }, (_, index) => 100 + index)

const soakedUsername = (customer: number): string => `customer${customer}`

/** `npm start` on a dataset of its own, which may be killed and started again. */
interface SoakedInstallation extends ServedFolder {
  readonly key: string
  /** The header that admits the switch `pbx1`. */
  readonly authorization: string
}

async function startSoaked(rates: number): Promise<SoakedInstallation> {
  const key = randomBytes(16).toString('hex')
  const served = await serveFolder((into) => writeDataset(into, key, rates))
  const [intake = ''] = await addIntakeNamed(openTable(served.location), 'pbx1', {}, new Date())
  const [name, secret] = intake.split(' ')
  return {
    ...served,
    key,
    authorization: `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`,
  }
}

/** Runs a command on the table. Returns whether it succeeded, and its output. */
const run = ({ folder }: SoakedInstallation, ...words: readonly string[]) =>
  promisify(execFile)(process.execPath, [program, ...words, '--data', folder], { cwd: root }).then(
    ({ stdout, stderr }) => ({ isDone: true, output: stdout + stderr }),
    ({ stdout = '', stderr = '' }) => ({ isDone: false, output: `${stdout}${stderr}` }),
  )

/** A rate for each prefix from 10000 on. */
const ratesCsv = (count: number, price: string): string =>
  [
    'tariff_id,prefix,tariff_rate,destination',
    ...Array.from({ length: count }, (_, index) => `1,${10_000 + index},${price},Destination ${index}`),
  ].join('\n')

/** A legacy hash that no password has: nobody logs in during a soak. */
const NO_PASSWORD = '0'.repeat(40)

async function writeDataset(folder: string, key: string, rates: number): Promise<void> {
  const customers = CUSTOMERS.map((id) => `${id},${soakedUsername(id)},${NO_PASSWORD},user,0,1`)
  const files = {
    'settings.csv': `name,value\nAllow_API,1\nAPI_Secret_Key,${key}\nDefault_Currency,EUR\nTimezone,UTC\n`,
    'currencies.csv': 'name,exchange_rate\nEUR,1\n',
    'tariffs.csv': 'id,name,currency,purpose,owner_id\n1,Retail,EUR,retail,0\n',
    'users.csv': [
      'id,username,password_hash,usertype,owner_id,tariff_id',
      `0,admin,${NO_PASSWORD},admin,0,`,
      ...customers,
    ].join('\n'),
    'rates.csv': ratesCsv(rates, '0.6'),
  }
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
}
