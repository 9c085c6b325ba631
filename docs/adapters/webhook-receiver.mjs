import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

const key = Buffer.from(process.env.WEBHOOK_SECRET.replace('whsec_', ''), 'base64')
const seen = new Set()

createServer(async (request, answer) => {
  const body = Buffer.concat(await request.toArray())
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signatures = '' } = request.headers
  const wanted = createHmac('sha256', key).update(`${id}.${at}.`).update(body).digest()
  const isSigned = signatures.split(' ').some((one) => {
    const given = Buffer.from(one.replace('v1,', ''), 'base64')
    return given.length === wanted.length && timingSafeEqual(given, wanted)
  })
  if (!isSigned || !(Math.abs(Date.now() / 1000 - at) <= 300)) return answer.writeHead(401).end()
  const { type, data } = JSON.parse(body)
  if (type === 'webhook.challenge') return answer.end(data.challenge)
  if (!seen.has(id)) process.stdout.write(`${body}\n`)
  seen.add(id)
  answer.writeHead(204).end()
}).listen(process.env.PORT ?? 9000)
