import { callUrlIn, isCurl, shellWords } from '#lib/api/doctor/written-call.ts'
import type { SentV2 } from '#lib/api/keys/signature-v2.ts'
import { V2_HEADERS } from '#lib/api/keys/v2-text.ts'
import { hexDigest } from '#lib/domain/digest.ts'
import type { SentValues } from '../api/catalogue.ts'

/** A call as a client has sent it. */
export interface PastedCall {
  readonly called: string
  readonly sent: SentValues
  /** Missing for a call without a v2 signature. */
  readonly v2?: SentV2 | undefined
}

const BODY_OPTION = /^(-d|-F|--data(-raw|-ascii|-binary|-urlencode)?|--form(-string)?)$/

/**
 * The call in a curl line, a line of an access log, a URL, or `<method> name=value ...`. Throws what is missing, in a
 * sentence.
 */
export function readCallLine(text: string): PastedCall {
  const line = text.replaceAll(/\\\r?\n/g, ' ')
  if (isCurl(line)) return readCurl(shellWords(line))
  const url = callUrlIn(line)
  return url === undefined ? readNames(shellWords(line)) : readUrl(url, [])
}

function readCurl(words: readonly string[]): PastedCall {
  const bodies = words.flatMap((word, index) =>
    BODY_OPTION.test(word) ? bodyOf(word, words[index + 1] ?? '') : [],
  )
  const url = words.find((word) => word.includes('/api/'))
  if (url === undefined)
    throw new Error('No API call recognised: the curl line names no URL with /api/ in it.')
  return readUrl(url, bodies, readV2Headers(words, url))
}

/** The v2 signature of a curl line; `undefined` if it has none. */
function readV2Headers(words: readonly string[], url: string): SentV2 | undefined {
  const headers = new Map(following(words, /^(-H|--header)$/).map((header) => headerOf(header)))
  const headerNamed = (name: string) => headers.get(name.toLowerCase()) ?? ''
  const signature = headerNamed(V2_HEADERS.signature)
  if (signature === '') return undefined
  const body = following(words, BODY_OPTION).join('&')
  const { pathname, searchParams } = new URL(url, 'http://localhost')
  const request = {
    verb: following(words, /^(-X|--request)$/).at(-1) ?? (body === '' ? 'GET' : 'POST'),
    path: pathname,
    query: [...searchParams],
    timestamp: headerNamed(V2_HEADERS.timestamp),
    nonce: headerNamed(V2_HEADERS.nonce),
    bodyDigest: hexDigest(body),
  }
  return { request, signature }
}

/** The words behind an option, in their order. */
const following = (words: readonly string[], option: RegExp): string[] =>
  words.flatMap((word, index) => (option.test(word) ? [words[index + 1] ?? ''] : []))

function headerOf(header: string): [name: string, value: string] {
  const index = header.indexOf(':')
  return [header.slice(0, index).trim().toLowerCase(), header.slice(index + 1).trim()]
}

/** Fields of a form come as they are, what is said to be encoded is. */
function bodyOf(option: string, text: string): [string, string][] {
  if (text.startsWith('{'))
    return Object.entries(JSON.parse(text) as SentValues).map(([n, v]) => [n, String(v)])
  if (!/urlencode|^-F$|form/.test(option)) return [...new URLSearchParams(text)]
  const index = text.indexOf('=')
  return index < 0 ? [] : [[text.slice(0, index), text.slice(index + 1)]]
}

function readUrl(text: string, body: readonly [string, string][], v2?: SentV2): PastedCall {
  const { pathname, searchParams } = new URL(text, 'http://localhost')
  const called = pathname.split('/').at(-1) ?? ''
  return withHash({ called, sent: Object.fromEntries([...searchParams, ...body]), v2 })
}

const UNRECOGNISED =
  'No API call recognised: paste a curl line, a line of an access log, a URL, or a method with its parameters.'

function readNames([called = '', ...words]: readonly string[]): PastedCall {
  if (!/^[a-z]+(_[a-z]+)+$/i.test(called)) throw new Error(UNRECOGNISED)
  const pairs = words.map((word) => {
    const index = word.indexOf('=')
    return [word.slice(0, index), word.slice(index + 1)] as const
  })
  return withHash({ called, sent: Object.fromEntries(pairs) })
}

function withHash(call: PastedCall): PastedCall {
  if (call.sent['hash'] || call.v2) return call
  throw new Error('The call holds no hash. An access log has the query string only, not the body of a POST.')
}
