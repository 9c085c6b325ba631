import { BatchWriteCommand, GetCommand } from '@aws-sdk/lib-dynamodb'
import type { Method, Services } from '#lib/api/method.ts'
import { importPath } from '#lib/dataset/import/folder.ts'
import { type DatasetRows, importDataset, importRows } from '#lib/dataset/import/import.ts'
import { loadFunctionFiles } from '#lib/local/contracts/function-files.ts'
import { demoKey, exampleOf } from '#lib/local/contracts/generated-files.ts'
import { type SentParameters, signedParameters } from '#lib/local/contracts/signed-call.ts'
import { demoDataset } from '#lib/local/data-folder.ts'
import { answerTo } from '#lib/local/examples/answers.ts'
import { createTable, startEngine } from '#lib/local/server/engine.ts'
import { createClient, type TableClient } from '#lib/store/requests/client.ts'
import { createMeter } from '#lib/store/requests/meter.ts'
import { createStore } from '#lib/store/store.ts'
import { generatedSource } from '#lib/testing/examples/generated-rates.ts'
import { aroundRequests } from '#lib/testing/faults/around-requests.ts'
import { readTemplate, TEMPLATE_ID, writeFillers } from './fillers.ts'
import { type BenchmarkTable, fixed } from './report.ts'
import { keysWritten, type Values } from './units-by-key.ts'

const TABLE = 'growth'
const NOW = new Date('2026-11-18T15:30:00Z')
const CALLS_OF_A_METHOD = 10
const FROM_THIS_YEAR = String(Date.parse('2026-01-01T00:00:00Z') / 1000)

/** Objects that grow in number, and the methods that must not notice. */
interface Estate {
  readonly name: string
  /** One of the objects, from which all others are copied; without it, the rates of a tariff grow. */
  readonly template?: DatasetRows
  readonly methods: readonly string[]
  /** They grow to so many times the largest number, because they are cheap to write. */
  readonly times?: number
}

const id = String(TEMPLATE_ID)
const LAST_YEAR = '2025-11-05 10:00:00'

const customer = {
  id,
  username: `filler-${id}`,
  password_hash: '0'.repeat(40),
  usertype: 'user',
  owner_id: '2',
  tariff_id: '3',
}

const ESTATES: readonly Estate[] = [
  {
    name: 'customers with a device, a rule and a DID',
    template: {
      users: [customer],
      devices: [{ id, user_id: id, device_type: 'SIP', name: id, secret: `secret-${id}`, extension: id }],
      device_rules: [{ id, device_id: id, name: 'Abroad', cut: '00' }],
      dids: [{ id, did: `370${id}`, owner_id: '2', user_id: id, device_id: id }],
    },
    methods: [
      ...[
        'user_login',
        'devices_get',
        'device_details_get',
        'device_create',
        'device_update',
        'device_delete',
      ],
      ...['device_rules_get', 'device_rule_create', 'device_rule_delete', 'exchange_rate_update'],
    ],
  },
  {
    name: 'locations, each with a rule',
    template: {
      locations: [{ id, name: `Filler ${id}`, owner_id: '2' }],
      location_rules: [{ id, location_id: id, name: `Rule ${id}`, cut: '00', lcr_id: '3' }],
    },
    methods: [
      ...['location_rule_get', 'location_rules_get', 'location_rule_create', 'location_rule_update'],
      ...['location_rule_delete', 'location_rule_copy'],
    ],
  },
  {
    name: 'calls of another customer on the same day',
    times: 10,
    template: {
      calls: [
        {
          uniqueid: `filler-${id}`,
          calldate: '2026-11-18 10:00:00',
          src: '37060012345',
          dst: '12025550199',
          duration: '70',
          billsec: '60',
          hangupcause: '16',
          user_id: '21',
          user_price: '0.1',
        },
      ],
    },
    methods: ['user_calls_get', 'quickstats_get'],
  },
  {
    name: 'calls in progress',
    template: {
      active_calls: [{ id, start_time: '2026-11-18 15:20:00', src: '1001', user_id: '21' }],
    },
    methods: ['active_calls_get', 'quickstats_get'],
  },
  {
    name: 'internal calls and queue log entries of other days',
    template: {
      local_calls: [{ uniqueid: `filler-${id}`, calldate: LAST_YEAR, originator_user_id: '20' }],
      queue_log: [{ id, time: LAST_YEAR, queue_name: 'reception', event: 'ENTERQUEUE' }],
    },
    methods: ['local_calls_get', 'queue_log_get'],
  },
  {
    name: 'documents of another customer, and services of another owner',
    template: {
      services: [{ id, owner_id: '0', name: `Filler ${id}`, price: '1' }],
      subscriptions: [{ id, user_id: '21', service_id: id, from: LAST_YEAR }],
      payments: [{ id, user_id: '21', date: LAST_YEAR, amount: '1', completed: '1' }],
      credit_notes: [{ id, user_id: '21', issue_date: '2025-11-05', price: '1' }],
      invoices: [{ id, user_id: '21', number: `F-${id}`, issue_date: '2025-11-05', price: '1' }],
    },
    methods: [
      ...['credit_notes_get', 'payments_get', 'services_get', 'subscriptions_get'],
      ...['financial_statements_get', 'invoices_get'],
    ],
  },
  { name: 'rates of the tariff', times: 10, methods: ['rate_get', 'tariff_rates_get'] },
]

/** Parameters that ask a list for a part that stays the same, in place of those of the examples. */
const SLICES: Readonly<Record<string, SentParameters>> = {
  active_calls_get: { u: 'carol' },
  queue_log_get: { u: 'admin', from: FROM_THIS_YEAR, queuename: 'reception' },
  invoices_get: { u: 'northwind', from: FROM_THIS_YEAR },
  financial_statements_get: { u: 'alice_accounting', date_from: FROM_THIS_YEAR },
}

interface Cost {
  readonly units: number
  readonly trips: number
  /** Processor of this process, in milliseconds. */
  readonly processor: number
}

interface Measured {
  readonly size: number
  readonly cost: Cost
}

/** Calls every method of the demo while what it stores grows up to a power of ten. */
export async function benchGrowth(most: number): Promise<BenchmarkTable> {
  const methods = new Map((await loadFunctionFiles()).map(({ method }) => [method.name, method as Method]))
  const rows: BenchmarkTable['rows'][number][] = []
  for (const estate of ESTATES) {
    const costs = await grow(estate, methods, most * (estate.times ?? 1))
    for (const [name, measured] of costs) rows.push(rowOf(name, estate.name, measured))
  }
  return {
    title: `Growth: a call of each method while what it stores grows to ${most.toLocaleString('en')} and more; exponents, 0 for no growth`,
    columns: ['method', 'what grows', 'sizes', 'units', 'trips', 'processor, ms', 'exponents of the three'],
    rows,
  }
}

function rowOf(name: string, what: string, measured: readonly Measured[]): BenchmarkTable['rows'][number] {
  const each = (show: (cost: Cost) => string) => measured.map(({ cost }) => show(cost)).join(', ')
  const exponents = (['units', 'trips', 'processor'] as const).map((of) =>
    exponentOf(measured, of).toFixed(2),
  )
  return [
    name,
    what,
    measured.map(({ size }) => `10^${Math.round(Math.log10(size))}`).join(', '),
    each(({ units }) => fixed(units)),
    each(({ trips }) => String(trips)),
    each(({ processor }) => processor.toFixed(1)),
    exponents.map((exponent) => exponent.replace(/^-0\.00$/, '0.00')).join(', '),
  ]
}

/** The slope of the line that fits the logarithms best. */
function exponentOf(measured: readonly Measured[], of: keyof Cost): number {
  const points = measured.map(
    ({ size, cost }) => [Math.log(size), Math.log(Math.max(cost[of], 0.01))] as const,
  )
  const mean = (place: 0 | 1) => points.reduce((sum, point) => sum + point[place], 0) / points.length
  const [x, y] = [mean(0), mean(1)]
  const spread = points.reduce((sum, point) => sum + (point[0] - x) ** 2, 0)
  return spread === 0 ? 0 : points.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0) / spread
}

const SMALLEST = 1000

async function grow(
  { template, methods: names }: Estate,
  methods: ReadonlyMap<string, Method>,
  most: number,
): Promise<Map<string, Measured[]>> {
  const engine = await startEngine()
  try {
    const client = createClient({ tableName: TABLE, endpoint: engine.endpoint })
    await createTable(client, TABLE)
    const importing = {
      store: createStore({ client, tableName: TABLE, meter: createMeter() }),
      clock: () => NOW,
    }
    await importPath(importing, demoDataset)
    if (template) await importRows(importing, template)
    const items = await readTemplate(client, TABLE)
    const measured = new Map(names.map((name) => [name, [] as Measured[]]))
    for (let [from, size] = [1, Math.min(SMALLEST, most)]; size <= most; from = size, size *= 10) {
      if (template) await writeFillers(client, TABLE, items, [from, size])
      else await growTariff(importing, size)
      for (const name of names)
        measured.get(name)?.push({ size, cost: await costOf(client, methods.get(name) as Method) })
    }
    return measured
  } finally {
    await engine.stop()
  }
}

/** Adds rates to those of the demo's tariff, which the examples ask for. */
const growTariff = (importing: Parameters<typeof importDataset>[0], size: number) =>
  importDataset(importing, { name: 'bench', sources: { rates: generatedSource(3, size) } }, { merge: true })

/** The cost of a call. What it writes is taken back, so that it can be repeated; the call with the least processor counts. */
async function costOf(client: TableClient, method: Method): Promise<Cost> {
  const { client: undoing, undo } = withUndo(client)
  const lines: Readonly<Record<string, unknown>>[] = []
  const services: Services = {
    openStore: (meter) => createStore({ client: undoing, tableName: TABLE, meter }),
    clock: () => NOW,
    transport: { streams: false, maxBytes: 400_000_000 },
    random: { below: () => 0 },
    log: (line) => void lines.push(line),
  }
  const params = signedParameters(method, SLICES[method.name] ?? exampleOf(method.name), demoKey())
  let processor = Number.POSITIVE_INFINITY
  for (let n = 0; n < CALLS_OF_A_METHOD; n += 1) {
    const before = process.cpuUsage()
    const answer = await answerTo(services, method, params)
    const { user, system } = process.cpuUsage(before)
    if (answer.includes('<error>'))
      throw new Error(`${method.name} answered ${answer}`, { cause: lines.at(-1)?.['error'] })
    processor = Math.min(processor, (user + system) / 1000)
    await undo()
  }
  const line = lines.at(-1)
  return {
    units: Number(line?.['read_units']) + Number(line?.['write_units']),
    trips: Number(line?.['round_trips']),
    processor,
  }
}

/** A client that remembers the items which requests change, as they were before. */
function withUndo(client: TableClient) {
  const changed = new Map<string, { key: Values; item: Values | undefined }>()
  const remember = async ({ PK, SK }: Values) => {
    const key = { PK, SK }
    if (changed.has(JSON.stringify(key))) return
    const { Item } = await client.send(new GetCommand({ TableName: TABLE, Key: key, ConsistentRead: true }))
    changed.set(JSON.stringify(key), { key, item: Item })
  }
  return {
    client: aroundRequests(client, async (command, send) => {
      for (const key of keysWritten(Object(command).input, TABLE)) await remember(key)
      return send()
    }),
    undo: async () => {
      for (const { key, item } of changed.values()) {
        const write = item ? { PutRequest: { Item: item } } : { DeleteRequest: { Key: key } }
        await client.send(new BatchWriteCommand({ RequestItems: { [TABLE]: [write] } }))
      }
      changed.clear()
    },
  }
}
