import { execFile } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { addIntake } from '#lib/cdrs/switches/intake-acts.ts'
import { secretOf } from '#test/acts/carry-out.ts'
import { sendTraffic } from '#test/traffic/clients.ts'
import { DONE } from '#test/traffic/in-process.ts'
import { brokenPromises, isDone, mixedRates } from '#test/traffic/promises.ts'
import { TRAFFIC_SETTINGS, trafficRows } from '#test/traffic/rows.ts'
import {
  CDRS_OF_A_STEP,
  cdrDocuments,
  formOf,
  type SentStep,
  type StepKind,
  type StepParams,
  SWITCH,
  trafficRates,
} from '#test/traffic/steps.ts'
import { itemsIn, openTable } from '#tools/command-line/open-table.ts'
import { program, root } from '#tools/machine/location.ts'
import { type ServedFolder, serveFolder, writeDataset } from './server-process.ts'

/** The length of a soak, and the number of rates that each replacement of the tariff has. */
export interface SoakOptions {
  readonly minutes: number
  readonly rates: number
  /** Receives a line about each event. */
  readonly tell: (line: string) => void
}

/** The acknowledged steps of a soak, and the problems found after it. */
export interface SoakResult {
  readonly acknowledged: Readonly<Record<'cdrs' | 'changes' | 'reads' | 'tariffs' | 'kills', number>>
  readonly problems: readonly string[]
}

const READS: readonly StepKind[] = ['devices_get', 'quickstats_get', 'user_calls_get', 'rate_get']

const CHANGES: readonly StepKind[] = [
  ...(['device_create', 'device_create', 'device_update', 'device_delete'] as const),
  ...(['device_rule_create', 'device_rule_delete', 'exchange_rate_update', 'user_login'] as const),
  ...([
    'location_rule_create',
    'location_rule_update',
    'location_rule_copy',
    'location_rule_delete',
  ] as const),
]

/** A tariff is replaced by one client at a time: a replacement takes longer than everything else. */
const CLIENTS: readonly (readonly StepKind[])[] = [['cdrs'], ['cdrs'], CHANGES, CHANGES, READS, ['rates']]

/** Traffic over an installation that is killed at random, then a search for all that was acknowledged. */
export async function soak({ minutes, rates, tell }: SoakOptions): Promise<SoakResult> {
  const seed = Number(process.env['TOLLGATE_SEED'] ?? randomInt(1e9))
  tell(`Traffic of the seed ${seed}`)
  const installation = await startSoaked(rates)
  const counts = { cdrs: 0, changes: 0, reads: 0, tariffs: 0, kills: 0 }
  const complaints: string[] = []
  const until = Date.now() + minutes * 60_000
  try {
    const killing = killUntil(until, minutes, async () => {
      await installation.killAndStart()
      counts.kills += 1
      tell(`Killed and started again; so far ${JSON.stringify(counts)}`)
    })
    const journal = await sendTraffic({
      seed,
      from: 1,
      clients: CLIENTS,
      continues: () => Date.now() < until,
      send: (step) => sendOverHttp(installation, { step, rates, complaints }),
      note: (step) => {
        if (isDone(step)) counts[countOf(step)] += step.kind === 'cdrs' ? CDRS_OF_A_STEP : 1
      },
    })
    await killing
    return {
      acknowledged: counts,
      problems: [...complaints, ...(await problemsOf(installation, journal, rates))],
    }
  } finally {
    await installation.remove()
  }
}

function countOf({ kind }: SentStep): keyof SoakResult['acknowledged'] {
  if (kind === 'cdrs') return 'cdrs'
  if (kind === 'rates') return 'tariffs'
  return READS.includes(kind) ? 'reads' : 'changes'
}

const SHORTEST_LIFE_MS = 5_000

/** Some lives must outlast the import of a large tariff, and a short soak needs kills, too. */
const longestLifeMs = (minutes: number): number =>
  Math.max(Math.min(minutes * 12_000, 180_000), SHORTEST_LIFE_MS + 1)

async function killUntil(until: number, minutes: number, kill: () => Promise<void>): Promise<void> {
  for (;;) {
    const pause = randomInt(SHORTEST_LIFE_MS, longestLifeMs(minutes))
    await setTimeout(Math.min(pause, Math.max(until - Date.now(), 0)))
    if (Date.now() >= until) return
    await kill()
  }
}

/** After a request that the server has not answered, and between the requests of one client. */
const PAUSE_MS = 100

/** No answer while the server is down. Like a switch, it sends CDRs until they are acknowledged. */
async function sendOverHttp(
  installation: SoakedInstallation,
  { step, rates, complaints }: { step: SentStep; rates: number; complaints: string[] },
): Promise<string | undefined> {
  const { kind, params } = step
  if (kind === 'rates') return replaceTariff(installation, params, rates)
  const { url, key, authorization } = installation
  const post = async (path: string, init: RequestInit) => {
    const answer = await fetch(url + path, { method: 'POST', ...init }).catch(() => undefined)
    const document = await answer?.text().catch(() => undefined)
    if (answer?.status === 200) return document
    if (answer && ![500, 503].includes(answer.status)) complaints.push(`${kind}: ${answer.status}`)
    await setTimeout(PAUSE_MS)
    return undefined
  }
  if (kind !== 'cdrs') {
    await setTimeout(PAUSE_MS / 2)
    return post(`/api/${kind}`, { body: formOf(step, key) })
  }
  for (const { format, text } of cdrDocuments(params))
    while ((await post(`/intake/${format}`, { headers: { authorization }, body: text })) === undefined);
  return DONE
}

/** A kill may interrupt the import. */
async function replaceTariff(
  installation: SoakedInstallation,
  { tariff_rate = '' }: StepParams,
  count: number,
): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-soak-rates-'))
  await writeDataset(folder, { rates: trafficRates(count, tariff_rate) })
  const { isDone } = await run(installation, 'import', join(folder, 'rates.ndjson'))
  await rm(folder, { recursive: true, force: true })
  return isDone ? DONE : undefined
}

/** Looks for every acknowledged change, and lets check-data recount every counter. */
async function problemsOf(
  installation: SoakedInstallation,
  journal: readonly SentStep[],
  rates: number,
): Promise<string[]> {
  await installation.killAndStart()
  const checked = await run(installation, 'check-data')
  const location = installation.location()
  const items = (await Array.fromAsync(itemsIn(location))).flat()
  return [
    ...(checked.isDone ? [] : [`check-data: ${checked.output}`]),
    ...brokenPromises(journal, items),
    ...(await mixedRates(openTable(location), journal, rates)),
  ]
}

// The installation

/** `npm start` on a dataset of its own, which may be killed and started again. */
interface SoakedInstallation extends ServedFolder {
  readonly key: string
  /** The header that admits the switch. */
  readonly authorization: string
}

async function startSoaked(rates: number): Promise<SoakedInstallation> {
  const key = randomBytes(16).toString('hex')
  const settings = { Allow_API: '1', API_Secret_Key: key, Timezone: 'UTC', ...TRAFFIC_SETTINGS }
  const served = await serveFolder({
    ...trafficRows(rates),
    settings: Object.entries(settings).map(([name, value]) => ({ name, value })),
  })
  const here = { store: openTable(served.location()), now: new Date() }
  const secret = await secretOf(here, addIntake, { name: SWITCH })
  return {
    ...served,
    key,
    authorization: `Basic ${Buffer.from(`${SWITCH}:${secret}`).toString('base64')}`,
  }
}

/** Runs a command on the table. Returns whether it succeeded, and its output. */
const run = ({ folder }: SoakedInstallation, ...words: readonly string[]) =>
  promisify(execFile)(process.execPath, [program, ...words, '--data', folder], { cwd: root }).then(
    ({ stdout, stderr }) => ({ isDone: true, output: stdout + stderr }),
    ({ stdout = '', stderr = '' }) => ({ isDone: false, output: `${stdout}${stderr}` }),
  )
