import type { Template } from './template.ts'

type Fields = Readonly<Record<string, unknown>>

/** The template with its conditions evaluated, as CloudFormation does it. */
export function decided(template: Template): Template {
  const holds: Judge = (name) => judged(template.Conditions?.[name], holds)
  return {
    ...template,
    Resources: standing(template.Resources, holds),
    Outputs: standing(template.Outputs, holds),
  }
}

/** Tells whether the condition of this name holds. */
type Judge = (name: string) => boolean

const standing = <T extends { readonly Condition?: string }>(
  all: Readonly<Record<string, T>>,
  holds: Judge,
): Readonly<Record<string, T>> =>
  Object.fromEntries(
    Object.entries(all)
      .filter(([, { Condition }]) => Condition === undefined || holds(Condition))
      .map(([name, one]) => [name, chosenIn(one, holds) as T]),
  )

/** Conditions of this stack compare texts that are known when it is packaged. */
function judged(condition: unknown, holds: Judge): boolean {
  const [[name, operands] = []] = Object.entries(condition as Fields)
  const [first, second] = operands as unknown[]
  if (name === 'Fn::Equals') return String(first) === String(second)
  if (name === 'Fn::Not') return !judged(first, holds)
  if (name === 'Condition') return holds(String(operands))
  throw new Error(`${name} is not known to these tests`)
}

const NOTHING = JSON.stringify({ Ref: 'AWS::NoValue' })

function chosenIn(value: unknown, holds: Judge): unknown {
  if (Array.isArray(value))
    return value.map((item) => chosenIn(item, holds)).filter((item) => item !== undefined)
  if (typeof value !== 'object' || value === null) return value
  if (JSON.stringify(value) === NOTHING) return undefined
  if ('Fn::If' in value) {
    const [name, yes, no] = value['Fn::If'] as [string, unknown, unknown]
    return chosenIn(holds(name) ? yes : no, holds)
  }
  const fields = Object.entries(value).map(([name, field]) => [name, chosenIn(field, holds)] as const)
  return Object.fromEntries(fields.filter(([, field]) => field !== undefined))
}

/** References to missing resources, as `name in place`. */
export function danglingNames({ Resources, Outputs }: Template): string[] {
  const places: [string, unknown][] = [
    ...Object.entries(Resources),
    ...Object.entries(Outputs).map(([name, { Value }]): [string, unknown] => [`output ${name}`, Value]),
  ]
  return places.flatMap(([place, value]) =>
    namesIn(value)
      .filter((name) => !name.startsWith('AWS::') && !Object.hasOwn(Resources, name))
      .map((name) => `${name} in ${place}`),
  )
}

function namesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, field]) => {
    if (key === 'Ref') return [String(field)]
    if (key === 'DependsOn') return [field].flat().map(String)
    if (key === 'Fn::GetAtt') return [String((field as unknown[])[0])]
    if (key === 'Fn::Sub') return namesInSub(field)
    return namesIn(field)
  })
}

/** The names in Fn::Sub: a text, or a text with the values of some names. */
function namesInSub(sub: unknown): string[] {
  const [text, meanings] = [sub].flat() as [string, Fields?]
  const names = [...text.matchAll(/\$\{([\w:]+)[.}]/g)].map(([, name = '']) => name)
  return [...names.filter((name) => !Object.hasOwn(meanings ?? {}, name)), ...namesIn(meanings)]
}
