import { parseArgs } from 'node:util'
import { callUrlIn, isCurl, shellWords } from '#lib/api/doctor/written-call.ts'
import { readV2, type SentV2 } from '#lib/api/keys/signature-v2.ts'
import type { RawParameters } from '#lib/api/raw-parameters.ts'
import { readRawParameters } from '#lib/api/raw-parameters.ts'
import { exampleEvent } from '#tools/contracts/signed-call.ts'
import { CommandError } from '#tools/machine/terminal.ts'

/** A call as a client sent it. */
export interface SentCall {
  /** The name in the URL: the method's own name or an alias. */
  readonly called: string
  readonly sent: RawParameters
  /** The address of the API; `undefined` for a line of a log. */
  readonly url: string | undefined
  /** Missing for a call without a v2 signature. */
  readonly v2?: SentV2 | undefined
}

/** The lines of a text, each with a call. A curl line may continue over several lines. */
export const callLines = (text: string): string[] =>
  text
    .replace(/\\\r?\n/g, ' ')
    .split(/\r?\n/)
    .filter((line) => line.trim())

/** Reads the call in a curl line, a line of an access log, or a URL. Throws CommandError if there is none. */
export const readSentCall = async (line: string): Promise<SentCall> =>
  parametersIn(isCurl(line) ? readCurl(shellWords(line).slice(1)) : readLog(line))

/** Reads the call in the words behind `curl`. Throws CommandError if there is none. */
export const readCurlWords = async (words: readonly string[]): Promise<SentCall> =>
  parametersIn(readCurl(words))

interface Request {
  readonly url: string
  readonly verb: string
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Reads the parameters and the v2 signature as the API does. */
async function parametersIn({ url, verb, body = '', headers = {} }: Request): Promise<SentCall> {
  const { pathname, searchParams } = new URL(url, 'http://localhost')
  const called = pathname.split('/').at(-1) ?? ''
  const example = exampleEvent({ name: called }, {})
  const event = {
    ...example,
    httpMethod: verb,
    headers: { 'Content-Type': FORM, ...headers },
    requestContext: { ...example.requestContext, path: pathname },
    multiValueQueryStringParameters: Object.fromEntries(
      [...searchParams.keys()].map((name) => [name, searchParams.getAll(name)]),
    ),
    body,
  }
  const sent = await readRawParameters(event)
  return { called, sent, url: /^[^/].*?(?=\/api\/)/.exec(url)?.[0], v2: readV2(event) }
}

const FORM = 'application/x-www-form-urlencoded'

/** The path with its query string, in any format of an access log. */
function readLog(line: string): Request {
  const url = callUrlIn(line)
  if (url === undefined)
    throw new CommandError('A line names no call: it has no path such as /api/devices_get?u=...')
  if (!/[?&]hash=/.test(url)) {
    throw new CommandError(
      'A line has no hash: an access log holds the query string, not the body of a POST.',
    )
  }
  return { url, verb: 'GET' }
}

/** The options with a value must be known, or the value would be read as the URL. */
const CURL_OPTIONS = {
  request: { type: 'string', short: 'X' },
  header: { type: 'string', short: 'H', multiple: true },
  data: { type: 'string', short: 'd', multiple: true },
  'data-raw': { type: 'string', multiple: true },
  'data-ascii': { type: 'string', multiple: true },
  'data-binary': { type: 'string', multiple: true },
  'data-urlencode': { type: 'string', multiple: true },
  form: { type: 'string', short: 'F', multiple: true },
  'form-string': { type: 'string', multiple: true },
  json: { type: 'string', multiple: true },
  get: { type: 'boolean', short: 'G' },
  url: { type: 'string' },
  user: { type: 'string', short: 'u' },
  'user-agent': { type: 'string', short: 'A' },
  referer: { type: 'string', short: 'e' },
  cookie: { type: 'string', short: 'b' },
  output: { type: 'string', short: 'o' },
  'max-time': { type: 'string', short: 'm' },
  proxy: { type: 'string', short: 'x' },
} as const

type Given = readonly (readonly [option: string, value: string])[]

function readCurl(words: readonly string[]): Request {
  const { tokens, values, positionals } = parseArgs({
    args: words,
    options: CURL_OPTIONS,
    allowPositionals: true,
    strict: false,
    tokens: true,
  })
  const given = tokens.flatMap((token) =>
    token.kind === 'option' ? [[token.name, token.value ?? ''] as const] : [],
  )
  const url = [values['url'], ...positionals].find((word) => String(word).includes('/api/'))
  if (url === undefined) throw new CommandError('The curl line has no URL with /api/ in it.')
  return curlRequest(String(url), given)
}

function curlRequest(url: string, given: Given): Request {
  const pieces = given.flatMap(bodyPiece)
  const has = (name: string) => given.some(([option]) => option === name)
  const last = (name: string) => given.findLast(([option]) => option === name)?.[1]
  const body = pieces.join(has('json') ? '' : '&')
  if (has('get'))
    return {
      url: `${url}${url.includes('?') ? '&' : '?'}${body}`,
      verb: last('request') ?? 'GET',
      headers: headersOf(given),
    }
  return {
    url,
    verb: last('request') ?? (pieces.length > 0 ? 'POST' : 'GET'),
    body,
    headers: headersOf(given, has('json')),
  }
}

/** Fields of a multipart form are read as those of any other form. */
function bodyPiece([option, value]: Given[number]): string[] {
  if (/^(data|json)/.test(option) && value.startsWith('@')) {
    throw new CommandError(`The file ${value} is not read: put its content into the line.`)
  }
  if (option === 'data-urlencode' || option.startsWith('form')) return [encodedField(value)]
  return option.startsWith('data') || option === 'json' ? [value] : []
}

function encodedField(field: string): string {
  const index = field.indexOf('=')
  return index < 0
    ? encodeURIComponent(field)
    : `${field.slice(0, index + 1)}${encodeURIComponent(field.slice(index + 1))}`
}

/** The type of a form is left out, since its fields are joined as those of any other form. */
function headersOf(given: Given, isJson = false): Readonly<Record<string, string>> {
  const headers = given.flatMap(([option, value]) => {
    const [, name = '', text = ''] = option === 'header' ? (/^([^:]+?)\s*:\s*(.*)$/.exec(value) ?? []) : []
    const isForm = /^content-type$/i.test(name) && text.startsWith('multipart/')
    return name === '' || isForm ? [] : [[CANONICAL.get(name.toLowerCase()) ?? name, text] as const]
  })
  return { ...(isJson && { [CONTENT_TYPE]: 'application/json' }), ...Object.fromEntries(headers) }
}

const CONTENT_TYPE = 'Content-Type'

/** One spelling of a name, so that a given header replaces the default. */
const CANONICAL = new Map([[CONTENT_TYPE.toLowerCase(), CONTENT_TYPE]])
