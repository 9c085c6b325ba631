import { importDataset } from '#lib/dataset/import/import.ts'
import { pagesOf } from '#lib/rates/prefix-versions.ts'
import { findTariff, ratesOf } from '#lib/rates/tariff.ts'
import type { RowSource } from '#lib/table/cells/row-source.ts'
import { generatedSource } from '#test/examples/generated-rates.ts'
import { method } from '../functions/rates/tariff_rates_get.ts'
import { accountName, type BenchInstallation, callingAccounts, openBench, settings } from './installation.ts'
import { streamAnswer } from './measure.ts'
import type { BenchmarkTable } from './report.ts'
import { FIRST_CUSTOMER } from './written-calls.ts'

const SMALL = 1000

/** Imports a tariff and streams it. half-a-million.sweep.test.ts has the units of rate_get. */
export async function benchRates(large: number): Promise<BenchmarkTable[]> {
  const bench = await openBench(() => new Date())
  try {
    await bench.given({
      settings,
      users: callingAccounts({ owners: 0, customers: 1 }).map((user) => ({ ...user, tariff_id: '2' })),
      tariffs: ['1', '2'].map((id) => ({ id, name: `Tariff ${id}`, currency: 'USD', owner_id: '0' })),
    })
    return [await benchImport(bench, large), await benchStreaming(bench, large)]
  } finally {
    await bench.stop()
  }
}

/** The small tariff is not measured: its import compiles the code. */
async function benchImport(bench: BenchInstallation, large: number): Promise<BenchmarkTable> {
  await importRates(bench, generatedSource(1, SMALL))
  const before = { units: bench.meter.spent.write, at: performance.now() }
  await importRates(bench, generatedSource(2, large))
  const seconds = (performance.now() - before.at) / 1000
  const written = bench.meter.spent.write - before.units
  return {
    title: `Import of ${inWords(large)} rates`,
    rows: [
      ['rows a second', inWords(Math.round(large / seconds))],
      [`write units (an item a rate: ${inWords(large)})`, String(written)],
      ['read units to read it back', String(await unitsToReadBack(bench))],
    ],
  }
}

const importRates = ({ store, services }: BenchInstallation, rates: RowSource) =>
  importDataset({ store, clock: services.clock }, 'bench', [{ file: 'rates', source: rates }])

const inWords = (count: number): string => count.toLocaleString('en')

async function unitsToReadBack({ store, meter }: BenchInstallation): Promise<number> {
  const before = meter.spent.read
  const tariff = await findTariff(store, 2)
  for await (const _ of pagesOf(store, ratesOf(2), tariff?.active));
  return meter.spent.read - before
}

/** Streams a whole tariff through the handler, as the Lambda runtime does, to a reader that discards it. */
async function benchStreaming({ services }: BenchInstallation, rates: number): Promise<BenchmarkTable> {
  const params = { u: accountName(FIRST_CUSTOMER) }
  const before = process.memoryUsage.rss() / 1e6
  const answer = await streamAnswer({ method, services, params }, () => {})
  const firstByte = (100 * answer.firstByteSeconds) / answer.seconds
  return {
    title: `tariff_rates_get of ${inWords(rates)} rates, streamed`,
    rows: [
      ['document', `${Math.round(answer.megabytes)} MB`],
      ['first byte after this part of the time', `${firstByte.toFixed(1)} %`],
      [
        'memory of the whole process, benchmark included (budget 300 MB)',
        `${Math.round(answer.mostMemoryMegabytes)} MB`,
      ],
      ['of it before the answer began, left by the import', `${Math.round(before)} MB`],
    ],
  }
}
