import type { IncomingHttpHeaders } from 'node:http'
import { aServer } from './server.ts'

/**
 * The endpoint of a DynamoDB that does what it is asked, and whose answers may get lost: `loses` says of each operation
 * whether the connection breaks when it is done.
 */
export async function losingAnswers(
  endpoint: string,
  loses: (operation: string) => boolean,
): Promise<string> {
  const { origin } = await aServer(async ({ body, headers }, response) => {
    const answer = await fetch(endpoint, { method: 'POST', body, headers: passedOn(headers) })
    const text = await answer.text()
    if (loses(String(headers['x-amz-target']).replace(/.*\./, ''))) return void response.socket?.destroy()
    response.statusCode = answer.status
    response.end(text)
  })
  return origin
}

const PASSED_ON = ['authorization', 'content-type', 'x-amz-date', 'x-amz-target']

const passedOn = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(PASSED_ON.map((name) => [name, String(headers[name])]))
