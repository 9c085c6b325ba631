import { setTimeout } from 'node:timers/promises'
import type { BenchmarkTable } from '../report.ts'
import { largeCalls, MIX_TEXT, mixedRequests, requestsOf, type SignedCalls } from './calls.ts'
import { sizeOf, writeLarge } from './datasets.ts'
import { type LoadedServer, serveDataset, writeCallsOfServer } from './server.ts'
import { type Shot, shoot } from './shot.ts'

/** The size of the large dataset, and how long the loads last. */
export interface LoadOptions {
  readonly calls: number
  /** For a method alone. */
  readonly seconds: number
  /** For the mix. */
  readonly minutes: number
  readonly tell: (line: string) => void
}

const CONNECTIONS = 10

/** Loads `npm start` over HTTP with a large dataset: each method alone, then a mix of them for the memory. */
export async function benchLoad(options: LoadOptions): Promise<BenchmarkTable[]> {
  const size = sizeOf(options.calls)
  const [rates, stored, devices] = [size.rates, size.count, size.devices].map((n) => n.toLocaleString('en'))
  options.tell(`Importing ${rates} rates and ${devices} devices`)
  const server = await serveDataset((folder) => writeLarge(folder, size))
  try {
    await writeCallsOfServer(server, size, (count) => {
      if (count % TOLD_EACH === 0) options.tell(`${count.toLocaleString('en')} calls stored`)
    })
    const calls = await largeCalls(size)
    const title = `Load: \`npm start\` with ${rates} rates, ${stored} calls, ${devices} devices, ${CONNECTIONS} requests at once, drawn over ${size.customers} customers`
    return [
      tableOf(title, await measureAll(server, calls, options)),
      await measureMix(server, calls, options),
    ]
  } finally {
    await server.remove()
  }
}

const TOLD_EACH = 100_000

// Each method alone

/** The part of a load's time that comes before it, for the compilers. */
const WARM_UP_PARTS = 4

const SETTLING_MS = 1000

/** A method, and a constant answer of the same server. */
interface Measured {
  readonly name: string
  readonly method: Shot
  readonly constant: Shot
}

async function measureAll(
  server: LoadedServer,
  calls: readonly SignedCalls[],
  { seconds, tell }: LoadOptions,
): Promise<Measured[]> {
  const measured: Measured[] = []
  for (const one of calls) {
    await shoot(server, requestsOf(one), { seconds: seconds / WARM_UP_PARTS, connections: CONNECTIONS })
    const method = await shoot(server, requestsOf(one), { seconds, connections: CONNECTIONS })
    // The server still works at what it was sent last.
    await setTimeout(SETTLING_MS)
    const constant = await shoot(server, [{ method: 'POST', path: '/api/no_such_method' }], {
      seconds: 2,
      connections: CONNECTIONS,
    })
    measured.push({ name: one.name, method, constant })
    tell(`${one.name}: ${Math.round(method.perSecond)} a second`)
  }
  return measured
}

const tableOf = (title: string, measured: readonly Measured[]): BenchmarkTable => ({
  title,
  columns: [
    ...['method', 'a second', 'p50', 'p99', 'errors'],
    ...['processor of server and engine', 'rate, of that of a constant answer'],
  ],
  rows: measured.map(({ name, method, constant }) => [
    name,
    ...figuresOf(method),
    `${processorOf(method)} ms`,
    (method.perSecond / constant.perSecond).toFixed(3),
  ]),
})

const figuresOf = ({ perSecond, p50, p99, errors }: Shot): string[] => [
  String(Math.round(perSecond)),
  `${p50} ms`,
  `${p99} ms`,
  String(errors),
]

const processorOf = ({ processor: { server, engine } }: Shot): string => (server + engine).toFixed(1)

// All methods

const SAMPLES_EACH_SECONDS = 10

async function measureMix(
  server: LoadedServer,
  calls: readonly SignedCalls[],
  { minutes, tell }: LoadOptions,
): Promise<BenchmarkTable> {
  const samples: { readonly server: number; readonly engine: number }[] = []
  const interval = Math.min(SAMPLES_EACH_SECONDS, minutes * 6)
  const sampling = async () => {
    for (let second = interval; second <= minutes * 60; second += interval) {
      await setTimeout(interval * 1000)
      const { server: own, engine } = server.usage()
      samples.push({ server: own.memory, engine: engine.memory })
      tell(
        `${Math.round(second)} s: server ${Math.round(own.memory)} MB, engine ${Math.round(engine.memory)} MB`,
      )
    }
  }
  const [mix] = await Promise.all([
    shoot(server, mixedRequests(calls), { seconds: minutes * 60, connections: CONNECTIONS }),
    sampling(),
  ])
  const memoryOf = (of: 'server' | 'engine'): string => {
    const values = samples.map((sample) => sample[of])
    const [early, late] = [fifthOf(values, 2), fifthOf(values, 5)]
    return `${Math.round(early)} MB, then ${Math.round(late)} MB: ${(late / early).toFixed(2)}`
  }
  return {
    title: `Mixed load of the large dataset: ${minutes} minutes of ${MIX_TEXT}`,
    columns: ['', ''],
    rows: [
      ['requests a second', String(Math.round(mix.perSecond))],
      ['p50, p99', `${mix.p50} ms, ${mix.p99} ms`],
      ['errors', String(mix.errors)],
      ['processor of server and engine', `${processorOf(mix)} ms a request`],
      ['memory of the server in the second fifth of the time and in the last one', memoryOf('server')],
      ['memory of the engine', memoryOf('engine')],
    ],
  }
}

/** The mean of the values in one of five equal parts, from 1. */
function fifthOf(values: readonly number[], fifth: number): number {
  const part = values.slice(
    Math.floor(((fifth - 1) * values.length) / 5),
    Math.floor((fifth * values.length) / 5),
  )
  return part.reduce((sum, value) => sum + value, 0) / part.length
}
