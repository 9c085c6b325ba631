import type autocannon from 'autocannon'
import { DAY_SECONDS, dayOf, firstOfMonth } from '#lib/domain/calendar.ts'
import { openTable } from '#tools/commands/open-table.ts'
import type { SentParameters } from '#tools/contracts/signed-call.ts'
import { drawsFrom, requestsOf, type SignedCalls, signedCalls, times } from '../load/calls.ts'
import { type Size, sizeOf, writeLarge } from '../load/datasets.ts'
import { type LoadedServer, serveDataset } from '../load/server.ts'
import { type LoadTarget, type Shot, shoot } from '../load/shot.ts'
import { writeManyCalls } from '../load/written-calls.ts'
import { type BenchmarkTable, progress } from '../report.ts'
import { servePeer } from './mariadb.ts'

/** Requests that both servers answer. */
interface Compared {
  readonly calls: SignedCalls
  readonly connections: number
  /** The least rate of `npm start`, of that of the peer. */
  readonly goal: number
}

/** `npm start` beside a small server over MariaDB with the same data: the same requests, in turn. */
export async function benchPeer(count: number): Promise<readonly BenchmarkTable[]> {
  const size = { ...sizeOf(count), owners: 4, customers: 40, days: 22, devices: 40 }
  size.start = Math.floor(Date.now() / 1000) - size.days * DAY_SECONDS
  const peer = await servePeer(size)
  try {
    progress('The peer has the data')
    const own = await serveDataset((folder) => writeLarge(folder, size))
    try {
      return await compare(own, peer, size)
    } finally {
      await own.remove()
    }
  } finally {
    await peer.remove()
  }
}

async function compare(own: LoadedServer, peer: LoadTarget, size: Size): Promise<readonly BenchmarkTable[]> {
  await writeManyCalls(openTable(own.location), size)
  const measured: Measured[] = []
  for (const compared of await comparedRequests(size)) {
    await requireSameAnswers(own, peer, compared.calls)
    measured.push(await measureBoth(own, peer, compared))
    progress(`${compared.calls.name}: ${ratioOf(measured.at(-1) as Measured)}`)
  }
  return [ratesTable(size, measured), processorTable(measured)]
}

const DRAWS = 200

async function comparedRequests(size: Size): Promise<Compared[]> {
  const { below, rate, calls } = drawsFrom(size, 41)
  const midnight = Math.ceil(size.start / DAY_SECONDS) * DAY_SECONDS
  const day = () => calls(midnight + below(size.days - 1) * DAY_SECONDS, 1)
  const month = () => calls(midnight - DAY_SECONDS, size.days + 2)
  const [ofDay, ofMonth] = [1, size.days].map((days) =>
    Math.round((size.count * days) / size.days / size.customers),
  )
  const compared = async (
    [name, method]: readonly [name: string, method: string],
    draw: () => SentParameters,
    connections: number,
    goal: number,
  ) => ({ calls: await signedCalls(name, method, times(DRAWS, draw)), connections, goal })
  return Promise.all([
    compared(['quickstats_get', 'quickstats_get'], () => ({}), 4, 8),
    compared(['rate_get', 'rate_get'], rate, 4, 0.3),
    compared([`a customer's day, ${ofDay} calls`, 'user_calls_get'], day, 4, 0.35),
    compared([`a customer's month, ${ofMonth} calls`, 'user_calls_get'], month, 2, 0.4),
  ])
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

async function requireSameAnswers(own: LoadTarget, peer: LoadTarget, calls: SignedCalls): Promise<void> {
  for (const request of requestsOf(calls).slice(0, COMPARED_ANSWERS)) {
    const [ours, theirs] = await Promise.all(
      [own, peer].map(async ({ url }) => countsIn(await answerAt(url, request))),
    )
    if (ours === theirs && ours !== '') continue
    throw new Error(`${calls.name}: ${ours} at npm start, ${theirs} at the peer, for ${request.body}`)
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
async function measureBoth(own: LoadTarget, peer: LoadTarget, compared: Compared): Promise<Measured> {
  const shootAt = async (target: LoadTarget) => {
    const load = { seconds: SECONDS, connections: compared.connections }
    const shot = await shoot(target, requestsOf(compared.calls), load)
    if (shot.errors > 0) throw new Error(`${compared.calls.name}: ${shot.errors} errors at ${target.url}`)
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
    `${one.calls.name}, ${one.connections} connections`,
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
  rows: measured.map(({ calls, own, peer }) => [
    calls.name,
    ...[...partsOf(own), ...partsOf(peer)].map((time) => time.toFixed(2)),
    (sumOf(peer) / sumOf(own)).toFixed(2),
  ]),
})

const partsOf = ({ processor }: Shot): number[] => [processor.server, processor.engine]

const sumOf = ({ processor }: Shot): number => processor.server + processor.engine
