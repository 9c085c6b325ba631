import { expect, test } from 'vitest'
import { accountKey, callerKey } from '#lib/table/keys.ts'
import { aConsoleClient, aSignedClient } from '#test/console/console-client.ts'
import { estates } from '#test/examples/estates.ts'
import { aWorld } from '#test/world.ts'

const HOUR_MS = 3_600_000

const later = (now: Date, milliseconds: number) => new Date(now.getTime() + milliseconds)

test('a sign-in sets a cookie that scripts cannot read, and tells what the account may do', async () => {
  const client = aConsoleClient(await aWorld(estates))

  const { status, headers, body } = await client.signIn('alice')

  expect(status).toBe(200)
  expect(headers['Set-Cookie']).toMatch(
    /^tollgate_session=[\w-]+\.[\w-]{43}; Max-Age=43200; Path=\/console\/api; HttpOnly; Secure; SameSite=Strict$/,
  )
  expect(headers['Cache-Control']).toBe('no-store')
  expect(body).toMatchObject({ id: 1, username: 'alice', type: 'accountant', currency: 'USD', zone: 'UTC' })
  expect(body['sections']).not.toContain('settings')
  expect((await client.get('/session')).body).toEqual(body)
})

test.each([
  ['/prod/console/api/session', '/prod/console/api'],
  ['/billing/v1/console/api/session', '/billing/v1/console/api'],
  ['/console/api/session', '/console/api'],
])('the cookie of %s is for %s only', async (path, root) => {
  const client = aConsoleClient(await aWorld(estates))
  const requestContext = { path, identity: { sourceIp: '192.0.2.1' } } as never

  const { headers } = await client.send(
    'POST',
    '/session',
    { username: 'bob', password: 'password-of-bob' },
    { requestContext },
  )

  expect(headers['Set-Cookie']).toContain(`; Path=${root};`)
})

test('the table has a digest of the token, which DynamoDB removes after 12 hours', async () => {
  const world = await aWorld(estates)
  const client = await aSignedClient(world, 'bob')
  const token = client.cookie.split('.')[1] ?? ''

  const items = await world.dump()

  expect(JSON.stringify(items)).not.toContain(token)
  const session = items.find(({ PK }) => String(PK).startsWith('SESSION#'))
  expect(session).toMatchObject({ username: 'bob', expires_at: world.now.getTime() / 1000 + 43_200 })
})

test.each([
  ['bob', 'wrong'],
  ['ben', 'password-of-ben'],
  ['nobody', 'password-of-nobody'],
  ['', ''],
])('%s with the password %s is refused in the same words', async (username, password) => {
  const client = aConsoleClient(await aWorld(estates))

  const { status, body, headers } = await client.signIn(username, password)

  expect(status).toBe(401)
  expect(body).toEqual({
    error: {
      code: 'wrong_credentials',
      message: 'The username or the password is wrong, or the account is blocked.',
    },
  })
  expect(headers['Set-Cookie']).toBeUndefined()
})

test('wrong passwords are counted together with those of user_login: the fourth has to wait', async () => {
  const client = aConsoleClient(await aWorld(estates))
  for (const _ of [1, 2, 3]) expect((await client.signIn('bob', 'wrong')).status).toBe(401)

  const { status, body } = await client.signIn('bob')

  expect([status, body]).toMatchObject([429, { error: { code: 'too_many_attempts' } }])
})

test('a password is changed with the current one: this session goes on, others end', async () => {
  const world = await aWorld(estates)
  const [client, other] = [await aSignedClient(world, 'bob'), await aSignedClient(world, 'bob')]
  const change = (current: string, wanted: string) =>
    client.send('PUT', '/session/password', { current, wanted })

  expect(await change('password-of-bob', 'short')).toMatchObject({
    status: 422,
    body: { error: { message: 'The new password is unfit: use at least 8 characters.' } },
  })
  expect(await change('wrong', 'another-one')).toMatchObject({
    status: 401,
    body: { error: { message: 'The current password is wrong.' } },
  })
  expect((await change('password-of-bob', 'another-one')).status).toBe(200)

  expect((await client.get('/session')).status).toBe(200)
  expect((await other.get('/session')).status).toBe(401)
  expect((await other.signIn('bob', 'another-one')).status).toBe(200)
})

test('a session ends after 12 hours', async () => {
  const world = await aWorld(estates)
  const client = await aSignedClient(world, 'bob')

  world.now = later(world.now, 12 * HOUR_MS - 1000)
  expect((await client.get('/session')).status).toBe(200)
  world.now = later(world.now, 1000)
  expect(await client.get('/session')).toMatchObject({
    status: 401,
    body: { error: { code: 'not_signed_in' } },
  })
})

test('a sign-out ends the session, even with a kept cookie, within a second in a warm Lambda', async () => {
  const world = await aWorld(estates)
  const client = await aSignedClient(world, 'bob', { isWarm: true })
  const { cookie } = client

  const { headers } = await client.send('DELETE', '/session')
  client.cookie = cookie
  world.now = later(world.now, 1001)

  expect(headers['Set-Cookie']).toContain('tollgate_session=; Max-Age=0; Path=/console/api;')
  expect((await client.get('/session')).status).toBe(401)
})

test.each([
  ['blocked', { blocked: true }],
  ['given another password', { password_hash: 'other' }],
  ['given another type', { usertype: 'reseller' }],
])('the sessions of an account that is %s end within a second', async (_, set) => {
  const world = await aWorld(estates)
  const client = await aSignedClient(world, 'bob', { isWarm: true })
  await client.get('/session')

  await world.store.update(callerKey('bob'), { set })
  await world.store.update(accountKey(10), { set })
  world.now = later(world.now, 1001)

  expect((await client.get('/session')).status).toBe(401)
})

test('a token does not serve another account', async () => {
  const world = await aWorld(estates)
  const [bob, admin] = [await aSignedClient(world, 'bob'), Buffer.from('admin').toString('base64url')]
  bob.cookie = bob.cookie.replace(/=[\w-]+\./, `=${admin}.`)

  expect((await bob.get('/session')).status).toBe(401)
})

test.each(['', 'tollgate_session=', 'tollgate_session=.', 'tollgate_session=Ym9i.AAAA', 'other=1'])(
  'the cookie "%s" is not a session',
  async (cookie) => {
    const client = aConsoleClient(await aWorld(estates))
    client.cookie = cookie

    expect((await client.get('/customers')).status).toBe(401)
  },
)

test('an action without the header of the page is refused before anything is read', async () => {
  const world = await aWorld(estates)
  const client = await aSignedClient(world, 'admin')
  const before = world.log.length

  const { status, body } = await client.send(
    'POST',
    '/customers/10/block',
    {},
    { headers: { Cookie: client.cookie } },
  )

  expect([status, body]).toMatchObject([403, { error: { code: 'forbidden' } }])
  expect(world.log.slice(before)).toMatchObject([
    { method: 'console_customer', outcome: 'refused', round_trips: 0 },
  ])
})

test('a request without its session reads nothing but session, account and settings', async () => {
  const world = await aWorld(estates)
  const client = await aSignedClient(world, 'admin')
  client.cookie += 'x'

  await client.get('/customers')

  expect(world.log.at(-1)).toMatchObject({ method: 'console_customers', outcome: 'refused', round_trips: 1 })
})

test('an unreadable body is refused, and an unknown path too', async () => {
  const client = aConsoleClient(await aWorld(estates))
  const body = Buffer.from('{').toString('base64')

  const unreadable = await client.send('POST', '/session', {}, { body })
  const unknown = await client.get('/nothing')

  expect(unreadable).toMatchObject({ status: 400, body: { error: { code: 'bad_request' } } })
  expect(unknown).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } })
})
