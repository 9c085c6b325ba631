import type { GenericSchema } from 'valibot'
import { schemaOfAnswer } from '#lib/api/console/answers/answers.ts'
import { refusalAnswer } from '#lib/api/console/answers/shapes.ts'
import { type ConsoleRefusalCode, REFUSAL_CODES } from '#lib/api/console/refusals.ts'
import type { Operation } from '#lib/api/console/resource.ts'
import { pathOfOperation, type ResourceFile } from '../console-config.ts'

export const consoleOpenApi = (files: readonly ResourceFile[]) => ({
  openapi: '3.1.0',
  info: {
    title: 'Tollgate console',
    version: '1',
    description:
      'The API of the console. POST /console/api/session sets a cookie; every request that changes something also sends the header `X-Tollgate-Console`. A blank is null, an amount is decimal text, a time is that of the installation.',
  },
  paths: pathsOf(files),
  components: {
    schemas: { Refusal: schemaOf(refusalAnswer) },
    securitySchemes: { session: { type: 'apiKey', in: 'cookie', name: 'tollgate_session' } },
  },
})

function pathsOf(files: readonly ResourceFile[]) {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const { resource } of files)
    for (const one of resource.operations) {
      const path = pathOfOperation(one)
      paths[path] = { ...paths[path], [one.verb.toLowerCase()]: describe(resource.name, one) }
    }
  return paths
}

const describe = (name: string, one: Operation) => ({
  operationId: operationId(one),
  tags: [name],
  summary: one.summary,
  'x-callers': one.permission === 'settings' ? 'accounts that may change settings' : one.callers,
  security: one.callers === 'anyone' ? [] : [{ session: [] }],
  parameters: parametersOf(one),
  ...(hasBody(one) && { requestBody: bodyOf(one) }),
  responses: {
    200: {
      description: 'The answer.',
      content: { 'application/json': { schema: schemaOf(schemaOfAnswer(one)) } },
    },
    ...Object.fromEntries(refusalsOf(one).map((code) => [REFUSAL_CODES[code], REFUSAL])),
  },
})

const operationId = ({ verb, path }: Operation): string =>
  [verb.toLowerCase(), ...path.split(/[^a-z]+/).filter(Boolean)].join('_')

const namesInPath = ({ path }: Operation): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)

/** Parameters that are not in the path are in the query of a GET and in the body of an action. */
const namesBeside = (one: Operation): string[] =>
  Object.keys(one.params).filter((name) => !namesInPath(one).includes(name))

const hasBody = (one: Operation): boolean =>
  one.mostBytes !== undefined || (one.verb !== 'GET' && namesBeside(one).length > 0)

const hasQuery = ({ verb, mostBytes }: Operation): boolean => verb === 'GET' || mostBytes !== undefined

const describedParameter = (one: Operation, name: string) => ({
  type: 'string',
  description: one.params[name]?.describes,
})

const parametersOf = (one: Operation) => [
  ...namesInPath(one).map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: describedParameter(one, name),
  })),
  ...(hasQuery(one)
    ? namesBeside(one).map((name) => ({ name, in: 'query', schema: describedParameter(one, name) }))
    : []),
  ...(one.verb === 'GET'
    ? []
    : [{ name: 'X-Tollgate-Console', in: 'header', required: true, schema: { type: 'string' } }]),
]

const bodyOf = (one: Operation) => ({
  required: true,
  content: one.mostBytes === undefined ? jsonOf(one) : { 'application/octet-stream': {} },
})

const jsonOf = (one: Operation) => ({
  'application/json': {
    schema: {
      type: 'object',
      properties: Object.fromEntries(namesBeside(one).map((name) => [name, describedParameter(one, name)])),
    },
  },
})

const refusalsOf = (one: Operation): ConsoleRefusalCode[] => [
  ...(one.callers === 'anyone'
    ? (['wrong_credentials', 'code_needed', 'too_many_attempts'] as const)
    : (['not_signed_in'] as const)),
  'forbidden',
  ...(namesInPath(one).length > 0 ? (['not_found'] as const) : []),
  ...(one.verb === 'GET' ? [] : (['conflict'] as const)),
  'invalid',
]

const REFUSAL = {
  description: 'A refusal, with a message for people and a code for programs.',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Refusal' } } },
}

/** The parts of a schema of valibot that answers use. */
interface SchemaParts {
  readonly type: string
  readonly entries?: Readonly<Record<string, GenericSchema>>
  readonly item?: GenericSchema
  readonly wrapped?: GenericSchema
  readonly options?: readonly string[]
  readonly value?: GenericSchema
}

type JsonSchema = Readonly<Record<string, unknown>>

const CONVERTERS: Readonly<Record<string, (parts: SchemaParts) => JsonSchema>> = {
  string: () => ({ type: 'string' }),
  number: () => ({ type: 'number' }),
  boolean: () => ({ type: 'boolean' }),
  picklist: ({ options }) => ({ type: 'string', enum: options }),
  nullable: ({ wrapped }) => ({ anyOf: [wrapped ? schemaOf(wrapped) : {}, { type: 'null' }] }),
  array: ({ item }) => ({ type: 'array', items: item ? schemaOf(item) : {} }),
  object: ({ entries = {} }) => ({
    type: 'object',
    properties: Object.fromEntries(Object.entries(entries).map(([name, schema]) => [name, schemaOf(schema)])),
    required: Object.keys(entries).filter((name) => entries[name]?.type !== 'optional'),
  }),
  optional: ({ wrapped }) => (wrapped ? schemaOf(wrapped) : {}),
  record: ({ value }) => ({ type: 'object', additionalProperties: value ? schemaOf(value) : {} }),
}

function schemaOf(schema: GenericSchema): JsonSchema {
  const parts = schema as unknown as SchemaParts
  const convert = CONVERTERS[parts.type]
  if (!convert) throw new Error(`An answer has a ${parts.type}, for which there is no JSON schema`)
  return convert(parts)
}
