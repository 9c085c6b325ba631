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

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number]

export function toTransactItem(change: Change, TableName: string): TransactItem {
  const bindings = createBindings()
  const ConditionExpression = conditionExpression(change.when ?? {}, bindings) || undefined
  if ('put' in change) {
    return { Put: { TableName, Item: change.put, ConditionExpression, ...bindings.toRequest() } }
  }
  if ('update' in change) {
    const UpdateExpression = updateExpression(change.to, bindings)
    return {
      Update: {
        TableName,
        Key: change.update,
        UpdateExpression,
        ConditionExpression,
        ...bindings.toRequest(),
      },
    }
  }
  if ('remove' in change) {
    return { Delete: { TableName, Key: change.remove, ConditionExpression, ...bindings.toRequest() } }
  }
  return { ConditionCheck: { TableName, Key: change.check, ConditionExpression, ...bindings.toRequest() } }
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
