import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda'
import { httpRefusal } from '#lib/api/errors.ts'
import { HEADERS_BELOW_METHODS } from '#lib/api/headers.ts'
import type { Services } from '#lib/api/method.ts'
import { requestIds } from '#lib/api/request-context.ts'
import { refusalDocument } from '#lib/api/response.ts'
import { writeLogLine } from '#lib/store/log-line.ts'

type NotFoundHandler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>

/** Answers every path that names no method, with any verb. It reads no setting, so it costs no round trip. */
export const notFound =
  ({ log }: Pick<Services, 'log'>): NotFoundHandler =>
  async (event, context) => {
    const { message, status } = httpRefusal('unknown_method')
    log({ method: 'not_found', outcome: 'refused', refusal: message, ...requestIds(event, context) })
    return {
      statusCode: status,
      headers: { ...HEADERS_BELOW_METHODS },
      body: refusalDocument('unknown_method'),
    }
  }

export const handler = notFound({ log: writeLogLine })
