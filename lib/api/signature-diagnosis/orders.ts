import type { RawParameters } from '../raw-parameters.ts'
import { type HashOrder, orderApplies } from '../signature.ts'

/** Parameters in the order in which a client may have joined their values. */
export interface Candidate {
  readonly signs: readonly string[]
  /** Explains where a client may have this order from. */
  readonly from?: string
}

/** Parameters of every call that no method declares. */
const COMMON_PARAMETERS = ['u', 'p']

/** The contract's orders, the documented one first. Orders that do not apply come last. */
export const documentedOrders = (sent: RawParameters, orders: readonly HashOrder[]): HashOrder[] => [
  ...orders.filter((order) => orderApplies(sent, order)),
  ...orders.filter((order) => !orderApplies(sent, order)),
]

/** The distinct orders that clients are likely to use, the likeliest first. */
export function candidatesFor(
  sent: RawParameters,
  orders: readonly HashOrder[],
  declared: readonly string[],
): Candidate[] {
  const documented = documentedOrders(sent, orders).map(({ signs }) => ({ signs }))
  const likely: Candidate[] = [
    ...documented,
    { signs: [] },
    ...documented.flatMap(({ signs }) => withCommonParameters(signs)),
    ...requestOrders(sent, declared),
    ...documented.flatMap(({ signs }) => leavingOneOut(signs, sent)),
  ]
  return distinct(likely)
}

const withCommonParameters = (signs: readonly string[]): Candidate[] =>
  [['u'], ['p'], COMMON_PARAMETERS].flatMap((added) => [
    { signs: [...added, ...signs.filter((name) => !added.includes(name))] },
    { signs: [...signs.filter((name) => !added.includes(name)), ...added] },
  ])

/** Orders by position in the request, by name and by value, with and without the parameters of every call. */
function requestOrders(sent: RawParameters, declared: readonly string[]): Candidate[] {
  const all = sentNames(sent)
  const own = all.filter((name) => !COMMON_PARAMETERS.includes(name))
  const byValue = (one: string, other: string) => compare(sent[one] ?? '', sent[other] ?? '')
  return [
    ...[own, all].map((signs) => ({ signs, from: 'in the order of the request' })),
    { signs: declared, from: 'in the order in which the reference lists the parameters' },
    ...[own, all].map((signs) => ({ signs: signs.toSorted(compare), from: 'sorted by name' })),
    ...[own, all].map((signs) => ({ signs: signs.toSorted(byValue), from: 'sorted by value' })),
  ]
}

const leavingOneOut = (signs: readonly string[], sent: RawParameters): Candidate[] =>
  signs.filter((name) => sent[name]).map((left) => ({ signs: signs.filter((name) => name !== left) }))

/**
 * Every order of every selection of the sent parameters, those of the documented order first. Callers stop
 * early: the number of orders grows faster than exponentially.
 */
export function* arrangements(sent: RawParameters, first: readonly string[]): Generator<Candidate> {
  const own = first.filter((name) => sent[name])
  for (const signs of ordersOf(own, own.length)) yield { signs }
  const all = sentNames(sent).filter((name) => sent[name])
  for (let length = 1; length <= all.length; length++) {
    for (const signs of ordersOf(all, length)) yield { signs }
  }
}

function* ordersOf(names: readonly string[], length: number): Generator<string[]> {
  if (length === 0) yield []
  else
    for (const name of names) {
      const rest = names.filter((other) => other !== name)
      for (const behind of ordersOf(rest, length - 1)) yield [name, ...behind]
    }
}

export const sentNames = (sent: RawParameters): string[] =>
  Object.keys(sent).filter((name) => name !== 'hash')

const compare = (one: string, other: string): number => Number(one > other) - Number(one < other)

function distinct(candidates: readonly Candidate[]): Candidate[] {
  const byNames = new Map<string, Candidate>()
  for (const candidate of candidates) {
    const names = candidate.signs.join(' ')
    if (!byNames.has(names)) byNames.set(names, candidate)
  }
  return [...byNames.values()]
}
