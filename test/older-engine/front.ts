import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { carryOut, type EngineAnswer, isLong } from './long-transaction.ts'

/** Stands for an empty text in an engine from before May 2020, when DynamoDB began to take empty texts. */
const EMPTY = '{"S":"\\u0001"}'

/** On a busy machine the engine takes longer than AWS's client waits in silence, and a repeated request burdens it more. */
const SIGN_OF_LIFE_MS = 1000

const PASSED_ON = ['authorization', 'content-type', 'x-amz-date', 'x-amz-target']

/**
 * A proxy in front of the older engine, which gives it what DynamoDB has learnt since: empty texts, and transactions of more
 * than 10 items. Returns its endpoint.
 */
export async function startFront(engine: string) {
  const gates = new Map<string, ReturnType<typeof createGate>>()
  const gateOf = (table: string) => {
    const gate = gates.get(table) ?? createGate()
    gates.set(table, gate)
    return gate
  }
  const server = createServer(async (request, response) => {
    const send = sendingTo(engine, request.headers)
    const body = await text(request)
    const { together, alone } = gateOf(tableOf(body))
    const signs = setInterval(() => response.writeProcessing(), SIGN_OF_LIFE_MS)
    const work = isLong(body) ? alone(() => carryOut(body, send)) : together(() => send(body))
    const answer = await work.finally(() => clearInterval(signs))
    response.statusCode = answer.status
    response.end(answer.body)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const stop = async () => {
    server.closeAllConnections()
    server.close()
  }
  return { endpoint: `http://127.0.0.1:${port}`, stop }
}

const sendingTo =
  (engine: string, headers: IncomingHttpHeaders) =>
  async (body: string): Promise<EngineAnswer> => {
    const answer = await fetch(engine, {
      method: 'POST',
      headers: Object.fromEntries(PASSED_ON.map((name) => [name, String(headers[name])])),
      body: body.replaceAll('{"S":""}', EMPTY),
    })
    return { status: answer.status, body: (await answer.text()).replaceAll(EMPTY, '{"S":""}') }
  }

type Act = () => Promise<EngineAnswer>

/**
 * Most requests run together. One that runs alone waits for those before it, and those after it wait for it. A request waits
 * for those of its own table.
 */
function createGate() {
  const running = new Set<Promise<unknown>>()
  let last: Promise<unknown> = Promise.resolve()
  const together = async (act: Act): Promise<EngineAnswer> => {
    await last
    const answer = act()
    running.add(answer)
    return answer.finally(() => running.delete(answer))
  }
  const alone = (act: Act): Promise<EngineAnswer> => {
    const answer = last.then(() => Promise.allSettled(running)).then(act)
    last = answer.catch(() => {})
    return answer
  }
  return { together, alone }
}

const tableOf = (body: string): string => /"(?:TableName":|RequestItems":\{)"([^"]+)/.exec(body)?.[1] ?? ''
