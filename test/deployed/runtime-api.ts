import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

/** The answer of a function. */
export type RuntimeAnswer = Readonly<Record<string, unknown>>

interface Pending {
  readonly event: unknown
  readonly answer: (answer: RuntimeAnswer) => void
}

const TIMEOUT_MS = 28_000

/**
 * AWS's Runtime API for one function: its client asks for the next event and posts the answer. It stops with the test.
 * https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
 */
export async function aRuntimeApi(moment: Date) {
  const events: Pending[] = []
  const begun = new Map<string, Pending>()
  let asked: ServerResponse | undefined
  const deliver = () => {
    const next = asked && events.shift()
    if (!asked || !next) return
    const id = `request-${begun.size + 1}`
    begun.set(id, next)
    asked.writeHead(200, headersOf(id, moment)).end(JSON.stringify(next.event))
    asked = undefined
  }
  const server = createServer(async (request, response) => {
    const [, id = '', kind = ''] = /invocation\/([^/]+)\/?(\w*)$/.exec(request.url ?? '') ?? []
    if (id === 'next') {
      asked = response
      return deliver()
    }
    const answer = await answerIn(request, kind)
    response.writeHead(202).end()
    begun.get(id)?.answer(answer)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    invoke: (event: unknown): Promise<RuntimeAnswer> =>
      new Promise((answer) => {
        events.push({ event, answer })
        deliver()
      }),
  }
}

const headersOf = (id: string, moment: Date) => ({
  'Content-Type': 'application/json',
  'Lambda-Runtime-Aws-Request-Id': id,
  'Lambda-Runtime-Deadline-Ms': String(moment.getTime() + TIMEOUT_MS),
  'Lambda-Runtime-Invoked-Function-Arn': 'arn:aws:lambda:eu-central-1:000000000000:function:tollgate',
})

/** A streamed answer has its head before eight zero bytes. */
async function answerIn(request: IncomingMessage, kind: string): Promise<RuntimeAnswer> {
  const isStreamed = request.headers['lambda-runtime-function-response-mode'] === 'streaming'
  const body = await text(request)
  if (!isStreamed || kind !== 'response') return JSON.parse(body)
  const [head = '{}', ...rest] = body.split('\0'.repeat(8))
  return { ...JSON.parse(head), body: rest.join(''), streamed: true }
}
