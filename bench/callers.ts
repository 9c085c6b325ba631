import { findCallerOfRate } from '#lib/rates/origins/caller-lookup.ts'
import type { CallerOfRate } from '#lib/rates/origins/matching.ts'
import { originLines } from '#lib/rates/origins/origins.ts'
import { prefixOfLine } from '#lib/rates/prefix-pages.ts'
import { numberPrefixes, priceOf, type Rate } from '#lib/rates/rating.ts'
import { rateAmong } from '#lib/rates/tariff.ts'
import { anyTimeRate } from '#test/examples/tariffs.ts'
import { median, processorSince } from './measure.ts'
import type { BenchmarkTable } from './report.ts'

const ORIGINS = 3000
const CALLS = 100_000
const ROUNDS = 5

const WHEN = { at: Date.UTC(2026, 2, 10, 10) / 1000, zone: 'UTC' }

/** Prices calls by a tariff in memory, with origins and without, in turns. */
export async function benchCallers(rates: number): Promise<BenchmarkTable[]> {
  const byPrefix = ratesByPrefix(rates)
  const origins = originsInMemory()
  const spent = { with: [] as number[], without: [] as number[] }
  const ratesOf = (digits: string) => numberPrefixes(digits).flatMap((prefix) => byPrefix.get(prefix) ?? [])
  for (let round = 0; round < ROUNDS; round += 1) {
    spent.without.push(await priceCalls((digits) => ratesOf(digits).filter(({ origin }) => origin === '')))
    spent.with.push(await priceCalls(ratesOf, origins))
  }
  const perSecond = (kind: keyof typeof spent) =>
    Math.round(CALLS / (median(spent[kind]) / 1e6)).toLocaleString('en')
  return [
    {
      title: `Pricing in memory, ${rates.toLocaleString('en')} rates`,
      rows: [
        ['calls a second of processor, without origins', perSecond('without')],
        [`with ${ORIGINS.toLocaleString('en')} origins (budget 250,000)`, perSecond('with')],
      ],
    },
  ]
}

/** The processor time of some calls, in microseconds. */
async function priceCalls(
  ratesOf: (digits: string) => readonly Rate[],
  callerOf?: (call: number) => Promise<CallerOfRate>,
): Promise<number> {
  const before = process.cpuUsage()
  for (let call = 0; call < CALLS; call += 1) {
    const digits = String(32_000_000_000 + ((call * 7919) % 67_000_000_000))
    const rate = rateAmong(ratesOf(digits), { digits, caller: await callerOf?.(call), ...WHEN })
    if (rate) priceOf(rate, 61)
  }
  return processorSince(before)
}

/** Prefixes of two to seven digits; one in ten also has a rate and an addition for an origin. */
function ratesByPrefix(count: number): ReadonlyMap<string, readonly Rate[]> {
  const byPrefix = new Map<string, Rate[]>()
  for (let index = 0; index < count; index += 1) {
    const prefix = String(32 + ((index * 104_729) % 9_900_000)).slice(0, 2 + (index % 6))
    const origin = `group ${index % ORIGINS}`
    const more = index % 10 > 0 ? [] : [{ origin }, { origin, adds: true }]
    const rates = [{}, ...more].map((rest) => anyTimeRate({ prefix, tariff_rate: '0.0125', ...rest }))
    if (!byPrefix.has(prefix)) byPrefix.set(prefix, rates)
  }
  return byPrefix
}

/** The origins of a caller, from lines that are held by prefix. */
function originsInMemory() {
  const rows = Array.from({ length: ORIGINS }, (_, index) => ({
    origin: `group ${index}`,
    prefix: String(20 + index),
  }))
  const lines = Map.groupBy(originLines(rows), prefixOfLine)
  const find = async (_list: unknown, _version: unknown, digits: string) =>
    numberPrefixes(digits).flatMap((prefix) => lines.get(prefix) ?? [])
  const tariff = { id: 1, active: undefined, invalid_caller: 'dearest' } as const
  return (call: number) => {
    const digits = String(2_000_000_000 + ((call * 104_729) % 900_000_000))
    return findCallerOfRate(find, tariff, { digits, detail: digits }, 61)
  }
}
