import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda'
import { httpRefusal } from '#lib/api/errors.ts'
import { HEADERS_BELOW_METHODS } from '#lib/api/headers.ts'
import { refusalDocument } from '#lib/api/refusal-document.ts'
import type { Services } from '#lib/api/services.ts'

type NotFound = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>

/** Every path that names no method, with any verb. It reads no setting: whoever asks here costs no round trip. */
export const notFound =
  ({ log }: Pick<Services, 'log'>): NotFound =>
  async (_event, { awsRequestId }) => {
    const { message, status } = httpRefusal('unknown_method')
    log({ method: 'not_found', outcome: 'refused', refusal: message, request: awsRequestId })
    return {
      statusCode: status,
      headers: { ...HEADERS_BELOW_METHODS },
      body: refusalDocument('unknown_method'),
    }
  }
