import { createHash } from 'node:crypto'
import { addDays, secondsOf } from '#lib/base/calendar.ts'
import { sumUpDays } from '#lib/calls/report/day-groups.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { createMeter } from '#lib/table/requests/meter.ts'
import { aConsoleClient } from '#test/console/console-client.ts'
import { type BenchInstallation, callingAccounts, openBench } from './installation.ts'
import { processorSince } from './measure.ts'
import { type BenchmarkTable, oneDecimal, progress } from './report.ts'
import { type CallsToWrite, FIRST_CUSTOMER, writeManyCalls } from './written-calls.ts'

const [FIRST_DAY, DAYS, CUSTOMERS] = ['2026-03-01', 31, 10_000]
const LAST_DAY = addDays(FIRST_DAY, DAYS - 1)
const NOW = new Date(`${LAST_DAY}T23:59:59Z`)
const PASSWORD = 'of-bench'

const MONTH = { from: FIRST_DAY, till: LAST_DAY }

const READINGS: readonly (readonly [path: string, values: Record<string, string>])[] = [
  ['/session', {}],
  ['/traffic', MONTH],
  ['/traffic', { ...MONTH, by: 'customer' }],
  ['/traffic', { ...MONTH, by: 'destination' }],
  ['/customers', {}],
  ['/customers', { search: 'account-100' }],
  ['/customers', { search: 'account' }],
  ['/customers', { order: 'name' }],
  [`/customers/${FIRST_CUSTOMER}`, {}],
  [`/customers/${FIRST_CUSTOMER}/log`, {}],
  ['/calls', MONTH],
  ['/calls', { ...MONTH, customer: String(FIRST_CUSTOMER) }],
  ['/calls', { ...MONTH, number: '999' }],
  ['/search', { text: 'A-77' }],
  ['/live-calls', {}],
  ['/documents', {}],
  ['/suspense', {}],
  ['/tariffs', {}],
  ['/settings', {}],
]

/** The cost of each reading of the console for an admin, with a month of calls of ten thousand customers. */
export async function benchConsole(count: number): Promise<BenchmarkTable> {
  const bench = await openBench(() => NOW)
  try {
    const start = secondsOf(new Date(`${FIRST_DAY}T00:00:00Z`))
    const load = { start, count, days: DAYS, owners: 4, customers: CUSTOMERS }
    await fill(bench, load)
    await writeManyCalls(bench.store, load)
    progress('calls are written')
    const sums = await costOfSums(bench)
    const rows = []
    for (const reading of READINGS) rows.push(await costOf(bench, reading))
    return {
      title: `The console's API: ${count} calls in ${DAYS} days, ${CUSTOMERS} customers`,
      columns: ['', 'read units, cold', 'read units, warm', 'processor, ms', 'KB'],
      rows: [...rows, ['the hourly run, all days new', sums.units, '', sums.milliseconds, '']],
    }
  } finally {
    await bench.stop()
  }
}

async function fill({ given }: BenchInstallation, load: CallsToWrite): Promise<void> {
  const password_hash = createHash('sha1').update(PASSWORD).digest('hex')
  const users = callingAccounts(load).map((user) => ({ ...user, password_hash }))
  const invoices = Array.from({ length: 1000 }, (_, n) => ({
    id: String(n + 1),
    user_id: String(FIRST_CUSTOMER + n),
    number: `A-${n}`,
    issue_date: LAST_DAY,
    price: '10',
  }))
  const destinations = [{ prefix: '1202', direction: 'United States', destination: 'Washington DC' }]
  await given({ users, destinations })
  await given({ invoices })
  progress('accounts are imported')
}

async function costOfSums({ services }: BenchInstallation) {
  const meter = createMeter()
  const store = services.openStore(meter)
  const settings = await settingsOf(store)
  const before = process.cpuUsage()
  await sumUpDays({ store, settings, now: NOW, hasTime: () => true })
  return { units: oneDecimal(meter.spent.read), milliseconds: oneDecimal(processorSince(before) / 1000) }
}

const WARM_RUNS = 20

/** Functions that have just started, and a session of the admin on them. */
async function costOf(
  { services }: BenchInstallation,
  [path, values]: (typeof READINGS)[number],
): Promise<readonly [string, ...string[]]> {
  const lines: Readonly<Record<string, unknown>>[] = []
  const log = (line: (typeof lines)[number]) => void lines.push(line)
  const transport = { streams: false, maxBytes: 6_000_000 }
  const client = aConsoleClient(
    { services: { ...services, log, transport } },
    { isWarm: true, isChecked: false },
  )
  await client.signIn('admin', PASSWORD)
  const ask = async () => {
    const { status, body } = await client.get(path, values)
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`)
    return { units: oneDecimal(Number(lines.at(-1)?.['read_units'])), size: JSON.stringify(body).length }
  }
  const [cold, warm] = [await ask(), await ask()]
  const before = process.cpuUsage()
  for (let run = 0; run < WARM_RUNS; run += 1) await ask()
  const processor = processorSince(before) / 1000 / WARM_RUNS
  const query = new URLSearchParams(values).toString()
  const name = path + (query && `?${query}`)
  return [name, cold.units, warm.units, oneDecimal(processor), oneDecimal(cold.size / 1000)]
}
