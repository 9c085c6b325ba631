import { Readable } from 'node:stream'
import type { APIGatewayProxyEvent } from 'aws-lambda'
import busboy from 'busboy'
import { isLosslessNumber, parse } from 'lossless-json'
import { httpRefusal } from './errors.ts'
import type { Parameter } from './raw-parameters.ts'

/** Wire decisions 1. */
const MOST_BYTES = 1_000_000

type Reader = (body: Buffer, contentType: string) => Parameter[] | Promise<Parameter[]>

const READERS: Readonly<Record<string, Reader>> = {
  'application/x-www-form-urlencoded': readForm,
  'multipart/form-data': readMultipart,
  'application/json': readJson,
}

/** The parameters in the body of a POST. Throws 413, 415, and 400 for what cannot be read. */
export async function readBody({
  body,
  isBase64Encoded,
  headers,
}: APIGatewayProxyEvent): Promise<Parameter[]> {
  const bytes = Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8')
  if (bytes.length > MOST_BYTES) throw httpRefusal('too_large')
  if (bytes.length === 0) return []
  const contentType = contentTypeOf(headers)
  const read = READERS[contentType.split(';')[0]?.trim().toLowerCase() ?? '']
  if (!read) throw httpRefusal('unsupported_type')
  try {
    return await read(bytes, contentType)
  } catch (error) {
    throw Object.assign(httpRefusal('bad_request'), { cause: error })
  }
}

function contentTypeOf(headers: APIGatewayProxyEvent['headers']): string {
  const [, contentType] =
    Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === 'content-type') ?? []
  return contentType || 'application/x-www-form-urlencoded'
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true })

function readForm(body: Buffer): Parameter[] {
  const form = strictUtf8.decode(body)
  refuseBrokenEscapes(form)
  return [...new URLSearchParams(form)]
}

/** URLSearchParams turns escapes that are no UTF-8 into replacement characters; such a value would be stored wrong. */
function refuseBrokenEscapes(form: string): void {
  decodeURIComponent(form.replace(/%(?![0-9a-f]{2})/gi, '%25'))
}

/** One flat object. Numbers keep their text, so that 1.0 and ids of 20 digits are signed as they were sent. */
function readJson(body: Buffer): Parameter[] {
  const lastOneWins = { onDuplicateKey: ({ newValue }: { newValue: unknown }) => newValue }
  const document = parse(strictUtf8.decode(body), null, lastOneWins)
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    throw new TypeError('The body is no JSON object')
  }
  return Object.entries(document).flatMap(([name, value]) => {
    const text = textOfJson(value)
    return text === undefined ? [] : [[name, text] as const]
  })
}

function textOfJson(value: unknown): string | undefined {
  if (value === null) return undefined
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return value ? '1' : '0'
  if (isLosslessNumber(value)) return value.toString()
  throw new TypeError('The JSON body is nested')
}

/** What a decoder puts in the place of bytes that are no UTF-8. */
const NO_UTF8 = '\uFFFD'

/** Fields only: a file is read past and ignored. */
function readMultipart(body: Buffer, contentType: string): Promise<Parameter[]> {
  const parameters: Parameter[] = []
  return new Promise((resolve, reject) => {
    const form = busboy({ headers: { 'content-type': contentType }, limits: { fieldSize: MOST_BYTES } })
    form.on('field', (name, value) => {
      if (value.includes(NO_UTF8)) return reject(new TypeError('A field is no UTF-8'))
      parameters.push([name, value])
    })
    form.on('file', (_name, file) => file.resume())
    form.on('error', reject)
    form.on('close', () => resolve(parameters))
    Readable.from([body]).on('error', reject).pipe(form)
  })
}
