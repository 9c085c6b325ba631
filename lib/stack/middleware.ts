import type { MiddlewareObj } from '@middy/core'
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda'
import type { RequestContext } from '#lib/api/request-context.ts'
import type { StreamedResult } from '#lib/api/response.ts'
import type { Content } from '#lib/xml/element.ts'

/**
 * Guards throw; nothing returns early from a `before`, because a value returned there would skip every `after`, the
 * envelope's included.
 */
export type Middleware = MiddlewareObj<
  APIGatewayProxyEvent,
  APIGatewayProxyResult | StreamedResult | Content,
  Error,
  RequestContext
>
