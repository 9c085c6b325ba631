import type { APIGatewayProxyEvent } from 'aws-lambda'
import type { Contract } from '#lib/api/method.ts'
import type { Sent } from './signed-parameters.ts'

const CONTENT_TYPE = 'application/x-www-form-urlencoded'

/**
 * A form posted to a method, as API Gateway hands it over, but for two things that keep it readable: its body is text,
 * where binary media types make it base64, and it asks for an answer that is not compressed.
 */
export function exampleEvent({ name }: Pick<Contract, 'name'>, params: Sent): APIGatewayProxyEvent {
  const path = `/api/${name}`
  const headers = { 'Content-Type': CONTENT_TYPE, Host: 'localhost:3000' }
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
