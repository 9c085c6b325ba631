import { gateRefusals, httpRefusal, invalid, invalidCharacters, notSupported } from '#lib/api/errors.ts'
import type { Contract } from '#lib/api/method.ts'
import type { ParameterType } from '#lib/api/parameters.ts'
import { refusalDocument } from '#lib/api/response.ts'
import { envelopes, refusalBelowMethods } from '#lib/xml/envelopes.ts'
import { wholeDocument } from '#lib/xml/render.ts'
import type { FunctionFile } from '#tools/contracts/function-files.ts'
import { pathsOf } from '#tools/contracts/functions-config.ts'
import type { SignedExample } from '#tools/contracts/signed-call.ts'
import { parameterWords } from '#tools/contracts/words/parameter-words.ts'
import packageJson from '../../../package.json' with { type: 'json' }
import { acceptedValues, answerSchema, type JsonSchema, typedValue } from './schemas.ts'

/** Parameters that a method stores as text, checked by character and length (wire.md 4.3, 4.6). */
const storedParameters = ({ params }: Contract): string[] =>
  Object.keys(params).filter((name) => params[name]?.stored)

/** The parameters of which a method supports some values only (wire.md user_calls_get). */
const restrictedParameters = ({ params }: Contract): string[] =>
  Object.entries(params).flatMap(([name, type]) => (isRestricted(type) ? [name] : []))

/** No restricted parameter supports this value. */
const UNSUPPORTED = '?'

function isRestricted({ read }: ParameterType): boolean {
  try {
    read(UNSUPPORTED, '')
    return false
  } catch {
    return true
  }
}

/** Refusals that follow from the types of parameters, so that no contract lists them: code, message. */
function valueRefusals(contract: Contract): (readonly [string, string])[] {
  const listed = Object.values(contract.errors)
  const stored = storedParameters(contract).flatMap((name) => [
    [`${name}_characters`, invalidCharacters(name).message] as const,
    [`${name}_too_long`, invalid(name).message] as const,
  ])
  const restricted = restrictedParameters(contract).map(
    (name) => [`${name}_unsupported`, notSupported(name).message] as const,
  )
  return [...stored, ...restricted].filter(([, message]) => !listed.includes(message))
}

/** A method with the example of a call on the demo and the answer. */
export interface MethodExample extends FunctionFile {
  readonly example: SignedExample
  readonly answer: string
}

const AS_HTML = {
  'text/html': {
    schema: { type: 'string', description: 'The same answer while the setting `XML_API_Extension` is off.' },
  },
}

const DESCRIPTION = `Every method is called with POST (form, multipart or JSON body) or, where the setting \`Allow_GET_API\` is on, with GET.
All but user_login are signed: \`hash\` is the SHA-1, in hex, over the values of the signed parameters as they are sent, one after the
other with nothing between them, followed by the secret key. A parameter that is not sent adds nothing. \`x-signature\` has the orders of each
method; any order that applies is accepted. Answers are XML, also refusals; those of a method and of the gates have status 200.

The examples are calls on the demo data on Wednesday, 18 November 2026, 15:30:00 UTC.`

export const openApi = (methods: readonly MethodExample[]) => ({
  openapi: '3.1.0',
  info: {
    title: 'Tollgate',
    summary: 'A drop-in, serverless telephony-billing HTTP API',
    description: DESCRIPTION,
    version: packageJson.version,
    license: { name: 'MIT', identifier: 'MIT' },
  },
  // The API serves the document with the address that it was asked at.
  servers: [
    { url: '..', description: 'the server of this document' },
    { url: 'http://localhost:3000', description: 'npm start' },
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

const byName = <T>(
  methods: readonly MethodExample[],
  make: (method: MethodExample) => T,
): Record<string, T> => Object.fromEntries(methods.map((one) => [one.method.name, make(one)]))

function pathItem({ method, area, example }: MethodExample, path: string) {
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
    post: { ...operation, operationId: called, requestBody: { $ref: `#/components/requestBodies/${name}` } },
  }
}

const responsesOf = (name: string) =>
  Object.fromEntries([
    ['200', { $ref: `#/components/responses/${name}` }],
    ...Object.keys(responsesBelow).map((status) => [status, { $ref: `#/components/responses/${status}` }]),
  ])

const CALLER: JsonSchema = { type: 'string', description: 'The username of the caller.', examples: ['admin'] }

const HASH: JsonSchema = {
  type: 'string',
  pattern: '^[0-9a-fA-F]{40}$',
  description: 'The signature: see `x-signature`.',
}

/** Public methods have no signature; a method without a caller declares `u` itself if it reads it. */
function accountOf({ callers }: Contract) {
  if (callers === 'public') return {}
  return callers === 'signed' ? { hash: HASH } : { u: CALLER, hash: HASH }
}

const parameterNames = (method: Contract): string[] => Object.keys({ ...accountOf(method), ...method.params })

/** The parameters of a method, as a body carries them. */
export function parameterSchema(method: Contract) {
  const required = Object.keys(method.params).filter(
    (name) => parameterWords(method.name, name).required === true,
  )
  return {
    type: 'object',
    properties: { ...accountOf(method), ...ownProperties(method) },
    required: [...Object.keys(accountOf(method)), ...required],
  }
}

function ownProperties({ name: method, params }: Contract): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(params).map(([name, type]) => {
      const words = parameterWords(method, name)
      const { schema, takes } = acceptedValues(type, words)
      return [
        name,
        {
          ...schema,
          ...(words.values && { 'x-values': words.values }),
          description: [
            words.says,
            ...(takes === 'text' ? [] : [`Takes ${takes}.`]),
            ...remarksOn(words),
          ].join(' '),
          examples: [typedValue(schema, words.example)],
        },
      ]
    }),
  )
}

const remarksOn = ({ default: without, required }: ReturnType<typeof parameterWords>): string[] => [
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

function requestBody({ method, example }: MethodExample) {
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

function response({ method, answer }: MethodExample) {
  const own = {
    answer: { summary: 'The answer to the example of the request', value: answer },
    ...refusalExamples(method),
  }
  const gates = gateExamplesOf(method)
  const content =
    method.envelope === 'plain'
      ? {
          'text/plain': { schema: { type: 'string' }, examples: own },
          'text/xml': { schema: { type: 'string' }, examples: gates },
        }
      : { 'text/xml': { schema: answerSchema(answer), examples: { ...own, ...gates } } }
  return {
    description: `The answer of ${method.name}, or a refusal.`,
    content: { ...content, ...AS_HTML },
  }
}

const refusalExamples = (contract: Contract) => {
  const { callers, errors, envelope } = contract
  const inEnvelope = (message: string) => wholeDocument(envelopes[envelope].failure(message))
  const callerRefusals =
    typeof callers === 'string'
      ? []
      : [
          [
            'refused_anonymous',
            'A call without an account, or with an unknown or blocked one',
            callers.anonymous,
          ] as const,
          ...(callers.others
            ? [['refused_others', 'An account of another type', callers.others] as const]
            : []),
        ]
  const own = [...Object.entries(errors), ...valueRefusals(contract)].map(
    ([code, message]) => [`refused_${code}`, message, message] as const,
  )
  return Object.fromEntries(
    [...callerRefusals, ...own].map(([code, summary, message]) => [
      code,
      { summary, value: inEnvelope(message) },
    ]),
  )
}

const gateExamplesIn = (refusal: typeof refusalBelowMethods) =>
  Object.fromEntries(
    Object.entries(gateRefusals).map(([code, message]) => [
      `gate_${code}`,
      { summary: message, value: wholeDocument(refusal(message)) },
    ]),
  )

/** Those that most methods share. */
const gateExamples = gateExamplesIn(refusalBelowMethods)

function gateExamplesOf({ envelope }: Contract) {
  const { refusal } = envelopes[envelope]
  if (refusal !== refusalBelowMethods) return gateExamplesIn(refusal)
  return Object.fromEntries(
    Object.keys(gateExamples).map((code) => [code, { $ref: `#/components/examples/${code}` }]),
  )
}

const BELOW = {
  '400': ['bad_request', 'The request cannot be read.'],
  '404': ['unknown_method', 'The path names no method.'],
  '405': ['wrong_verb', 'Neither GET nor POST.'],
  '413': ['too_large', 'More than 1,000,000 bytes.'],
  '415': ['unsupported_type', 'A body of another type.'],
  '429': [
    'too_many_requests',
    'More requests than API Gateway or `callerLimit` allows: wait as `Retry-After` says.',
  ],
  '500': ['internal', 'A bug, or (`The outcome is unknown`) the time ran out during a write.'],
  '503': ['out_of_time', 'The time ran out; nothing was stored.'],
} as const

/** Possible after the settings are read, whose type they then have (wire.md 4.7). */
const AFTER_SETTINGS: ReadonlySet<string> = new Set(['405', '500', '503'])

/** The answers of requests that reach no method, by HTTP status (wire.md 1.4). */
const responsesBelow = Object.fromEntries(
  Object.entries(BELOW).map(([status, [kind, says]]) => [
    status,
    plainResponse(says, httpRefusal(kind).message, refusalDocument(kind), AFTER_SETTINGS.has(status)),
  ]),
)

function plainResponse(description: string, summary: string, value: string, mayBeHtml = false) {
  return {
    description,
    content: {
      'text/xml': { schema: { type: 'string' }, examples: { answer: { summary, value } } },
      ...(mayBeHtml && AS_HTML),
    },
  }
}
