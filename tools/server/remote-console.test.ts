import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { serveRemoteConsole } from '../commands/console/console.ts'
import { freePort } from './engine.ts'

async function aRemoteApi() {
  const requests: { url: string; verb: string; body: string; headers: IncomingHttpHeaders }[] = []
  const server = createServer(async (request, response) => {
    const { url = '', method: verb = '', headers } = request
    requests.push({ url, verb, headers, body: await text(request) })
    response.writeHead(200, { 'Content-Type': 'text/xml; charset=utf-8' }).end('<page>ü</page>')
  })
  await once(server.listen(0, 'localhost'), 'listening')
  onTestFinished(() => void server.close())
  return { requests, base: `http://localhost:${(server.address() as AddressInfo).port}/prod` }
}

async function aConsole(base: string): Promise<string> {
  const gateway = await serveRemoteConsole(await freePort(), base)
  onTestFinished(gateway.stop)
  return gateway.url
}

test('the page is served here, and its calls go to the API as they are', async () => {
  const { base, requests } = await aRemoteApi()
  const url = await aConsole(base)

  const page = await fetch(`${url}/`)
  expect([page.status, page.headers.get('content-security-policy')]).toEqual([
    200,
    expect.stringContaining("connect-src 'self'"),
  ])
  const body = new URLSearchParams({ u: 'admin', hash: 'abc' })
  const answer = await fetch(`${url}/api/devices_get?x=1&x=2`, {
    method: 'POST',
    body,
    headers: { Cookie: 'a=b' },
  })
  expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
    200,
    'text/xml; charset=utf-8',
    '<page>ü</page>',
  ])
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
  })
  expect(requests).toEqual([
    expect.objectContaining({ url: '/prod/api/devices_get?x=1&x=2', verb: 'POST', body: 'u=admin&hash=abc' }),
  ])
  expect(requests[0]?.headers).not.toHaveProperty('cookie')
})

test('an API that does not answer is named in a refusal', async () => {
  const url = await aConsole(`http://localhost:${await freePort()}`)
  const answer = await fetch(`${url}/api/devices_get`, { method: 'POST' })

  expect([answer.status, await answer.text()]).toEqual([502, expect.stringContaining('Nothing answers at')])
})
