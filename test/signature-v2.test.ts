import { beforeEach, expect, test } from 'vitest'
import { addKey } from '#lib/acts/accounts/key-acts.ts'
import type { Method } from '#lib/api/method.ts'
import { signatureOf } from '#lib/api/signature.ts'
import { signatureV2 } from '#lib/api/signature-v2.ts'
import { serve } from '#lib/api/stack/stack.ts'
import { earlierText, textToSign, V2_HEADERS } from '#lib/api/v2-text.ts'
import { hexDigest } from '#lib/base/digest.ts'
import { secretOf } from '#test/acts/carry-out.ts'
import { aContext, anEvent, type Request } from '#test/event.ts'
import { noted, noteSecretsOf } from '#test/evidence/log-evidence.ts'
import { everything } from '#test/examples/everything.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld, bodyOf, pass, SECRET_KEY, type World } from '#test/world.ts'
import { method as deviceDelete } from '../functions/devices/device_delete.ts'
import { method as devicesGet } from '../functions/devices/devices_get.ts'

/** The signatures of docs/keys.md, which OpenSSL 3 made. */
test.each([
  [
    {
      verb: 'POST',
      path: '/api/devices_get',
      query: [],
      mediaType: 'application/x-www-form-urlencoded',
      timestamp: '1773144000',
      nonce: '0123456789abcdef',
      bodyDigest: 'c35b348aa26d9841a731251c40d83bfecdaee688b7f7c4a573d6cff6c8333b70',
    },
    'u=bob&user_id=10',
    'd239384c124d1e52427353cb6f6af8b43fa4fab23ed1fbc20ac26748e69ce8ea',
  ],
  [
    {
      verb: 'GET',
      path: '/dev/api/rate_get',
      query: [
        ['username', 'ūla!'],
        ['u', 'b o+b'],
        ['prefix', '370'],
      ] as const,
      mediaType: '',
      timestamp: '1773144000',
      nonce: 'ABCDEFGHIJ-_klmnop',
      bodyDigest: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    },
    '',
    '57998d605d8f3d317ed48687911a9db911857b2597df0f10b720e640fd9e1fe6',
  ],
])('%j has the signature of the vectors', (request, body, signature) => {
  expect(hexDigest(body)).toBe(request.bodyDigest)
  expect(signatureV2(request, 'a-secret-of-48-digits-in-hex')).toBe(signature)
})

let world: World
let sent: number

beforeEach(async () => {
  world = await aWorld(everything)
  sent = 0
})

/** Sends a request as another one, whatever it holds. */
async function send(method: Method, request: Request): Promise<string> {
  sent += 1
  const context = { ...aContext(), awsRequestId: `request-${sent}` }
  const body = bodyOf(await serve(method, world.services)(anEvent(request), context))
  noteSecretsOf(request, body)
  return body
}

interface Signed {
  readonly method?: string
  readonly path: string
  readonly query?: readonly (readonly [string, string])[]
  readonly body?: string
  readonly mediaType?: string
}

const NONCE = 'a-nonce-of-a-test-1'

function signedV2(request: Signed, secret: string, nonce = NONCE, textOf = textToSign): Request {
  const { method: verb = 'POST', path, query = [], body = '', mediaType = '' } = request
  const timestamp = String(world.now.getTime() / 1000)
  const signed = { verb, path, query, mediaType, timestamp, nonce, bodyDigest: hexDigest(body) }
  const signature = signatureV2(signed, secret, textOf)
  const headers = {
    ...(mediaType && { 'Content-Type': mediaType }),
    [V2_HEADERS.timestamp]: timestamp,
    [V2_HEADERS.nonce]: nonce,
    [V2_HEADERS.signature]: noted({ hash: signature }).hash,
  }
  return { ...request, headers, address: '10.1.2.3' }
}

const READ = { path: '/api/devices_get', query: [['user_id', '20'] as const], body: 'u=rick' }

const addCrm = async (v2Only?: 'yes', methods = 'devices_get') => {
  const wanted = { name: 'crm', as: 'rick', methods, from: '10.0.0.0/8', v2Only }
  return noted({ secret: await secretOf(world, addKey, wanted) }).secret
}

const REFUSED = '<error>Incorrect hash</error>'

test('the key of the installation and named keys sign, and each request counts once', async () => {
  const secret = await addCrm('yes')
  const request = signedV2(READ, secret)
  const [first, again] = [await send(devicesGet, request), await send(devicesGet, request)]

  expect(first).toContain('<devices>')
  expect(again).toContain(REFUSED)
  expect(await send(devicesGet, signedV2(READ, SECRET_KEY))).toContain('<devices>')
  expect(await send(devicesGet, signedV2(READ, secret, 'a-nonce-of-a-test-2'))).toContain('<devices>')
  expect(world.log.map(({ key, key_refused }) => [key, key_refused])).toEqual([
    ['crm', undefined],
    ['crm', 'repeated'],
    [undefined, undefined],
    ['crm', undefined],
  ])
  expect(await damageIn(world)).toEqual([])
})

test('of a request that is repeated at once, one is answered', async () => {
  const request = signedV2(READ, SECRET_KEY)
  const answers = await Promise.all(Array.from({ length: 10 }, () => send(devicesGet, request)))

  expect(answers.filter((answer) => answer.includes('<devices>'))).toHaveLength(1)
})

test('a v2 signature costs one trip and one write unit more than the hash', async () => {
  await world.call(devicesGet, 'rick', { user_id: 20 })
  await send(devicesGet, signedV2(READ, SECRET_KEY))

  const [hash, v2] = world.log.map(({ round_trips, read_units, write_units }) => ({
    trips: Number(round_trips),
    read: Number(read_units),
    write: Number(write_units),
  }))
  expect(v2).toEqual({ trips: (hash?.trips ?? 0) + 1, read: hash?.read, write: (hash?.write ?? 0) + 1 })
})

test.each<[string, Partial<Request>]>([
  ['verb', { method: 'GET' }],
  ['path', { path: '/api/device_delete' }],
  ['value of the query', { query: [['user_id', '10']] }],
  ['further parameter', { query: [...READ.query, ['user_id', '10']] }],
  ['body', { body: 'u=admin' }],
])('a request whose %s was changed is refused', async (_what, changes) => {
  await world.set({ Allow_GET_API: '1' })
  const request = { ...signedV2(READ, SECRET_KEY), ...changes }

  expect(await send(devicesGet, request)).toContain(REFUSED)
})

/** A multipart form with the boundary a, in whose first field there is another one with the boundary b. */
const PARTS = [
  '--a',
  fieldNamed('x'),
  '',
  '--b',
  fieldNamed('u'),
  '',
  'admin',
  '--b--',
  '--a',
  fieldNamed('u'),
  '',
  'rick',
]
  .concat('--a--', '')
  .join('\r\n')

function fieldNamed(name: string): string {
  return `Content-Disposition: form-data; name="${name}"`
}

test.each([
  ['JSON', 'application/json', '{"u":"rick","user_id":"20"}', 'application/x-www-form-urlencoded'],
  ['JSON, without its type', 'application/json', '{"u":"rick","user_id":"20"}', ''],
  ['a form, with its type', '', 'u=rick&user_id=20', 'application/x-www-form-urlencoded'],
  ['a multipart form', 'multipart/form-data; boundary=a', PARTS, 'multipart/form-data; boundary=b'],
])('%s that is sent as another media type is refused', async (_what, mediaType, body, other) => {
  const { path } = READ
  const request = signedV2({ path, query: READ.query, body, mediaType }, SECRET_KEY)
  const headers = { ...request.headers, 'Content-Type': other }

  expect(await send(devicesGet, { ...request, headers })).toContain(REFUSED)
  expect(await send(devicesGet, request)).toContain('<devices>')
})

test('the earlier version, which leaves the media type open, is refused with its name', async () => {
  const secret = await addCrm('yes')
  const answer = await send(devicesGet, signedV2(READ, secret, NONCE, earlierText))

  expect(answer).toContain(
    `${REFUSED}<message>tollgate-v2 does not sign the media type: sign as tollgate-v2.1, docs/keys.md</message>`,
  )
  expect(world.log.at(-1)).toMatchObject({ key: 'crm', key_refused: 'version' })
  expect(await send(devicesGet, signedV2(READ, 'another secret', NONCE, earlierText))).not.toContain(
    'message',
  )
})

test.each<[string, Readonly<Record<string, string>>]>([
  ['another timestamp', { [V2_HEADERS.timestamp]: '1773144001' }],
  ['another nonce', { [V2_HEADERS.nonce]: 'a-nonce-of-a-test-2' }],
  ['no nonce', { [V2_HEADERS.nonce]: '' }],
  ['no signature of any form', { [V2_HEADERS.signature]: 'x' }],
])('a request with %s is refused, also with a right hash', async (_what, changed) => {
  const params = { u: 'rick', user_id: '20' }
  const hash = signatureOf(params, devicesGet.hashOrders[0], SECRET_KEY)
  const request = signedV2(
    { path: '/api/devices_get', body: new URLSearchParams({ ...params, hash }).toString() },
    SECRET_KEY,
  )

  expect(await send(devicesGet, { ...request, headers: { ...request.headers, ...changed } })).toContain(
    REFUSED,
  )
  expect(await send(devicesGet, request)).toContain('<devices>')
})

test.each([
  ['late', 300, 301],
  ['early', -300, -301],
])('a request may be five minutes %s', async (_what, inTime, outOfTime) => {
  const request = signedV2(READ, SECRET_KEY)
  const start = world.now

  pass(world, outOfTime)
  expect(await send(devicesGet, request)).toContain(REFUSED)
  expect(world.log.at(-1)).toMatchObject({ key_refused: 'time' })
  world.now = start
  pass(world, inTime)
  expect(await send(devicesGet, request)).toContain('<devices>')
})

test('a stored signature outlives the time in which it is valid', async () => {
  await send(devicesGet, signedV2(READ, SECRET_KEY))

  const used = (await world.dump()).find(({ PK }) => PK.startsWith('SIGNATURE#'))
  expect(Number(used?.['expires_at'])).toBeGreaterThan(world.now.getTime() / 1000 + 2 * 300 - 1)
})

test('a method that signs nothing is signed whole by v2', async () => {
  const request = signedV2(READ, SECRET_KEY)

  expect(await send(deviceDelete, { ...request, body: 'u=rick&device=201' })).toContain(REFUSED)
})

test('a captured read as a write: done with the old key, refused with an own key and v2', async () => {
  const own = await addCrm()
  const captured = (secret: string) => signatureOf({ user_id: '201' }, devicesGet.hashOrders[0], secret)
  const asWrite = (hash: string, headers: Request['headers'] = {}) =>
    send(deviceDelete, {
      path: '/api/device_delete',
      body: new URLSearchParams(noted({ u: 'rick', device: '201', hash })).toString(),
      headers,
      address: '10.1.2.3',
    })
  const readByV2 = signedV2({ path: '/api/devices_get', body: 'u=rick&user_id=201' }, SECRET_KEY)

  expect(await asWrite(captured(own))).toContain(REFUSED)
  expect(await asWrite('', readByV2.headers)).toContain(REFUSED)
  expect(await asWrite(readByV2.headers?.[V2_HEADERS.signature] ?? '')).toContain(REFUSED)
  expect(await asWrite(captured(SECRET_KEY))).not.toContain('<error>')
})
