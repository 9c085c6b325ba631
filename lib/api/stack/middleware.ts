import type { MiddlewareObj } from '@middy/core'
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda'
import type { RequestContext } from '#lib/api/request-context.ts'
import type { StreamedResult } from '#lib/api/response.ts'
import type { Content } from '#lib/xml/element.ts'

/**
 * A step of the stack. It refuses a request by throwing. A `before` must not return a value: that would skip every
 * `after`, including the envelope's.
 */
export type Middleware = MiddlewareObj<
  APIGatewayProxyEvent,
  APIGatewayProxyResult | StreamedResult | Content,
  Error,
  RequestContext
>
