import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { BatchWriteCommand, GetCommand } from '@aws-sdk/lib-dynamodb'
import type { Method, Services } from '#lib/api/method.ts'
import { importPath } from '#lib/dataset/import/folder.ts'
import { type DatasetRows, importDataset, importRows } from '#lib/dataset/import/import.ts'
import { patiently } from '#lib/store/requests/aws-config.ts'
import { createClient, type TableClient } from '#lib/store/requests/client.ts'
import { createMeter } from '#lib/store/requests/meter.ts'
import { createStore } from '#lib/store/store.ts'
import { streamed } from '#test/answers/streamed.ts'
import { aContext } from '#test/event.ts'
import { generatedSource } from '#test/examples/generated-rates.ts'
import { aroundRequests } from '#test/faults/around-requests.ts'
import { loadFunctionFiles } from '#tools/contracts/function-files.ts'
import { demoKey, exampleOf } from '#tools/contracts/generated-files.ts'
import { exampleEvent, signedParameters } from '#tools/contracts/signed-call.ts'
import { demoDataset } from '#tools/machine/data-folder.ts'
import { createTable, type Engine, startEngine } from '#tools/server/engine.ts'
import { ESTATES, type Estate, SLICES } from './estates.ts'
import { readItems, TEMPLATE_IDS, writeFilledFile } from './filled-file.ts'
import { type BenchmarkTable, fixed, progress } from './report.ts'
import { keysWritten, type Values } from './units-by-key.ts'

const TABLE = 'growth'
const NOW = new Date('2026-11-18T15:30:00Z')
const SMALLER_SIZES = [1000, 100_000]

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

/** Calls every method of the demo while what it stores grows from a thousand objects to `most`. */
export async function benchGrowth(most: number): Promise<BenchmarkTable> {
  const methods = new Map((await loadFunctionFiles()).map(({ method }) => [method.name, method as Method]))
  const sizes = [...SMALLER_SIZES.filter((size) => size < most), most]
  const rows: BenchmarkTable['rows'][number][] = []
  for (const estate of ESTATES) {
    const costs = await grow(estate, methods, sizes)
    const ofEstate = [...costs].map(([name, measured]) => rowOf(name, estate.name, measured))
    for (const row of ofEstate) progress(row.join(' | '))
    rows.push(...ofEstate)
  }
  const inWords = sizes.map((size) => size.toLocaleString('en')).join(', ')
  return {
    title: `Growth: a call of each method while what it stores grows (${inWords}); exponents, 0 for no growth`,
    columns: ['method', 'what grows', 'units', 'trips', 'processor, ms', 'exponents of the three'],
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

async function grow(
  estate: Estate,
  methods: ReadonlyMap<string, Method>,
  sizes: readonly number[],
): Promise<Map<string, Measured[]>> {
  const measured = new Map(estate.methods.map((name) => [name, [] as Measured[]]))
  const fill =
    'rows' in estate.grows ? await fillingWith(estate.grows.rows) : fillingRates(estate.grows.ofTariff)
  for (const size of sizes) {
    const folder = await mkdtemp(join(tmpdir(), 'tollgate-growth-'))
    const started = performance.now()
    const engine = await fill(join(folder, 'table.db'), size)
    const seconds = (performance.now() - started) / 1000
    progress(`${size.toLocaleString('en')} ${estate.name}: written in ${seconds.toFixed()} s`)
    try {
      const client = createClient({ tableName: TABLE, endpoint: engine.endpoint }, patiently)
      for (const [name, costs] of measured)
        costs.push({ size, cost: await costOf(client, methods.get(name) as Method) })
    } finally {
      await engine.stop()
      await rm(folder, { recursive: true })
    }
  }
  return measured
}

/** Starts an engine with the demo and so many objects, on a new file if they are many items. */
type Fill = (file: string, size: number) => Promise<Engine>

async function fillingWith(rows: (id: string) => DatasetRows): Promise<Fill> {
  const { engine, client, importing } = await startWithDemo()
  for (const id of TEMPLATE_IDS) await importRows(importing, rows(String(id)))
  const items = await readItems(client, TABLE)
  await engine.stop()
  return async (file, size) => {
    await writeFilledFile(file, TABLE, items, size)
    return startEngine(file)
  }
}

const fillingRates =
  (tariff: number): Fill =>
  async (_file, size) => {
    const { engine, importing } = await startWithDemo()
    const sources = { rates: generatedSource(tariff, size) }
    await importDataset(importing, { name: 'bench', sources }, { merge: true })
    return engine
  }

async function startWithDemo() {
  const engine = await startEngine()
  const client = createClient({ tableName: TABLE, endpoint: engine.endpoint }, patiently)
  await createTable(client, TABLE)
  const importing = {
    store: createStore({ client, tableName: TABLE, meter: createMeter() }),
    clock: () => NOW,
  }
  await importPath(importing, demoDataset)
  return { engine, client, importing }
}

const MOST_CALLS = 20
const MOST_PROCESSOR_MS = 1000

/** The cost of a call. What it writes is taken back, so that it can be repeated; the call with the least processor counts. */
async function costOf(client: TableClient, method: Method): Promise<Cost> {
  const { client: undoing, undo } = withUndo(client)
  const lines: Readonly<Record<string, unknown>>[] = []
  const services: Services = {
    openStore: (meter) => createStore({ client: undoing, tableName: TABLE, meter }),
    clock: () => NOW,
    transport: { streams: true, maxBytes: Number.POSITIVE_INFINITY },
    random: { below: () => 0 },
    log: (line) => void lines.push(line),
  }
  const params = signedParameters(method, SLICES[method.name] ?? exampleOf(method.name), demoKey())
  const event = exampleEvent(method, params)
  const spent: number[] = []
  while (spent.length < MOST_CALLS && sumOf(spent) < MOST_PROCESSOR_MS) {
    const before = process.cpuUsage()
    const beginning = await streamed(method, services, [event, aContext()], readBeginning)
    const { user, system } = process.cpuUsage(before)
    spent.push((user + system) / 1000)
    if (beginning.includes('<error>'))
      throw new Error(`${method.name} answered ${beginning}, logged as ${JSON.stringify(lines.at(-1))}`)
    await undo()
  }
  const line = lines.at(-1)
  return {
    units: Number(line?.['read_units']) + Number(line?.['write_units']),
    trips: Number(line?.['round_trips']),
    processor: Math.min(...spent),
  }
}

const sumOf = (figures: readonly number[]): number => figures.reduce((sum, figure) => sum + figure, 0)

/** Reads an answer, and keeps only where it begins. */
async function readBeginning(answer: Readable): Promise<string> {
  let beginning = ''
  for await (const chunk of answer) beginning ||= String(chunk)
  return beginning
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
