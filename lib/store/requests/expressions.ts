import type { Conditions, Term } from '#lib/store/conditions.ts'

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
