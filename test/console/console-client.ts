import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda'
import { parse } from 'valibot'
import { expect } from 'vitest'
import { schemaOfAnswer } from '#lib/api/console/answers/answers.ts'
import type { Operation } from '#lib/api/console/resource.ts'
import { serveResource } from '#lib/api/console/stack.ts'
import type { Handler } from '#lib/api/stack/stack.ts'
import { rememberingReader } from '#lib/settings/recent-items.ts'
import { aContext, anEvent } from '#test/event.ts'
import { notingWrites } from '#test/evidence/written-keys.ts'
import { passwordOf } from '#test/examples/estates.ts'
import { bodyOf, type World } from '#test/world.ts'
import { loadResourceFiles } from '#tools/contracts/console-config.ts'

const files = await loadResourceFiles()

/** Every operation of the console's API. */
export const OPERATIONS: readonly Operation[] = files.flatMap(({ resource }) => resource.operations)

export interface ConsoleAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Record<string, unknown>
}

type Values = Readonly<Record<string, string | number>>

/** A browser with the console: it keeps the cookie, and sends the header of actions. */
export interface ConsoleClient {
  cookie: string
  send(
    verb: Operation['verb'],
    path: string,
    values?: Values,
    more?: Partial<APIGatewayProxyEvent>,
  ): Promise<ConsoleAnswer>
  get(path: string, values?: Values): Promise<ConsoleAnswer>
  /** Sends a file, with the values in the query. */
  upload(path: string, file: Uint8Array | string, values?: Values): Promise<ConsoleAnswer>
  signIn(username: string, password?: string): Promise<ConsoleAnswer>
}

/**
 * Each call is one of a Lambda that has just started; with `isWarm` all calls are of one that remembers what
 * it read. Answers are checked against the declaration of their operation, but for a benchmark.
 */
export function aConsoleClient(
  { services }: Pick<World, 'services'>,
  { isWarm = false, isChecked = true } = {},
): ConsoleClient {
  const used = isWarm ? { ...services, readItems: rememberingReader(services.clock) } : services
  const handlers = files.map(({ resource }) => {
    const openStore = notingWrites(`console_${resource.name}`, used.openStore)
    return { resource, handler: serveResource(resource, { ...used, openStore }) }
  })
  const client: ConsoleClient = {
    cookie: '',
    send: async (verb, path, values = {}, more = {}) => {
      const { operation, handler, pathParameters } = operationAt(handlers, verb, path)
      const event = { ...eventOf(client.cookie, verb, path, values), pathParameters }
      event.resource = `/console/api${operation?.path ?? path}`
      const answer = answerOf(await handler({ ...event, ...more }, aContext()))
      client.cookie = answer.headers['Set-Cookie']?.split(';')[0] ?? client.cookie
      if (isChecked && operation && answer.status === 200)
        expect(parse(schemaOfAnswer(operation), answer.body)).toEqual(answer.body)
      return answer
    },
    get: (path, values) => client.send('GET', path, values),
    upload: (path, file, values = {}) =>
      client.send('POST', path, undefined, {
        multiValueQueryStringParameters: Object.fromEntries(
          Object.entries(values).map(([name, value]) => [name, [String(value)]]),
        ),
        body: Buffer.from(file).toString('base64'),
        isBase64Encoded: true,
      }),
    signIn: (username, password = passwordOf(username)) =>
      client.send('POST', '/session', { username, password }),
  }
  return client
}

/** A client on which an account is signed in. */
export async function aSignedClient(world: World, username: string, options = {}): Promise<ConsoleClient> {
  const client = aConsoleClient(world, options)
  expect((await client.signIn(username)).status).toBe(200)
  return client
}

function eventOf(cookie: string, verb: string, path: string, values: Values): APIGatewayProxyEvent {
  const texts = Object.entries(values).map(([name, value]) => [name, String(value)] as const)
  const isRead = verb === 'GET'
  return {
    ...anEvent({
      method: verb,
      path: `/console/api${path}`,
      headers: {
        ...(cookie && { Cookie: cookie }),
        ...(!isRead && { 'Content-Type': 'application/json', 'X-Tollgate-Console': '1' }),
      },
      ...(isRead ? { query: texts } : { body: JSON.stringify(Object.fromEntries(texts)) }),
    }),
  }
}

type ResourceHandler = { readonly resource: (typeof files)[number]['resource']; readonly handler: Handler }

/** An unknown path goes to any function: API Gateway would not send it to one. */
function operationAt(handlers: readonly ResourceHandler[], verb: string, path: string) {
  const found = handlers
    .flatMap(({ resource, handler }) => resource.operations.map((operation) => ({ operation, handler })))
    .find(({ operation }) => operation.verb === verb && patternOf(operation).test(path))
  if (found) return { ...found, pathParameters: { ...patternOf(found.operation).exec(path)?.groups } }
  const [first] = handlers
  if (!first) throw new Error('There are no resources')
  return { operation: undefined, handler: first.handler, pathParameters: null }
}

const patternOf = ({ path }: Operation): RegExp =>
  new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`)

const answerOf = (result: APIGatewayProxyResult): ConsoleAnswer => ({
  status: result.statusCode,
  headers: result.headers as Record<string, string>,
  body: JSON.parse(bodyOf(result)),
})
