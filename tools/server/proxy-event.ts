import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { APIGatewayProxyEvent } from 'aws-lambda'

/** The resource of an API that matches a path, and the values of its path parameters. */
export interface MatchedPath {
  readonly path: string
  readonly parameters: Readonly<Record<string, string>> | undefined
}

/** The event of API Gateway for a request to a REST API whose media types are all binary. */
export function proxyEvent(
  request: IncomingMessage,
  { pathname: path, searchParams }: URL,
  resource: MatchedPath,
  body: Buffer,
): APIGatewayProxyEvent {
  const multiValueHeaders = valuesByName(headersOf(request))
  const query = searchParams.size > 0 ? valuesByName(searchParams) : null
  return {
    resource: resource.path,
    path,
    httpMethod: request.method ?? '',
    headers: lastValues(multiValueHeaders),
    multiValueHeaders,
    queryStringParameters: query && lastValues(query),
    multiValueQueryStringParameters: query,
    pathParameters: resource.parameters ? { ...resource.parameters } : null,
    stageVariables: null,
    requestContext: contextOf(request, path, resource.path),
    body: body.length > 0 ? body.toString('base64') : null,
    isBase64Encoded: body.length > 0,
  }
}

/** Node lists names and values alternately. */
const headersOf = ({ rawHeaders }: IncomingMessage): [name: string, value: string][] =>
  rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? '']] : []))

function valuesByName(pairs: Iterable<[name: string, value: string]>): Record<string, string[]> {
  const byName = new Map<string, string[]>()
  for (const [name, value] of pairs) byName.set(name, [...(byName.get(name) ?? []), value])
  return Object.fromEntries(byName)
}

const lastValues = (byName: Readonly<Record<string, readonly string[]>>): Record<string, string> =>
  Object.fromEntries(Object.entries(byName).map(([name, values]) => [name, values.at(-1) ?? '']))

/** The identity is only the address: there are no authorizers, API keys or certificates. */
const contextOf = (
  { method = '', headers, socket }: IncomingMessage,
  path: string,
  resourcePath: string,
): APIGatewayProxyEvent['requestContext'] =>
  ({
    httpMethod: method,
    identity: { sourceIp: socket.remoteAddress ?? '', userAgent: headers['user-agent'] ?? null },
    path,
    protocol: 'HTTP/1.1',
    requestId: randomUUID(),
    requestTimeEpoch: Date.now(),
    resourcePath,
    stage: 'local',
  }) as APIGatewayProxyEvent['requestContext']
