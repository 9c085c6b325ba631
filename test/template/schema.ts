import { loadAwsServiceSpec } from '@aws-cdk/aws-service-spec'
import type {
  DefinitionReference,
  PropertyType,
  ResourceProperties,
  SpecDatabase,
} from '@aws-cdk/service-spec-types'
import type { Template } from './template.ts'

/** The violations of CloudFormation's published schemas, one line each. */
export async function schemaComplaints({ Resources }: Template): Promise<string[]> {
  const schemas = await loadAwsServiceSpec()
  return Object.entries(Resources).flatMap(([name, { Type, Properties = {} }]) => {
    const [schema] = schemas.lookup('resource', 'cloudFormationType', 'equals', Type)
    return schema
      ? complaintsAbout(Properties, schema.properties, { schemas, path: `${name} (${Type})` })
      : [`${name}: ${Type} is an unknown type`]
  })
}

interface Place {
  readonly schemas: SpecDatabase
  readonly path: string
}

type Fields = Readonly<Record<string, unknown>>

function complaintsAbout(fields: Fields, properties: ResourceProperties, { schemas, path }: Place): string[] {
  const missing = Object.entries(properties)
    .filter(([name, { required }]) => required && fields[name] === undefined)
    .map(([name]) => `${path}: ${name} is missing`)
  const wrong = Object.entries(fields).flatMap(([name, value]) => {
    const property = properties[name]
    const place = { schemas, path: `${path}.${name}` }
    if (!property) return [`${place.path} is unknown`]
    return complaintsAboutValue(value, property.type, place)
  })
  return [...missing, ...wrong]
}

/** The violations of the nearest of several types, without `json`, which accepts any structure. */
function complaintsOfNearest(value: unknown, types: readonly PropertyType[], place: Place): string[] {
  const isStructured = types.some(({ type }) => type === 'ref' || type === 'array')
  const [nearest] = types
    .filter(({ type }) => !(isStructured && type === 'json'))
    .map((one) => complaintsAboutValue(value, one, place))
    .sort((one, other) => one.length - other.length)
  return nearest ?? []
}

function complaintsAboutValue(value: unknown, type: PropertyType, place: Place): string[] {
  if (isIntrinsic(value)) return []
  if (type.type === 'ref') return complaintsAboutObject(value, type, place)
  if (type.type === 'array') return complaintsAboutList(value, type.element, place)
  if (type.type === 'map') return complaintsAboutMap(value, type.element, place)
  if (type.type === 'union') return complaintsOfNearest(value, type.types, place)
  const allowed = 'allowedValues' in type ? type.allowedValues : undefined
  if (SIMPLE[type.type](value, allowed)) return []
  return [`${place.path} is ${JSON.stringify(value)}, expected an allowed ${type.type}`]
}

function complaintsAboutObject(value: unknown, { reference }: DefinitionReference, place: Place): string[] {
  if (!isFields(value)) return [`${place.path} is not an object`]
  return complaintsAbout(value, place.schemas.get('typeDefinition', reference).properties, place)
}

function complaintsAboutList(value: unknown, element: PropertyType, place: Place): string[] {
  if (!Array.isArray(value)) return [`${place.path} is not a list`]
  return value.flatMap((item, index) =>
    complaintsAboutValue(item, element, { ...place, path: `${place.path}[${index}]` }),
  )
}

function complaintsAboutMap(value: unknown, element: PropertyType, place: Place): string[] {
  if (!isFields(value)) return [`${place.path} is not a map`]
  return Object.values(value).flatMap((item) => complaintsAboutValue(item, element, place))
}

type SimpleType = Exclude<PropertyType['type'], 'ref' | 'array' | 'map' | 'union'>

type Allowed = readonly (string | number)[] | undefined

/** CloudFormation also accepts numbers and booleans as text. */
const SIMPLE: Readonly<Record<SimpleType, (value: unknown, allowed: Allowed) => boolean>> = {
  string: (value, allowed) => isScalar(value) && (allowed?.includes(String(value)) ?? true),
  integer: (value) => isScalar(value) && Number.isInteger(Number(value)),
  number: (value) => isScalar(value) && Number.isFinite(Number(value)),
  boolean: (value) => value === true || value === false || value === 'true' || value === 'false',
  json: (value) => typeof value === 'object' || typeof value === 'string',
  'date-time': (value) => typeof value === 'string',
  tag: (value) => isFields(value) && 'Key' in value && 'Value' in value,
  null: (value) => value === null,
}

const isScalar = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value)

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A reference or a function, whose value is known only at the deployment. */
const isIntrinsic = (value: unknown): boolean =>
  isFields(value) &&
  Object.keys(value).every((key) => key === 'Ref' || key.startsWith('Fn::')) &&
  Object.keys(value).length === 1
