import { AwsError, retryingPassing } from './errors.ts'
import type { Requests } from './requests.ts'

/** Asks a service for one of its operations. Throws AwsError when it refuses. */
export type Operation = <A>(name: string, input: object) => Promise<A>

const OK = 200

/**
 * The JSON protocol, version 1.0, of DynamoDB and SQS: the operation in a header, input and answer as JSON
 * (https://smithy.io/2.0/aws/protocols/aws-json-1_0-protocol.html). `target` is the service's name in that header.
 */
export const jsonOperations =
  (requests: Requests, target: string): Operation =>
  (name, input) => {
    const headers = { 'Content-Type': 'application/x-amz-json-1.0', 'X-Amz-Target': `${target}.${name}` }
    const request = { method: 'POST', path: '/', headers, body: JSON.stringify(input) } as const
    return retryingPassing(async () => {
      const answer = await requests.send(request)
      const text = await textOf(answer)
      if (answer.statusCode !== OK) throw refusalOf(answer.statusCode, text)
      return JSON.parse(text)
    })
  }

async function textOf(pieces: AsyncIterable<Buffer>): Promise<string> {
  const whole: Buffer[] = []
  for await (const piece of pieces) whole.push(piece)
  return Buffer.concat(whole).toString()
}

/** `{"__type": "<namespace>#<name>", "message": …}`; what stands between here and the service may answer otherwise. */
function refusalOf(status = 0, text: string): AwsError {
  const document = documentOf(text)
  const name = String(document['__type'] ?? '')
    .split('#')
    .at(-1)
  const message = document['message'] ?? document['Message'] ?? text.slice(0, 300)
  return new AwsError(name || `HTTP ${status}`, String(message), { status, document })
}

function documentOf(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}
