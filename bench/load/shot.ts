import autocannon from 'autocannon'
import type { LoadedServer } from './server.ts'

/** Requests under way at once. */
export const CONNECTIONS = 10

/** The figures of a load. */
export interface Shot {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  /** Answers that are no success, whatever their status, and requests without an answer. */
  readonly errors: number
  /** Of the server and its engine for one request, in milliseconds. */
  readonly processor: number
}

/** Sends the requests in turn. Each connection begins at another one, so that they do not send the same. */
export async function shoot(
  server: LoadedServer,
  requests: readonly autocannon.Request[],
  seconds: number,
): Promise<Shot> {
  let [refused, clients] = [0, 0]
  const counted = requests.map((request) => ({
    ...request,
    onResponse: (status: number, body: string) => {
      if (status !== 200 || body.includes('<error>')) refused += 1
    },
  }))
  const setupClient = (client: autocannon.Client) => {
    const first = Math.floor((clients++ * counted.length) / CONNECTIONS)
    client.setRequests([...counted.slice(first), ...counted.slice(0, first)].map((one) => ({ ...one })))
  }
  const before = processorOf(server)
  const {
    requests: sent,
    latency,
    errors,
    timeouts,
  } = await autocannon({
    url: server.url,
    connections: CONNECTIONS,
    duration: seconds,
    setupClient,
  })
  return {
    perSecond: sent.total / seconds,
    p50: latency.p50,
    p99: latency.p99,
    errors: refused + errors + timeouts,
    processor: (1000 * (processorOf(server) - before)) / sent.total,
  }
}

function processorOf({ usage }: LoadedServer): number {
  const { server, engine } = usage()
  return server.processor + engine.processor
}
