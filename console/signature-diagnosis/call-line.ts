import {
  callOfUrl,
  callUrlIn,
  isCurl,
  readCurl,
  shellWords,
  type WrittenCall,
} from '#lib/api/signature-diagnosis/written-call.ts'
import { readV2, type SentV2 } from '#lib/api/signature-v2.ts'
import type { SentValues } from '../api/catalogue.ts'

export interface PastedCall {
  readonly called: string
  readonly sent: SentValues
  /** Missing for a call without a v2 signature. */
  readonly v2?: SentV2 | undefined
}

/**
 * The call in a curl line, a line of an access log, a URL, or `<method> name=value ...`. Throws what is
 * missing, in a sentence.
 */
export function readCallLine(text: string): PastedCall {
  const line = text.replaceAll(/\\\r?\n/g, ' ')
  const words = shellWords(line)
  const url = callUrlIn(line)
  if (!isCurl(line)) return url === undefined ? readNames(words) : parametersIn(callOfUrl(url))
  const call = readCurl(words)
  if (call) return parametersIn(call)
  throw new Error('No API call recognised: the curl line names no URL with /api/ in it.')
}

function parametersIn({ called, event }: WrittenCall): PastedCall {
  const inQuery = Object.entries(event.multiValueQueryStringParameters ?? {})
  const query = inQuery.map(([name, values]) => [name, values?.at(-1) ?? ''] as const)
  return withHash({
    called,
    sent: Object.fromEntries([...query, ...fieldsIn(event.body ?? '')]),
    v2: readV2(event),
  })
}

const fieldsIn = (body: string): Iterable<readonly [string, string]> =>
  body.startsWith('{')
    ? Object.entries(JSON.parse(body)).map(([name, value]) => [name, String(value)] as const)
    : new URLSearchParams(body)

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
