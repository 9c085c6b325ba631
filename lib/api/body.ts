import type { APIGatewayProxyEvent } from 'aws-lambda'
import { httpRefusal } from './errors.ts'
import { headerOf } from './header.ts'
import type { Parameter } from './sent.ts'

/** A body may have this many bytes once it is decoded (wire.md 1.3). */
const MOST_BYTES = 1_000_000

type Reader = (body: Buffer, contentType: string) => Parameter[] | Promise<Parameter[]>

/** Rarely do programs send anything but forms: what reads the others is loaded when they come. */
const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['application/x-www-form-urlencoded', readForm],
  [
    'multipart/form-data',
    async (...request) => (await import('./multipart-body.ts')).readMultipart(...request),
  ],
  ['application/json', async (body) => (await import('./json-body.ts')).readJson(decodeUtf8(body))],
])

/** The parameters in the body of a POST. Throws 413, 415, and 400 for what cannot be read. */
export async function readBody(event: APIGatewayProxyEvent): Promise<Parameter[]> {
  const { body, isBase64Encoded } = event
  const bytes = Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8')
  if (bytes.length > MOST_BYTES) throw httpRefusal('too_large')
  if (bytes.length === 0) return []
  const contentType = headerOf(event, 'content-type') || 'application/x-www-form-urlencoded'
  const read = READERS.get(contentType.split(';')[0]?.trim().toLowerCase() ?? '')
  if (!read) throw httpRefusal('unsupported_type')
  try {
    return await read(bytes, contentType)
  } catch (error) {
    throw Object.assign(httpRefusal('bad_request'), { cause: error })
  }
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true })

const decodeUtf8 = (body: Buffer): string => strictUtf8.decode(body)

function readForm(body: Buffer): Parameter[] {
  const form = decodeUtf8(body)
  refuseBrokenEscapes(form)
  return [...new URLSearchParams(form)]
}

/** URLSearchParams turns escapes that are not UTF-8 into replacement characters; such a value would be stored wrong. */
function refuseBrokenEscapes(form: string): void {
  decodeURIComponent(form.replace(/%(?![0-9a-f]{2})/gi, '%25'))
}
