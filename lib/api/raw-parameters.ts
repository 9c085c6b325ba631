import type { APIGatewayProxyEvent } from 'aws-lambda'
import busboy from 'busboy'
import { isLosslessNumber, parse } from 'lossless-json'
import { ApiError, httpRefusal } from './errors.ts'
import { headerOf } from './headers.ts'

/** The parameters as sent, by name. A parameter that was not sent is missing. */
export type RawParameters = Readonly<Partial<Record<string, string>>>

type Parameter = readonly [name: string, value: string]

/** The part of an event that the parameters and the signature of a call are read from. */
export type RequestEvent = Pick<
  APIGatewayProxyEvent,
  | 'path'
  | 'httpMethod'
  | 'headers'
  | 'body'
  | 'isBase64Encoded'
  | 'multiValueQueryStringParameters'
  | 'pathParameters'
> & { readonly requestContext: Pick<APIGatewayProxyEvent['requestContext'], 'path'> }

/**
 * Reads the query string of a GET, and the query string and body of a POST. The body overrides the query
 * string, and the last of several values counts (wire.md 1.2). A method that is POST only reads the body
 * alone (wire.md user_login). Throws 400, 413 or 415 for an unreadable request.
 */
export async function readRawParameters(
  event: RequestEvent,
  { postOnly, inPath }: { readonly postOnly?: true; readonly inPath?: string } = {},
): Promise<RawParameters> {
  const inBody = event.httpMethod === 'POST' ? await readBody(event) : []
  return byName([...(postOnly ? [] : readQuery(event)), ...inBody, ...readPath(event, inPath)])
}

/** Clients choose the names, so the object has no prototype whose properties they could name. */
const byName = (parameters: readonly Parameter[]): RawParameters =>
  Object.assign(Object.create(null), Object.fromEntries(parameters))

/** API Gateway leaves the escapes of a path. */
function readPath({ pathParameters }: RequestEvent, name = ''): Parameter[] {
  const value = pathParameters?.[name]
  if (value === undefined) return []
  try {
    return [[name, decodeURIComponent(value)]]
  } catch {
    throw httpRefusal('bad_request', 'The path has escapes that are not UTF-8')
  }
}

/** Decoders replace bytes that are not UTF-8 with this character. */
const NOT_UTF8 = '\uFFFD'

/** API Gateway decodes the query: an escape that is not UTF-8 shows only as a replacement character. */
function readQuery({ multiValueQueryStringParameters }: RequestEvent): Parameter[] {
  const query = Object.entries(multiValueQueryStringParameters ?? {})
  if (query.flat(2).some((text) => text?.includes(NOT_UTF8)))
    throw httpRefusal('bad_request', 'The query string has escapes that are not UTF-8')
  return query.map(([name, values = []]) => [name, values.at(-1) ?? ''])
}

/** The size limit of a decoded body (wire.md 1.3). busboy's limit of a field is higher. */
const MAX_BODY_BYTES = 1_000_000

/** More than any method has. Tens of thousands of parameters cost seconds. */
const MAX_NAMES = 200

const tooManyNames = (): ApiError => httpRefusal('bad_request', `The body has more than ${MAX_NAMES} names`)

async function readBody(event: RequestEvent): Promise<Parameter[]> {
  const { body, isBase64Encoded } = event
  const bytes = Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8')
  if (bytes.length > MAX_BODY_BYTES) throw httpRefusal('too_large')
  if (bytes.length === 0) return []
  const contentType = headerOf(event, 'content-type') || 'application/x-www-form-urlencoded'
  const reader = BODY_READERS.get(contentType.split(';')[0]?.trim().toLowerCase() ?? '')
  if (!reader) throw httpRefusal('unsupported_type', `Send ${[...BODY_READERS.keys()].join(', or ')}`)
  try {
    return await reader.read(bytes, contentType)
  } catch (error) {
    if (error instanceof ApiError) throw error
    throw Object.assign(httpRefusal('bad_request', reader.refusal), { cause: error })
  }
}

interface BodyReader {
  /** Throws for a body that it cannot read. */
  readonly read: (body: Buffer, contentType: string) => Parameter[] | Promise<Parameter[]>
  readonly refusal: string
}

const BODY_READERS: ReadonlyMap<string, BodyReader> = new Map<string, BodyReader>([
  [
    'application/x-www-form-urlencoded',
    { read: readForm, refusal: 'The form has bytes or escapes that are not UTF-8' },
  ],
  [
    'multipart/form-data',
    { read: readMultipart, refusal: 'The multipart form is not well-formed, or not UTF-8' },
  ],
  ['application/json', { read: readJson, refusal: 'The body is not one flat JSON object in UTF-8' }],
])

const strictUtf8 = new TextDecoder('utf-8', { fatal: true })

function readForm(body: Buffer): Parameter[] {
  const form = strictUtf8.decode(body)
  requireFewNames(form.split('&', MAX_NAMES + 1).length)
  refuseBrokenEscapes(form)
  return [...new URLSearchParams(form)]
}

function requireFewNames(count: number): void {
  if (count > MAX_NAMES) throw tooManyNames()
}

/** Throws for escapes that are not UTF-8, which URLSearchParams would turn into replacement characters. */
function refuseBrokenEscapes(form: string): void {
  decodeURIComponent(form.replace(/%(?![0-9a-f]{2})/gi, '%25'))
}

/**
 * Reads the fields and skips files. The whole body is parsed within `end`, in this call, so an error of the
 * parser or of a listener refuses the request instead of ending the process from a callback.
 */
function readMultipart(body: Buffer, contentType: string): Promise<Parameter[]> {
  const parameters: Parameter[] = []
  return new Promise((resolve, reject) => {
    // busboy reports the limit when a form has as many parts.
    const limits = { parts: MAX_NAMES + 1 }
    const form = busboy({ headers: { 'content-type': contentType }, limits })
    form.on('partsLimit', () => reject(tooManyNames()))
    form.on('field', (name, value) => parameters.push([name, requireUtf8(value)]))
    form.on('error', reject)
    form.on('close', () => resolve(parameters))
    form.end(body)
  })
}

/** The parser gives no value for a field in an unknown charset. */
function requireUtf8(value: string | undefined): string {
  if (value === undefined || value.includes(NOT_UTF8)) throw new TypeError('A field is not UTF-8')
  return value
}

const LAST_ONE_WINS = { onDuplicateKey: ({ newValue }: { newValue: unknown }) => newValue }

/** Reads one flat object. Numbers keep their text: `1.0` and ids of 20 digits are signed as sent. */
function readJson(body: Buffer): Parameter[] {
  const json = strictUtf8.decode(body)
  requireFewNames(colonsIn(json))
  const document = parse(json, null, LAST_ONE_WINS)
  if (!isObject(document) || isLosslessNumber(document)) throw new TypeError('The body is not a JSON object')
  return Object.entries(document).flatMap(([name, value]) => {
    const text = isLosslessNumber(value) ? value.toString() : jsonText(value)
    return text === undefined ? [] : [[name, text] as const]
  })
}

/** The colons outside of strings, one for each name, at most one more than a body may have. */
function colonsIn(json: string): number {
  let [colons, isString] = [0, false]
  for (let at = 0; at < json.length && colons <= MAX_NAMES; at += 1) {
    const code = json.charCodeAt(at)
    if (code === QUOTE) isString = !isString
    else if (isString && code === BACKSLASH) at += 1
    else if (!isString && code === COLON) colons += 1
  }
  return colons
}

const [QUOTE, COLON, BACKSLASH] = [34, 58, 92]

const isObject = (document: unknown): document is Readonly<Record<string, unknown>> =>
  typeof document === 'object' && document !== null && !Array.isArray(document)

function jsonText(value: unknown): string | undefined {
  if (value === null) return undefined
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return value ? '1' : '0'
  throw new TypeError('The JSON body is nested')
}
