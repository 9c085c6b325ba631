import { PassThrough, type Readable } from 'node:stream'
import type { Method, Services } from '#lib/api/method.ts'
import { type Handler, serve } from '#lib/api/stack/stack.ts'

/** The global of a streaming Lambda. */
const RUNTIME = {
  streamifyResponse: (handler: unknown) => handler,
  HttpResponseStream: { from: (to: unknown) => to },
}

type StreamingHandler = (
  event: Parameters<Handler>[0],
  to: PassThrough,
  context: Parameters<Handler>[1],
) => Promise<void>

/** Answers a request as a streaming Lambda does, while `read` takes the bytes. Returns what was read. */
export async function streamed<T>(
  method: Method,
  services: Services,
  [event, context]: Parameters<Handler>,
  read: (answer: Readable) => Promise<T>,
): Promise<T> {
  Object.assign(globalThis, { awslambda: RUNTIME })
  const handler = serve(method, services) as unknown as StreamingHandler
  const answer = new PassThrough()
  const [result] = await Promise.all([read(answer), handler(event, answer, context)])
  return result
}
