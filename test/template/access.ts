import { ofType, type Template } from './template.ts'

/** One statement of a policy, its actions and resources as lists. */
export interface PolicyStatement {
  readonly effect: string
  readonly actions: readonly string[]
  /** Functions of CloudFormation are JSON texts. */
  readonly resources: readonly string[]
  /** The values by operator and key. */
  readonly condition?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>
}

interface Document {
  readonly Statement: readonly Readonly<Record<string, unknown>>[]
}

/** The statements of each role and managed policy. */
export const grants = (template: Template): Readonly<Record<string, readonly PolicyStatement[]>> =>
  Object.fromEntries([
    ...ofType(template, 'AWS::IAM::Role').map(([name, { Policies = [] }]) => [
      name,
      (Policies as { PolicyDocument: Document }[]).flatMap(({ PolicyDocument }) =>
        statements(PolicyDocument),
      ),
    ]),
    ...ofType(template, 'AWS::IAM::ManagedPolicy').map(([name, { PolicyDocument }]) => [
      name,
      statements(PolicyDocument as Document),
    ]),
  ])

export const statements = ({ Statement }: Document): PolicyStatement[] =>
  Statement.map(({ Effect, Action, Resource, Condition }) => ({
    effect: String(Effect),
    actions: listed(Action).map(String),
    resources: listed(Resource).map((resource) =>
      typeof resource === 'string' ? resource : JSON.stringify(resource),
    ),
    ...(Condition !== undefined && { condition: Condition as NonNullable<PolicyStatement['condition']> }),
  }))

/** As IAM compares: `*` stands for any characters, and `?` for one. */
export const isLikePattern = (text: string, pattern: string): boolean =>
  new RegExp(
    `^${pattern
      .replace(/[\\^$.|+()[\]{}]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
    's',
  ).test(text)

const listed = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value])

/** The role of each function, by the function's logical name. */
export const rolesOfFunctions = (template: Template): Readonly<Record<string, string>> =>
  Object.fromEntries(
    ofType(template, 'AWS::Lambda::Function').map(([name, { Role }]) => [
      name,
      (Role as { 'Fn::GetAtt': [string, string] })['Fn::GetAtt'][0],
    ]),
  )
