import type { Delivery } from '#lib/api/response.ts'

const MB = 1_000_000

/** A Lambda's answer may have 6 MB, of JSON that holds the body in base64. */
const BUFFERED: Delivery = { streams: false, mostBytes: 4.4 * MB }

/** API Gateway carries a stream of up to 200 MB. */
const STREAMED: Delivery = { streams: true, mostBytes: 200 * MB }

/** The local server holds an answer in memory, but has no limit of its own. */
const LOCAL: Delivery = { streams: false, mostBytes: 25 * MB }

/** What this process can do. */
export function chooseDelivery(method: { readonly streams?: true }): Delivery {
  if (process.env['IS_OFFLINE']) return LOCAL
  return method.streams && canStream() ? STREAMED : BUFFERED
}

/**
 * The runtime of a streaming Lambda brings a global `awslambda` that can wrap a handler. Packages of AWS make an empty one
 * anywhere, so its mere presence says nothing.
 */
function canStream(): boolean {
  const { awslambda } = globalThis as { awslambda?: { streamifyResponse?: unknown } }
  return typeof awslambda?.streamifyResponse === 'function'
}
