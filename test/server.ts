import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { noted } from '#test/evidence/log-evidence.ts'

/** A request as it arrived. */
export interface Arrived {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface TestServer {
  readonly origin: string
  readonly arrived: readonly Arrived[]
  connections(): number
}

/** A server of its own on a free local port, for the length of a test. `answer` has to end the response. */
export async function aServer(
  answer: (request: Arrived, response: ServerResponse) => void,
): Promise<TestServer> {
  const arrived: Arrived[] = []
  let connections = 0
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    const seen = { method, path: url, headers, body: await text(request) }
    arrived.push(seen)
    noted(headers)
    answer(seen, response)
  })
  server.on('connection', () => {
    connections += 1
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { origin: `http://127.0.0.1:${port}`, arrived, connections: () => connections }
}
