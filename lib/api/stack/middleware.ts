import type { MiddlewareObj } from '@middy/core'
import type { APIGatewayProxyEvent } from 'aws-lambda'
import type { RequestContext } from '#lib/api/request-context.ts'

/**
 * A step of the stacks. It refuses a request by throwing. A `before` must not return a value: that would skip every
 * `after`, including the envelope's. The envelope knows the type of the response; no other step reads it.
 */
export type Middleware = MiddlewareObj<APIGatewayProxyEvent, unknown, Error, RequestContext>
