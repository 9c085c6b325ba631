import { setTimeout } from 'node:timers/promises'
import { createClient } from '#lib/store/requests/client.ts'
import type { BenchmarkTable } from '../report.ts'
import { type Calls, demoCalls, largeCalls, MIX_TEXT, mixedRequests, requestsOf } from './calls.ts'
import { type Size, sizeOf, writeDemo, writeLarge } from './datasets.ts'
import { recordSteps, replay, type Steps } from './floor.ts'
import { type LoadedServer, serveDataset } from './server.ts'
import { CONNECTIONS, type Shot, shoot } from './shot.ts'
import { writeCalls } from './written-calls.ts'

/** The size of the large dataset, and how long the loads last. */
export interface LoadWish {
  readonly calls: number
  /** For a method alone, and as long for its floor. */
  readonly seconds: number
  /** For the mix. */
  readonly minutes: number
  readonly tell: (line: string) => void
}

/** Loads `npm start` over HTTP, on the demo and on a large dataset: each method alone, then a mix of them for the memory. */
export async function benchLoad(wish: LoadWish): Promise<BenchmarkTable[]> {
  wish.tell('Loading the demo')
  const demo = await withServer(
    () => serveDataset(writeDemo, 'in a file'),
    async (server) => measureAll(server, await demoCalls(), wish),
  )
  const size = sizeOf(wish.calls)
  const [rates, stored, devices] = [size.rates, size.count, size.devices].map((n) => n.toLocaleString('en'))
  const large = `${rates} rates, ${stored} calls, ${devices} devices`
  wish.tell(`Importing ${rates} rates and ${devices} devices`)
  return withServer(
    () => serveDataset((folder) => writeLarge(folder, size), 'in memory'),
    async (server) => {
      await storeCalls(server, size, wish)
      const calls = await largeCalls(size)
      return [
        tableOf(
          `Load: \`npm start\` with ${large}, ${CONNECTIONS} requests at once, drawn over ${size.customers} customers`,
          await measureAll(server, calls, wish),
        ),
        await measureMix(server, calls, wish),
        tableOf('Load: the demo', demo),
      ]
    },
  )
}

async function withServer<T>(
  start: () => Promise<LoadedServer>,
  work: (server: LoadedServer) => Promise<T>,
): Promise<T> {
  const server = await start()
  try {
    return await work(server)
  } finally {
    await server.remove()
  }
}

const TOLD_EACH = 100_000

async function storeCalls({ location }: LoadedServer, size: Size, { tell }: LoadWish): Promise<void> {
  const client = createClient(location)
  await writeCalls(client, location.tableName, size, (count) => {
    if (count % TOLD_EACH === 0) tell(`${count.toLocaleString('en')} calls stored`)
  })
  client.destroy()
}

// Each method alone

/** The part of a load's time that comes before it, for the compilers. */
const WARM_UP_PARTS = 4

const SETTLING_MS = 1000

/** A method, its floor, and a constant answer. */
interface Measured {
  readonly name: string
  readonly method: Shot
  readonly floor: Floor
  readonly constant: Shot
}

async function measureAll(
  server: LoadedServer,
  calls: readonly Calls[],
  { seconds, tell }: LoadWish,
): Promise<Measured[]> {
  const measured: Measured[] = []
  for (const one of calls) {
    await shoot(server, requestsOf(one), seconds / WARM_UP_PARTS)
    const method = await shoot(server, requestsOf(one), seconds)
    // The server still works at what it was sent last.
    await setTimeout(SETTLING_MS)
    const floor = await measureFloor(server, await recordSteps(one, server.location), seconds)
    const constant = await shoot(server, [{ method: 'POST', path: '/api/no_such_method' }], 2)
    measured.push({ name: one.name, method, floor, constant })
    tell(`${one.name}: ${Math.round(method.perSecond)} a second, ${Math.round(floor.perSecond)} of its floor`)
  }
  return measured
}

/** The same requests to the table, of one call. */
interface Floor extends Pick<Shot, 'perSecond' | 'processor'> {
  readonly requests: number
}

async function measureFloor(
  server: LoadedServer,
  recorded: readonly Steps[],
  seconds: number,
): Promise<Floor> {
  await replay(recorded, server.location, { seconds: seconds / WARM_UP_PARTS, connections: CONNECTIONS })
  const [own, engine] = [process.cpuUsage(), server.usage().engine.processor]
  const count = await replay(recorded, server.location, { seconds, connections: CONNECTIONS })
  const { user, system } = process.cpuUsage(own)
  const milliseconds = (user + system) / 1000 + 1000 * (server.usage().engine.processor - engine)
  const requests = recorded.flat().reduce((sum, step) => sum + step.length, 0) / recorded.length
  return { perSecond: count / seconds, processor: milliseconds / count, requests }
}

const tableOf = (title: string, measured: readonly Measured[]): BenchmarkTable => ({
  title,
  columns: [
    ...['method', 'a second', 'p50', 'p99', 'errors', 'requests to the table'],
    ...['processor of server and engine', 'of that of the same requests through the bare client'],
    ...['rate, of that of these requests', 'rate, of that of a constant answer'],
  ],
  rows: measured.map(({ name, method, floor, constant }) => [
    name,
    ...figuresOf(method),
    floor.requests.toFixed(1),
    `${method.processor.toFixed(1)} ms`,
    (method.processor / floor.processor).toFixed(2),
    (method.perSecond / floor.perSecond).toFixed(2),
    (method.perSecond / constant.perSecond).toFixed(3),
  ]),
})

const figuresOf = ({ perSecond, p50, p99, errors }: Shot): string[] => [
  String(Math.round(perSecond)),
  `${p50} ms`,
  `${p99} ms`,
  String(errors),
]

// All methods

const SAMPLES_EACH_SECONDS = 10

async function measureMix(
  server: LoadedServer,
  calls: readonly Calls[],
  { minutes, tell }: LoadWish,
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
  const [mix] = await Promise.all([shoot(server, mixedRequests(calls), minutes * 60), sampling()])
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
      ['processor of server and engine', `${mix.processor.toFixed(1)} ms a request`],
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
