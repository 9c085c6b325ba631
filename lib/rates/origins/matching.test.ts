import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isLessThan } from '#lib/base/money.ts'
import { anyTimeRate } from '#test/examples/tariffs.ts'
import { runs } from '#test/sweep.ts'
import { prefixOfLine } from '../prefix-pages.ts'
import { bestRateAt, isBlocked, matchRate, priceOf, type Rate } from '../rating.ts'
import { fromLine, rateAmong, toLine } from '../tariff.ts'
import { type CallerOfRate, matchByOrigin } from './matching.ts'
import { INVALID, originLines, originProblem, originsOfLines } from './origins.ts'

const WHEN = { at: Date.UTC(2026, 2, 10, 10) / 1000, zone: 'UTC' }
const SECONDS = 61

interface Deck {
  readonly origins: readonly { readonly origin: string; readonly prefix: string }[]
  readonly rates: readonly Rate[]
}

const anOrigin = fc.record({
  origin: fc.constantFrom('A', 'B', 'C'),
  prefix: fc.constantFrom('1', '12', '123', '2', '21', '3'),
})

const aRate = fc
  .record({
    prefix: fc.constantFrom('3', '32', '324', '4'),
    origin: fc.constantFrom('', 'A', 'B', 'C', INVALID),
    adds: fc.boolean(),
    tariff_rate: fc.constantFrom('0', '0.1', '0.2', '0.35', '1', '-1'),
    con_fee: fc.constantFrom('0', '0', '0.05'),
    daytype: fc.constantFrom('everyday', 'weekday', 'weekend'),
    effective_from: fc.constantFrom(undefined, WHEN.at - 1000, WHEN.at + 1000),
    ends_at: fc.constantFrom(undefined, undefined, WHEN.at - 500),
  } as const)
  .map((rate) => anyTimeRate({ ...rate, adds: rate.adds && rate.origin !== '' }))
  .map((rate) => (rate.adds && isBlocked(rate) ? { ...rate, tariff_rate: '2' } : rate))

const aDeck: fc.Arbitrary<Deck> = fc
  .record({
    origins: fc.uniqueArray(anOrigin, { selector: ({ origin, prefix }) => `${origin} ${prefix}` }),
    rates: fc.uniqueArray(aRate, {
      maxLength: 14,
      selector: (rate) => toLine(rate).split('\t', 5).join(' '),
    }),
  })
  .filter(({ origins, rates }) => !hasTie(rates, origins))

const hasTie = (rates: readonly Rate[], origins: Deck['origins']): boolean =>
  originProblem(
    rates.map(toLine),
    fromLine,
    originLines([...origins, ...['A', 'B', 'C'].map((origin, at) => ({ origin, prefix: `9${at}` }))]),
  ) !== undefined

const leadingIn = (rates: readonly Rate[], digits: string) =>
  rates
    .filter(({ prefix }) => digits.startsWith(prefix))
    .sort((one, other) => one.prefix.length - other.prefix.length)

const aCaller = fc.constantFrom('1', '12', '123', '1234', '2', '219', '3', '5', undefined)
const aNumber = fc.constantFrom('3', '32', '324', '3245', '4', '49')

const callerOf = (
  origins: Deck['origins'],
  digits: string | undefined,
  invalid_caller: CallerOfRate['invalid_caller'] = 'dearest',
): CallerOfRate => ({
  origins:
    digits === undefined
      ? [{ name: INVALID, prefix: '' }]
      : originsOfLines(originLines(origins).filter((line) => digits.startsWith(prefixOfLine(line)))),
  ...{ detail: '', isInvalid: digits === undefined, invalid_caller, seconds: SECONDS },
})

const priced = (rate: Rate | undefined): string | undefined =>
  rate && (isBlocked(rate) ? 'blocked' : priceOf(rate, SECONDS).price)

// The second matcher looks at all rows, with the origins as rows of a file.

const sizeOf = (origins: Deck['origins'], name: string) =>
  origins.filter(({ origin }) => origin === name).length

/** The length of the longest prefix of an origin that leads the digits; 0 for none. */
const reach = (origins: Deck['origins'], name: string, digits: string): number =>
  Math.max(
    0,
    ...origins
      .filter(({ origin, prefix }) => origin === name && digits.startsWith(prefix))
      .map(({ prefix }) => prefix.length),
  )

interface Row {
  readonly rate: Rate
  readonly reach: number
  readonly size: number
}

/** The best of all rows that fit, of which `reachOf` says how far an origin reaches; below 0 not at all. */
function bestRow(
  rows: readonly Rate[],
  number: string,
  reachOf: (origin: string) => number,
  sizeOfOrigin: (origin: string) => number,
): Rate | undefined {
  const groups = Map.groupBy(
    rows.filter(({ prefix, origin }) => number.startsWith(prefix) && reachOf(origin) >= 0),
    ({ prefix, origin }) => `${prefix} ${origin}`,
  )
  const found = [...groups.values()].flatMap((group): Row[] => {
    const rate = bestRateAt(WHEN)(group)
    return rate ? [{ rate, reach: reachOf(rate.origin), size: sizeOfOrigin(rate.origin) }] : []
  })
  const order = (one: Row, other: Row) =>
    other.rate.prefix.length - one.rate.prefix.length || other.reach - one.reach || one.size - other.size
  return found.sort(order)[0]?.rate
}

function secondMatch(
  { origins, rates }: Deck,
  number: string,
  digits: string | undefined,
  standard: boolean,
) {
  const reachOf = (origin: string) => {
    if (origin === '') return 0
    if (digits === undefined) return origin === INVALID ? 1 : -1
    return reach(origins, origin, digits) || -1
  }
  const size = (origin: string) => sizeOf(origins, origin)
  const [full, added] = [rates.filter(({ adds }) => !adds), rates.filter(({ adds }) => adds)]
  const subsets = [[], ['A'], ['B'], ['C'], ['A', 'B'], ['A', 'C'], ['B', 'C'], ['A', 'B', 'C'], [INVALID]]
  const asOf = (rows: readonly Rate[], subset: readonly string[]) =>
    bestRow(
      rows,
      number,
      (origin) => (origin === '' ? 0 : subset.indexOf(origin) + (subset.includes(origin) ? 2 : 0)),
      size,
    )
  const dearest = (found: readonly (Rate | undefined)[], price: (rate: Rate) => string) =>
    found.reduce(
      (most, one) => (one && (!most || isLessThan(price(most), price(one))) ? one : most),
      undefined,
    )
  const priceIn = (rate: Rate) => priceOf(rate, SECONDS).price
  let base = bestRow(full, number, reachOf, size)
  if (digits === undefined && !standard && base?.origin !== INVALID) {
    const all = subsets.map((subset) => asOf(full, subset))
    const sold = all.filter((one) => one && !isBlocked(one))
    base = dearest(sold.length > 0 ? sold : all, priceIn)
  }
  if (!base || isBlocked(base)) return base
  let addition = bestRow(added, number, reachOf, size)
  if (digits === undefined && !standard && !addition)
    addition = dearest(
      subsets.map((subset) => asOf(added, subset)),
      priceIn,
    )
  if (!addition) return base
  const sum = (one: string, other: string) => String((Number(one) * 1000 + Number(other) * 1000) / 1000)
  return {
    ...base,
    tariff_rate: sum(base.tariff_rate, addition.tariff_rate),
    con_fee: sum(base.con_fee, addition.con_fee),
  }
}

test('a second matcher, which looks at all rows, finds the same prices', () => {
  const isStandard = fc.boolean()
  fc.assert(
    fc.property(aDeck, aNumber, aCaller, isStandard, (deck, digits, caller, standard) => {
      const known = callerOf(deck.origins, caller, standard ? 'standard' : 'dearest')
      const found = matchByOrigin(leadingIn(deck.rates, digits), known, WHEN)
      expect(priced(found)).toBe(priced(secondMatch(deck, digits, caller, standard)))
    }),
    { numRuns: runs(3000, 100_000) },
  )
})

test('the order of the rows does not matter', () => {
  fc.assert(
    fc.property(aDeck, aNumber, aCaller, (deck, digits, caller) => {
      const [one, other] = [deck.rates, deck.rates.toReversed()].map((rates) =>
        matchByOrigin(leadingIn(rates, digits), callerOf(deck.origins.toReversed(), caller), WHEN),
      )
      expect(priced(one)).toBe(priced(other))
    }),
    { numRuns: runs(1000, 30_000) },
  )
})

test('with dearest, no caller pays more than one without a number, if no rate is of invalid callers', () => {
  fc.assert(
    fc.property(aDeck, aNumber, aCaller, (deck, digits, caller) => {
      const rates = deck.rates.filter(({ origin }) => origin !== INVALID)
      const of = (one: string | undefined) =>
        priced(matchByOrigin(leadingIn(rates, digits), callerOf(deck.origins, one), WHEN))
      const [valid, invalid] = [of(caller), of(undefined)]
      if (valid === undefined || valid === 'blocked') return
      expect(isLessThan(String(invalid), valid)).toBe(false)
    }),
    { numRuns: runs(1000, 30_000) },
  )
})

test('rates without origins are found as in a tariff without origins', () => {
  const plain = fc.array(
    aRate.filter(({ origin }) => origin === ''),
    { maxLength: 12 },
  )
  fc.assert(
    fc.property(plain, aNumber, aCaller, (rates, digits, caller) => {
      const leading = leadingIn(rates, digits)
      const before = matchRate(leading, WHEN)
      expect(rateAmong(leading, WHEN)).toEqual(before)
      const { parts: _, ...after } = rateAmong(leading, { caller: callerOf([], caller), ...WHEN }) ?? {}
      expect(after).toEqual(before ?? {})
    }),
    { numRuns: runs(3000, 1_000_000) },
  )
})
