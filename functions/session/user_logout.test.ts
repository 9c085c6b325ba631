import { expect, test } from 'vitest'
import { people } from '#test/examples/examples.ts'
import { aWorld, bodyOf, SECRET_KEY } from '#test/world.ts'
import { method } from './user_logout.ts'

const aPeopledWorld = () => aWorld({ users: people })

test.each(['admin', 'alice', 'rick', 'pat', 'bob'])(
  '%s is logged out, and nothing changes',
  async (caller) => {
    const world = await aPeopledWorld()

    expect(await world.callInVain(method, caller)).toBe(
      '<?xml version="1.0" encoding="UTF-8"?><action><name>logout</name><status>ok</status></action>',
    )
  },
)

test.each([undefined, 'nobody', 'ben'])('for the account %s it has failed', async (caller) => {
  const world = await aPeopledWorld()

  expect(await world.call(method, caller)).toBe(
    '<?xml version="1.0" encoding="UTF-8"?><action><name>logout</name><status>failed</status></action>',
  )
})

test('a password is ignored, and is not logged', async () => {
  const world = await aPeopledWorld()

  expect(await world.call(method, 'bob', { p: 'password of ben', API_Secret_Key: SECRET_KEY })).toContain(
    '>ok<',
  )
  expect(JSON.stringify(world.log)).not.toMatch(/password of ben|secret-of-tests/)
})

test('a refusal of the gates has the root status', async () => {
  const world = await aPeopledWorld()

  expect(bodyOf(await world.send(method, { body: 'u=bob' }))).toBe(
    '<?xml version="1.0" encoding="UTF-8"?><status><error>Incorrect hash</error></status>',
  )
})
