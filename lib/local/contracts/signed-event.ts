import type { APIGatewayProxyEvent } from 'aws-lambda'
import type { Contract } from '#lib/api/method.ts'
import { readRawParameters } from '#lib/api/raw-parameters.ts'
import { type Sent, signedParameters } from './signed-parameters.ts'

export interface Signing {
  readonly method: Contract
  /** Parameters that are sent in place of those of the event, or beside them. A `hash` among them is sent as it is. */
  readonly changes: Sent
  readonly key: string
}

/**
 * An event that somebody has edited by hand, signed anew: the parameters of a POST as a form in its body, others in the
 * query string. Throws what makes a request unreadable.
 */
export async function signedEvent(
  event: APIGatewayProxyEvent,
  { method, changes, key }: Signing,
): Promise<APIGatewayProxyEvent> {
  const { hash: _, ...before } = await readRawParameters(event, method)
  const signed = signedParameters(method, { ...(before as Sent), ...changes }, key)
  const sent = { ...signed, ...changes }
  return event.httpMethod === 'POST' ? inBody(event, sent) : inQuery(event, sent)
}

const inBody = (event: APIGatewayProxyEvent, sent: Sent): APIGatewayProxyEvent => ({
  ...event,
  queryStringParameters: null,
  multiValueQueryStringParameters: null,
  headers: { ...withoutType(event.headers), 'Content-Type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams(sent).toString(),
  isBase64Encoded: false,
})

const inQuery = (event: APIGatewayProxyEvent, sent: Sent): APIGatewayProxyEvent => ({
  ...event,
  queryStringParameters: { ...sent },
  multiValueQueryStringParameters: Object.fromEntries(
    Object.entries(sent).map(([name, value]) => [name, [value]]),
  ),
})

const withoutType = (headers: APIGatewayProxyEvent['headers']): APIGatewayProxyEvent['headers'] =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'content-type'))
