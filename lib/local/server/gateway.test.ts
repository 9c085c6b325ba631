import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { APIGatewayProxyEvent } from 'aws-lambda'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { refusalDocument } from '#lib/api/refusal-document.ts'
import { freePort } from './engine.ts'
import { type Gateway, startGateway } from './gateway.ts'

/** A function that answers what it was given. */
const ECHO = `export const handler = async (event) => ({
  statusCode: 200,
  headers: { 'Content-Type': 'text/xml' },
  body: JSON.stringify(event),
})`

type Received = Pick<
  APIGatewayProxyEvent,
  'body' | 'headers' | 'isBase64Encoded' | 'multiValueQueryStringParameters'
>

let gateway: Gateway
let folder: string
let port: number

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-'))
  await writeFile(`${folder}/echo.mjs`, ECHO)
  await writeFile(`${folder}/broken.mjs`, 'throw new Error("TABLE_NAME is not set")')
  port = await freePort()
  const events = eventsAt('/api/echo', '/api/other')
  const functions = {
    echo: { handler: 'echo.handler', description: '', role: '', events },
    broken: { handler: 'broken.handler', description: '', role: '', events: eventsAt('/api/broken') },
    missing: { handler: 'missing.handler', description: '', role: '', events: eventsAt('/api/missing') },
  }
  gateway = await startGateway({ port, folder, functions, environment: {} })
})

afterAll(async () => {
  await gateway.stop()
  await rm(folder, { recursive: true })
})

const eventsAt = (...paths: string[]) => paths.map((path) => ({ http: { path, method: 'any' as const } }))

const received = async (request: RequestInit, query = '') =>
  (await fetch(`${gateway.url}/api/echo${query}`, request)).json() as Promise<Received>

test('every byte of a body arrives, whatever its type', async () => {
  const bytes = Buffer.from(Array.from({ length: 512 }, (_, index) => index % 256))
  const { body, isBase64Encoded } = await received({
    method: 'POST',
    body: bytes,
    headers: { 'Content-Type': 'text/x' },
  })

  expect([isBase64Encoded, Buffer.from(body ?? '', 'base64')]).toEqual([true, bytes])
})

test('a body without a type is a form', async () => {
  const { headers } = await received({ method: 'POST', body: Buffer.from('a=1'), headers: {} })

  expect(headers).toMatchObject({ 'Content-Type': 'application/x-www-form-urlencoded' })
})

test('a repeated parameter keeps all its values, in order', async () => {
  const { multiValueQueryStringParameters } = await received({}, '?a=1&b=%2B+&a=2')

  expect(multiValueQueryStringParameters).toEqual({ a: ['1', '2'], b: ['+ '] })
})

test('an empty body is none', async () => {
  expect((await received({ method: 'POST', body: '' })).body).toBeNull()
})

test('no CORS headers are made up', async () => {
  const { headers } = await fetch(`${gateway.url}/api/echo`, { headers: { Origin: 'http://elsewhere' } })

  expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
})

test.each([
  ['no such path', '/nowhere', {}, 404, 'unknown_method'],
  ['a broken escape in the path', '/api/%zz', {}, 400, 'bad_request'],
  ['a form without a boundary', '/api/echo', formWithoutBoundary(), 400, 'bad_request'],
  [
    'more than the server takes',
    '/api/echo',
    { method: 'POST', body: Buffer.alloc(11_000_000) },
    413,
    'too_large',
  ],
] as const)('the server itself answers in XML: %s', async (_case, path, request, status, kind) => {
  const answer = await fetch(gateway.url + path, request)

  expect([answer.status, await answer.text()]).toEqual([status, refusalDocument(kind)])
  expect(answer.headers.get('content-type')).toBe('text/xml; charset=utf-8')
})

test.each(['broken', 'missing'])(
  'a function that cannot be loaded is an internal error: %s',
  async (name) => {
    const answer = await fetch(`${gateway.url}/api/${name}`, { method: 'POST', body: 'u=admin' })

    expect([answer.status, await answer.text()]).toEqual([500, await refusalDocument('internal')])
    expect(answer.headers.get('content-type')).toBe('text/xml; charset=utf-8')
  },
)

test('what is not HTTP is answered in XML as well', async () => {
  const socket = connect(port, 'localhost')
  socket.write('GET / HTTP/1.1\r\nHost: x\r\nContent-Length: abc\r\n\r\n')

  expect((await text(socket)).split('\r\n\r\n')[1]).toBe(refusalDocument('bad_request'))
})

function formWithoutBoundary() {
  return { method: 'POST', body: 'x', headers: { 'Content-Type': 'multipart/form-data' } }
}
