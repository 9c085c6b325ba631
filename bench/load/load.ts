import { setTimeout } from 'node:timers/promises'
import type autocannon from 'autocannon'
import { DAY_SECONDS } from '#lib/domain/calendar.ts'
import { seeded } from '#test/examples/generated-rates.ts'
import { openTable } from '#tools/commands/open-table.ts'
import type { SentParameters } from '#tools/contracts/signed-call.ts'
import type { BenchmarkTable } from '../report.ts'
import { drawsFrom, requestsOf, signedCalls, times } from './calls.ts'
import { customerAt, type Size, sizeOf, writeLarge } from './datasets.ts'
import { accountName } from './installation.ts'
import { type LoadedServer, serveDataset } from './server.ts'
import { shoot } from './shot.ts'
import { ownerAt, writeManyCalls } from './written-calls.ts'

interface LoadOptions {
  readonly calls: number
  readonly minutes: number
  readonly tell: (line: string) => void
}

const CONNECTIONS = 10

/** Loads `npm start` over HTTP with a large dataset and a mix of methods, and watches its memory. */
export async function benchLoad({ calls, minutes, tell }: LoadOptions): Promise<BenchmarkTable> {
  const size = sizeOf(calls)
  const [rates, stored, devices] = [size.rates, size.count, size.devices].map((n) => n.toLocaleString('en'))
  tell(`Importing ${rates} rates and ${devices} devices`)
  const server = await serveDataset((folder) => writeLarge(folder, size))
  try {
    await writeManyCalls(openTable(server.location), size, (count) => {
      if (count % TOLD_EACH === 0) tell(`${count.toLocaleString('en')} calls stored`)
    })
    const requests = await mixedRequests(size)
    const samples = sampled(server, minutes, tell)
    const mix = await shoot(server, requests, { seconds: minutes * 60, connections: CONNECTIONS })
    const memory = await samples
    const { server: own, engine } = mix.processor
    return {
      title: `Load: \`npm start\` with ${rates} rates, ${stored} calls, ${devices} devices, ${CONNECTIONS} requests at once, drawn over ${size.customers} customers: ${minutes} minutes of ${MIX_TEXT}`,
      rows: [
        ['requests a second', String(Math.round(mix.perSecond))],
        ['p50, p99', `${mix.p50} ms, ${mix.p99} ms`],
        ['errors', String(mix.errors)],
        ['processor of server and engine', `${(own + engine).toFixed(1)} ms a request`],
        [
          'memory of the server in the second fifth of the time and in the last one',
          earlyAndLate(memory.server),
        ],
        ['memory of the engine', earlyAndLate(memory.engine)],
      ],
    }
  } finally {
    await server.remove()
  }
}

const TOLD_EACH = 100_000

/** Of a hundred requests, so many are of each method: what is written grows little. */
const MIX = {
  devices_get: 25,
  rate_get: 30,
  quickstats_get: 15,
  user_calls_get: 25,
  device_create: 5,
} as const

const MIX_TEXT = Object.entries(MIX)
  .map(([name, share]) => `${share} % ${name}`)
  .join(', ')

/** Five hundred requests in a drawn order. The owners of customers manage their devices. */
async function mixedRequests(size: Size): Promise<autocannon.Request[]> {
  const { below, rate, calls } = drawsFrom(size, 25)
  const customerOfOwner = () => {
    const position = below(size.customers)
    return { u: accountName(ownerAt(position, size.owners)), user_id: String(customerAt(position, size)) }
  }
  const draws: Readonly<Record<keyof typeof MIX, () => SentParameters>> = {
    devices_get: customerOfOwner,
    rate_get: rate,
    quickstats_get: () => ({}),
    user_calls_get: () => calls(size.start + below(size.days - 1) * DAY_SECONDS, 1),
    device_create: customerOfOwner,
  }
  const names = Object.keys(MIX) as (keyof typeof MIX)[]
  const drawn = await Promise.all(
    names.map((name) => signedCalls(name, name, times(5 * MIX[name], draws[name]))),
  )
  const random = seeded(26)
  return drawn
    .flatMap(requestsOf)
    .map((request) => ({ request, place: random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ request }) => request)
}

const SAMPLES_EACH_SECONDS = 10

/** The resident memory of the two processes while a load lasts, in MB. */
async function sampled({ usage }: LoadedServer, minutes: number, tell: LoadOptions['tell']) {
  const memory: Record<'server' | 'engine', number[]> = { server: [], engine: [] }
  const interval = Math.min(SAMPLES_EACH_SECONDS, minutes * 6)
  for (let second = interval; second <= minutes * 60; second += interval) {
    await setTimeout(interval * 1000)
    const { server, engine } = usage()
    memory.server.push(server.memory)
    memory.engine.push(engine.memory)
    tell(
      `${Math.round(second)} s: server ${Math.round(server.memory)} MB, engine ${Math.round(engine.memory)} MB`,
    )
  }
  return memory
}

/** The mean of the second fifth of the values, and of the last one. */
function earlyAndLate(values: readonly number[]): string {
  const fifth = (number: number) => {
    const part = values.slice(
      Math.floor(((number - 1) * values.length) / 5),
      Math.floor((number * values.length) / 5),
    )
    return part.reduce((sum, value) => sum + value, 0) / part.length
  }
  const [early, late] = [fifth(2), fifth(5)]
  return `${Math.round(early)} MB, then ${Math.round(late)} MB: ${(late / early).toFixed(2)}`
}
