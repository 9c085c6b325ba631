import type { Template } from './template.ts'

type Fields = Readonly<Record<string, unknown>>

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
