import type { Contract } from '#lib/api/method.ts'
import type { FunctionFile } from '../function-files.ts'
import { pathsOf } from '../functions-config.ts'
import type { Example } from '../signed-example.ts'
import { wordsOf } from '../words/parameter-words.ts'
import { gateExamples, refusalsOf, responsesBelow } from './refusals.ts'
import { kindOf, type Schema, typed } from './schemas.ts'
import { structureOf } from './structure.ts'

/** A method with the example of a call on the demo, and what that answers. */
export interface Described extends FunctionFile {
  readonly example: Example
  readonly answer: string
}

const DESCRIPTION = `Every method is called with POST (form, multipart or JSON body) or, where the setting \`Allow_GET_API\` is on, with GET.
All but user_login are signed: \`hash\` is the SHA-1, in hex, over the values of the signed parameters as they are sent, one after the
other with nothing between them, followed by the secret key. What is not sent adds nothing. \`x-signature\` has the orders of each
method; any one that applies will do. Answers are XML, refusals by a method and at the gates with status 200 as well.

The examples are calls on the demo data on Wednesday, 18 November 2026, 15:30:00 UTC.`

/** docs/openapi.json. */
export const openApi = (methods: readonly Described[]) => ({
  openapi: '3.1.0',
  info: {
    title: 'Tollgate',
    summary: 'A drop-in, serverless telephony-billing HTTP API',
    description: DESCRIPTION,
    version: '1',
    license: { name: 'MIT', identifier: 'MIT' },
  },
  servers: [
    { url: 'http://localhost:3000', description: 'npm start' },
    { url: '..', description: 'where this document was loaded from' },
  ],
  tags: [...new Set(methods.map(({ area }) => area))].map((name) => ({ name })),
  paths: Object.fromEntries(
    methods.flatMap((one) => pathsOf(one.method).map((path) => [path, pathItem(one, path)])),
  ),
  components: {
    schemas: byName(methods, ({ method }) => parameterSchema(method)),
    parameters: Object.fromEntries(methods.flatMap(({ method }) => queryParameters(method))),
    requestBodies: byName(methods, requestBody),
    responses: { ...byName(methods, response), ...responsesBelow },
    examples: gateExamples,
  },
})

const byName = <T>(methods: readonly Described[], make: (method: Described) => T): Record<string, T> =>
  Object.fromEntries(methods.map((one) => [one.method.name, make(one)]))

function pathItem({ method, area, example }: Described, path: string) {
  const { name, callers, hashOrders, summary, postOnly } = method
  const called = path.replace('/api/', '')
  const operation = { tags: [area], summary, responses: responsesOf(name) }
  return {
    'x-method': name,
    'x-callers': callers,
    ...(callers !== 'public' && {
      'x-signature': {
        hash: 'SHA-1 in hex, over the values in one of these orders and then the secret key',
        orders: hashOrders,
        example: { string: example.string, hash: example.sent['hash'] },
      },
    }),
    ...(!postOnly && {
      get: {
        ...operation,
        operationId: `get_${called}`,
        description: 'Refused unless the setting `Allow_GET_API` is on.',
        parameters: parameterNames(method).map((own) => ({ $ref: `#/components/parameters/${name}.${own}` })),
      },
    }),
    post: {
      ...operation,
      operationId: called,
      requestBody: { $ref: `#/components/requestBodies/${name}` },
    },
  }
}

const responsesOf = (name: string) =>
  Object.fromEntries([
    ['200', { $ref: `#/components/responses/${name}` }],
    ...Object.keys(responsesBelow).map((status) => [status, { $ref: `#/components/responses/${status}` }]),
  ])

const ACCOUNT: Readonly<Record<string, Schema>> = {
  u: { type: 'string', description: 'The username of the caller.', examples: ['admin'] },
  hash: { type: 'string', pattern: '^[0-9a-fA-F]{40}$', description: 'The signature: see `x-signature`.' },
}

/** Public methods have no signature; user_login declares `u` itself. */
const accountOf = ({ callers }: Contract) => (callers === 'public' ? {} : ACCOUNT)

const parameterNames = (method: Contract): string[] => Object.keys({ ...accountOf(method), ...method.params })

/** The parameters of a method, as a body carries them. */
export function parameterSchema(method: Contract) {
  const required = Object.keys(method.params).filter((name) => wordsOf(method.name, name).required === true)
  return {
    type: 'object',
    properties: { ...accountOf(method), ...ownProperties(method) },
    required: [...Object.keys(accountOf(method)), ...required],
  }
}

function ownProperties({ name: method, params }: Contract): Record<string, Schema> {
  return Object.fromEntries(
    Object.entries(params).map(([name, type]) => {
      const words = wordsOf(method, name)
      const { schema, takes } = kindOf(type, words)
      return [
        name,
        {
          ...schema,
          ...(words.values && { 'x-values': words.values }),
          description: [words.says, `Takes ${takes}.`, ...besides(words)].join(' '),
          examples: [typed(schema, words.example)],
        },
      ]
    }),
  )
}

const besides = ({ default: without, required }: ReturnType<typeof wordsOf>): string[] => [
  ...(without === undefined ? [] : [`Without it: ${without}.`]),
  ...(typeof required === 'string' ? [`Required ${required}.`] : []),
]

const queryParameters = (method: Contract) =>
  parameterNames(method).map((name) => [
    `${method.name}.${name}`,
    {
      name,
      in: 'query',
      required: parameterSchema(method).required.includes(name),
      schema: { $ref: `#/components/schemas/${method.name}/properties/${name}` },
    },
  ])

function requestBody({ method, example }: Described) {
  const schema = { $ref: `#/components/schemas/${method.name}` }
  const form = { schema, examples: { demo: { summary: example.string, value: example.sent } } }
  return {
    required: true,
    content: {
      'application/x-www-form-urlencoded': form,
      'multipart/form-data': { schema },
      'application/json': { schema, examples: form.examples },
    },
  }
}

function response({ method, answer }: Described) {
  const gates = Object.keys(gateExamples).map((code) => [code, { $ref: `#/components/examples/${code}` }])
  const examples = {
    answer: { summary: 'The answer to the example of the request', value: answer },
    ...refusalsOf(method),
    ...Object.fromEntries(gates),
  }
  return {
    description: `The answer of ${method.name}, or why there is none.`,
    content: {
      'text/xml': { schema: structureOf(answer), examples },
      'text/html': { schema: { type: 'string', description: 'The same while `XML_API_Extension` is off.' } },
    },
  }
}
