import { EventEmitter, once } from 'node:events'
import { connect } from 'node:net'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { finished } from 'node:stream/promises'
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { HEADERS_BELOW_METHODS } from '#lib/api/headers.ts'
import { refusalDocument } from '#lib/api/response.ts'
import { freePort } from './engine.ts'
import { type Gateway, type Route, startGateway } from './gateway.ts'

/** Answers with its event. */
const echo: Route['handler'] = async (event) => ({
  statusCode: 200,
  headers: { 'Content-Type': 'text/xml' },
  body: JSON.stringify(event),
})

const failing = (error: unknown) => async () => {
  throw error
}

/** Answers as the functions of long lists do. */
const streaming = (body: PassThrough): Route['handler'] =>
  (async () => ({
    statusCode: 200,
    headers: { 'Content-Type': 'text/xml' },
    body,
  })) as unknown as Route['handler']

/** Holds requests until they are released. */
const waiting = new EventEmitter()

const slow = async (): Promise<APIGatewayProxyResult> => {
  waiting.emit('arrived')
  await once(waiting, 'go on')
  return { statusCode: 200, body: 'slow' }
}

let routes: readonly Route[] = [
  { path: '/page.js', verbs: ['GET'], handler: async () => ({ statusCode: 200, body: 'the page' }) },
  { path: '/api/echo', handler: echo },
  { path: '/api/other', handler: echo },
  { path: '/api/slow', handler: slow },
  { path: '/api/time', timeout: 300, handler: async (_event, context) => timeLeft(context) },
  { path: '/api/throws', handler: failing(new Error('TABLE_NAME is not set')) },
  { path: '/api/nothing', handler: async () => undefined as unknown as APIGatewayProxyResult },
  { path: '/api/nonsense', handler: async () => ({ statusCode: 99, body: '' }) },
  { path: '/intake/{format}', handler: echo },
  { path: '/records/{kind}/{id}', handler: echo },
  { path: '/all/{proxy+}', handler: echo },
]

const timeLeft = (context: { getRemainingTimeInMillis(): number }): APIGatewayProxyResult => ({
  statusCode: 200,
  body: String(context.getRemainingTimeInMillis()),
})

let gateway: Gateway
let port: number

beforeAll(async () => {
  port = await freePort()
  gateway = await startGateway({ port }, () => routes)
})

afterAll(() => gateway.stop())

const asked = (path: string, request: RequestInit = {}) => fetch(gateway.url + path, request)

const received = async (path: string, request?: RequestInit) =>
  (await asked(path, request)).json() as Promise<APIGatewayProxyEvent>

/** The raw answer to a raw request. */
async function sentByHand(...lines: string[]): Promise<string> {
  const socket = connect(port, 'localhost')
  socket.write(lines.join('\r\n'))
  return text(socket)
}

test('every byte of a body of any type arrives in base64', async () => {
  const bytes = Buffer.from(Array.from({ length: 512 }, (_, index) => index % 256))
  const { body, isBase64Encoded } = await received('/api/echo', {
    method: 'POST',
    body: bytes,
    headers: { 'Content-Type': 'text/x', 'Content-Encoding': 'gzip' },
  })

  expect([isBase64Encoded, Buffer.from(body ?? '', 'base64')]).toEqual([true, bytes])
})

test('an empty body is null', async () => {
  expect(await received('/api/echo', { method: 'POST', body: '' })).toMatchObject({
    body: null,
    isBase64Encoded: false,
  })
})

test('an answer in base64 is sent as bytes', async () => {
  const bytes = Buffer.from([0, 255, 10])
  routes = [
    ...routes,
    {
      path: '/bytes',
      handler: async () => ({ statusCode: 201, body: bytes.toString('base64'), isBase64Encoded: true }),
    },
  ]
  const answer = await asked('/bytes')

  expect([answer.status, Buffer.from(await answer.arrayBuffer())]).toEqual([201, bytes])
})

test.each([
  ['/api/echo', '/api/echo', null],
  ['/api/echo/', '/api/echo', null],
  ['/api/%65cho', '/api/echo', null],
  ['/billing/api/echo', '/api/echo', null],
  ['/billing/api/echo/', '/api/echo', null],
  ['/billing//api/echo//', '/api/echo', null],
  ['/billing/intake/csv', '/intake/{format}', { format: 'csv' }],
  ['/intake/csv', '/intake/{format}', { format: 'csv' }],
  ['/records/devices/7', '/records/{kind}/{id}', { kind: 'devices', id: '7' }],
  ['/all/of/them', '/all/{proxy+}', { proxy: 'of/them' }],
])('%s matches %s', async (path, resource, pathParameters) => {
  expect(await received(path)).toMatchObject({ path, resource, pathParameters })
})

test('a list is sent while it is rendered', async () => {
  const list = new PassThrough()
  routes = [...routes, { path: '/list', handler: streaming(list) }]
  list.write('<page>')
  const answer = await asked('/list')
  const reader = answer.body?.getReader()
  const piece = async () => Buffer.from((await reader?.read())?.value ?? []).toString()

  expect([answer.status, answer.headers.get('content-type'), await piece()]).toEqual([
    200,
    'text/xml',
    '<page>',
  ])
  list.end('</page>')
  expect(await piece()).toBe('</page>')
})

test('a list that cannot be continued ends the connection, a reader that leaves ends the list', async () => {
  const [broken, unread] = [new PassThrough(), new PassThrough()]
  routes = [
    ...routes,
    { path: '/broken', handler: streaming(broken) },
    { path: '/unread', handler: streaming(unread) },
  ]
  broken.write('<page>')
  unread.write('<page>')
  const answer = await asked('/broken')
  broken.destroy(new Error('the table is gone'))
  await expect(answer.text()).rejects.toThrow()

  await (await asked('/unread')).body?.cancel()
  await expect(finished(unread)).rejects.toThrow('Premature close')
  expect((await asked('/api/echo')).status).toBe(200)
})

test('no CORS headers are added', async () => {
  const { headers } = await asked('/api/echo', { headers: { Origin: 'http://elsewhere' } })

  expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
})

test('a function has the timeout of its route', async () => {
  expect(Number(await (await asked('/api/time')).text())).toBeGreaterThan(200_000)
})

test('requests run concurrently', async () => {
  const arrived = once(waiting, 'arrived')
  const first = asked('/api/slow')
  await arrived

  expect((await asked('/api/echo')).status).toBe(200)
  waiting.emit('go on')
  expect(await (await first).text()).toBe('slow')
})

const AT_API = 'Methods are at /api/<method>'
const NOT_UTF8 = 'The path has escapes that are not UTF-8'

const tooLarge = { method: 'POST', body: Buffer.alloc(11_000_000) }

test.each([
  ['no such path', '/nowhere', {}, 404, 'unknown_method', AT_API],
  ['a path that only resembles a route', '/pageXjs', {}, 404, 'unknown_method', AT_API],
  ['the name of a script', '/billing/api/echo.php', {}, 404, 'unknown_method', AT_API],
  ['a base path twice', '/billing/billing/api/echo', {}, 404, 'unknown_method', AT_API],
  ['another verb', '/page.js', { method: 'POST' }, 404, 'unknown_method', AT_API],
  ['a broken escape in the path', '/api/%zz', {}, 400, 'bad_request', NOT_UTF8],
  ['bytes in the path that are not UTF-8', '/api/%FF', {}, 400, 'bad_request', NOT_UTF8],
  ['more than the server takes', '/api/echo', tooLarge, 413, 'too_large', undefined],
] as const)('the server itself answers in XML: %s', async (_case, path, request, status, kind, reason) => {
  const answer = await asked(path, request)

  expect([answer.status, await answer.text()]).toEqual([status, refusalDocument(kind, reason)])
  expect(answer.headers.get('content-type')).toBe('text/xml; charset=utf-8')
})

test.each(['throws', 'nothing', 'nonsense'])(
  'a function that fails is an internal error, and the server serves on: %s',
  async (name) => {
    const complaints = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    const answer = await asked(`/api/${name}`, { method: 'POST', body: 'u=admin' })

    expect([answer.status, await answer.text()]).toEqual([500, refusalDocument('internal')])
    expect(complaints).toHaveBeenCalledOnce()
    expect((await asked('/api/echo')).status).toBe(200)
  },
)

test.each([
  ['what is not HTTP', 400, 'This is not HTTP/1.1', ['GET / HTTP/1.1', 'Host: x', 'Content-Length: abc']],
  [
    'a long URL',
    414,
    'The URL and the headers have more than 16 KB: send long values in the body of a POST',
    [`GET /api/echo?text=${'x'.repeat(60_000)} HTTP/1.1`, 'Host: x'],
  ],
  ['no Host', 400, 'The header Host is missing', ['GET /api/echo HTTP/1.1', 'Connection: close']],
  [
    'an unknown Expect',
    417,
    'The header Expect is unknown',
    ['GET /api/echo HTTP/1.1', 'Host: x', 'Expect: magic', 'Connection: close'],
  ],
])('%s is refused in XML', async (_case, status, reason, lines) => {
  const [head, body] = (await sentByHand(...lines, '', '')).split('\r\n\r\n')

  expect(head).toContain(`HTTP/1.1 ${status} `)
  for (const [name, value] of Object.entries(HEADERS_BELOW_METHODS))
    expect(head).toContain(`${name}: ${value}`)
  expect(body).toBe(refusalDocument('bad_request', reason))
})

test('HTTP/1.0 needs no Host', async () => {
  expect(await sentByHand('GET /api/echo HTTP/1.0', '', '')).toContain('HTTP/1.1 200 ')
})

test('a path that begins with two slashes names no host', async () => {
  const answer = await sentByHand('GET //billing/api/echo HTTP/1.0', '', '')

  expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({ resource: '/api/echo' })
})

test('a client that leaves while it sends does not stop the server', async () => {
  const socket = connect(port, 'localhost')
  socket.write('POST /api/echo HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc')
  await once(socket, 'connect')
  socket.destroy()

  expect((await asked('/api/echo')).status).toBe(200)
})

test('the server stops after its open requests', async () => {
  const other = await startGateway({ port: await freePort() }, () => routes)
  const arrived = once(waiting, 'arrived')
  const answer = fetch(`${other.url}/api/slow`)
  await arrived
  const stopped = other.stop()
  waiting.emit('go on')

  expect(await (await answer).text()).toBe('slow')
  await stopped
  await expect(fetch(other.url)).rejects.toThrow()
})

test('requests wait until there are routes', async () => {
  let open = (_routes: readonly Route[]) => {}
  const opened = new Promise<readonly Route[]>((resolve) => {
    open = resolve
  })
  const early = await startGateway({ port: await freePort() }, () => opened)
  const answer = fetch(`${early.url}/page.js`)
  open(routes)

  expect(await (await answer).text()).toBe('the page')
  await early.stop()
})

test('a client with a hundred requests at once has one under way, and delays nobody', async () => {
  let [underWay, most] = [0, 0]
  const counting: Route['handler'] = async () => {
    most = Math.max(most, ++underWay)
    await asked('/api/echo')
    underWay -= 1
    return { statusCode: 200, body: 'counted' }
  }
  const other = await startGateway({ port: await freePort() }, () => [
    { path: '/api/counted', handler: counting },
  ])
  const socket = connect(Number(new URL(other.url).port), 'localhost')
  const last = 'GET /api/counted HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'
  socket.write('GET /api/counted HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(99) + last)

  expect((await text(socket)).split('counted').length - 1).toBe(100)
  expect(most).toBe(1)
  await other.stop()
})
