import { createHash } from 'node:crypto'
import type { APIGatewayProxyResult } from 'aws-lambda'
import { serveResource } from '#lib/api/console/stack.ts'
import type { Handler } from '#lib/api/stack/stack.ts'
import { addDays, secondsOf } from '#lib/domain/calendar.ts'
import { sumUpDays } from '#lib/report/day-groups.ts'
import { settingsOf } from '#lib/store/installation/settings.ts'
import { rememberingReader } from '#lib/store/recent-items.ts'
import { createMeter } from '#lib/store/requests/meter.ts'
import { aContext, anEvent, type Request } from '#test/event.ts'
import { loadResourceFiles } from '#tools/contracts/console-config.ts'
import { type BenchInstallation, callingAccounts, openBench } from './load/installation.ts'
import { type CallsToWrite, FIRST_CUSTOMER, writeManyCalls } from './load/written-calls.ts'
import { processorSince } from './measure.ts'
import { type BenchmarkTable, oneDecimal, progress } from './report.ts'

const [FIRST_DAY, DAYS, CUSTOMERS] = ['2026-03-01', 31, 10_000]
const LAST_DAY = addDays(FIRST_DAY, DAYS - 1)
const NOW = new Date(`${LAST_DAY}T23:59:59Z`)
const PASSWORD = 'of-bench'

const MONTH = { from: FIRST_DAY, till: LAST_DAY }
const ONE = String(FIRST_CUSTOMER)

/** The readings of the page, with their path in the template of the API. */
const READINGS: readonly (readonly [template: string, values: Readonly<Record<string, string>>])[] = [
  ['/session', {}],
  ['/traffic', MONTH],
  ['/traffic', { ...MONTH, by: 'customer' }],
  ['/traffic', { ...MONTH, by: 'destination' }],
  ['/customers', {}],
  ['/customers', { search: 'account-100' }],
  ['/customers', { search: 'account' }],
  ['/customers', { order: 'name' }],
  ['/customers/{id}', { id: ONE }],
  ['/customers/{id}/log', { id: ONE }],
  ['/calls', MONTH],
  ['/calls', { ...MONTH, customer: ONE }],
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
    await writeManyCalls(bench.client, bench.tableName, load)
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

async function costOf(
  bench: BenchInstallation,
  [template, values]: (typeof READINGS)[number],
): Promise<readonly [string, ...string[]]> {
  const lines: Readonly<Record<string, unknown>>[] = []
  const ask = await aSession(bench, (line) => lines.push(line))
  const units = () => oneDecimal(Number(lines.at(-1)?.['read_units']))
  const first = await ask(template, values)
  const cold = units()
  await ask(template, values)
  const warm = units()
  const before = process.cpuUsage()
  for (let run = 0; run < WARM_RUNS; run += 1) await ask(template, values)
  const processor = processorSince(before) / 1000 / WARM_RUNS
  const query = new URLSearchParams(Object.entries(values).filter(([name]) => name !== 'id')).toString()
  const name = template.replace('{id}', values['id'] ?? '') + (query && `?${query}`)
  return [name, cold, warm, oneDecimal(processor), oneDecimal(first.length / 1000)]
}

/** Functions that have just started, and a session of the admin on them. */
async function aSession(bench: BenchInstallation, log: (line: Readonly<Record<string, unknown>>) => void) {
  const transport = { streams: false, maxBytes: 6_000_000 }
  const services = { ...bench.services, log, transport, readItems: rememberingReader(() => NOW) }
  const files = await loadResourceFiles()
  const handlers = new Map<string, Handler>(
    files.flatMap(({ resource }) => {
      const handler = serveResource(resource, services)
      return resource.operations.map(({ verb, path }) => [`${verb} ${path}`, handler] as const)
    }),
  )
  const send = async (
    verb: string,
    template: string,
    more: Partial<Request>,
  ): Promise<APIGatewayProxyResult> => {
    const event = anEvent({ method: verb, path: `/console/api${template}`, ...more })
    const handler = handlers.get(`${verb} ${template}`)
    if (!handler) throw new Error(`There is no ${verb} ${template}`)
    return handler({ ...event, resource: `/console/api${template}` }, aContext())
  }
  const signedIn = await send('POST', '/session', {
    headers: { 'Content-Type': 'application/json', 'X-Tollgate-Console': '1' },
    body: JSON.stringify({ username: 'admin', password: PASSWORD }),
  })
  const Cookie = String(signedIn.headers?.['Set-Cookie']).split(';')[0] ?? ''
  return async (template: string, values: Readonly<Record<string, string>>): Promise<string> => {
    const { id, ...query } = values
    const { statusCode, body } = await send('GET', template, {
      headers: { Cookie },
      query: Object.entries(query),
      ...(id !== undefined && { pathParameters: { id } }),
    })
    if (statusCode !== 200) throw new Error(`${template}: ${statusCode} ${body}`)
    return body
  }
}
