import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** Stands for an empty text in an engine from before May 2020, when DynamoDB began to take empty texts. */
const EMPTY = '{"S":"\\u0001"}'

const PASSED_ON = ['authorization', 'content-type', 'x-amz-date', 'x-amz-target']

/** A proxy in front of such an engine, for a whole run of the tests. Returns its endpoint. */
export async function takingEmptyTexts(engine: string) {
  const server = createServer(async (request, response) => {
    const answer = await fetch(engine, {
      method: 'POST',
      headers: Object.fromEntries(PASSED_ON.map((name) => [name, String(request.headers[name])])),
      body: (await text(request)).replaceAll('{"S":""}', EMPTY),
    })
    response.statusCode = answer.status
    response.end((await answer.text()).replaceAll(EMPTY, '{"S":""}'))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const stop = async () => {
    server.closeAllConnections()
    server.close()
  }
  return { endpoint: `http://127.0.0.1:${port}`, stop }
}
