import type { Template } from './template.ts'

type Fields = Readonly<Record<string, unknown>>

/** References to missing resources, as `name in place`. */
export function danglingNames({ Resources, Outputs }: Template): string[] {
  const places: [string, unknown][] = [
    ...Object.entries(Resources),
    ...Object.entries(Outputs).map(([name, { Value }]): [string, unknown] => [`output ${name}`, Value]),
  ]
  return places.flatMap(([place, value]) =>
    logicalNamesIn(value)
      .filter((name) => !Object.hasOwn(Resources, name))
      .map((name) => `${name} in ${place}`),
  )
}

/** The logical names that a value refers to. Those of AWS itself, such as AWS::Region, are not among them. */
export function logicalNamesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, field]) => {
    if (key === 'Ref') return [String(field)].filter(isOwn)
    if (key === 'DependsOn') return [field].flat().map(String)
    if (key === 'Fn::GetAtt') return [String((field as unknown[])[0])]
    if (key === 'Fn::Sub') return namesInSub(field)
    return logicalNamesIn(field)
  })
}

/** The names in Fn::Sub: a text, or a text with the values of some names. */
function namesInSub(sub: unknown): string[] {
  const [text, meanings] = [sub].flat() as [string, Fields?]
  const names = [...text.matchAll(/\$\{([\w:]+)[.}]/g)].map(([, name = '']) => name)
  const others = names.filter((name) => isOwn(name) && !Object.hasOwn(meanings ?? {}, name))
  return [...others, ...logicalNamesIn(meanings)]
}

const isOwn = (name: string): boolean => !name.startsWith('AWS::')
