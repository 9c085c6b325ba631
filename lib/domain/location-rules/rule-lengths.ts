import { LENGTHS } from './location-rule.ts'

/** From and to, both included. */
export interface LengthRange {
  readonly minlen: number
  readonly maxlen: number
}

/**
 * How many rules of one type, cut and add apply to a number of each length, the shortest first, as `1,1,0,...`; blank
 * is none at all. Their number may grow, this text does not: that keeps the check for overlaps apart from the size of
 * a location.
 */
export type RuleLengths = string

export const NO_LENGTHS: RuleLengths = ''

const COUNTED = LENGTHS.longest - LENGTHS.shortest + 1

/** Whether a rule for these lengths would overlap with another one. */
export const overlaps = (lengths: RuleLengths, range: LengthRange): boolean =>
  countsOf(lengths).some((count, position) => count > 0 && isWithin(position, range))

export const withRule = (lengths: RuleLengths, range: LengthRange): RuleLengths => counted(lengths, range, 1)

export const withoutRule = (lengths: RuleLengths, range: LengthRange): RuleLengths =>
  counted(lengths, range, -1)

function counted(lengths: RuleLengths, range: LengthRange, by: 1 | -1): RuleLengths {
  const counts = countsOf(lengths).map((count, position) =>
    isWithin(position, range) ? Math.max(0, count + by) : count,
  )
  return counts.some((count) => count > 0) ? counts.join(',') : NO_LENGTHS
}

const countsOf = (lengths: RuleLengths): number[] =>
  lengths === NO_LENGTHS ? new Array<number>(COUNTED).fill(0) : lengths.split(',').map(Number)

const isWithin = (position: number, { minlen, maxlen }: LengthRange): boolean => {
  const length = position + LENGTHS.shortest
  return minlen <= length && length <= maxlen
}
