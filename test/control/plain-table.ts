import { isLessThan, add as plus } from '#lib/base/money.ts'
import { type Item, numberOf } from '#lib/table/items.ts'
import { type Key, keyText } from '#lib/table/keys.ts'
import type { Assignments, Conditions, Term } from '#lib/table/requests/changes.ts'
import { createMeter } from '#lib/table/requests/meter.ts'
import { ConditionFailed } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'

/** The items of a table in memory, by the text of their key. */
export type PlainItems = Map<string, Item>

export const itemsOf = (items: readonly Item[]): PlainItems =>
  new Map(items.map((item) => [keyText(item), item]))

/** A missing item meets the conditions of one without attributes. */
function holds(item: Item, [name, term]: readonly [string, Term]): boolean {
  const value = item[name]
  if (!('operator' in term)) return (value === undefined) === (term.kind === 'absent')
  if (value === undefined) return term.kind === 'absent or'
  const [one, other] = [String(value), String(term.value)]
  if (term.operator === '=') return one === other
  if (term.operator === '<') return isLessThan(one, other)
  return term.operator === '>' ? isLessThan(other, one) : !isLessThan(other, one)
}

/** Carries out an update, or throws ConditionFailed. */
export function updated(
  items: PlainItems,
  key: Key,
  { set = {}, add = {} }: Assignments,
  when: Conditions,
): Item {
  const before: Item = items.get(keyText(key)) ?? key
  const terms = Object.entries(when).flatMap(([name, some]) =>
    [some].flat().map((term) => [name, term] as const),
  )
  if (!terms.every((condition) => holds(before, condition))) throw new ConditionFailed([0], {})
  const after: Record<string, unknown> = { ...before, ...set }
  for (const [name, value] of Object.entries(set)) if (value === undefined) delete after[name]
  for (const [name, by] of Object.entries(add)) after[name] = numberOf(sumOf(before[name], by))
  items.set(keyText(key), after)
  return after
}

const sumOf = (one: unknown = 0, by: unknown): string => plus(String(one), String(by))

/** A request to the table: what it does, when its turn comes. */
export type Perform = <T>(work: () => T) => Promise<T>

/** The operations that call control uses, each performed as one step. */
export function plainStore(items: PlainItems, perform: Perform): Store {
  const getMany = (keys: readonly Key[]) => perform(() => keys.map((key) => items.get(keyText(key))))
  return {
    meter: createMeter(),
    getMany,
    get: async (key: Key) => (await getMany([key]))[0],
    update: (key: Key, to: Assignments, when: Conditions = {}) =>
      perform(() => updated(items, key, to, when)),
  } as unknown as Store
}
