import { describe, expect, test } from 'vitest'
import { loginFailureKeys, toLoginFailures } from '#lib/accounts/login-failures.ts'
import { serve } from '#lib/api/stack/stack.ts'
import { aContext, anEvent } from '#test/event.ts'
import { people, withCheapHash } from '#test/examples/examples.ts'
import { aWatchedTable } from '#test/faults/watched-table.ts'
import { LOGIN_FAILED, LOGIN_OK, login, loginForm, loginRight, storedLoginCounters } from '#test/logins.ts'
import { aWorld, bodyOf, pass, type World } from '#test/world.ts'
import { method } from './user_login.ts'

const WAIT = 'Please wait 10 seconds before trying to login again'

/** All example accounts, and forty more customers of admin. */
const aCrowdedWorld = (): Promise<World> =>
  aWorld({
    users: [
      ...people,
      ...Array.from({ length: 40 }, (_, index) => ({
        id: String(1000 + index),
        username: `customer ${index}`,
        usertype: 'user',
        owner_id: '0',
      })),
    ].map(withCheapHash),
  })

/** Rick has to wait after these three failures from an address. */
async function guessThrice(world: World, address?: string): Promise<void> {
  for (const guess of ['a', 'b', 'c'])
    expect(await login(world, 'rick', guess, address)).toContain(LOGIN_FAILED)
}

/** A failure of each of a number of names, from one address. */
const failForMany = (world: World, names: number) =>
  Promise.all(Array.from({ length: names }, (_, name) => login(world, `customer ${name}`, 'x')))

test('after three failures, a name waits ten seconds at an address, with any password', async () => {
  const world = await aCrowdedWorld()
  await guessThrice(world)

  expect(await loginRight(world)).toContain(
    `<page><action><name>login</name><status>failed</status><status_message>${WAIT}</status_message></action></page>`,
  )
  pass(world, 9)
  expect(await loginRight(world)).toContain(WAIT)
  pass(world, 1)
  expect(await login(world, 'rick', 'd')).toContain(LOGIN_FAILED)
  expect(await loginRight(world)).toContain(WAIT)
  pass(world, 10)
  expect(await loginRight(world)).toContain(LOGIN_OK)
})

test('other names, and the same name from another address, do not wait', async () => {
  const world = await aCrowdedWorld()
  await guessThrice(world)

  expect(await loginRight(world, 'rita')).toContain(LOGIN_OK)
  expect(await loginRight(world, 'rick', '192.0.2.2')).toContain(LOGIN_OK)
})

test('ten minutes after the first failure, counting starts again', async () => {
  const world = await aCrowdedWorld()
  await login(world, 'rick', 'a')
  await login(world, 'rick', 'b')
  pass(world, 600)

  for (const guess of ['c', 'd']) expect(await login(world, 'rick', guess)).toContain(LOGIN_FAILED)
  expect(await loginRight(world)).toContain(LOGIN_OK)
})

test('after thirty failures from one address, every name from it has to wait', async () => {
  const world = await aCrowdedWorld()
  await failForMany(world, 30)

  expect(await loginRight(world)).toContain(WAIT)
  expect(await loginRight(world, 'rick', '192.0.2.2')).toContain(LOGIN_OK)
})

test('the right password among simultaneous guesses does not pass the wait', async () => {
  const world = await aCrowdedWorld()
  const guesses = Array.from({ length: 12 }, (_, guess) => login(world, 'rick', `guess ${guess}`))

  await Promise.all(guesses.slice(0, 11))

  expect(await loginRight(world)).toContain(WAIT)
})

test('a hundred simultaneous guesses, including the right one, get three attempts', async () => {
  const world = await aCrowdedWorld()
  const guesses = Array.from({ length: 100 }, (_, n) => (n === 99 ? 'password of bob' : `guess ${n}`))

  const answers = await Promise.all(guesses.map((guess) => login(world, 'bob', guess)))

  expect(answers.filter((answer) => answer.includes(LOGIN_FAILED)).length).toBe(3)
  const right = answers.at(-1) ?? ''
  expect(right.includes(WAIT) || right.includes(LOGIN_OK)).toBe(true)
})

test('ten simultaneous right logins all succeed, and no failure is counted', async () => {
  const world = await aCrowdedWorld()
  await login(world, 'rick', 'a')

  const answers = await Promise.all(Array.from({ length: 10 }, () => loginRight(world)))

  expect(answers.filter((answer) => answer.includes(LOGIN_OK)).length).toBe(10)
  expect(storedLoginCounters(await world.dump())).toMatchObject([
    { failures: 1, in_flight: 0 },
    { failures: 1, in_flight: 0 },
  ])
})

test('after the wait, ten simultaneous right logins all succeed', async () => {
  const world = await aCrowdedWorld()
  await guessThrice(world)
  pass(world, 10)

  const answers = await Promise.all(Array.from({ length: 10 }, () => loginRight(world)))

  expect(answers.filter((answer) => answer.includes(LOGIN_OK)).length).toBe(10)
})

test('a right login after the wait does not make the next one wait', async () => {
  const world = await aCrowdedWorld()
  await guessThrice(world)
  pass(world, 10)

  expect(await loginRight(world)).toContain(LOGIN_OK)
  expect(await loginRight(world)).toContain(LOGIN_OK)
  expect(await login(world, 'rick', 'd')).toContain(LOGIN_FAILED)
  expect(await loginRight(world)).toContain(WAIT)
})

test('a refused attempt neither counts nor writes nor prolongs the wait', async () => {
  const world = await aCrowdedWorld()
  await guessThrice(world)
  const before = await world.dump()

  for (let second = 1; second < 10; second += 1) {
    pass(world, 1)
    expect(await login(world, 'rick', 'd')).toContain(WAIT)
  }
  expect(await world.dump()).toEqual(before)
  pass(world, 1)
  expect(await loginRight(world)).toContain(LOGIN_OK)
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
  const body = loginForm('rick', 'password of rick')

  const answer = await serve(method, services)(anEvent({ body }), aContext())

  expect(bodyOf(answer)).toContain(WAIT)
  expect(now - start).toBeGreaterThanOrEqual(3000)
  expect(now - start).toBeLessThanOrEqual(3000 + 8 * step)
})

test('at an untrusted address, an attempt over its limit is not counted for the name', async () => {
  const world = await aCrowdedWorld()
  await failForMany(world, 30)
  const before = storedLoginCounters(await world.dump())

  expect(await loginRight(world)).toContain(WAIT)
  const { failures, in_flight } = toLoginFailures(
    await world.store.get(loginFailureKeys.ofPair('rick', '192.0.2.1')),
  )
  expect({ failures, in_flight }).toEqual({ failures: 0, in_flight: 0 })
  expect(storedLoginCounters(await world.dump())).toEqual(before)
})

test('of sixty names that one address tries, thirty leave a counter', async () => {
  const world = await aCrowdedWorld()
  for (let name = 0; name < 60; name += 1) await login(world, `name ${name}`, 'x')

  expect(storedLoginCounters(await world.dump())).toHaveLength(1 + 30)
})

test('of sixty names that one address tries at once, thirty leave a counter', async () => {
  const world = await aCrowdedWorld()
  await Promise.all(Array.from({ length: 60 }, (_, name) => login(world, `name ${name}`, 'x')))

  expect(storedLoginCounters(await world.dump())).toHaveLength(1 + 30)
})

test('failures of the future, from before a clock was set back, hold nobody up', async () => {
  const world = await aCrowdedWorld()
  await guessThrice(world)
  pass(world, -86_400)

  expect(await loginRight(world)).toContain(LOGIN_OK)
})

describe('behind a trusted portal', () => {
  const aTrustingWorld = async () => {
    const world = await aCrowdedWorld()
    await world.set({ Trusted_Login_Addresses: '2001:db8::/32, 192.0.2.0/28' })
    return world
  }

  test('failures of other names hold nobody up, however many there are', async () => {
    const world = await aTrustingWorld()
    await failForMany(world, 40)

    expect(await loginRight(world)).toContain(LOGIN_OK)
    expect(await world.store.get(loginFailureKeys.ofAddress('192.0.2.1'))).toBeUndefined()
  })

  test('a name has thirty failures a minute', async () => {
    const world = await aTrustingWorld()
    for (let guess = 0; guess < 30; guess += 1)
      expect(await login(world, 'rick', 'x')).toContain(LOGIN_FAILED)

    expect(await loginRight(world)).toContain(WAIT)
    pass(world, 59)
    expect(await loginRight(world)).toContain(WAIT)
    pass(world, 1)
    expect(await loginRight(world)).toContain(LOGIN_OK)
  })

  test("a stranger's seventeen guesses in 75 seconds never shut the right password out", async () => {
    const world = await aTrustingWorld()
    for (let second = 0; second < 75; second += 1) {
      if (second % 4 === 0 || second % 25 === 0) await login(world, 'rick', 'x')
      expect(await loginRight(world)).toContain(LOGIN_OK)
      pass(world, 1)
    }
  })

  test('refused attempts, sent without a pause, lock nobody out', async () => {
    const world = await aTrustingWorld()
    for (let guess = 0; guess < 30; guess += 1) await login(world, 'rick', 'x')
    for (let second = 0; second < 59; second += 5) {
      await Promise.all(Array.from({ length: 5 }, () => login(world, 'rick', 'x')))
      pass(world, 5)
    }

    expect(await loginRight(world)).toContain(LOGIN_OK)
  })

  test('another address is not trusted', async () => {
    const world = await aTrustingWorld()
    await guessThrice(world, '192.0.2.16')

    expect(await loginRight(world, 'rick', '192.0.2.16')).toContain(WAIT)
  })
})

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
    const body = loginForm('rick', p)

    await serve(method, await losing(world, nth))(anEvent({ body }), aContext())

    const counters = storedLoginCounters(await world.dump())
    expect(counters).toHaveLength(2)
    expect(counters.filter(({ failures, in_flight }) => in_flight < 0 || failures < least)).toEqual([])
  }
})
