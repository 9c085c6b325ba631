import type autocannon from 'autocannon'
import type { Method } from '#lib/api/method.ts'
import { DAY_SECONDS, dayOf, firstOfMonth } from '#lib/base/calendar.ts'
import { generatedRates, seeded } from '#test/examples/generated-rates.ts'
import { serveFolder } from '#test/soak/server-process.ts'
import { openTable } from '#tools/command-line/open-table.ts'
import { findFunctionFile } from '#tools/contracts/function-files.ts'
import { type SentParameters, signedParameters } from '#tools/contracts/signed-call.ts'
import { startEngine } from '#tools/server/engine.ts'
import { accountName, KEY } from '../installation.ts'
import { type BenchmarkTable, progress } from '../report.ts'
import { writeManyCalls } from '../written-calls.ts'
import { customerAt, datasetOf, type Size, TARIFF } from './dataset.ts'
import { servePeer } from './mariadb.ts'
import { type LoadedServer, processorOf, type Shot, shoot } from './shot.ts'

/** Requests that both servers answer. */
interface Compared {
  readonly name: string
  readonly requests: readonly autocannon.Request[]
  readonly connections: number
  /** The least rate of `npm start`, of that of the peer. */
  readonly goal: number
}

const DAYS = 22

/** `npm start` beside a small server over MariaDB with the same data: the same requests, in turn. */
export async function benchPeer(count: number): Promise<readonly BenchmarkTable[]> {
  const start = Math.floor(Date.now() / 1000) - DAYS * DAY_SECONDS
  const size = { count, start, days: DAYS, owners: 4, customers: 40, rates: Math.ceil(count / 2) }
  const peer = await servePeer(size)
  try {
    progress('The peer has the data')
    const own = await serveOwn(size)
    try {
      return await compare(own, peer, size)
    } finally {
      await own.remove()
    }
  } finally {
    await peer.remove()
  }
}

/** `npm start`. Its engine has the data in memory, where calls are written many times as fast. */
async function serveOwn(size: Size): Promise<LoadedServer> {
  const engine = await startEngine()
  const { url, location, pid, remove } = await serveFolder(datasetOf(size), {
    DYNAMODB_ENDPOINT: engine.endpoint,
  })
  await writeManyCalls(openTable(location()), size)
  return {
    url,
    usage: () => ({ server: processorOf(pid()), engine: processorOf(...engine.pids) }),
    remove: async () => {
      await remove()
      await engine.stop()
    },
  }
}

async function compare(
  own: LoadedServer,
  peer: LoadedServer,
  size: Size,
): Promise<readonly BenchmarkTable[]> {
  const measured: Measured[] = []
  for (const compared of await comparedRequests(size)) {
    await requireSameAnswers(own, peer, compared)
    const one = await measureBoth(own, peer, compared)
    measured.push(one)
    progress(`${compared.name}: ${ratioOf(one)}`)
  }
  return [ratesTable(size, measured), processorTable(measured)]
}

const DRAWS = 200

/** The parameters are drawn over all customers, the same in each run. */
async function comparedRequests(size: Size): Promise<Compared[]> {
  const random = seeded(41)
  const below = (bound: number) => Math.floor(random() * bound)
  const customer = () => customerAt(below(size.customers), size)
  const midnight = Math.ceil(size.start / DAY_SECONDS) * DAY_SECONDS
  const callsFrom = (start: number, days: number): SentParameters => ({
    s_user: String(customer()),
    period_start: String(start),
    period_end: String(start + days * DAY_SECONDS - 1),
  })
  const day = () => callsFrom(midnight + below(size.days - 1) * DAY_SECONDS, 1)
  const month = () => callsFrom(midnight - DAY_SECONDS, size.days + 2)
  const prefixes = ratedPrefixes(size)
  const rate = () => ({
    username: accountName(customer()),
    prefix: `${prefixes[below(prefixes.length)]}12345`,
  })
  const [ofDay, ofMonth] = [1, size.days].map((days) =>
    Math.round((size.count * days) / size.days / size.customers),
  )
  const drawn = (method: string, draw: () => SentParameters) =>
    signedRequests(method, Array.from({ length: DRAWS }, draw))
  return [
    { name: 'quickstats_get', requests: await drawn('quickstats_get', () => ({})), connections: 4, goal: 8 },
    { name: 'rate_get', requests: await drawn('rate_get', rate), connections: 4, goal: 0.3 },
    {
      name: `a customer's day, ${ofDay} calls`,
      requests: await drawn('user_calls_get', day),
      connections: 4,
      goal: 0.35,
    },
    {
      name: `a customer's month, ${ofMonth} calls`,
      requests: await drawn('user_calls_get', month),
      connections: 2,
      goal: 0.4,
    },
  ]
}

const MOST_PREFIXES = 500

/** Some of the prefixes that have rates. */
function ratedPrefixes({ rates }: Size): string[] {
  const step = Math.ceil(rates / MOST_PREFIXES)
  return [...generatedRates(TARIFF, rates)].flatMap(({ prefix = '' }, index) =>
    index % step === 0 ? [prefix] : [],
  )
}

async function signedRequests(
  name: string,
  params: readonly SentParameters[],
): Promise<autocannon.Request[]> {
  const { method } = await findFunctionFile(name)
  return params.map((sent) => ({
    method: 'POST',
    path: `/api/${name}`,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(signedParameters(method as Method, { u: 'admin', ...sent }, KEY)).toString(),
  }))
}

// The same answers

const COMPARED_ANSWERS = 10

/** What both answers must have in common. The texts around it differ. */
const COUNTS = [
  /<total_calls>\d+/,
  /<rate>[^<]+/,
  /<this_month><calls>\d+/,
  /<today><calls>\d+/,
  /<total>\d+/,
]

async function requireSameAnswers(
  own: LoadedServer,
  peer: LoadedServer,
  { name, requests }: Compared,
): Promise<void> {
  for (const request of requests.slice(0, COMPARED_ANSWERS)) {
    const [ours, theirs] = await Promise.all(
      [own, peer].map(async ({ url }) => countsIn(await answerAt(url, request))),
    )
    if (ours === theirs && ours !== '') continue
    throw new Error(`${name}: ${ours} at npm start, ${theirs} at the peer, for ${request.body}`)
  }
}

async function answerAt(
  url: string,
  { method, path = '', headers, body }: autocannon.Request,
): Promise<string> {
  const init = { method: String(method), headers: headers as Record<string, string>, body: String(body) }
  return (await fetch(url + path, init)).text()
}

const countsIn = (answer: string): string =>
  [...COUNTS.map((count) => count.exec(answer)?.[0] ?? ''), rowsIn(answer)].join('')

const rowsIn = (answer: string): string =>
  answer.includes('<call>') ? `${answer.split('<call>').length - 1} rows` : ''

// The same load

/** The sums over the rounds of both. */
interface Measured extends Compared {
  readonly own: Shot
  readonly peer: Shot
}

const ROUNDS = 3
const SECONDS = 5

/** Each round loads one server and then the other: the speed of a shared machine drifts. */
async function measureBoth(own: LoadedServer, peer: LoadedServer, compared: Compared): Promise<Measured> {
  const { name, requests, connections } = compared
  const shootAt = async (server: LoadedServer) => {
    const shot = await shoot(server, requests, SECONDS, connections)
    if (shot.errors > 0) throw new Error(`${name}: ${shot.errors} errors at ${server.url}`)
    return shot
  }
  const rounds: [Shot, Shot][] = []
  // The first round is for the compilers.
  for (let round = 0; round <= ROUNDS; round += 1) rounds.push([await shootAt(own), await shootAt(peer)])
  const middle = (which: 0 | 1) =>
    rounds
      .slice(1)
      .map((pair) => pair[which])
      .toSorted((one, other) => one.perSecond - other.perSecond)[Math.floor(ROUNDS / 2)] as Shot
  return { ...compared, own: middle(0), peer: middle(1) }
}

const ratioOf = ({ own, peer }: Measured): string => (own.perSecond / peer.perSecond).toFixed(2)

const ratesTable = (size: Size, measured: readonly Measured[]): BenchmarkTable => ({
  title: `The same requests to \`npm start\` and to a small server over MariaDB, ${size.count.toLocaleString('en')} calls, of ${callsOfMonth(size).toLocaleString('en')} in this month, and ${size.rates.toLocaleString('en')} rates`,
  columns: ['request', 'Node and MariaDB', '`npm start`', 'ratio', 'goal'],
  rows: measured.map((one) => [
    `${one.name}, ${one.connections} connections`,
    `${perSecond(one.peer)} a second`,
    `${perSecond(one.own)} a second`,
    ratioOf(one),
    String(one.goal),
  ]),
})

const callsOfMonth = ({ count, start, days }: Size): number => {
  const now = Math.floor(Date.now() / 1000)
  const first = Date.parse(firstOfMonth(dayOf(now, 'UTC'))) / 1000
  return Math.round(count * Math.min(1, (now - first) / (days * DAY_SECONDS), (now - first) / (now - start)))
}

const perSecond = ({ perSecond: rate }: Shot): string =>
  rate < 100 ? rate.toFixed(1) : String(Math.round(rate))

/** Where the machine is shared, these figures say more than the rates. */
const processorTable = (measured: readonly Measured[]): BenchmarkTable => ({
  title: 'Processor for a request, in milliseconds',
  columns: ['request', '`npm start`', 'its engine', 'the small server', 'MariaDB', 'theirs, of ours'],
  rows: measured.map(({ name, own, peer }) => [
    name,
    ...[...partsOf(own), ...partsOf(peer)].map((time) => time.toFixed(2)),
    (sumOf(peer) / sumOf(own)).toFixed(2),
  ]),
})

const partsOf = ({ processor }: Shot): number[] => [processor.server, processor.engine]

const sumOf = ({ processor }: Shot): number => processor.server + processor.engine
