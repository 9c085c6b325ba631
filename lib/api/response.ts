import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda'
import type { Element } from '#lib/xml/element.ts'
import { renderDocument } from '#lib/xml/render.ts'
import type { CallContext } from './call-context.ts'

const compress = promisify(gzip)

/** What an answer depends on besides its content. */
interface Answered {
  readonly event: Pick<APIGatewayProxyEvent, 'headers'>
  readonly context: { readonly call?: Partial<CallContext['call']> }
}

/** The document with its headers; compressed where the client accepts that. Text/xml until the settings are known. */
export async function xmlResponse(
  root: Element,
  statusCode: number,
  { event, context }: Answered,
): Promise<APIGatewayProxyResult> {
  const body = renderDocument(root)
  const headers = headersOf(statusCode, context.call?.settings?.XML_API_Extension ?? true)
  if (!acceptsGzip(event)) return { statusCode, headers, body }
  const compressed = await compress(body)
  return {
    statusCode,
    headers: { ...headers, 'Content-Encoding': 'gzip' },
    body: compressed.toString('base64'),
    isBase64Encoded: true,
  }
}

/** Answers may carry device secrets: nobody on the way keeps them, and no browser guesses another type. */
const headersOf = (statusCode: number, asXml: boolean): Record<string, string> => ({
  'Content-Type': `${asXml ? 'text/xml' : 'text/html'}; charset=utf-8`,
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  Vary: 'Accept-Encoding',
  ...(statusCode === 405 && { Allow: 'GET, POST' }),
})

/** RFC 9110, 12.5.3: named (or any) and not weighted 0. */
function acceptsGzip({ headers }: Pick<APIGatewayProxyEvent, 'headers'>): boolean {
  const [, accepted = ''] =
    Object.entries(headers ?? {}).find(([name]) => /^accept-encoding$/i.test(name)) ?? []
  const codings = (accepted ?? '').toLowerCase().split(',').map(toCoding)
  const named =
    codings.find(({ coding }) => coding === 'gzip') ?? codings.find(({ coding }) => coding === '*')
  return named !== undefined && named.weight > 0
}

function toCoding(text: string): { coding: string; weight: number } {
  const [coding = '', ...parameters] = text.split(';').map((part) => part.trim())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))
  return { coding, weight: weight === undefined ? 1 : Number(weight.slice(2)) }
}
