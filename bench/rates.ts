import { GetCommand } from '@aws-sdk/lib-dynamodb'
import { serve } from '#lib/api/stack/stack.ts'
import type { RowSource } from '#lib/dataset/format/row-source.ts'
import { importDataset } from '#lib/dataset/import/import.ts'
import { numberPrefixes } from '#lib/domain/rates/rating.ts'
import { findTariff, linesOfRates } from '#lib/store/rates/tariff.ts'
import { createMeter } from '#lib/store/requests/meter.ts'
import { aContext } from '#test/event.ts'
import { generatedRates, generatedSource } from '#test/examples/generated-rates.ts'
import { method as rateGet } from '../functions/rates/rate_get.ts'
import { method as tariffRatesGet } from '../functions/rates/tariff_rates_get.ts'
import {
  accountName,
  type BenchInstallation,
  callingAccounts,
  openBench,
  settings,
} from './load/installation.ts'
import { FIRST_CUSTOMER } from './load/written-calls.ts'
import { benchmarkEvent, streamAnswer } from './measure.ts'
import type { BenchmarkTable } from './report.ts'

const SMALL = 1000
const LOOK_UPS = 400

/** Imports a tariff, streams it, and looks rates up in it. */
export async function benchRates(large: number): Promise<BenchmarkTable[]> {
  const installation = await openBench(() => new Date())
  try {
    return [
      await benchImport(installation, large),
      await benchStreaming(installation, large),
      await benchLookUps(installation, large),
    ]
  } finally {
    await installation.stop()
  }
}

async function benchImport(installation: BenchInstallation, large: number): Promise<BenchmarkTable> {
  await installation.given({
    settings: [...settings, { name: 'Devices_Check_Rate', value: '1' }],
    users: accounts,
    tariffs: tariffsOfBench,
  })
  await importRates(installation, generatedSource(1, SMALL))
  const before = { units: installation.meter.spent.write, at: performance.now() }
  await importRates(installation, generatedSource(2, large))
  const seconds = (performance.now() - before.at) / 1000
  const written = installation.meter.spent.write - before.units
  const read = await readBack(installation)
  return {
    title: `Import of ${inWords(large)} rates`,
    rows: [
      ['rows a second', inWords(Math.round(large / seconds))],
      [`write units (an item a rate: ${inWords(large)})`, String(written)],
      ['read units to read it back', String(read)],
    ],
  }
}

const importRates = ({ store, services }: BenchInstallation, source: RowSource) =>
  importDataset({ store, clock: services.clock }, { name: 'bench', sources: { rates: source } })

const inWords = (count: number): string => count.toLocaleString('en')

/** Two customers, each with a tariff of its own. */
const accounts = callingAccounts({ owners: 0, customers: 2 }).map((user, index) => ({
  ...user,
  tariff_id: index === 0 ? '' : String(index),
}))
const [SMALL_CUSTOMER, LARGE_CUSTOMER] = [accountName(FIRST_CUSTOMER), accountName(FIRST_CUSTOMER + 1)]
const tariffsOfBench = ['1', '2'].map((id) => ({ id, name: `Tariff ${id}`, currency: 'USD', owner_id: '0' }))

async function readBack({ store, meter }: BenchInstallation): Promise<number> {
  const before = meter.spent.read
  const tariff = await findTariff(store, 2)
  for await (const _ of linesOfRates(store, { id: 2 }, tariff?.active));
  return meter.spent.read - before
}

/** Streams a whole tariff through the handler, as the Lambda runtime does, to a reader that discards it. */
async function benchStreaming({ services }: BenchInstallation, rates: number): Promise<BenchmarkTable> {
  const params = { u: LARGE_CUSTOMER }
  const answer = await streamAnswer({ method: tariffRatesGet, services, params }, () => {})
  return {
    title: `tariff_rates_get of ${rates.toLocaleString('en')} rates, streamed`,
    rows: [
      ['document', `${Math.round(answer.megabytes)} MB`],
      [
        'first byte after this part of the time',
        `${((answer.firstByteSeconds / answer.seconds) * 100).toFixed(1)} %`,
      ],
      [
        'memory of the whole process, benchmark included (budget 300 MB)',
        `${Math.round(answer.mostMemoryMegabytes)} MB`,
      ],
    ],
  }
}

type LookUp = (prefix: string) => Promise<{ units: number }>

async function benchLookUps(installation: BenchInstallation, large: number): Promise<BenchmarkTable> {
  const small = { look: byMethod(installation, SMALL_CUSTOMER), numbers: numbersOf(1, SMALL) }
  const largest = { look: byMethod(installation, LARGE_CUSTOMER), numbers: numbersOf(2, large) }
  const ways = [
    { name: 'rate_get, 1,000 rates', ...small },
    { name: `rate_get, ${inWords(large)} rates`, ...largest },
    { name: 'one GetItem for each prefix', look: oneByOne(installation), numbers: largest.numbers },
  ]
  const best = await bestOf(ways)
  const base = best[0]?.milliseconds ?? 1
  return {
    title:
      'Look-ups: signed calls of a user with its own tariff, against the bare requests of the naive ways',
    rows: ways.map(({ name }, way) => [
      name,
      `time ${((best[way]?.milliseconds ?? 0) / base).toFixed(2)}, ${best[way]?.units.toFixed(1)} read units`,
    ]),
  }
}

interface Way {
  readonly look: LookUp
  readonly numbers: readonly string[]
}

interface Measured {
  readonly milliseconds: number
  readonly units: number
}

const ROUNDS = 6

/** The ways take turns, so that other load on the machine affects all of them. The first round warms up. */
async function bestOf(ways: readonly Way[]): Promise<Measured[]> {
  const best = ways.map((): Measured => ({ milliseconds: Number.POSITIVE_INFINITY, units: 0 }))
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, { look, numbers }] of ways.entries()) {
      const measured = await timed(look, numbers)
      if (measured.milliseconds < (best[index]?.milliseconds ?? 0)) best[index] = measured
    }
  }
  return best
}

/** Dialled numbers, which are longer than their prefix. */
const numbersOf = (tariff: number, rates: number): string[] =>
  [...generatedRates(tariff, Math.min(LOOK_UPS, rates))].map(({ prefix = '' }) => prefix.padEnd(12, '7'))

async function timed(look: LookUp, numbers: readonly string[]): Promise<Measured> {
  const start = performance.now()
  let units = 0
  for (const number of numbers) units += (await look(number)).units
  return { milliseconds: performance.now() - start, units: units / numbers.length }
}

function byMethod({ services }: BenchInstallation, u: string): LookUp {
  let meter = createMeter()
  const openStore: typeof services.openStore = (own) => {
    meter = own
    return services.openStore(own)
  }
  const transport = { streams: false, maxBytes: 4_400_000 }
  const handler = serve(rateGet, { ...services, openStore, transport })
  return async (prefix) => {
    const answer = await handler(benchmarkEvent(rateGet, { u, prefix }), aContext())
    if (!answer.body.includes('<rate>')) throw new Error(answer.body)
    return { units: meter.spent.read }
  }
}

const keysOf = (number: string) => numberPrefixes(number).map((part) => ({ PK: `NAIVE#${part}`, SK: 'RATE' }))

const oneByOne =
  ({ client, tableName }: BenchInstallation): LookUp =>
  async (number) => {
    let units = 0
    for (const Key of keysOf(number)) {
      const answer = await client.send(
        new GetCommand({
          TableName: tableName,
          Key,
          ConsistentRead: true,
          ReturnConsumedCapacity: 'TOTAL',
        }),
      )
      units += answer.ConsumedCapacity?.CapacityUnits ?? 0
    }
    return { units }
  }
