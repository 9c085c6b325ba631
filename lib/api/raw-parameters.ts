import type { APIGatewayProxyEvent } from 'aws-lambda'
import { readBody } from './body.ts'
import type { Parameter, RawParameters } from './sent.ts'

/**
 * GET takes the query string, POST query string and body; the body wins, and of a repeated parameter the last one
 * (wire.md 1.2). A method that is POST only takes the body alone (wire.md user_login). Throws what makes a request
 * unreadable: 400, 413, 415.
 */
export async function readRawParameters(
  event: APIGatewayProxyEvent,
  { postOnly }: { readonly postOnly?: true } = {},
): Promise<RawParameters> {
  const sent = event.httpMethod === 'POST' ? await readBody(event) : []
  return byName([...(postOnly ? [] : queryParameters(event)), ...sent])
}

/** Names come from outside: an object without a prototype has no names of its own. */
const byName = (sent: readonly Parameter[]): RawParameters =>
  Object.assign(Object.create(null), Object.fromEntries(sent))

const queryParameters = ({ multiValueQueryStringParameters: query }: APIGatewayProxyEvent): Parameter[] =>
  Object.entries(query ?? {}).map(([name, values = []]) => [name, values.at(-1) ?? ''])
