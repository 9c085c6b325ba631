import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { Services } from '#lib/api/method.ts'
import { signatureOf } from '#lib/api/signature.ts'
import { DAY_SECONDS } from '#lib/domain/calendar.ts'
import { type CallsReportOptions, callsReport } from '#lib/report/calls-report.ts'
import { MEASURES } from '#lib/report/measures.ts'
import type { Store } from '#lib/store/store.ts'
import { streamed } from '#test/answers/streamed.ts'
import { aContext, anEvent } from '#test/event.ts'
import { method } from '../functions/calls/user_calls_get.ts'
import { KEY, openBench, operator, settings } from './load/installation.ts'
import { type CallsToWrite, writeCalls } from './load/written-calls.ts'
import type { BenchmarkTable } from './report.ts'

const START = Date.parse('2026-03-01T00:00:00Z') / 1000

/** The timeout of streamed answers in infra/functions.yml, in milliseconds. */
const LONGEST_STREAM = 300_000

interface LongAnswer {
  readonly seconds: number
  readonly processorSeconds: number
  readonly megabytes: number
  readonly compressedMegabytes: number
  readonly inOrder: boolean
  /** The largest resident size of this process during the answer. */
  readonly mostMemoryMegabytes: number
}

/** An answer, and the report of the same calls. */
interface Measured extends LongAnswer {
  readonly reportSeconds: number
}

/** Streams and compresses calls through user_calls_get. The calls are written directly into the table. */
export async function benchUserCalls(count: number): Promise<BenchmarkTable> {
  return tableOf(count, await measured({ start: START, count, days: 31, owners: 4, customers: 40 }))
}

async function measured(load: CallsToWrite): Promise<Measured> {
  const { client, tableName, given, services, store, stop } = await openBench(clock)
  try {
    await given({ settings, users: operator(load) })
    await writeCalls(client, tableName, load)
    const answer = await wholeAnswer(services, load)
    return { ...answer, reportSeconds: await secondsOfReport(store, load) }
  } finally {
    await stop()
  }
}

const tableOf = (count: number, answered: Measured): BenchmarkTable => ({
  title: `user_calls_get: a month of ${count} calls, streamed and compressed`,
  rows: [
    ['complete, total_calls right, in time order', answered.inOrder ? 'yes' : 'no'],
    ['calls a second', String(Math.round(count / answered.seconds))],
    [
      'processor of a row, its reader included (goal: 8 µs without compression and reader)',
      `${((answered.processorSeconds * 1e6) / count).toFixed(1)} µs`,
    ],
    ['document', `${Math.round(answered.megabytes)} MB`],
    ['compressed', `${answered.compressedMegabytes.toFixed(1)} MB`],
    ['most memory of the process', `${Math.round(answered.mostMemoryMegabytes)} MB`],
    [
      'processor of a report by six dimensions, against that of the answer and its reader (goal: 3)',
      (answered.reportSeconds / answered.processorSeconds).toFixed(2),
    ],
  ],
})

const clock = () => new Date('2026-03-31T23:59:59Z')

async function wholeAnswer(services: Services, { count, days }: CallsToWrite): Promise<LongAnswer> {
  const raw = { u: 'admin', period_start: String(START), period_end: String(START + days * DAY_SECONDS - 1) }
  const hash = signatureOf(raw, { signs: ['period_start', 'period_end'] }, KEY)
  const body = new URLSearchParams({ ...raw, hash }).toString()
  const event = anEvent({ body, headers: { 'accept-encoding': 'gzip' } })
  const [started, processor] = [performance.now(), process.cpuUsage()]
  const seen = await streamed(method, services, [event, aContext(LONGEST_STREAM)], read)
  if (seen.calls !== count || seen.total !== count)
    throw new Error(`${seen.calls} calls, said to be ${seen.total}`)
  const { user, system } = process.cpuUsage(processor)
  return {
    ...seen,
    seconds: (performance.now() - started) / 1000,
    processorSeconds: (user + system) / 1e6,
  }
}

/** The processor time of a report of all calls. */
async function secondsOfReport(store: Store, { count }: CallsToWrite): Promise<number> {
  const processor = process.cpuUsage()
  const { rows } = await callsReport(store, REPORT)
  let attempts = 0
  for await (const row of rows) attempts += Number(row['attempts'])
  if (attempts !== count) throw new Error(`The report has ${attempts} calls`)
  const { user, system } = process.cpuUsage(processor)
  return (user + system) / 1e6
}

const REPORT: CallsReportOptions = {
  by: ['customer', 'destination', 'provider', 'day', 'hour', 'hangupcause'],
  measures: MEASURES,
  days: { from: '2026-03-01', till: '2026-03-31' },
  customers: undefined,
  filters: new Map(),
  mobile: /mobile/i,
  groups: undefined,
}

/** Reads the answer and discards it. */
async function read(out: Readable) {
  const seen = {
    calls: 0,
    total: -1,
    megabytes: 0,
    compressedMegabytes: 0,
    inOrder: true,
    mostMemoryMegabytes: 0,
  }
  let [rest, last] = ['', '']
  const unpacked = createGunzip()
  out.on('data', (chunk: Buffer) => {
    seen.compressedMegabytes += chunk.length / 1e6
  })
  out.pipe(unpacked)
  for await (const chunk of unpacked.setEncoding('utf8')) {
    seen.megabytes += chunk.length / 1e6
    rest += chunk
    let end = 0
    for (const { 1: dateTime = '', index } of rest.matchAll(/<calldate2>(.{19})<\/calldate2>/g)) {
      seen.calls += 1
      seen.inOrder &&= dateTime >= last
      ;[last, end] = [dateTime, index + 1]
    }
    const total = /<total_calls>(\d+)</.exec(rest)?.[1]
    if (total !== undefined) seen.total = Number(total)
    rest = rest.slice(Math.max(end, rest.length - 100))
    seen.mostMemoryMegabytes = Math.max(seen.mostMemoryMegabytes, process.memoryUsage().rss / 1e6)
  }
  return seen
}
