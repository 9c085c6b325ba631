import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { APIGatewayProxyEvent } from 'aws-lambda'
import type { Method, Services } from '#lib/api/method.ts'
import { streamed } from '#test/answers/streamed.ts'
import { aContext, anEvent, type Request } from '#test/event.ts'
import { type SentParameters, signedParameters } from '#tools/contracts/signed-call.ts'
import { KEY } from './installation.ts'

/** The median, of an even number the upper middle one; NaN of none. */
export const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN

/** The processor time of this process since `before`, in microseconds. */
export function processorSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return user + system
}

/** A signed request to a method, as API Gateway hands it over. */
export const benchmarkEvent = (
  method: Method,
  params: SentParameters,
  request: Request = {},
): APIGatewayProxyEvent =>
  anEvent({ ...request, body: new URLSearchParams(signedParameters(method, params, KEY)).toString() })

export interface StreamedAnswer {
  readonly seconds: number
  readonly firstByteSeconds: number
  /** In microseconds. */
  readonly processor: number
  readonly megabytes: number
  readonly compressedMegabytes: number
  /** The largest resident size of this process during the answer. */
  readonly mostMemoryMegabytes: number
}

interface StreamedRequest {
  readonly method: Method
  readonly services: Services
  readonly params: SentParameters
  /** Without it the answer is not compressed. */
  readonly isCompressed?: boolean
}

/** The timeout of streamed answers in infra/functions.yml. */
const LONGEST_STREAM_MS = 300_000

/** Streams an answer like the Lambda runtime, to a reader that passes its text to `see` and discards it. */
export async function streamAnswer(
  { method, services, params, isCompressed = false }: StreamedRequest,
  see: (text: string) => void,
): Promise<StreamedAnswer> {
  const headers: Record<string, string> = isCompressed ? { 'accept-encoding': 'gzip' } : {}
  const event = benchmarkEvent(method, params, { headers })
  const [started, before] = [performance.now(), process.cpuUsage()]
  const seconds = () => (performance.now() - started) / 1000
  const seen = { firstByteSeconds: 0, megabytes: 0, compressedMegabytes: 0, mostMemoryMegabytes: 0 }
  const unpacked = (answer: Readable) =>
    answer
      .on('data', (chunk: Buffer) => {
        seen.compressedMegabytes += chunk.length / 1e6
      })
      .pipe(createGunzip())
  const read = async (answer: Readable) => {
    const text = isCompressed ? unpacked(answer) : answer
    for await (const chunk of text.setEncoding('utf8')) {
      seen.firstByteSeconds ||= seconds()
      seen.megabytes += chunk.length / 1e6
      see(chunk)
      seen.mostMemoryMegabytes = Math.max(seen.mostMemoryMegabytes, process.memoryUsage.rss() / 1e6)
    }
  }
  await streamed(method, services, [event, aContext(LONGEST_STREAM_MS)], read)
  return { ...seen, seconds: seconds(), processor: processorSince(before) }
}
