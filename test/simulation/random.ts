/** Numbers that follow from a seed alone. */
export interface Draws {
  /** From 0 to 1, without 1. */
  number(): number
  /** A whole number from 0, below this one. */
  below(bound: number): number
  one<T>(list: readonly T[]): T
  /** True once in so many draws; never for 0. */
  onceIn(draws: number): boolean
  bytes(count: number): Buffer
}

/** Mulberry32: a period of 2^32 is more than a run draws. */
export function drawsFrom(seed: number): Draws {
  let state = seed >>> 0
  const number = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (bound: number) => Math.floor(number() * bound)
  return {
    number,
    below,
    one: (list) => {
      if (list.length === 0) throw new Error('Nothing to draw from')
      return list[below(list.length)] as (typeof list)[number]
    },
    onceIn: (draws) => draws > 0 && number() * draws < 1,
    bytes: (count) => Buffer.from(Array.from({ length: count }, () => below(256))),
  }
}
