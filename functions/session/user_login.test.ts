import { expect, test } from 'vitest'
import { hashPassword } from '#lib/accounts/password.ts'
import { people } from '#test/examples/examples.ts'
import { LOGIN_FAILED, LOGIN_OK, login, loginForm, loginRight } from '#test/logins.ts'
import { aWorld, bodyOf } from '#test/world.ts'
import { method } from './user_login.ts'

const aPeopledWorld = () =>
  aWorld({
    users: people.map((person) => ({ ...person, uniquehash: `hash of ${person.username}` })),
  })

test('the right password describes the account', async () => {
  const world = await aPeopledWorld()

  expect(await loginRight(world)).toBe(
    '<?xml version="1.0" encoding="UTF-8"?><page><action><name>login</name><status>ok</status><user_id>2</user_id>' +
      '<usertype>reseller</usertype><uniquehash>hash of rick</uniquehash>' +
      '<status_message>Successfully logged in</status_message></action></page>',
  )
})

test.each([
  ['a wrong password', 'rick', 'password of rita'],
  ['an unknown name', 'nobody', 'password of rick'],
  ['a name in another case', 'Rick', 'password of rick'],
  ['a blocked account', 'ben', 'password of ben'],
  ['an empty password', 'rick', ''],
  ['no name', '', ''],
  ['a name past any key', 'x'.repeat(5000), 'x'],
])('%s fails with the same message', async (_case, u, p) => {
  const world = await aPeopledWorld()

  expect(await login(world, u, p)).toBe(
    '<?xml version="1.0" encoding="UTF-8"?><page><action><name>login</name><status>failed</status>' +
      '<status_message>Login failed</status_message></action></page>',
  )
})

test.each(['admin', 'alice', 'rick', 'pat', 'bob'])(
  'an account of any type may log in: %s',
  async (username) => {
    const world = await aPeopledWorld()

    expect(await loginRight(world, username)).toContain(LOGIN_OK)
  },
)

test('no signature is needed, and a missing parameter is not a bug', async () => {
  const world = await aPeopledWorld()
  await world.set({ API_Secret_Key: '' })

  expect(await loginRight(world)).toContain(LOGIN_OK)
  expect(bodyOf(await world.send(method, { body: '' }))).toContain(LOGIN_FAILED)
})

test('name and password are read from the body alone', async () => {
  const world = await aPeopledWorld()
  const query = [
    ['u', 'rick'],
    ['p', 'password of rick'],
  ] as const

  expect(bodyOf(await world.send(method, { query, body: '' }))).toContain(LOGIN_FAILED)
  expect(bodyOf(await world.send(method, { query, body: loginForm('rick', 'x') }))).toContain(LOGIN_FAILED)
})

test('a GET is refused whatever the setting, after the API switch', async () => {
  const world = await aPeopledWorld()
  await world.set({ Allow_GET_API: '1' })
  const get = async () =>
    bodyOf(
      await world.send(method, {
        method: 'GET',
        query: [
          ['u', 'rick'],
          ['p', 'x'],
        ],
      }),
    )

  expect(await get()).toContain('<page><status><error>GET Requests are disabled</error></status></page>')
  await world.set({ Allow_API: '0' })
  expect(await get()).toContain('<page><status><error>API Requests are disabled</error></status></page>')
})

test('a legacy hash is replaced at the first login, and the password still matches', async () => {
  const world = await aPeopledWorld()

  await loginRight(world)

  const [caller] = (await world.dump()).filter(({ PK }) => PK === 'CALLER#rick')
  expect(caller).toMatchObject({ password_hash: expect.stringMatching(/^scrypt\$.*\$sha1$/) })
  expect(await loginRight(world)).toContain(LOGIN_OK)
  expect(await login(world, 'rick', 'password of rita')).toContain(LOGIN_FAILED)
})

test('a current hash is not replaced', async () => {
  const world = await aWorld()
  const password_hash = await hashPassword('ours')
  await world.given({
    users: [{ id: '0', username: 'admin', usertype: 'admin', owner_id: '0', password_hash }],
  })

  expect(await login(world, 'admin', 'ours')).toContain(LOGIN_OK)
  expect(await world.dump()).toContainEqual(expect.objectContaining({ PK: 'CALLER#admin', password_hash }))
})

test('neither name nor password is logged, and failures are stored under a digest', async () => {
  const world = await aPeopledWorld()

  await login(world, 'typed-password-as-name', 'a-password')

  expect(JSON.stringify(world.log)).not.toMatch(/password/)
  expect(JSON.stringify(await world.dump())).not.toContain('typed-password-as-name')
})

test('a login takes four round trips, and so does a failure in an open window', async () => {
  const world = await aWorld()
  const password_hash = await hashPassword('ours')
  await world.given({
    users: [{ id: '0', username: 'admin', usertype: 'admin', owner_id: '0', password_hash }],
  })
  await login(world, 'admin', 'wrong')
  world.log.splice(0)

  await login(world, 'admin', 'ours')
  await login(world, 'admin', 'wrong')

  expect(world.log).toMatchObject([
    { outcome: 'answered', round_trips: 4, write_units: 4 },
    { outcome: 'refused', round_trips: 4, write_units: 4 },
  ])
})
