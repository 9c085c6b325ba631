import autocannon from 'autocannon'
import type { LoadedServer } from './server.ts'

/** How long a load lasts, and how many requests are under way at once. */
export interface ShotLoad {
  readonly seconds: number
  readonly connections: number
}

/** A server under load. */
export type LoadTarget = Pick<LoadedServer, 'url' | 'usage'>

/** The figures of a load. */
export interface Shot {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  /** Answers that are no success, whatever their status, and requests without an answer. */
  readonly errors: number
  /** For one request, in milliseconds. */
  readonly processor: { readonly server: number; readonly engine: number }
}

/** Sends the requests in turn. Each connection begins at another one, so that they do not send the same. */
export async function shoot(
  server: LoadTarget,
  requests: readonly autocannon.Request[],
  { seconds, connections }: ShotLoad,
): Promise<Shot> {
  let [refused, clients] = [0, 0]
  const counted = requests.map((request) => ({
    ...request,
    onResponse: (status: number, body: string) => {
      if (status !== 200 || body.includes('<error>')) refused += 1
    },
  }))
  const setupClient = (client: autocannon.Client) => {
    const first = Math.floor((clients++ * counted.length) / connections)
    client.setRequests([...counted.slice(first), ...counted.slice(0, first)].map((one) => ({ ...one })))
  }
  const before = server.usage()
  const {
    requests: sent,
    latency,
    errors,
    timeouts,
  } = await autocannon({
    url: server.url,
    connections,
    duration: seconds,
    setupClient,
  })
  const after = server.usage()
  const processorOf = (part: 'server' | 'engine') =>
    (1000 * (after[part].processor - before[part].processor)) / sent.total
  return {
    perSecond: sent.total / seconds,
    p50: latency.p50,
    p99: latency.p99,
    errors: refused + errors + timeouts,
    processor: { server: processorOf('server'), engine: processorOf('engine') },
  }
}
