import { queueConsumer } from '#lib/ingest/queue-consumer.ts'
import type { Cells } from '#lib/table/cells/row-source.ts'
import { queueEvent } from '#test/event.ts'
import { type BenchInstallation, callingAccounts, openBench } from './installation.ts'
import type { BenchmarkTable } from './report.ts'
import { FIRST_CUSTOMER } from './written-calls.ts'

const IN_A_MESSAGE = 500

const clock = () => new Date('2026-03-10T12:00:00Z')

/** Calls of one day in the order of time, as switches send them. */
const callAt = (n: number, customers: number): Cells => ({
  uniqueid: `1773100000.${n}`,
  calldate: `@-${n % 3}d 10:00:00`,
  src: '37060012345',
  dst: '12025550199',
  disposition: 'ANSWERED',
  duration: '75',
  billsec: '61',
  hangupcause: '16',
  user_id: String(FIRST_CUSTOMER + ((n * 7919) % customers)),
  device_id: '2001',
  provider_id: '7',
  user_rate: '0.0987',
  user_price: '0.100345',
  provider_rate: '0.05',
  provider_price: '0.050833',
  reseller_price: '0.070123',
})

/** The seconds for the calls from one number up to another, excluded, with ten messages at a time. */
async function ingest(
  { store, services }: BenchInstallation,
  customers: number,
  [first, end]: readonly [number, number],
) {
  const consume = queueConsumer('ingest_calls', { ...services, openStore: () => store })
  const started = performance.now()
  for (let from = first; from < end; from += 10 * IN_A_MESSAGE) {
    const bodies = Array.from({ length: 10 }, (_, message) => {
      const start = from + message * IN_A_MESSAGE
      const size = Math.max(0, Math.min(IN_A_MESSAGE, end - start))
      const records = Array.from({ length: size }, (_, record) => callAt(start + record, customers))
      return { type: 'calls', records }
    })
    const { batchItemFailures } = await consume(queueEvent(...bodies))
    if (batchItemFailures.length > 0) throw new Error('A message was not stored')
  }
  return (performance.now() - started) / 1000
}

/** A transaction costs two write units for an item and each index; a call with its keys is below 1 KB. */
const LEAST_UNITS = 4

/** Resellers, customers of each reseller, and calls. */
const operators = (most: number) =>
  [
    [1, 1, most / 10],
    [4, 25, most],
    [20, 100, most / 10],
  ] as const

/** The part of the calls that comes before the measured ones. */
const FEW = 0.05

/** Stores calls through the consumer of the queue. */
export async function benchIngest(most: number): Promise<BenchmarkTable> {
  const rows: [string, string][] = [
    ['bare puts in transactions, the physical minimum', `${LEAST_UNITS} write units a record`],
  ]
  for (const [owners, each, records] of operators(most)) {
    const first = Math.round(FEW * records)
    const customers = owners * each
    const bench = await openBench(clock)
    await bench.given({ users: callingAccounts({ owners, customers }) })
    await ingest(bench, customers, [0, first])
    const before = bench.meter.spent.write
    const seconds = await ingest(bench, customers, [first, records])
    const units = (bench.meter.spent.write - before) / (records - first)
    const rate = Math.round((records - first) / seconds)
    const name = `${records} calls, ${customers} customers of ${owners} owners`
    rows.push([name, `${units.toFixed(2)} write units a record, ${rate} records/s`])
    await bench.stop()
  }
  return { title: 'Calls through the queue', rows }
}
