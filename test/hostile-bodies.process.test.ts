import { randomUUID } from 'node:crypto'
import { SaxesParser } from 'saxes'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { settingsKey } from '#lib/settings/stored-settings.ts'
import { writeLogLine } from '#lib/table/log-line.ts'
import { createClient } from '#lib/table/requests/client.ts'
import { createMeter } from '#lib/table/requests/meter.ts'
import { createStore } from '#lib/table/store.ts'
import { notedLine } from '#test/evidence/log-evidence.ts'
import { aWorld, bodyOf, SECRET_KEY, type World } from '#test/world.ts'
import { dataFolder } from '#tools/machine/data-folder.ts'
import { createTable, freePort } from '#tools/server/engine.ts'
import type { Gateway } from '#tools/server/gateway.ts'
import { serveSource } from '#tools/server/source-gateway.ts'
import { method } from '../functions/billing/services_get.ts'
import hostile from './hostile/hostile-bodies.json' with { type: 'json' }

/** A request body that no client should send. */
interface HostileBody {
  /** Such as `form`; several bodies have the same one. */
  readonly kind: string
  /** Names the body in a failure. */
  readonly label: string
  /** The Content-Type. */
  readonly type: string
  readonly body: Buffer
  /** The only correct answer is HTTP 400. */
  readonly refused: boolean
}

/** A text of hostile-bodies.json: itself, hex bytes, or `repeat` so often between `before` and `after`. */
type Told = string | { hex: string } | { before?: string; repeat: string; times: number; after?: string }

function bytesOf(told: Told): Buffer {
  if (typeof told === 'string') return Buffer.from(told)
  if ('hex' in told) return Buffer.from(told.hex, 'hex')
  return Buffer.from(`${told.before ?? ''}${told.repeat.repeat(told.times)}${told.after ?? ''}`)
}

const textOf = (told: Told): string => bytesOf(told).toString()

function hostileBody(kind: string, type: string, body: Buffer, refused = false): HostileBody {
  const label = `${kind}: ${type.slice(0, 60)}: ${JSON.stringify(body.toString().slice(0, 40))}`
  return { kind, label, type, body, refused }
}

const MULTIPART = 'multipart/form-data; boundary=x'
const NAMED = 'Content-Disposition: form-data; name="a"'
const CLOSING = '--x--\r\n'

const multipart = (kind: string, body: string, refused = false): HostileBody =>
  hostileBody(kind, MULTIPART, Buffer.from(body), refused)

const part = (headers: string, value = '1'): string => `--x\r\n${headers}\r\n\r\n${value}\r\n`

const ofCharset = (charset: Told): string =>
  `${part(`${NAMED}\r\nContent-Type: text/plain; charset=${textOf(charset)}`)}${CLOSING}`

const COMPLETE = Buffer.from(
  [
    part(NAMED, 'value'),
    part('Content-Disposition: form-data; name="f"; filename="f.bin"\r\nContent-Type: image/png', 'bytes'),
    part('Content-Disposition: form-data; name="b"\r\nContent-Type: text/plain; charset=utf-8', '\u00e4'),
    CLOSING,
  ].join(''),
)

const MANY_PARAMETERS = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`p${n}`, n]))

/** The bodies of hostile-bodies.json, and a multipart body cut off after each of its bytes. */
const hostileBodies: readonly HostileBody[] = [
  ...hostile.bodies.flatMap(({ kind, types, bodies, refused }) =>
    types.flatMap((type) => bodies.map((body) => hostileBody(kind, textOf(type), bytesOf(body), refused))),
  ),
  hostileBody('long JSON', 'application/json', Buffer.from(JSON.stringify(MANY_PARAMETERS))),
  ...hostile.charsets.map((charset) => multipart('charset', ofCharset(charset))),
  ...hostile.unknown_charsets.map((charset) => multipart('unknown charset', ofCharset(charset), true)),
  ...hostile.part_headers.flatMap((headers) => [
    multipart('part', part(textOf(headers)) + CLOSING),
    multipart('unfinished part', part(textOf(headers))),
  ]),
  ...hostile.multipart_types.map((type) => hostileBody('boundary', textOf(type), COMPLETE)),
  ...Array.from(COMPLETE, (_, bytes) => hostileBody('cut off', MULTIPART, COMPLETE.subarray(0, bytes))),
]

/** Every answer, by its status. A body that is read lacks a hash. */
const ANSWERS: Readonly<Record<number, RegExp>> = {
  200: /\?><page><status><error>Incorrect hash<\/error><\/status><\/page>$/,
  400: /\?><page><status><error>Bad request<\/error><message>The (form|multipart form|body) [^<]+<\/message><\/status><\/page>$/,
  413: /\?><page><status><error>Request is too large<\/error><\/status><\/page>$/,
  415: /\?><page><status><error>Unsupported content type<\/error><message>Send [^<]+<\/message><\/status><\/page>$/,
}

interface Answer {
  readonly status: number
  readonly body: string
  readonly headers: Readonly<Record<string, unknown>>
}

let world: World
let gateway: Gateway

/** The lines that the function logs to standard output, caught there. */
const logged: string[] = []
const { write } = process.stdout

beforeAll(async () => {
  world = await aWorld()
  const tableName = `bodies-${randomUUID()}`
  const endpoint = inject('endpoint')
  const client = createClient({ tableName, endpoint })
  await createTable(client, tableName)
  const store = createStore({ client, tableName, meter: createMeter() })
  await store.update(settingsKey, { set: { Allow_API: '1', API_Secret_Key: SECRET_KEY } })
  gateway = await serveSource({
    port: await freePort(),
    folder: `${dataFolder}/${tableName}`,
    environment: { TABLE_NAME: tableName, DYNAMODB_ENDPOINT: endpoint },
    log: writeLogLine,
    print: () => {},
  })
})

afterAll(async () => {
  process.stdout.write = write
  await gateway.stop()
})

async function atTheHandler({ type, body }: HostileBody): Promise<Answer> {
  const answer = await world.send(method, { body, headers: { 'Content-Type': type } })
  return { status: answer.statusCode, body: bodyOf(answer), headers: answer.headers ?? {} }
}

async function overHttp({ type, body }: HostileBody): Promise<Answer> {
  const headers = { 'Content-Type': type }
  const answer = await fetch(`${gateway.url}/api/services_get`, { method: 'POST', body, headers })
  return { status: answer.status, body: await answer.text(), headers: Object.fromEntries(answer.headers) }
}

function wrongWith({ label, refused }: HostileBody, { status, body, headers }: Answer): string[] {
  new SaxesParser().write(body).close()
  const says = ANSWERS[status]
  const isAsDecided = says?.test(body) === true && (!refused || status === 400)
  const type = headers['content-type'] ?? headers['Content-Type']
  const isGuarded = Object.values(headers).includes("default-src 'none'; sandbox")
  return isAsDecided && isGuarded && type === 'text/xml; charset=utf-8' ? [] : [`${label}: ${status} ${body}`]
}

test('there are several hundred hostile bodies', () => {
  expect(hostileBodies.length).toBeGreaterThan(600)
})

test('at the handler every hostile body is answered as decided', async () => {
  const wrong: string[] = []
  for (const hostile of hostileBodies) wrong.push(...wrongWith(hostile, await atTheHandler(hostile)))

  expect(wrong).toEqual([])
})

test('over HTTP the answer is the same, and the server keeps serving', async () => {
  const wrong: string[] = []
  process.stdout.write = (line) => logged.push(String(line)) > 0
  for (const hostile of hostileBodies) wrong.push(...wrongWith(hostile, await overHttp(hostile)))

  expect(wrong).toEqual([])
  expect(logged.map(notedLine).filter((line) => line.includes('"failed"'))).toEqual([])
})
