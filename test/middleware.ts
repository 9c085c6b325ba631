import middy from '@middy/core'
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda'
import type { RequestContext, RequestState } from '#lib/api/request-context.ts'
import type { Middleware } from '#lib/api/stack/steps.ts'
import { readSettings } from '#lib/settings/settings.ts'
import type { Content } from '#lib/xml/element.ts'
import { aContext, anEvent, type Request } from '#test/event.ts'

/** The request that a middleware gets, and the run beneath it. */
export interface Passing {
  readonly request?: Request
  readonly requestState?: RequestState
  readonly run?: () => Content | Promise<Content>
}

export interface Passed {
  /** Whether the run beneath was reached. */
  readonly ran: boolean
  readonly requestState: RequestState
  readonly answer: APIGatewayProxyResult
}

/** Sends one request through one middleware, in middy's own core. Rejects with what the middleware throws. */
export async function passThrough(middleware: Middleware, passing: Passing = {}): Promise<Passed> {
  const { request = {}, requestState = {}, run = () => 'content' } = passing
  const context = {
    ...aContext(),
    requestState: { settings: readSettings({}), raw: {}, ...requestState },
  } as unknown as RequestContext
  let ran = false
  const handler = middy<APIGatewayProxyEvent, Content, Error, RequestContext>()
    .use(middleware as Parameters<ReturnType<typeof middy>['use']>[0])
    .handler(async () => {
      ran = true
      return run()
    })
  const answer = (await handler(anEvent(request), context)) as unknown as APIGatewayProxyResult
  return { ran, requestState: context.requestState, answer }
}
