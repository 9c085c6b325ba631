import type { Cells, RowSource } from '#lib/table/cells/row-source.ts'

/** The same numbers for the same seed, from 0 to below 1. */
export function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A tariff's rows as carriers send them: unordered prefixes of two to ten digits, none twice. */
export function* generatedRates(tariffId: number, count: number): Generator<Cells> {
  const random = seeded(tariffId)
  const below = (bound: number) => Math.floor(random() * bound)
  const prefixes = new Set<string>()
  while (prefixes.size < count) {
    const country = 1 + below(998)
    const prefix = `${country}${below(10 ** (1 + below(7)))}`
    if (prefixes.has(prefix)) continue
    prefixes.add(prefix)
    yield {
      tariff_id: String(tariffId),
      direction: `Country ${country}`,
      destination: `Country ${country} mobile operator ${prefix.length}`,
      prefix,
      tariff_rate: (below(100_000) / 100_000).toFixed(5),
      con_fee: '0',
      increment: '1',
      min_time: '0',
      start_time: '00:00:00',
      end_time: '23:59:59',
      daytype: 'everyday',
      effective_from: '2026-01-01 00:00:00',
    }
  }
}

/** As a file of rates: made again each time it is read. */
export const generatedSource = (tariffId: number, count: number): RowSource => ({
  file: 'rates',
  async *rows() {
    let line = 1
    for (const cells of generatedRates(tariffId, count)) {
      line += 1
      yield { line, cells }
    }
  },
})
