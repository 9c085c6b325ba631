import type { Template } from './template.ts'

/** A request to DynamoDB as IAM evaluates it. */
export interface EvaluatedRequest {
  /** Without the prefix `dynamodb:`. */
  readonly action: string
  /** The partition keys in the request. */
  readonly leadingKeys: readonly string[]
  /** The attributes that the request names. */
  readonly attributes?: readonly string[]
}

interface Statement {
  readonly Effect: 'Allow' | 'Deny'
  readonly Action: string | readonly string[]
  readonly Resource: unknown
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>
}

interface Role {
  readonly Policies: readonly { readonly PolicyDocument: { readonly Statement: readonly Statement[] } }[]
}

/** Tells whether a role may send a request to the table. As in IAM, a statement must allow it, and none may deny it. */
export function mayDo(template: Template, role: string, asked: EvaluatedRequest): boolean {
  const { Policies = [] } = template.Resources[role]?.Properties ?? {}
  const meant = (Policies as Role['Policies'])
    .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
    .filter((statement) => names(statement, asked.action) && holds(statement.Condition ?? {}, asked))
  return meant.some(({ Effect }) => Effect === 'Allow') && !meant.some(({ Effect }) => Effect === 'Deny')
}

const names = ({ Action, Resource }: Statement, action: string): boolean =>
  [Action].flat().includes(`dynamodb:${action}`) && JSON.stringify(Resource).includes('"Table"')

/** What a request has under the keys of a condition. */
const valuesOf = ({
  leadingKeys,
  attributes = [],
}: EvaluatedRequest): Readonly<Record<string, readonly string[]>> => ({
  'dynamodb:LeadingKeys': leadingKeys,
  'dynamodb:Attributes': attributes,
})

const OPERATORS: Readonly<Record<string, (keys: readonly string[], value: readonly string[]) => boolean>> = {
  Null: (keys, [value]) => (value === 'true') === (keys.length === 0),
  'ForAllValues:StringLike': (keys, patterns) => keys.every((key) => isLikeOne(key, patterns)),
  'ForAnyValue:StringLike': (keys, patterns) => keys.some((key) => isLikeOne(key, patterns)),
}

const holds = (conditions: NonNullable<Statement['Condition']>, asked: EvaluatedRequest): boolean =>
  Object.entries(conditions).every(([name, compared]) =>
    Object.entries(compared).every(([key, value]) => {
      const [operator, values] = [OPERATORS[name], valuesOf(asked)[key]]
      if (operator && values) return operator(values, [value].flat())
      throw new Error(`These tests do not know ${name} of ${key}`)
    }),
  )

const isLikeOne = (text: string, patterns: readonly string[]): boolean =>
  patterns.some((pattern) => isLike(text, pattern))

const isLike = (text: string, pattern: string): boolean =>
  new RegExp(
    `^${pattern
      .replace(/[\\^$.|+()[\]{}]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
    's',
  ).test(text)
