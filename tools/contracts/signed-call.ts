import type { APIGatewayProxyEvent } from 'aws-lambda'
import type { Contract } from '#lib/api/method.ts'
import type { RawParameters } from '#lib/api/raw-parameters.ts'
import { readRawParameters } from '#lib/api/raw-parameters.ts'
import { isSigned, orderApplies, signatureOf } from '#lib/api/signature.ts'

/** The parameters of a call as a form carries them. */
export type SentParameters = Readonly<Record<string, string>>

/** The parameters with their `hash`, in the first order of the contract that applies to them. */
export function signedParameters(
  { callers, hashOrders }: Contract,
  sent: SentParameters,
  secretKey: string,
): SentParameters {
  if (callers === 'public') return sent
  const signatures = hashOrders.map((order) => ({ ...sent, hash: signatureOf(sent, order, secretKey) }))
  return signatures.find((signed: RawParameters) => isSigned(signed, hashOrders, secretKey)) ?? sent
}

/** A call with its `hash`, and the string that was hashed; blank for a public method. */
export interface SignedExample {
  readonly sent: SentParameters
  readonly string: string
}

export function signedExample(contract: Contract, params: SentParameters, secretKey: string): SignedExample {
  const order = contract.hashOrders.find((one) => orderApplies(params, one))
  const values = order?.signs.map((name) => params[name] ?? '')
  return {
    sent: signedParameters(contract, params, secretKey),
    string: values ? values.join('') + secretKey : '',
  }
}

const FORM = 'application/x-www-form-urlencoded'

/**
 * The event of API Gateway for a form that is posted to a method. Two differences keep it readable: the body
 * is text, where binary media types make it base64, and the client does not accept a compressed answer.
 */
export function exampleEvent({ name }: Pick<Contract, 'name'>, params: SentParameters): APIGatewayProxyEvent {
  const path = `/api/${name}`
  const headers = { 'Content-Type': FORM, Host: 'localhost:3000' }
  return {
    resource: path,
    path,
    httpMethod: 'POST',
    headers,
    multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([key, value]) => [key, [value]])),
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
    pathParameters: null,
    stageVariables: null,
    requestContext: contextOf(path),
    body: new URLSearchParams(params).toString(),
    isBase64Encoded: false,
  }
}

const contextOf = (path: string) =>
  ({
    accountId: '123456789012',
    apiId: 'example',
    httpMethod: 'POST',
    identity: { sourceIp: '127.0.0.1', userAgent: 'example' },
    path,
    protocol: 'HTTP/1.1',
    requestId: 'example',
    requestTimeEpoch: 0,
    resourceId: 'example',
    resourcePath: path,
    stage: 'local',
  }) as APIGatewayProxyEvent['requestContext']

/**
 * Signs an edited event again and applies `changes` to its parameters; a `hash` among them is sent as given.
 * A POST gets a form body, others a query string. Throws ApiError for an unreadable request.
 */
export async function signedEvent(
  event: APIGatewayProxyEvent,
  method: Contract,
  changes: SentParameters,
  key: string,
): Promise<APIGatewayProxyEvent> {
  const { hash: _, ...before } = await readRawParameters(event, method)
  const signed = signedParameters(method, { ...(before as SentParameters), ...changes }, key)
  const sent = { ...signed, ...changes }
  return event.httpMethod === 'POST' ? inBody(event, sent) : inQuery(event, sent)
}

const inBody = (event: APIGatewayProxyEvent, sent: SentParameters): APIGatewayProxyEvent => ({
  ...event,
  queryStringParameters: null,
  multiValueQueryStringParameters: null,
  headers: { ...withoutType(event.headers), 'Content-Type': FORM },
  body: new URLSearchParams(sent).toString(),
  isBase64Encoded: false,
})

const inQuery = (event: APIGatewayProxyEvent, sent: SentParameters): APIGatewayProxyEvent => ({
  ...event,
  queryStringParameters: { ...sent },
  multiValueQueryStringParameters: Object.fromEntries(
    Object.entries(sent).map(([name, value]) => [name, [value]]),
  ),
})

const withoutType = (headers: APIGatewayProxyEvent['headers']): APIGatewayProxyEvent['headers'] =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'content-type'))
