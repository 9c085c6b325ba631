import { listDaysOfCalls } from '#lib/calls/counters/call-stats.ts'
import { billMonth, openIssue } from '#lib/invoicing/bill-month.ts'
import { daysOfMonth } from '#lib/invoicing/month.ts'
import { openMonth } from '#lib/invoicing/month-customers.ts'
import { callsDuring } from '#lib/invoicing/used-calls.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Store } from '#lib/table/store.ts'
import { type BenchInstallation, callingAccounts, openBench, settings } from './installation.ts'
import { type BenchmarkTable, progress } from './report.ts'
import { FIRST_CUSTOMER, writeManyCalls } from './written-calls.ts'

const CALLS_OF_CUSTOMER = 100

/** The number of customers that are read and previewed. The month of all customers is issued. */
const MOST_PREVIEWED = 500

/** Calls of the largest customer, for each customer of the other measurement. */
const CALLS_OF_LARGEST = 10

const MONTH = '2026-05'

const clock = () => new Date('2026-06-02T08:00:00Z')

/** Previews and issues a month of customers with 100 calls each, and of one with many calls. */
export async function benchMonth(customers: number): Promise<BenchmarkTable[]> {
  return [
    await benchCustomers(customers, CALLS_OF_CUSTOMER),
    await benchCustomers(1, CALLS_OF_LARGEST * customers),
  ]
}

/** Compares with reading the calls once. */
async function benchCustomers(customers: number, callsEach: number): Promise<BenchmarkTable> {
  const bench = await openBench(clock)
  try {
    await bench.given({
      settings: [...settings, { name: 'Invoices_From', value: '2026-05-01' }],
      users: callingAccounts({ owners: 0, customers }),
    })
    const count = customers * callsEach
    const calls = { count, start: Date.parse(`${MONTH}-01`) / 1000, days: 31, owners: 0, customers }
    await writeManyCalls(
      bench.store,
      calls,
      (written) => written % 50_000 === 0 && progress(`written: ${written} of ${count} calls`),
    )
    const ids = Array.from({ length: customers }, (_, n) => FIRST_CUSTOMER + n)
    const some = ids.slice(0, MOST_PREVIEWED)
    const read = await measured(bench, some, () => readOnce(bench.store, some))
    const preview = await measured(bench, some, () => bill(bench.store, some, 'preview'))
    const issue = await measured(bench, ids, () => bill(bench.store, ids, 'issue'))
    return tableOf([customers, callsEach], { read, preview, issue })
  } finally {
    await bench.stop()
  }
}

/** The calls of each customer's month, as an invoice reads them. */
async function readOnce(store: Store, ids: readonly number[]): Promise<void> {
  const settings = await settingsOf(store)
  for (const id of ids) {
    const days = await listDaysOfCalls(store, { user: id }, daysOfMonth(MONTH))
    for await (const _page of callsDuring(
      { store, settings },
      id,
      days.map(({ day }) => day),
    ));
  }
}

async function bill(store: Store, ids: readonly number[], what: 'preview' | 'issue'): Promise<void> {
  const chargesOf = async () => ({ charges: [], refused: [] })
  const wanted = { month: MONTH, owner_id: 0, now: clock(), suspended: new Map(), isDespiteSuspense: false }
  const run = await openMonth(store, { ...wanted, chargesOf })
  let count = 0
  for await (const { outcome, reason } of billMonth(
    run,
    ids,
    what === 'issue' ? await openIssue(run) : undefined,
  )) {
    if (outcome !== 'open' && outcome !== 'issued') throw new Error(`a customer is ${outcome}: ${reason}`)
    count += 1
    if (count % 1000 === 0) progress(`${what}: ${count} customers`)
  }
}

/** For each customer, but for the heap. */
interface Measured {
  readonly milliseconds: number
  readonly read: number
  readonly written: number
  /** The largest heap during the work, less that before it. */
  readonly heapMegabytes: number
}

const SAMPLE_MS = 100

async function measured(
  { meter }: BenchInstallation,
  customers: readonly number[],
  work: () => Promise<void>,
): Promise<Measured> {
  const before = { ...meter.spent }
  const heap = () => process.memoryUsage().heapUsed / 1_000_000
  const heapBefore = heap()
  let most = heapBefore
  const sampling = setInterval(() => {
    most = Math.max(most, heap())
  }, SAMPLE_MS)
  const begun = performance.now()
  await work().finally(() => clearInterval(sampling))
  return {
    heapMegabytes: most - heapBefore,
    milliseconds: (performance.now() - begun) / customers.length,
    read: (meter.spent.read - before.read) / customers.length,
    written: (meter.spent.write - before.write) / customers.length,
  }
}

function tableOf(
  [customers, callsEach]: readonly [number, number],
  parts: Readonly<Record<'read' | 'preview' | 'issue', Measured>>,
): BenchmarkTable {
  const row = (
    name: string,
    { milliseconds, read, written, heapMegabytes }: Measured,
  ): [string, ...string[]] => [
    name,
    milliseconds.toFixed(1),
    (milliseconds / parts.read.milliseconds).toFixed(1),
    read.toFixed(1),
    written.toFixed(1),
    heapMegabytes.toFixed(0),
  ]
  return {
    title: `A month of ${customers} customers with ${callsEach} calls each`,
    columns: ['a customer', 'ms', 'as reading once', 'units read', 'units written', 'MB of heap, at most'],
    rows: [
      row('the calls, read once', parts.read),
      row('preview', parts.preview),
      row('issue (budget: 30 units written)', parts.issue),
    ],
  }
}
