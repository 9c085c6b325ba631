import { grants, isLikePattern, type PolicyStatement } from './access.ts'
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

/** Whether a role may send a table request. As in IAM, a statement allows it, and none denies it. */
export function mayDo(template: Template, role: string, asked: EvaluatedRequest): boolean {
  const meant = (grants(template)[role] ?? []).filter(
    (statement) => names(statement, asked.action) && holds(statement, asked),
  )
  return meant.some(({ effect }) => effect === 'Allow') && !meant.some(({ effect }) => effect === 'Deny')
}

const names = ({ actions, resources }: PolicyStatement, action: string): boolean =>
  actions.includes(`dynamodb:${action}`) && resources.some((resource) => resource.includes('"Table"'))

/** The values of a request under the keys of a condition. */
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

const holds = ({ condition = {} }: PolicyStatement, asked: EvaluatedRequest): boolean =>
  Object.entries(condition).every(([name, compared]) =>
    Object.entries(compared).every(([key, value]) => {
      const [operator, values] = [OPERATORS[name], valuesOf(asked)[key]]
      if (operator && values) return operator(values, [value].flat())
      throw new Error(`These tests do not know ${name} of ${key}`)
    }),
  )

const isLikeOne = (text: string, patterns: readonly string[]): boolean =>
  patterns.some((pattern) => isLikePattern(text, pattern))
