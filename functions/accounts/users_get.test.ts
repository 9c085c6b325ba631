import { expect, test } from 'vitest'
import { people, withCheapHash } from '#test/examples/examples.ts'
import { aWorld, bodyOf, type World } from '#test/world.ts'
import { method as login } from '../session/user_login.ts'
import { method } from './users_get.ts'

const aPeopledWorld = () =>
  aWorld({
    users: people.map((person) => ({ ...withCheapHash(person), uniquehash: `hash-of-${person.username}` })),
  })

const ask = (world: World, caller: string, params: Readonly<Record<string, string>> = {}) =>
  world.call(method, caller, { p: `password of ${caller}`, ...params })

const idsIn = (body: string): string[] => [...body.matchAll(/<user><id>(\d+)</g)].map(([, id]) => String(id))

test('a user is printed with what is stored, without a blank between tags', async () => {
  const world = await aPeopledWorld()
  await world.given({
    tariffs: [{ id: '7', owner_id: '4', name: 'Retail' }],
    users: [
      {
        id: '40',
        username: 'paula',
        usertype: 'user',
        owner_id: '4',
        tariff_id: '7',
        last_name: '<P>',
        blocked: '1',
      },
    ],
  })

  expect(await ask(world, 'pat')).toBe(
    '<?xml version="1.0" encoding="UTF-8"?><page><status><users><user><id>40</id><username>paula</username><first_name/>' +
      '<last_name>&lt;P&gt;</last_name><balance/><blocked>1</blocked><lcr_id/><tariff_id>7</tariff_id><owner_id>4</owner_id>' +
      '<usertype>user</usertype><hidden>0</hidden></user></users></status></page>',
  )
})

test.each([
  ['admin', ['1', '2', '3', '4', '10', '11', '20', '30', '40']],
  ['alice', ['2', '3', '4', '10', '11', '20', '30', '40']],
  ['rick', ['20']],
  ['pat', ['40']],
])('%s sees the accounts in scope by id, without itself and account 0', async (caller, expected) => {
  const world = await aPeopledWorld()

  expect(idsIn(await ask(world, caller))).toEqual(expected)
  expect(idsIn(await world.call(method, caller, { uniquehash: `hash-of-${caller}` }))).toEqual(expected)
})

test('without customers the list is empty', async () => {
  const world = await aPeopledWorld()
  await world.given({
    users: [
      {
        id: '5',
        username: 'new',
        usertype: 'reseller',
        owner_id: '0',
        uniquehash: 'x',
        password_hash: '0'.repeat(40),
      },
    ],
  })

  expect(await world.call(method, 'new', { uniquehash: 'x' })).toContain(
    '<page><status><users/></status></page>',
  )
})

test.each([
  ['nobody in particular', undefined, { p: 'x' }, 'Access Denied'],
  ['a blocked account', 'ben', { p: 'password of ben' }, 'Access Denied'],
  ['a plain user', 'bob', { p: 'password of bob' }, 'You are not authorized to view this page'],
  ['neither password nor uniquehash', 'admin', {}, 'Access Denied'],
  ['a wrong password', 'admin', { p: 'password of bob' }, 'Access Denied'],
  [
    'a wrong password beside the right uniquehash',
    'admin',
    { p: 'x', uniquehash: 'hash-of-admin' },
    'Access Denied',
  ],
  ['the uniquehash of another account', 'rick', { uniquehash: 'hash-of-admin' }, 'Access Denied'],
  ['a text of the same length in other bytes', 'rick', { uniquehash: 'hash-öf-rick' }, 'Access Denied'],
  ['a blank uniquehash', 'rick', { uniquehash: '' }, 'Access Denied'],
])('refuses %s', async (_case, caller, params, message) => {
  const world = await aPeopledWorld()

  expect(await world.call(method, caller, params)).toContain(`<page><error>${message}</error></page>`)
})

test('an account without a uniquehash is not opened by a blank one', async () => {
  const world = await aWorld({ users: people })

  expect(await world.call(method, 'admin', { uniquehash: '' })).toContain('<error>Access Denied</error>')
})

test('wrong passwords count as failed logins', async () => {
  const world = await aPeopledWorld()
  for (const _time of [1, 2, 3]) await world.call(method, 'admin', { p: 'wrong' })

  expect(await ask(world, 'admin')).toContain('<error>Access Denied</error>')
  expect(bodyOf(await world.send(login, { body: 'u=admin&p=password+of+admin' }))).toContain(
    'Please wait 10 seconds',
  )
  world.now = new Date(world.now.getTime() + 10_000)
  expect(await ask(world, 'admin')).toContain('<user>')
})

test.each([
  ['the key alone', {}],
  ['a uniquehash as the hash', { hash: 'hash-of-admin' }],
])('a request signed by %s is refused in the shape of the gates', async (_what, sent) => {
  const world = await aPeopledWorld()
  const hash = 'e5e9fa1ba31ecd1ae84f75caaa474f3a663f05f4'
  await world.set({ API_Secret_Key: 'secret' })
  const body = new URLSearchParams({ u: 'admin', p: 'password of admin', hash, ...sent }).toString()

  expect(bodyOf(await world.send(method, { body }))).toBe(
    '<?xml version="1.0" encoding="UTF-8"?><status><error>Incorrect hash</error></status>',
  )
})

test.each([
  [{ u: 'admin', p: 'admin1', hash: 'c420ef706a02e6449994b7575b25ef5f74cc722b' }],
  [{ u: 'admin', uniquehash: 'hash-of-admin', hash: '69590c5075137e4e42658c15f8f73d982e76b056' }],
])('the vector of %j is a signature', async (sent) => {
  const world = await aPeopledWorld()
  await world.set({ API_Secret_Key: 'secret' })

  expect(bodyOf(await world.send(method, { body: new URLSearchParams(sent).toString() }))).not.toContain(
    'Incorrect hash',
  )
})

test('neither a password nor a uniquehash is logged', async () => {
  const world = await aPeopledWorld()
  await ask(world, 'admin')
  await world.call(method, 'admin', { uniquehash: 'hash-of-admin' })
  await world.send(method, { body: 'u=admin&p=password+of+admin&hash=hash-of-admin' })

  expect(JSON.stringify(world.log)).not.toMatch(/password of|hash-of/)
})
