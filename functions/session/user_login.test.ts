import { describe, expect, test } from 'vitest'
import { hashPassword } from '#lib/domain/accounts/password.ts'
import { serve } from '#lib/stack/stack.ts'
import { loginFailureKeys, toLoginFailures } from '#lib/store/accounts/login-failures.ts'
import { aContext, anEvent } from '#lib/testing/event.ts'
import { cheapHash, people } from '#lib/testing/examples/examples.ts'
import { aWatchedTable } from '#lib/testing/faults/watched-table.ts'
import { aWorld, bodyOf, type World } from '#lib/testing/world.ts'
import { method } from './user_login.ts'

const FAILED =
  '<page><action><name>login</name><status>failed</status><status_message>Login failed</status_message></action></page>'
const WAIT = 'Please wait 10 seconds before trying to login again'

const aPeopledWorld = () =>
  aWorld({
    users: people.map((person) => ({ ...person, uniquehash: `hash of ${person.username}` })),
  })

/** All example accounts, and forty more customers of admin. */
async function aCrowdedWorld(): Promise<World> {
  const others = Array.from({ length: 40 }, (_, index) => ({
    id: String(1000 + index),
    username: `customer ${index}`,
    usertype: 'user',
    owner_id: '0',
  }))
  const users = [...people, ...others].map((person) => ({
    ...person,
    password_hash: cheapHash(`password of ${person.username}`),
  }))
  return aWorld({ users })
}

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
])('%s fails with the same message', async (_case, u, p) => {
  const world = await aPeopledWorld()

  expect(await login(world, u, p)).toContain(FAILED)
})

test('no signature is needed, and a missing parameter is not a bug', async () => {
  const world = await aPeopledWorld()
  await world.set({ API_Secret_Key: '' })

  expect(await login(world, 'rick', 'password of rick')).toContain('<status>ok</status>')
  expect(bodyOf(await world.send(method, { body: '' }))).toContain(FAILED)
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

  await login(world, 'rick', 'password of rick')

  const [caller] = (await world.dump()).filter(({ PK }) => PK === 'CALLER#rick')
  expect(caller).toMatchObject({ password_hash: expect.stringMatching(/^scrypt\$.*\$sha1$/) })
  expect(await login(world, 'rick', 'password of rick')).toContain('<status>ok</status>')
  expect(await login(world, 'rick', 'password of rita')).toContain(FAILED)
})

test('a current hash is not replaced', async () => {
  const world = await aWorld()
  const password_hash = await hashPassword('ours')
  await world.given({
    users: [{ id: '0', username: 'admin', usertype: 'admin', owner_id: '0', password_hash }],
  })

  expect(await login(world, 'admin', 'ours')).toContain('<status>ok</status>')
  expect(await world.dump()).toContainEqual(expect.objectContaining({ PK: 'CALLER#admin', password_hash }))
})

test('after three failures of a name from an address, it has to wait ten seconds, even with the right password', async () => {
  const world = await aCrowdedWorld()
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

test('other names, and the same name from another address, do not wait', async () => {
  const world = await aCrowdedWorld()
  for (const guess of ['a', 'b', 'c']) await login(world, 'rick', guess)

  expect(await login(world, 'rita', 'password of rita')).toContain('<status>ok</status>')
  expect(await login(world, 'rick', 'password of rick', '192.0.2.2')).toContain('<status>ok</status>')
})

test('ten minutes after the first failure, counting starts again', async () => {
  const world = await aCrowdedWorld()
  await login(world, 'rick', 'a')
  await login(world, 'rick', 'b')
  wait(world, 600)

  for (const guess of ['c', 'd']) expect(await login(world, 'rick', guess)).toContain(FAILED)
  expect(await login(world, 'rick', 'password of rick')).toContain('<status>ok</status>')
})

test('after thirty failures from one address, every name from it has to wait', async () => {
  const world = await aCrowdedWorld()
  await Promise.all(Array.from({ length: 30 }, (_, guess) => login(world, `customer ${guess}`, 'x')))

  expect(await login(world, 'rick', 'password of rick')).toContain(WAIT)
  expect(await login(world, 'rick', 'password of rick', '192.0.2.2')).toContain('<status>ok</status>')
})

test('the right password among simultaneous guesses does not pass the wait', async () => {
  const world = await aCrowdedWorld()
  const guesses = Array.from({ length: 12 }, (_, guess) => login(world, 'rick', `guess ${guess}`))

  await Promise.all(guesses.slice(0, 11))

  expect(await login(world, 'rick', 'password of rick')).toContain(WAIT)
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

test.each(['admin', 'alice', 'rick', 'pat', 'bob'])(
  'an account of any type may log in: %s',
  async (username) => {
    const world = await aPeopledWorld()

    expect(await login(world, username, `password of ${username}`)).toContain('<status>ok</status>')
  },
)

test('a hundred simultaneous guesses, including the right one, get three attempts', async () => {
  const world = await aCrowdedWorld()
  const guesses = Array.from({ length: 100 }, (_, n) => (n === 99 ? 'password of bob' : `guess ${n}`))

  const answers = await Promise.all(guesses.map((guess) => login(world, 'bob', guess)))

  expect(answers.filter((answer) => answer.includes(FAILED)).length).toBe(3)
  const right = answers.at(-1) ?? ''
  expect(right.includes(WAIT) || right.includes('<status>ok</status>')).toBe(true)
})

test('ten simultaneous right logins all succeed, and no failure is counted', async () => {
  const world = await aCrowdedWorld()
  await login(world, 'rick', 'a')

  const answers = await Promise.all(
    Array.from({ length: 10 }, () => login(world, 'rick', 'password of rick')),
  )

  expect(answers.filter((answer) => answer.includes('<status>ok</status>')).length).toBe(10)
  expect(await countersOf(world)).toEqual([
    { failures: 1, in_flight: 0 },
    { failures: 1, in_flight: 0 },
  ])
})

test('after the wait, ten simultaneous right logins all succeed', async () => {
  const world = await aCrowdedWorld()
  for (const guess of ['a', 'b', 'c']) await login(world, 'rick', guess)
  wait(world, 10)

  const answers = await Promise.all(
    Array.from({ length: 10 }, () => login(world, 'rick', 'password of rick')),
  )

  expect(answers.filter((answer) => answer.includes('<status>ok</status>')).length).toBe(10)
})

test('a right login after the wait does not make the next one wait', async () => {
  const world = await aCrowdedWorld()
  for (const guess of ['a', 'b', 'c']) await login(world, 'rick', guess)
  wait(world, 10)

  expect(await login(world, 'rick', 'password of rick')).toContain('<status>ok</status>')
  expect(await login(world, 'rick', 'password of rick')).toContain('<status>ok</status>')
  expect(await login(world, 'rick', 'd')).toContain(FAILED)
  expect(await login(world, 'rick', 'password of rick')).toContain(WAIT)
})

test('a refused attempt neither counts nor writes nor prolongs the wait', async () => {
  const world = await aCrowdedWorld()
  for (const guess of ['a', 'b', 'c']) await login(world, 'rick', guess)
  const before = await world.dump()

  for (let second = 1; second < 10; second += 1) {
    wait(world, 1)
    expect(await login(world, 'rick', 'd')).toContain(WAIT)
  }
  expect(await world.dump()).toEqual(before)
  wait(world, 1)
  expect(await login(world, 'rick', 'password of rick')).toContain('<status>ok</status>')
})

test('an attempt waits at most three seconds for those in flight', async () => {
  const world = await aCrowdedWorld()
  const key = loginFailureKeys.ofPair('rick', '192.0.2.1')
  const start = world.now.getTime()
  const [at, step] = [start / 1000, 250]
  await world.store.update(key, { set: { failures: 3, in_flight: 3, since: at, last: at } })
  let now = start
  const clock = () => {
    now += step
    return new Date(now)
  }
  const services = { ...world.services, clock }
  const body = new URLSearchParams({ u: 'rick', p: 'password of rick' }).toString()

  const answer = await serve(method, services)(anEvent({ body }), aContext())

  expect(bodyOf(answer)).toContain(WAIT)
  expect(now - start).toBeGreaterThanOrEqual(3000)
  expect(now - start).toBeLessThanOrEqual(3000 + 8 * step)
})

test('from an untrusted address, an attempt over the limit of its address is not counted for its name', async () => {
  const world = await aCrowdedWorld()
  await Promise.all(Array.from({ length: 30 }, (_, guess) => login(world, `customer ${guess}`, 'x')))
  const before = await countersOf(world)

  expect(await login(world, 'rick', 'password of rick')).toContain(WAIT)
  const { failures, in_flight } = toLoginFailures(
    await world.store.get(loginFailureKeys.ofPair('rick', '192.0.2.1')),
  )
  expect({ failures, in_flight }).toEqual({ failures: 0, in_flight: 0 })
  expect((await countersOf(world)).length).toBe(before.length + 1)
})

describe('behind a trusted portal', () => {
  const aTrustingWorld = async () => {
    const world = await aCrowdedWorld()
    await world.set({ Trusted_Login_Addresses: '2001:db8::/32, 192.0.2.0/28' })
    return world
  }

  test('failures of other names hold nobody up, however many there are', async () => {
    const world = await aTrustingWorld()
    await Promise.all(Array.from({ length: 40 }, (_, guess) => login(world, `customer ${guess}`, 'x')))

    expect(await login(world, 'rick', 'password of rick')).toContain('<status>ok</status>')
    expect(await world.store.get(loginFailureKeys.ofAddress('192.0.2.1'))).toBeUndefined()
  })

  test('a name has ten failures', async () => {
    const world = await aTrustingWorld()
    for (let guess = 0; guess < 10; guess += 1) expect(await login(world, 'rick', 'x')).toContain(FAILED)

    expect(await login(world, 'rick', 'password of rick')).toContain(WAIT)
  })

  test('refused attempts, sent without a pause, lock nobody out', async () => {
    const world = await aTrustingWorld()
    for (let guess = 0; guess < 10; guess += 1) await login(world, 'rick', 'x')
    for (let second = 0; second < 9; second += 1) {
      wait(world, 1)
      await Promise.all(Array.from({ length: 20 }, () => login(world, 'rick', 'x')))
    }
    wait(world, 1)

    expect(await login(world, 'rick', 'password of rick')).toContain('<status>ok</status>')
  })

  test('another address is not trusted', async () => {
    const world = await aTrustingWorld()
    for (const guess of ['a', 'b', 'c']) await login(world, 'rick', guess, '192.0.2.16')

    expect(await login(world, 'rick', 'password of rick', '192.0.2.16')).toContain(WAIT)
  })
})

test('name and password are read from the body alone', async () => {
  const world = await aPeopledWorld()
  const query = [
    ['u', 'rick'],
    ['p', 'password of rick'],
  ] as const

  expect(bodyOf(await world.send(method, { query, body: '' }))).toContain(FAILED)
  expect(
    bodyOf(await world.send(method, { query, body: new URLSearchParams({ u: 'rick', p: 'x' }).toString() })),
  ).toContain(FAILED)
})

const countersOf = async (world: World) =>
  (await world.dump())
    .filter(({ PK }) => String(PK).startsWith('LOGINFAIL#'))
    .map(({ failures, in_flight }) => ({ failures: Number(failures), in_flight: Number(in_flight) }))

/** The services of a process that loses the answer to one of its updates. */
async function losing(world: World, nth: number): Promise<World['services']> {
  const table = await aWatchedTable(world)
  let updates = 0
  table.fail(({ operation }) => (operation === 'UpdateItem' && ++updates === nth ? 'answer lost' : undefined))
  return table.connect().world.services
}

test.each([
  ['right', 'password of rick', 0, [3, 4]],
  ['wrong', 'password of rita', 1, [3, 4]],
  ['right', 'password of rick', 0, [1, 2]],
])('a %s login counts at least as much if an answer is lost', async (_case, p, least, updates) => {
  for (const nth of updates) {
    const world = await aCrowdedWorld()
    const body = new URLSearchParams({ u: 'rick', p }).toString()

    await serve(method, await losing(world, nth))(anEvent({ body }), aContext())

    const counters = (await world.dump()).filter(({ PK }) => PK.startsWith('LOGINFAIL#')).map(toLoginFailures)
    expect(counters).toHaveLength(2)
    expect(counters.filter(({ failures, in_flight }) => in_flight < 0 || failures < least)).toEqual([])
  }
})
