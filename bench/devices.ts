import { importDataset } from '#lib/dataset/import/import.ts'
import { callingAccounts, openBench, settings } from './installation.ts'
import { processorSince } from './measure.ts'
import type { BenchmarkTable } from './report.ts'
import { FIRST_CUSTOMER } from './written-calls.ts'

const DEVICES_OF_A_CUSTOMER = 4

/** Imports new devices, four of each customer. The first file is not measured: its import compiles the code. */
export async function benchDevices(most: number): Promise<BenchmarkTable> {
  const bench = await openBench(() => new Date())
  const importDevices = async (first: number, count: number) => {
    const rows = async function* () {
      for (let line = 1; line <= count; line += 1) yield { line, cells: deviceCells(first + line, most) }
    }
    const source = { file: 'devices', rows }
    await importDataset({ store: bench.store, clock: bench.services.clock }, 'bench', [
      { file: 'devices', source },
    ])
  }
  try {
    await bench.given({
      settings,
      users: callingAccounts({ owners: 0, customers: most / DEVICES_OF_A_CUSTOMER }),
    })
    await importDevices(1, most / 10)
    const { requests, write } = bench.meter.spent
    const [started, processor] = [performance.now(), process.cpuUsage()]
    await importDevices(most, most)
    const each = (sum: number) => (sum / most).toFixed(2)
    return {
      title: `Import of ${most} devices`,
      rows: [
        ['rows a second', String(Math.round((most * 1000) / (performance.now() - started)))],
        ['processor time of a row', `${each(processorSince(processor) / 1000)} ms`],
        ['requests a row', each(bench.meter.spent.requests - requests)],
        ['write units a row', each(bench.meter.spent.write - write)],
      ],
    }
  } finally {
    await bench.stop()
  }
}

const deviceCells = (id: number, devices: number) => ({
  id: String(id),
  user_id: String(FIRST_CUSTOMER + (id % (devices / DEVICES_OF_A_CUSTOMER))),
  name: `desk-${id}`,
  extension: String(200_000 + id),
  secret: 'of-bench',
})
