import { add, isZero, type Money, subtract, ZERO } from '#lib/base/money.ts'
import type { Expectation } from './expectation.ts'

/** Collects expectations that only the whole table can meet. */
interface Totals {
  readonly take: (expectation: Expectation) => void
  /** Returns a sentence for each expectation that is not met. */
  readonly wrong: () => string[]
}

/** Totals, ids and needs. Their memory grows with the number of counters, not of items. */
export function createTotals(): Totals {
  const totals = [createSums(), createIds(), createNeeds()]
  return {
    take: (expectation) => {
      for (const total of totals) total.take(expectation)
    },
    wrong: () => totals.flatMap((total) => total.wrong()),
  }
}

interface Sum {
  readonly counted: Money
  readonly actual: Money
  readonly mayBeUncounted: boolean
}

const EMPTY: Sum = { counted: ZERO, actual: ZERO, mayBeUncounted: true }

function createSums(): Totals {
  const sums = new Map<string, Sum>()
  return {
    take: (expectation) => {
      if (!('total' in expectation)) return
      const { total } = expectation
      sums.set(total, addTo(sums.get(total) ?? EMPTY, expectation))
    },
    wrong: () =>
      [...sums]
        .filter(
          ([, { counted, actual, mayBeUncounted }]) => !mayBeUncounted && !isZero(subtract(counted, actual)),
        )
        .map(
          ([total, { counted, actual }]) =>
            `The counter of ${total} is ${counted}, but the total is ${actual}.`,
        ),
  }
}

function addTo(sum: Sum, expectation: Extract<Expectation, { total: string }>): Sum {
  if ('counts' in expectation)
    return { ...sum, counted: add(sum.counted, String(expectation.counts)), mayBeUncounted: false }
  const mayBeUncounted = sum.mayBeUncounted && expectation.mayBeUncounted === true
  return { ...sum, actual: add(sum.actual, String(expectation.adds)), mayBeUncounted }
}

function createIds(): Totals {
  const highest = { used: new Map<string, number>(), reached: new Map<string, number>() }
  const raise = (side: keyof typeof highest, kind: string, id: number) =>
    void highest[side].set(kind, Math.max(highest[side].get(kind) ?? 0, id))
  return {
    take: (expectation) => {
      if ('used' in expectation) raise('used', expectation.ids, expectation.used)
      if ('reached' in expectation) raise('reached', expectation.ids, expectation.reached)
    },
    wrong: () =>
      [...highest.used].flatMap(([kind, used]) => {
        const reached = highest.reached.get(kind) ?? 0
        return used > reached
          ? [`The counter of ${kind} ids is at ${reached}, but id ${used} is in use.`]
          : []
      }),
  }
}

function createNeeds(): Totals {
  const needs = new Map<string, string>()
  const given = new Set<string>()
  return {
    take: (expectation) => {
      if ('needs' in expectation) needs.set(expectation.needs, expectation.otherwise)
      if ('gives' in expectation) given.add(expectation.gives)
    },
    wrong: () => [...needs].flatMap(([need, otherwise]) => (given.has(need) ? [] : [otherwise])),
  }
}
