import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb'
import type { Conditions, Term } from '#lib/store/conditions.ts'
import type { Key } from '#lib/store/keys.ts'

/** One change of a transaction. */
export type Change =
  | { readonly put: Key & Readonly<Record<string, unknown>>; readonly when?: Conditions }
  | { readonly update: Key; readonly to: Assignments; readonly when?: Conditions }
  | { readonly remove: Key; readonly when?: Conditions }
  | { readonly check: Key; readonly when: Conditions }

/** A transaction's own limit. */
export const CHANGES_IN_ONE_TRANSACTION = 100

/** Joins the changes of the same item, of which a transaction takes one: counts are added up, and all conditions hold. */
export function combined(changes: readonly Change[]): Change[] {
  const byKey = new Map<string, Change>()
  for (const change of changes) {
    const { PK, SK } = keyOfChange(change)
    const name = JSON.stringify([PK, SK])
    const known = byKey.get(name)
    byKey.set(name, known ? joined(known, change) : change)
  }
  return [...byKey.values()]
}

interface Target {
  readonly put?: Key
  readonly update?: Key
  readonly remove?: Key
  readonly check?: Key
}

const keyOfChange = ({ put, update, remove, check }: Target): Key => (put ?? update ?? remove ?? check) as Key

function joined(one: Change, other: Change): Change {
  const when = { ...one.when, ...other.when }
  if ('check' in other) return { ...one, when }
  if ('check' in one) return { ...other, when }
  if (!('update' in one && 'update' in other)) throw new Error(`two writes of ${keyOfChange(one).PK}`)
  const add = { ...one.to.add }
  for (const [name, by] of Object.entries(other.to.add ?? {})) add[name] = Number(add[name] ?? 0) + Number(by)
  return { update: one.update, to: { set: { ...one.to.set, ...other.to.set }, add }, when }
}

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

/** Collects the placeholders of one request: every name and value is bound, none is written into an expression. */
export interface Bindings {
  name(attribute: string): string
  value(value: unknown): string
  /** The two fields of a request; DynamoDB refuses empty ones. */
  toRequest(): {
    ExpressionAttributeNames?: Record<string, string>
    ExpressionAttributeValues?: Record<string, unknown>
  }
}

export function createBindings(): Bindings {
  const names = new Map<string, string>()
  const values = new Map<unknown, string>()
  return {
    name: (attribute) => bind(names, '#n', attribute),
    value: (value) => bind(values, ':v', value),
    toRequest: () => ({
      ...(names.size > 0 && { ExpressionAttributeNames: inverted(names) }),
      ...(values.size > 0 && { ExpressionAttributeValues: inverted(values) }),
    }),
  }
}

function bind<T>(placeholders: Map<T, string>, sigil: string, bound: T): string {
  const placeholder = placeholders.get(bound) ?? sigil + placeholders.size
  placeholders.set(bound, placeholder)
  return placeholder
}

const inverted = <T>(placeholders: Map<T, string>): Record<string, T> =>
  Object.fromEntries([...placeholders].map(([bound, placeholder]) => [placeholder, bound]))

export const conditionExpression = (conditions: Conditions, bindings: Bindings): string =>
  Object.entries(conditions)
    .map(([attribute, term]) => termExpression(bindings.name(attribute), term, bindings))
    .join(' AND ')

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

type Entry = [string, unknown]

const clause = (word: string, entries: Entry[], render: (entry: Entry) => string): string =>
  entries.length > 0 ? `${word} ${entries.map(render).join(', ')}` : ''
