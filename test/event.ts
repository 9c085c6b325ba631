import type { APIGatewayProxyEvent, Context, SQSEvent } from 'aws-lambda'

/** A request as API Gateway hands it over. */
export interface Request {
  readonly method?: string
  readonly path?: string
  readonly pathParameters?: Readonly<Record<string, string>>
  readonly query?: readonly (readonly [string, string])[]
  readonly body?: string | Buffer
  readonly headers?: Readonly<Record<string, string>>
  readonly address?: string
}

const pathParametersOf = ({ pathParameters }: Request) => (pathParameters ? { ...pathParameters } : null)

/** A REST proxy event; the body goes in base64, as it does behind an API with binary media types. */
export function anEvent(request: Request): APIGatewayProxyEvent {
  const query: Record<string, string[]> = Object.create(null)
  for (const [name, value] of request.query ?? []) query[name] = [...(query[name] ?? []), value]
  return {
    httpMethod: request.method ?? 'POST',
    path: request.path ?? '/',
    resource: request.path ?? '/',
    headers: { ...request.headers },
    multiValueHeaders: {},
    queryStringParameters: null,
    multiValueQueryStringParameters: query,
    pathParameters: pathParametersOf(request),
    stageVariables: null,
    body: request.body === undefined ? null : Buffer.from(request.body).toString('base64'),
    isBase64Encoded: request.body !== undefined,
    requestContext: {
      requestId: 'request-1',
      identity: { sourceIp: request.address ?? '192.0.2.1' },
    } as APIGatewayProxyEvent['requestContext'],
  }
}

/** `remaining` in milliseconds; by default a Lambda's longest run: a busy machine ends no test. */
export const aContext = (remaining = 900_000): Context =>
  ({ awsRequestId: 'invocation-1', getRemainingTimeInMillis: () => remaining }) as Context

/** A queue's batch: texts are sent as they are, other bodies as JSON, with the ids m1, m2, ... */
export const queueEvent = (...bodies: readonly unknown[]): SQSEvent =>
  ({
    Records: bodies.map((body, index) => ({
      messageId: `m${index + 1}`,
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })),
  }) as SQSEvent
