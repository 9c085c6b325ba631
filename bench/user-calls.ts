import type { Services } from '#lib/api/method.ts'
import { DAY_SECONDS } from '#lib/base/calendar.ts'
import { type CallsReportOptions, callsReport } from '#lib/calls/report/calls-report.ts'
import { MEASURES } from '#lib/calls/report/measures.ts'
import type { Store } from '#lib/table/store.ts'
import { method } from '../functions/calls/user_calls_get.ts'
import { callingAccounts, openBench, settings } from './installation.ts'
import { processorSince, type StreamedAnswer, streamAnswer } from './measure.ts'
import type { BenchmarkTable } from './report.ts'
import { type CallsToWrite, writeManyCalls } from './written-calls.ts'

const START = Date.parse('2026-03-01T00:00:00Z') / 1000

/** An answer, and the processor time of a report of the same calls, in microseconds. */
interface Measured extends StreamedAnswer {
  readonly inOrder: boolean
  readonly report: number
}

/** Streams and compresses calls through user_calls_get. The calls are written directly into the table. */
export async function benchUserCalls(count: number): Promise<BenchmarkTable> {
  return tableOf(count, await measured({ start: START, count, days: 31, owners: 4, customers: 40 }))
}

async function measured(load: CallsToWrite): Promise<Measured> {
  const { given, services, store, stop } = await openBench(clock)
  try {
    await given({ settings, users: callingAccounts(load) })
    await writeManyCalls(store, load)
    const answer = await wholeAnswer(services, load)
    return { ...answer, report: await processorOfReport(store, load) }
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
      `${(answered.processor / count).toFixed(1)} µs`,
    ],
    ['document', `${Math.round(answered.megabytes)} MB`],
    ['compressed', `${answered.compressedMegabytes.toFixed(1)} MB`],
    ['most memory of the process', `${Math.round(answered.mostMemoryMegabytes)} MB`],
    [
      'processor of a report by six dimensions, against that of the answer and its reader (goal: 3)',
      (answered.report / answered.processor).toFixed(2),
    ],
  ],
})

const clock = () => new Date('2026-03-31T23:59:59Z')

async function wholeAnswer(services: Services, { count, days }: CallsToWrite) {
  const period_end = String(START + days * DAY_SECONDS - 1)
  const params = { u: 'admin', period_start: String(START), period_end }
  const seen = { calls: 0, total: -1, inOrder: true }
  let [rest, last] = ['', '']
  const answer = await streamAnswer({ method, services, params, isCompressed: true }, (text) => {
    rest += text
    let end = 0
    for (const { 1: dateTime = '', index } of rest.matchAll(/<calldate2>(.{19})<\/calldate2>/g)) {
      seen.calls += 1
      seen.inOrder &&= dateTime >= last
      ;[last, end] = [dateTime, index + 1]
    }
    const total = /<total_calls>(\d+)</.exec(rest)?.[1]
    if (total !== undefined) seen.total = Number(total)
    rest = rest.slice(Math.max(end, rest.length - 100))
  })
  if (seen.calls !== count || seen.total !== count)
    throw new Error(`${seen.calls} calls, said to be ${seen.total}`)
  return { ...answer, inOrder: seen.inOrder }
}

async function processorOfReport(store: Store, { count }: CallsToWrite): Promise<number> {
  const before = process.cpuUsage()
  const { rows } = await callsReport(store, REPORT)
  let attempts = 0
  for await (const row of rows) attempts += Number(row['attempts'])
  if (attempts !== count) throw new Error(`The report has ${attempts} calls`)
  return processorSince(before)
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
