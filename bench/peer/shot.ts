import { readFileSync } from 'node:fs'
import autocannon from 'autocannon'

/** The processor time of a server and of its engine so far, in seconds. */
type Usage = Readonly<Record<'server' | 'engine', number>>

export interface LoadedServer {
  readonly url: string
  usage(): Usage
  /** Ends it and removes its data. */
  remove(): Promise<void>
}

export interface Shot {
  readonly perSecond: number
  /** Failed answers, whatever their status, and requests without an answer. */
  readonly errors: number
  /** For one request, in milliseconds. */
  readonly processor: Usage
}

/** Sends the requests in turn. Each connection begins at another one, so that they do not send the same. */
export async function shoot(
  { url, usage }: LoadedServer,
  requests: readonly autocannon.Request[],
  seconds: number,
  connections: number,
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
  const before = usage()
  const load = await autocannon({ url, connections, duration: seconds, setupClient })
  const after = usage()
  const sent = load.requests.total
  const processorOf = (part: keyof Usage) => (1000 * (after[part] - before[part])) / sent
  return {
    perSecond: sent / seconds,
    errors: refused + load.errors + load.timeouts,
    processor: { server: processorOf('server'), engine: processorOf('engine') },
  }
}

/** Linux counts processor time in hundredths of a second. */
const TICKS_OF_A_SECOND = 100

/** The processor time of running processes so far, in seconds. */
export const processorOf = (...pids: readonly (number | undefined)[]): number =>
  pids.reduce<number>((sum, pid) => sum + processorOfOne(pid), 0)

function processorOfOne(pid = 0): number {
  // The bracketed process name may hold blanks; user and system time are words 12 and 13 after it.
  const words = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return (Number(words[11]) + Number(words[12])) / TICKS_OF_A_SECOND
}
