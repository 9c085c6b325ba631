import { finished, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { expect, test, vi } from 'vitest'
import { RELEASE } from '#lib/table/table-format.ts'
import { rowStream } from '#lib/xml/batches.ts'
import { type Content, element } from '#lib/xml/element.ts'
import { VERSION_HEADER } from './headers.ts'
import { isStreamed, refusalDocument, xmlResponse } from './response.ts'

const WHOLE = { streams: false, maxBytes: 1000 }
const STREAMED = { ...WHOLE, streams: true }

const request = (accepted?: string, requestState = {}) => ({
  event: { headers: accepted === undefined ? {} : { 'Accept-Encoding': accepted } },
  context: { requestState },
})

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>'
const DOCUMENT = `${DECLARATION}<page>é</page>`

async function* rows() {
  yield [1, 2]
  yield [3]
}

const list = (expectedBytes?: number) =>
  rowStream(rows(), (batch) => batch.map((n) => element('row', n)), expectedBytes)

const LIST = `${DECLARATION}<page><row>1</row><row>2</row><row>3</row></page>`

const HEADERS = {
  'Content-Type': 'text/xml; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; sandbox",
  Vary: 'Accept-Encoding',
}

test.each([
  ['its body is read', { body: Readable.from(['']) }, true],
  ['its body is whole', { body: '' }, false],
  ['it has no body', { statusCode: 200 }, false],
  ['it is a text', 'body', false],
  ['it is null', null, false],
  ['there is none', undefined, false],
])('whether an answer is streamed: %s', (_case, response, expected) => {
  expect(isStreamed(response)).toBe(expected)
})

test('a document is answered whole, as text', async () => {
  expect(await xmlResponse(element('page', 'é'), 200, WHOLE, request())).toEqual({
    statusCode: 200,
    headers: HEADERS,
    body: DOCUMENT,
    isBase64Encoded: false,
  })
})

test('a client that accepts gzip gets base64 of it', async () => {
  const answer = await xmlResponse(element('page', 'é'), 200, WHOLE, request('gzip'))

  expect(answer).toMatchObject({ headers: { ...HEADERS, 'Content-Encoding': 'gzip' }, isBase64Encoded: true })
  expect(gunzipSync(Buffer.from(String(answer.body), 'base64')).toString()).toBe(DOCUMENT)
})

test.each([
  ['gzip', true],
  ['br, GZIP;q=0.5', true],
  ['br;q=1.0 , gzip ; level=9 ; q=0.1', true],
  ['*', true],
  ['*;q=0, gzip', true],
  ['gzip;q=0, *', false],
  ['gzip; q=0.0', false],
  ['gzip;level=0', true],
  ['x-gzip', false],
  ['identity', false],
  ['', false],
])('a client that accepts %j: compressed is %j', async (accepted, compressed) => {
  const { headers } = await xmlResponse(element('page'), 200, WHOLE, request(accepted))

  expect(headers?.['Content-Encoding']).toBe(compressed ? 'gzip' : undefined)
})

test('an admitted caller learns which release answers, and nobody else', async () => {
  const versionFor = async (requestState: object) =>
    (await xmlResponse(element('page'), 200, WHOLE, request('', requestState))).headers?.[VERSION_HEADER]

  expect(await versionFor({ caller: { id: 1 } })).toBe(RELEASE)
  expect(await versionFor({ namedAccount: { id: 1 } })).toBeUndefined()
})

test('a setting makes it text/html; without settings it is text/xml', async () => {
  const typeWith = async (context: object) =>
    (await xmlResponse(element('page'), 200, WHOLE, { ...request(), context })).headers?.['Content-Type']
  const requestState = (XML_API_Extension: boolean) => ({ requestState: { settings: { XML_API_Extension } } })

  expect(await typeWith({})).toBe('text/xml; charset=utf-8')
  expect(await typeWith({ requestState: {} })).toBe('text/xml; charset=utf-8')
  expect(await typeWith(requestState(true))).toBe('text/xml; charset=utf-8')
  expect(await typeWith(requestState(false))).toBe('text/html; charset=utf-8')
})

test('a refused verb is answered with the allowed ones', async () => {
  const { statusCode, headers } = await xmlResponse(element('page'), 405, WHOLE, request())

  expect([statusCode, headers]).toEqual([405, { ...HEADERS, Allow: 'GET, POST' }])
})

test.each([
  ['whole', WHOLE, undefined],
  ['whole and compressed', WHOLE, 'gzip'],
  ['streamed', STREAMED, undefined],
  ['streamed and compressed', STREAMED, 'gzip'],
])('a list arrives %s', async (_case, transport, accepted) => {
  const { body } = await xmlResponse(element('page', list()), 200, transport, request(accepted))
  const bytes =
    body instanceof Readable ? await buffer(body) : Buffer.from(body, accepted ? 'base64' : 'utf8')

  expect(body instanceof Readable).toBe(transport.streams)
  expect((accepted ? gunzipSync(bytes) : bytes).toString()).toBe(LIST)
})

test.each([
  ['streamed', undefined, DOCUMENT],
  ['streamed and compressed', 'gzip', DOCUMENT],
])('a document without lists can be %s', async (_case, accepted, expected) => {
  const { body } = await xmlResponse(element('page', 'é'), 200, STREAMED, request(accepted))
  const bytes = await buffer(body as Readable)

  expect((accepted ? gunzipSync(bytes) : bytes).toString()).toBe(expected)
})

test('a server that needs no stream gets one for lists alone', async () => {
  const transport = { ...STREAMED, unwrapped: true } as const
  const bodyFor = async (content: Content) =>
    (await xmlResponse(element('page', content), 200, transport, request())).body

  expect(await bodyFor('é')).toBe(DOCUMENT)
  expect(await bodyFor(list())).toBeInstanceOf(Readable)
})

/** Breaks off before the first byte, after it, or never. */
const readers: readonly [string, (body: Readable) => unknown][] = [
  ['is not read', (body) => body.destroy()],
  ['fails before it is read', (body) => body.destroy(new Error('gone'))],
  ['is read to its first byte', (body) => body.once('readable', () => body.destroy())],
  ['is read to its end', (body) => body.resume()],
]

test.each(
  readers.flatMap(([name, read]) => [undefined, 'gzip'].map((accepted) => [name, accepted, read] as const)),
)('what rows hold is freed when a streamed answer %s, accepting %s', async (_name, accepted, read) => {
  const discard = vi.fn()
  const rows = { ...list(), discard }
  const { body } = await xmlResponse(element('page', rows), 200, STREAMED, request(accepted))
  const closed = new Promise((resolve) => finished(body as Readable, resolve))
  read(body as Readable)
  await closed

  await expect.poll(() => discard).toHaveBeenCalledOnce()
})

const TOO_LARGE = 'The answer is too large'

test('what rows hold is freed when their answer is whole, or refused', async () => {
  const discard = vi.fn()
  const answer = (bytes: number) =>
    xmlResponse(element('page', { ...list(bytes), discard }), 200, WHOLE, request())
  await answer(1000)
  await expect.poll(() => discard).toHaveBeenCalledOnce()

  await expect(answer(1001)).rejects.toThrow(TOO_LARGE)
  expect(discard).toHaveBeenCalledTimes(2)
})

test('a list that is expected to be too large is refused; compressed, four times as much fits', async () => {
  const answer = (bytes: number, accepted?: string) =>
    xmlResponse(element('page', list(bytes), list(0)), 200, WHOLE, request(accepted))

  await expect(answer(1001)).rejects.toThrow(TOO_LARGE)
  await expect(answer(4001, 'gzip')).rejects.toThrow(TOO_LARGE)
  expect(await answer(1000)).toHaveProperty('statusCode', 200)
  expect(await answer(4000, 'gzip')).toHaveProperty('statusCode', 200)
  await expect(xmlResponse(element('page', list(600), list(600)), 200, WHOLE, request())).rejects.toThrow(
    TOO_LARGE,
  )
})

test('a whole answer may fill the transport, and not more', async () => {
  const answer = (length: number) => xmlResponse(element('page', 'x'.repeat(length)), 200, WHOLE, request())
  const around = `${DECLARATION}<page></page>`.length

  expect(await answer(1000 - around)).toHaveProperty('statusCode', 200)
  await expect(answer(1001 - around)).rejects.toThrow(TOO_LARGE)
})

test('a compressed answer may fill the transport, and not more', async () => {
  const answered = (maxBytes: number) =>
    xmlResponse(element('page', 'é'), 200, { ...WHOLE, maxBytes }, request('gzip'))
  const { length } = Buffer.from(String((await answered(1000)).body), 'base64')

  expect(await answered(length)).toHaveProperty('isBase64Encoded', true)
  await expect(answered(length - 1)).rejects.toThrow(TOO_LARGE)
})

test('markup without a document is plain text', async () => {
  const { headers, body } = await xmlResponse({ markup: '1.50 USD' }, 200, WHOLE, request())

  expect(headers?.['Content-Type']).toBe('text/plain; charset=utf-8')
  expect(body).toContain('1.50 USD')
})

test('a refusal below the methods is a document', () => {
  expect(refusalDocument('unknown_method')).toBe(
    `${DECLARATION}<page><status><error>Unknown method</error></status></page>`,
  )
})
