import { expect, test } from 'vitest'
import { hashPassword } from '#lib/domain/accounts/password.ts'
import { people } from '#lib/testing/examples.ts'
import { aWorld, bodyOf, type World } from '#lib/testing/world.ts'
import { method } from './user_login.ts'

const FAILED =
  '<page><action><name>login</name><status>failed</status><status_message>Login failed</status_message></action></page>'
const WAIT = 'Please wait 10 seconds before trying to login again'

const aPeopledWorld = () =>
  aWorld({
    users: people.map((person) => ({ ...person, uniquehash: `hash of ${person.username}` })),
  })

const login = async (world: World, u: string, p: string, address = '192.0.2.1') =>
  bodyOf(await world.send(method, { body: new URLSearchParams({ u, p }).toString(), address }))

const wait = (world: World, seconds: number) => {
  world.now = new Date(world.now.getTime() + seconds * 1000)
}

test('the right password describes the account', async () => {
  const world = await aPeopledWorld()

  expect(await login(world, 'rick', 'password of rick')).toBe(
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
])('%s fails in the same words', async (_case, u, p) => {
  const world = await aPeopledWorld()

  expect(await login(world, u, p)).toContain(FAILED)
})

test('no signature is asked for, and neither missing parameter is a bug', async () => {
  const world = await aPeopledWorld()
  await world.set({ API_Secret_Key: '' })

  expect(await login(world, 'rick', 'password of rick')).toContain('<status>ok</status>')
  expect(bodyOf(await world.send(method, { body: '' }))).toContain(FAILED)
})

test('a GET is refused whatever the setting, the API switch before it', async () => {
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

test('a legacy hash is replaced by one of ours at the first login, and the password still fits', async () => {
  const world = await aPeopledWorld()

  await login(world, 'rick', 'password of rick')

  const [caller] = (await world.dump()).filter(({ PK }) => PK === 'CALLER#rick')
  expect(caller).toMatchObject({ password_hash: expect.stringMatching(/^scrypt\$32768\$8\$3\$/) })
  expect(await login(world, 'rick', 'password of rick')).toContain('<status>ok</status>')
  expect(await login(world, 'rick', 'password of rita')).toContain(FAILED)
})

test('a hash of today stays as it is', async () => {
  const world = await aWorld()
  const password_hash = await hashPassword('ours')
  await world.given({
    users: [{ id: '0', username: 'admin', usertype: 'admin', owner_id: '0', password_hash }],
  })

  expect(await login(world, 'admin', 'ours')).toContain('<status>ok</status>')
  expect(await world.dump()).toContainEqual(expect.objectContaining({ PK: 'CALLER#admin', password_hash }))
})

test('after three failures of a name from an address, it waits ten seconds, even with the right password', async () => {
  const world = await aPeopledWorld()
  for (const guess of ['a', 'b', 'c']) expect(await login(world, 'rick', guess)).toContain(FAILED)

  expect(await login(world, 'rick', 'password of rick')).toContain(
    `<page><action><name>login</name><status>failed</status><status_message>${WAIT}</status_message></action></page>`,
  )
  wait(world, 9)
  expect(await login(world, 'rick', 'password of rick')).toContain(WAIT)
  wait(world, 1)
  expect(await login(world, 'rick', 'd')).toContain(FAILED)
  expect(await login(world, 'rick', 'password of rick')).toContain(WAIT)
  wait(world, 10)
  expect(await login(world, 'rick', 'password of rick')).toContain('<status>ok</status>')
})

test('other names, and the same name from elsewhere, do not wait', async () => {
  const world = await aPeopledWorld()
  for (const guess of ['a', 'b', 'c']) await login(world, 'rick', guess)

  expect(await login(world, 'rita', 'password of rita')).toContain('<status>ok</status>')
  expect(await login(world, 'rick', 'password of rick', '192.0.2.2')).toContain('<status>ok</status>')
})

test('ten minutes after the first failure, counting begins anew', async () => {
  const world = await aPeopledWorld()
  await login(world, 'rick', 'a')
  await login(world, 'rick', 'b')
  wait(world, 600)

  for (const guess of ['c', 'd']) expect(await login(world, 'rick', guess)).toContain(FAILED)
  expect(await login(world, 'rick', 'password of rick')).toContain('<status>ok</status>')
})

test('thirty failures from one address hold up every name from there', async () => {
  const world = await aPeopledWorld()
  await Promise.all(Array.from({ length: 30 }, (_, guess) => login(world, `nobody ${guess}`, 'x')))

  expect(await login(world, 'rick', 'password of rick')).toContain(WAIT)
  expect(await login(world, 'rick', 'password of rick', '192.0.2.2')).toContain('<status>ok</status>')
})

test('a right password among guesses sent all at once does not get through the wait', async () => {
  const world = await aPeopledWorld()
  const guesses = Array.from({ length: 12 }, (_, guess) => login(world, 'rick', `guess ${guess}`))

  await Promise.all(guesses.slice(0, 11))

  expect(await login(world, 'rick', 'password of rick')).toContain(WAIT)
})

test('neither name nor password is logged, and failures are kept under a digest', async () => {
  const world = await aPeopledWorld()

  await login(world, 'typed-password-as-name', 'a-password')

  expect(JSON.stringify(world.log)).not.toMatch(/password/)
  expect(JSON.stringify(await world.dump())).not.toContain('typed-password-as-name')
})

test('a login takes two round trips, a failure in a window that is open three', async () => {
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
    { outcome: 'answered', round_trips: 2, write_units: 0 },
    { outcome: 'refused', round_trips: 3, write_units: 2 },
  ])
})

test.each(['admin', 'alice', 'rick', 'pat', 'bob'])(
  'an account of any type may log in: %s',
  async (username) => {
    const world = await aPeopledWorld()

    expect(await login(world, username, `password of ${username}`)).toContain('<status>ok</status>')
  },
)

test('of guesses sent all at once, the answers do not tell the right one', async () => {
  const world = await aPeopledWorld()
  const guesses = Array.from({ length: 16 }, (_, n) => (n === 15 ? 'password of bob' : `guess ${n}`))

  const answers = await Promise.all(guesses.map((guess) => login(world, 'bob', guess)))

  const right = answers.at(-1) ?? ''
  const isWait = (answer: string) => answer.includes('Please wait 10 seconds')
  expect(answers.slice(0, -1).filter(isWait).length).toBeGreaterThan(0)
  expect(isWait(right) || right.includes('<status>ok</status>')).toBe(true)
})
