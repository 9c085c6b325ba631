import type { RawParameters } from '#lib/api/sent.ts'
import { applies, type HashOrder } from '#lib/api/signature.ts'

/** Names of parameters in the order in which a client may have joined their values. */
export interface Candidate {
  readonly signs: readonly string[]
  /** Where a client would have this order from, where that is not plain. */
  readonly from?: string
}

/** What goes along with a call besides what its method takes. */
const COMPANIONS = ['u', 'p']

/** The orders of the contract that hold for what was sent, the documented one first; then the others. */
export const documentedOrders = (sent: RawParameters, orders: readonly HashOrder[]): HashOrder[] => [
  ...orders.filter((order) => applies(sent, order)),
  ...orders.filter((order) => !applies(sent, order)),
]

/** The orders that clients take for a method's own, the likeliest first; none twice. */
export function candidatesFor(
  sent: RawParameters,
  orders: readonly HashOrder[],
  declared: readonly string[],
): Candidate[] {
  const documented = documentedOrders(sent, orders).map(({ signs }) => ({ signs }))
  const likely: Candidate[] = [
    ...documented,
    { signs: [] },
    ...documented.flatMap(({ signs }) => withCompanions(signs)),
    ...asAForm(sent, declared),
    ...documented.flatMap(({ signs }) => leavingOneOut(signs, sent)),
  ]
  return distinct(likely)
}

const withCompanions = (signs: readonly string[]): Candidate[] =>
  [['u'], ['p'], COMPANIONS].flatMap((added) => [
    { signs: [...added, ...signs.filter((name) => !added.includes(name))] },
    { signs: [...signs.filter((name) => !added.includes(name)), ...added] },
  ])

/** By the place in the request, by name, by value: all that was sent, and without what goes along with every call. */
function asAForm(sent: RawParameters, declared: readonly string[]): Candidate[] {
  const all = sentNames(sent)
  const own = all.filter((name) => !COMPANIONS.includes(name))
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
 * Every order of every choice of what was sent: first those of as many parameters as the documented order has. Nobody
 * asks for all of them: their number grows faster than that of the parameters.
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
