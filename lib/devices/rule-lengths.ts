import { LOCATION_RULE_LENGTHS } from './location-rule.ts'

/** Lengths from minlen to maxlen, both included. */
export interface LengthRange {
  readonly minlen: number
  readonly maxlen: number
}

/**
 * The number of rules of one type, cut and add for each length of a number, from the shortest: `1,1,0,...`.
 * Blank means no rules. More rules make neither this text nor the overlap check larger.
 */
export type RuleLengths = string

export const NO_LENGTHS: RuleLengths = ''

const LENGTH_COUNT = LOCATION_RULE_LENGTHS.longest - LOCATION_RULE_LENGTHS.shortest + 1

/** Whether a rule for this range would overlap with a counted one. */
export const overlaps = (lengths: RuleLengths, range: LengthRange): boolean =>
  countsOf(lengths).some((count, index) => count > 0 && isWithin(index, range))

export const withRule = (lengths: RuleLengths, range: LengthRange): RuleLengths =>
  addToCounts(lengths, range, 1)

export const withoutRule = (lengths: RuleLengths, range: LengthRange): RuleLengths =>
  addToCounts(lengths, range, -1)

function addToCounts(lengths: RuleLengths, range: LengthRange, by: 1 | -1): RuleLengths {
  const counts = countsOf(lengths).map((count, index) =>
    isWithin(index, range) ? Math.max(0, count + by) : count,
  )
  return counts.some((count) => count > 0) ? counts.join(',') : NO_LENGTHS
}

const countsOf = (lengths: RuleLengths): number[] =>
  lengths === NO_LENGTHS ? new Array<number>(LENGTH_COUNT).fill(0) : lengths.split(',').map(Number)

const isWithin = (index: number, { minlen, maxlen }: LengthRange): boolean => {
  const length = index + LOCATION_RULE_LENGTHS.shortest
  return minlen <= length && length <= maxlen
}
