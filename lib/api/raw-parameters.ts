import type { APIGatewayProxyEvent } from 'aws-lambda'
import { readBody } from './body.ts'
import { httpRefusal } from './errors.ts'
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

/** The query string arrives decoded: this character stands where its escapes are not UTF-8. */
const NOT_UTF8 = '\uFFFD'

function queryParameters({ multiValueQueryStringParameters }: APIGatewayProxyEvent): Parameter[] {
  const query = Object.entries(multiValueQueryStringParameters ?? {})
  if (query.flat(2).some((text) => text?.includes(NOT_UTF8))) throw httpRefusal('bad_request')
  return query.map(([name, values = []]) => [name, values.at(-1) ?? ''])
}
