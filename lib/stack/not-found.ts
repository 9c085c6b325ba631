import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda'
import { httpRefusal } from '#lib/api/errors.ts'
import { refusalDocument } from '#lib/api/refusal-document.ts'
import type { Services } from '#lib/api/services.ts'

type NotFound = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>

/** Every path that names no method, with any verb. It reads no setting: whoever asks here costs no round trip. */
export const notFound =
  ({ log }: Pick<Services, 'log'>): NotFound =>
  async (_event, { awsRequestId }) => {
    const { message, status } = httpRefusal('unknown_method')
    log({ method: 'not_found', outcome: 'refused', refusal: message, request: awsRequestId })
    return { statusCode: status, headers: HEADERS, body: refusalDocument('unknown_method') }
  }

const HEADERS = {
  'Content-Type': 'text/xml; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
}
