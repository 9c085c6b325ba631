import { expect, test } from 'vitest'
import { accountKey, callerKey } from '#lib/table/keys.ts'
import { aConsoleClient, aSignedClient, OPERATIONS } from '#test/console/console-client.ts'
import { estates } from '#test/examples/estates.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld, type World } from '#test/world.ts'

const SECRET_TEXT = `x\nforged line\u001b[31m\u202e${'y'.repeat(300_000)}`

test.each([
  ['GET', '/documents', { customer: SECRET_TEXT }],
  ['GET', '/documents', { from: SECRET_TEXT }],
  ['GET', '/customers', { after: SECRET_TEXT }],
  ['GET', '/calls', { after: SECRET_TEXT }],
  ['GET', '/prices', { at: SECRET_TEXT }],
  ['POST', '/payments', { amount: SECRET_TEXT, customer: 10 }],
  ['PUT', '/settings', { 'a\nb': '1' }],
] as const)(
  'a refused value of %s %s is cut, and its control characters are escaped',
  async (verb, path, values) => {
    const world = await aWorld(estates)
    const client = await aSignedClient(world, 'admin')
    const { status, body } = await client.send(verb, path, values)

    expect(status).toBeGreaterThanOrEqual(400)
    for (const text of [JSON.stringify(body), String(world.log.at(-1)?.['refusal'])]) {
      expect(text.length).toBeLessThan(1000)
      expect(text).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]|\\n/)
    }
  },
)

test.each(['1'.repeat(16), '8'.repeat(30), `0.${'1'.repeat(16)}`, '1e20', '1e-20'])(
  'the amount %s is refused',
  async (amount) => {
    const client = await aSignedClient(await aWorld(estates), 'admin')

    expect((await client.send('POST', '/payments', { customer: 10, amount })).status).toBe(422)
  },
)

const rowOf = (account: number) => estates.users?.find(({ id }) => Number(id) === account) ?? {}

test('a blocked account stays signed out when it is admitted again', async () => {
  const world = await aWorld(estates)
  const [admin, bob] = [await aSignedClient(world, 'admin'), await aSignedClient(world, 'bob')]
  expect((await bob.get('/session')).status).toBe(200)

  await admin.send('POST', '/customers/10/block')
  expect((await bob.get('/session')).status).toBe(401)
  await admin.send('POST', '/customers/10/unblock')

  expect((await bob.get('/session')).status).toBe(401)
  expect((await bob.signIn('bob')).status).toBe(200)
  expect((await bob.get('/session')).status).toBe(200)
  expect(await damageIn(world)).toEqual([])
})

test('an import that blocks an account ends its sessions for good', async () => {
  const world = await aWorld(estates)
  const bob = await aSignedClient(world, 'bob')
  const row = rowOf(10)
  for (const blocked of ['1', '0']) await world.given({ users: [{ ...row, blocked }] })

  expect((await bob.get('/session')).status).toBe(401)
  expect(await damageIn(world)).toEqual([])
})

test('the log of an account is not that of an earlier one of its name', async () => {
  const world = await aWorld(estates)
  const admin = await aSignedClient(world, 'admin')
  await admin.send('POST', '/customers/10/block')
  await world.given({ users: [{ ...rowOf(10), username: 'freed' }] })
  await world.given({ users: [{ ...rowOf(20), username: 'bob' }] })
  const rick = await aSignedClient(world, 'rick')

  expect((await rick.get('/customers/20/log')).body['log']).toEqual([])
  expect((await admin.get('/customers/20/log')).body['log']).toEqual([])
  expect((await admin.get('/customers/10/log')).body['log']).toMatchObject([{ change: 'blocked' }])
})

async function aWorldWithMisplaced(usertype: 'admin' | 'accountant'): Promise<World> {
  const world = await aWorld(estates)
  await world.store.transact([
    { update: accountKey(2), to: { set: { usertype, owner_id: 3 } } },
    { update: callerKey('rick'), to: { set: { usertype, owner_id: 3 } } },
  ])
  return world
}

const OF_THE_OFFICE = OPERATIONS.filter(
  ({ callers, verb, permission }) =>
    callers !== 'anyone' && !callers.includes('reseller') && verb === 'GET' && !permission,
)

test.each(['admin', 'accountant'] as const)('a misplaced %s gets nothing of the office', async (usertype) => {
  const world = await aWorldWithMisplaced(usertype)
  const client = aConsoleClient(world)
  await client.signIn('rick')

  expect(OF_THE_OFFICE.length).toBeGreaterThan(2)
  for (const { path } of OF_THE_OFFICE)
    expect([path, (await client.get(path.replace('{id}', '1'))).status]).toEqual([path, 403])
  for (const path of ['/customers/10', '/tariffs/3000'])
    expect([path, (await client.get(path)).status]).toEqual([path, 404])
  expect((await client.send('POST', '/customers/10/block')).status).toBe(404)
})
