import { add, isZero, type Money, subtract, ZERO } from '#lib/domain/money.ts'
import type { Statement } from './statement.ts'

/** What only the whole table shows. */
interface Total {
  readonly take: (statement: Statement) => void
  /** A sentence for each thing that is wrong. */
  readonly wrong: () => string[]
}

/** Counts, ids, and what some item must give. Holds an entry for each counter, never an item. */
export function createTotals(): Total {
  const totals = [createSums(), createIds(), createNeeds()]
  return {
    take: (statement) => {
      for (const total of totals) total.take(statement)
    },
    wrong: () => totals.flatMap((total) => total.wrong()),
  }
}

interface Sum {
  readonly says: Money
  readonly comesTo: Money
  readonly mayBeUncounted: boolean
}

const EMPTY: Sum = { says: ZERO, comesTo: ZERO, mayBeUncounted: true }

function createSums(): Total {
  const sums = new Map<string, Sum>()
  return {
    take: (statement) => {
      if (!('of' in statement)) return
      const { of } = statement
      sums.set(of, withStatement(sums.get(of) ?? EMPTY, statement))
    },
    wrong: () =>
      [...sums]
        .filter(
          ([, { says, comesTo, mayBeUncounted }]) => !mayBeUncounted && !isZero(subtract(says, comesTo)),
        )
        .map(([of, { says, comesTo }]) => `${of}: ${says} by the counter, but they come to ${comesTo}.`),
  }
}

function withStatement(sum: Sum, statement: Extract<Statement, { of: string }>): Sum {
  if ('says' in statement)
    return { ...sum, says: add(sum.says, String(statement.says)), mayBeUncounted: false }
  const mayBeUncounted = sum.mayBeUncounted && statement.mayBeUncounted === true
  return { ...sum, comesTo: add(sum.comesTo, String(statement.adds)), mayBeUncounted }
}

function createIds(): Total {
  const highest = { used: new Map<string, number>(), reached: new Map<string, number>() }
  const raise = (side: keyof typeof highest, kind: string, id: number) =>
    void highest[side].set(kind, Math.max(highest[side].get(kind) ?? 0, id))
  return {
    take: (statement) => {
      if ('used' in statement) raise('used', statement.ids, statement.used)
      if ('reached' in statement) raise('reached', statement.ids, statement.reached)
    },
    wrong: () =>
      [...highest.used].flatMap(([kind, used]) => {
        const reached = highest.reached.get(kind) ?? 0
        return used > reached
          ? [`The counter of ids of ${kind} is at ${reached}, but ${used} is in use.`]
          : []
      }),
  }
}

function createNeeds(): Total {
  const needs = new Map<string, string>()
  const given = new Set<string>()
  return {
    take: (statement) => {
      if ('needs' in statement) needs.set(statement.needs, statement.otherwise)
      if ('gives' in statement) given.add(statement.gives)
    },
    wrong: () => [...needs].flatMap(([what, otherwise]) => (given.has(what) ? [] : [otherwise])),
  }
}
