import type { Admission } from '#lib/api/method.ts'
import type { ValueKind } from '#lib/api/parameters.ts'
import type { HashOrder } from '#lib/api/signature.ts'
import { UNIX_TIME_FORMAT } from '#lib/api/unread-values.ts'

export interface Parameter {
  readonly name: string
  readonly description: string
  readonly required: boolean
  /** Words to choose from; none where anything may be written. */
  readonly choices: readonly string[]
  /** Kinds other than times are not distinguished. */
  readonly kind: Extract<ValueKind, 'time' | 'text'>
  readonly example: string
  /** Only programs that were written for another implementation send it. */
  readonly isCompatibility: boolean
}

export interface DescribedMethod {
  readonly name: string
  readonly area: string
  readonly summary: string
  readonly callers: Admission
  readonly hashOrders: readonly HashOrder[]
  /** In the order of the contract; without the caller and the hash. */
  readonly parameters: readonly Parameter[]
  /** A call on the demo, without its hash. */
  readonly example: SentValues
}

export type SentValues = Readonly<Record<string, string>>

interface Property {
  readonly description?: string
  readonly format?: string
  readonly enum?: readonly string[]
  readonly examples?: readonly unknown[]
}

type Named<T> = Readonly<Record<string, T>>

interface Path {
  readonly 'x-method': string
  readonly 'x-callers': Admission
  readonly 'x-signature'?: { readonly orders: readonly HashOrder[] }
  readonly post: { readonly summary: string; readonly tags: readonly string[] }
}

interface Form {
  readonly properties: Named<Property>
  readonly required: readonly string[]
}

interface Example {
  readonly content: Named<{ readonly examples: { readonly demo: { readonly value: SentValues } } }>
}

interface Document {
  readonly paths: Named<Path>
  readonly components: { readonly schemas: Named<Form>; readonly requestBodies: Named<Example> }
}

/** Every method under its own name, from the document that the API serves. */
export async function loadCatalogue(): Promise<readonly DescribedMethod[]> {
  const response = await fetch('api/openapi.json')
  if (!response.ok) throw new Error(`The description of the API could not be read: HTTP ${response.status}.`)
  return readCatalogue((await response.json()) as Document)
}

const readCatalogue = (document: Document): DescribedMethod[] =>
  Object.entries(document.paths)
    .filter(([path, item]) => path === `/api/${item['x-method']}`)
    .map(([, item]) => ({
      name: item['x-method'],
      area: item.post.tags[0] ?? '',
      summary: item.post.summary,
      callers: item['x-callers'],
      hashOrders: item['x-signature']?.orders ?? [],
      parameters: parametersOf(document, item['x-method'], item['x-callers']),
      example: exampleOf(document, item['x-method']),
    }))

function parametersOf({ components }: Document, name: string, callers: Admission): Parameter[] {
  const besides = { public: [], signed: ['hash'] }[String(callers)] ?? ['u', 'hash']
  const { properties = {}, required = [] } = components.schemas[name] ?? {}
  return Object.entries(properties)
    .filter(([parameter]) => !besides.includes(parameter))
    .map(([parameter, property]) => ({
      name: parameter,
      description: property.description ?? '',
      required: required.includes(parameter),
      choices: property.enum ?? [],
      kind: property.format === UNIX_TIME_FORMAT ? 'time' : 'text',
      example: String(property.examples?.[0] ?? ''),
      isCompatibility: COMPATIBILITY.test(property.description ?? ''),
    }))
}

/** The descriptions of parameters without effect, and of second names, begin like this. */
const COMPATIBILITY = /^(Counts in the signature|Another name for)/

function exampleOf({ components }: Document, name: string): SentValues {
  const body = components.requestBodies[name]?.content['application/x-www-form-urlencoded']
  const { hash: _hash, ...values } = body?.examples.demo.value ?? {}
  return values
}

/** The method of a name; `undefined` for an unknown one. */
export const findMethod = (
  catalogue: readonly DescribedMethod[],
  name: string,
): DescribedMethod | undefined => catalogue.find((method) => method.name === name)
