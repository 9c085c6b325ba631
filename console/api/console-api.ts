import type { AnswerTo, Verb } from '#lib/api/console/answers/answers.ts'
import type { SentValues } from './catalogue.ts'

/**
 * A refusal of the console's API, or a request that got no answer (`unreachable`). A class of its own,
 * because the browser gets the sentence of a refusal, not its values.
 */
export class RefusedRequest extends Error {
  readonly code: string
  /** The problem of each value; a blank name is about all of them. */
  readonly fields: readonly { readonly name: string; readonly message: string }[]
  /** The remedy by its name in the API, with its values. */
  readonly remedy: SentValues | undefined

  constructor(code: string, message: string, fields: RefusedRequest['fields'] = [], remedy?: SentValues) {
    super(message)
    this.code = code
    this.fields = fields
    this.remedy = remedy
  }
}

/** The problem of one field, in the words of the page. */
export const refusedField = (name: string, message: string) =>
  new RefusedRequest('invalid', message, [{ name, message }])

export type QueryValues = Readonly<Record<string, string | number | undefined>>

/** The page hears of it when the session has ended. */
export const SESSION_ENDED = 'session-ended'

const urlOf = (path: string, query: QueryValues): string => {
  const url = new URL(`console/api${path}`, document.baseURI.split(/[?#]/, 1)[0])
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') url.searchParams.set(name, String(value))
  return url.href
}

export const read = <const P extends string>(path: P, query: QueryValues = {}): Promise<AnswerTo<'GET', P>> =>
  send('GET', urlOf(path, query))

/**
 * Changes something. The header tells the API that this page asks, and no other one. The API carries out all
 * attempts with one key once.
 */
export const act = <const V extends Exclude<Verb, 'GET'>, const P extends string>(
  verb: V,
  path: P,
  body: QueryValues = {},
  idempotencyKey?: string,
): Promise<AnswerTo<V, P>> =>
  send(verb, urlOf(path, {}), {
    headers: {
      'Content-Type': 'application/json',
      'X-Tollgate-Console': '1',
      ...(idempotencyKey && { 'Idempotency-Key': idempotencyKey }),
    },
    ...(verb !== 'DELETE' && { body: JSON.stringify(withoutBlanks(body)) }),
  })

/** An event of Lambda has room for no larger file. */
const MOST_UPLOADED_BYTES = 4_000_000

/** A file as it is sent: text is packed. Refuses one that is too large, with the command that takes it. */
export async function packedFile(file: File, command: string): Promise<Blob> {
  const start = new Uint8Array(await file.slice(0, 2).arrayBuffer())
  const isPacked = String.fromCharCode(...start) === 'PK'
  const sent = isPacked
    ? file
    : await new Response(file.stream().pipeThrough(new CompressionStream('gzip'))).blob()
  if (sent.size <= MOST_UPLOADED_BYTES) return sent
  throw new RefusedRequest('too_large', `The file is too large for the page: run ${command}.`)
}

export const upload = <const P extends string>(
  path: P,
  file: Blob,
  query: QueryValues,
): Promise<AnswerTo<'POST', P>> =>
  send('POST', urlOf(path, query), {
    headers: { 'Content-Type': 'application/octet-stream', 'X-Tollgate-Console': '1' },
    body: file,
  })

const withoutBlanks = (body: QueryValues): QueryValues =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))

async function send<T>(method: Verb, url: string, init: RequestInit = {}): Promise<T> {
  const response = await fetch(url, { method, ...init }).catch(() => undefined)
  if (!response) throw new RefusedRequest('unreachable', 'The server cannot be reached.')
  const answer: unknown = await response.json().catch(() => undefined)
  if (response.ok && answer !== undefined) return answer as T
  throw refusalIn(answer, response.status)
}

function refusalIn(answer: unknown, status: number): RefusedRequest {
  const { error } = (answer ?? {}) as {
    readonly error?: Pick<RefusedRequest, 'code' | 'message'> &
      Partial<Pick<RefusedRequest, 'fields' | 'remedy'>>
  }
  if (error?.code === 'not_signed_in') dispatchEvent(new Event(SESSION_ENDED))
  return error
    ? new RefusedRequest(error.code, error.message, error.fields, error.remedy)
    : new RefusedRequest(`http_${status}`, `The server answered with HTTP ${status}.`)
}
