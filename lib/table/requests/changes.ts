import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb'
import { type Key, keyText } from '../keys.ts'

/** The condition of a write on one attribute. */
export type Term =
  | { readonly kind: 'absent' | 'present' }
  | { readonly kind: 'compare' | 'absent or'; readonly operator: Operator; readonly value: unknown }

type Operator = '=' | '<' | '>' | '<='

/** By attribute. All of them have to hold, also several of one attribute. */
export type Conditions = Readonly<Record<string, Term | readonly Term[]>>

export const absent: Term = { kind: 'absent' }
export const present: Term = { kind: 'present' }
export const is = (value: unknown): Term => ({ kind: 'compare', operator: '=', value })
export const above = (value: unknown): Term => ({ kind: 'compare', operator: '>', value })
export const below = (value: unknown): Term => ({ kind: 'compare', operator: '<', value })

/** For counters, which are absent until the first count. */
export const absentOrIs = (value: unknown): Term => ({ kind: 'absent or', operator: '=', value })
export const absentOrBelow = (value: unknown): Term => ({ kind: 'absent or', operator: '<', value })
export const absentOrAtMost = (value: unknown): Term => ({ kind: 'absent or', operator: '<=', value })

export type Change =
  | { readonly put: Key & Readonly<Record<string, unknown>>; readonly when?: Conditions }
  | { readonly update: Key; readonly to: Assignments; readonly when?: Conditions }
  | { readonly remove: Key; readonly when?: Conditions }
  | { readonly check: Key; readonly when: Conditions }

/** TransactWriteItems' limit. */
export const CHANGES_IN_ONE_TRANSACTION = 100

/** Joins changes of one item, as a transaction takes one. Counts add up, all conditions must hold. */
export function combined(changes: readonly Change[]): Change[] {
  const byKey = new Map<string, Change>()
  for (const change of changes) {
    const name = keyText(keyOfChange(change))
    const known = byKey.get(name)
    byKey.set(name, known ? joined(known, change) : change)
  }
  return [...byKey.values()]
}

export function keyOfChange(change: Change): Key {
  if ('put' in change) return change.put
  if ('update' in change) return change.update
  return 'remove' in change ? change.remove : change.check
}

function joined(one: Change, other: Change): Change {
  const when = { ...one.when }
  // Two that contradict each other never hold: what they were read from has changed between.
  for (const name in other.when) when[name] = [when[name] ?? [], other.when[name] ?? []].flat()
  if ('check' in other) return { ...one, when }
  if ('check' in one) return { ...other, when }
  if (!('update' in one && 'update' in other)) throw new Error(`two writes of ${keyOfChange(one).PK}`)
  const added = { ...one.to.add }
  for (const [name, by] of Object.entries(other.to.add ?? {}))
    added[name] = name in added ? sumOf(added[name], by) : by
  return { update: one.update, to: { set: { ...one.to.set, ...other.to.set }, add: added }, when }
}

/** Adds up counts, or amounts that know how to be added (`exactly` in lib/table/items.ts). */
const sumOf = (one: unknown, other: unknown): unknown =>
  isAddable(one) ? one.plus(other) : Number(one) + Number(other)

const isAddable = (value: unknown): value is { plus(other: unknown): unknown } =>
  typeof value === 'object' && value !== null && 'plus' in value

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number]

export function toTransactItem(change: Change, TableName: string): TransactItem {
  const bindings = createBindings()
  const ConditionExpression = conditionExpression(change.when ?? {}, bindings) || undefined
  const UpdateExpression = 'update' in change ? updateExpression(change.to, bindings) : ''
  const request = { TableName, ConditionExpression, ...bindings.toRequest() }
  if ('put' in change) return { Put: { Item: change.put, ...request } }
  if ('update' in change) return { Update: { Key: change.update, UpdateExpression, ...request } }
  if ('remove' in change) return { Delete: { Key: change.remove, ...request } }
  return { ConditionCheck: { Key: change.check, ...request } }
}

/** Collects the placeholders of one request. Expressions contain only placeholders, never names or values. */
export function createBindings() {
  const names = new Map<string, string>()
  const values = new Map<unknown, string>()
  return {
    name: (attribute: string) => bind(names, '#n', attribute),
    value: (value: unknown) => bind(values, ':v', value),
    /** The two fields of a request. An empty one is left out, because DynamoDB refuses it. */
    toRequest: () => ({
      ...(names.size > 0 && { ExpressionAttributeNames: inverted(names) }),
      ...(values.size > 0 && { ExpressionAttributeValues: inverted(values) }),
    }),
  }
}

type Bindings = ReturnType<typeof createBindings>

function bind<T>(placeholders: Map<T, string>, sigil: string, bound: T): string {
  const placeholder = placeholders.get(bound) ?? sigil + placeholders.size
  placeholders.set(bound, placeholder)
  return placeholder
}

const inverted = <T>(placeholders: Map<T, string>): Record<string, T> =>
  Object.fromEntries([...placeholders].map(([bound, placeholder]) => [placeholder, bound]))

export const conditionExpression = (conditions: Conditions, bindings: Bindings): string =>
  // A transaction of many rows has the same condition many times, and an expression has a limit of 4 KB.
  [
    ...new Set(
      Object.entries(conditions).flatMap(([attribute, terms]) =>
        [terms].flat().map((term) => termExpression(bindings.name(attribute), term, bindings)),
      ),
    ),
  ].join(' AND ')

function termExpression(name: string, term: Term, bindings: Bindings): string {
  switch (term.kind) {
    case 'absent':
      return `attribute_not_exists(${name})`
    case 'present':
      return `attribute_exists(${name})`
    case 'absent or':
      return `(attribute_not_exists(${name}) OR ${name} ${term.operator} ${bindings.value(term.value)})`
    case 'compare':
      return `${name} ${term.operator} ${bindings.value(term.value)}`
  }
}

export interface Assignments {
  /** `undefined` removes the attribute. */
  readonly set?: Readonly<Record<string, unknown>>
  readonly add?: Readonly<Record<string, unknown>>
}

export function updateExpression({ set = {}, add = {} }: Assignments, bindings: Bindings): string {
  const given = Object.entries(set)
  const kept = given.filter(([, value]) => value !== undefined)
  const removed = given.filter(([, value]) => value === undefined)
  const clauses = [
    clause('SET', kept, ([name, value]) => `${bindings.name(name)} = ${bindings.value(value)}`),
    clause('ADD', Object.entries(add), ([name, value]) => `${bindings.name(name)} ${bindings.value(value)}`),
    clause('REMOVE', removed, ([name]) => bindings.name(name)),
  ]
  return clauses.filter(Boolean).join(' ')
}

type Assignment = [attribute: string, value: unknown]

const clause = (
  word: string,
  assignments: Assignment[],
  render: (assignment: Assignment) => string,
): string => (assignments.length > 0 ? `${word} ${assignments.map(render).join(', ')}` : '')
