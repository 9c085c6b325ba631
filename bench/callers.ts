import { indexByPrefix, type PrefixIndex } from '#lib/rates/numbers/prefix-index.ts'
import { callerOfLines } from '#lib/rates/origins/caller-lookup.ts'
import { originLines } from '#lib/rates/origins/origins.ts'
import { prefixOfLine } from '#lib/rates/prefix-pages.ts'
import { priceOf, type Rate } from '#lib/rates/rating.ts'
import { fromLine, rateAmong, toLine } from '#lib/rates/tariff.ts'
import { generatedRates, seeded } from '#test/examples/generated-rates.ts'
import { anyTimeRate } from '#test/examples/tariffs.ts'
import { median, processorSince } from './measure.ts'
import type { BenchmarkTable } from './report.ts'

const ORIGINS = 3000
const CALLS = 100_000
const ROUNDS = 7

const WHEN = { at: Date.UTC(2026, 2, 10, 10) / 1000, zone: 'Europe/Berlin' }

/** Prices calls by a tariff in memory, with origins and without, in turns. */
export function benchCallers(count: number): BenchmarkTable[] {
  const rates = drawRates(count)
  const calls = drawCalls(rates)
  const withOrigins = indexByPrefix(rates, ({ prefix }) => prefix)
  const withoutOrigins = indexByPrefix(
    rates.filter(({ origin }) => origin === ''),
    ({ prefix }) => prefix,
  )
  const origins = indexByPrefix(drawOrigins(), prefixOfLine)
  const spent = { with: [] as number[], without: [] as number[] }
  for (let round = 0; round < ROUNDS; round += 1) {
    spent.without.push(priceCalls(calls, withoutOrigins))
    spent.with.push(priceCalls(calls, withOrigins, origins))
  }
  const [fast, slow] = [median(spent.without), median(spent.with)]
  const perSecond = (microseconds: number) => Math.round(CALLS / (microseconds / 1e6)).toLocaleString('en')
  return [
    {
      title: `Pricing in memory, ${rates.length.toLocaleString('en')} rates`,
      rows: [
        ['calls a second of processor, without origins', perSecond(fast)],
        [`with ${ORIGINS.toLocaleString('en')} origins (budget 250,000)`, perSecond(slow)],
        ['time with origins / without', (slow / fast).toFixed(2)],
      ],
    },
  ]
}

interface DrawnCall {
  readonly digits: string
  /** `undefined` without a usable number. */
  readonly caller: string | undefined
}

/** The processor time of some calls, in microseconds. */
function priceCalls(
  calls: readonly DrawnCall[],
  leading: PrefixIndex<Rate>,
  origins?: PrefixIndex<string>,
): number {
  const tariff = { invalid_caller: 'dearest' } as const
  const before = process.cpuUsage()
  for (const { digits, caller: from } of calls) {
    const number = { digits: from, detail: '' }
    const caller = origins && callerOfLines(tariff, number, from === undefined ? [] : origins(from), 61)
    const rate = rateAmong(leading(digits), { ...WHEN, caller })
    if (!rate) throw new Error(`${digits} has no rate`)
    priceOf(rate, 61)
  }
  return processorSince(before)
}

const originOf = (index: number): string => `group ${index % ORIGINS}`

/** The first digits of the callers of each origin; all of them are also of `region`. */
const callersOf = (index: number): string => String(2000 + (index % ORIGINS))

/** Read from sorted lines, as pages are: one prefix in ten also has a rate and an addition for an origin. */
function drawRates(count: number): Rate[] {
  const prefixes = Array.from(generatedRates(1, Math.ceil(count / 1.2)))
  const lines = prefixes.flatMap(({ prefix = '', tariff_rate = '' }, index) => {
    const [origin, rate] = [originOf(index), { prefix, tariff_rate }]
    const more = index % 10 > 0 ? [] : [{ origin }, { origin, adds: true }]
    return [{}, ...more].map((rest) => toLine(anyTimeRate({ ...rate, ...rest })))
  })
  return lines.sort().map(fromLine)
}

/** Half of the callers are of an origin with rates; one in fifty has no usable number. */
function drawCalls(rates: readonly Rate[]): DrawnCall[] {
  const random = seeded(2)
  const below = (bound: number) => Math.floor(random() * bound)
  return Array.from({ length: CALLS }, () => {
    const { prefix = '', origin = '' } = rates[below(rates.length)] ?? {}
    const group = random() < 0.5 && origin !== '' ? Number(origin.slice('group '.length)) : below(ORIGINS)
    const caller = `${callersOf(group)}${String(below(1e7)).padStart(7, '0')}`
    const digits = `${prefix}${below(1e6)}`.padEnd(11, '5').slice(0, 12)
    return { digits, caller: random() < 0.02 ? undefined : caller }
  })
}

const drawOrigins = (): string[] =>
  originLines(
    Array.from({ length: ORIGINS }, (_, index) => [
      { origin: originOf(index), prefix: callersOf(index) },
      { origin: 'region', prefix: callersOf(index).slice(0, 2) },
    ]).flat(),
  )
