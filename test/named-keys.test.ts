import { beforeEach, expect, test } from 'vitest'
import { findCallers } from '#lib/accounts/account.ts'
import { addKey, revokeKey, rotateKey } from '#lib/acts/accounts/key-acts.ts'
import { signatureOf } from '#lib/api/signature.ts'
import { carriedOut, secretOf } from '#test/acts/carry-out.ts'
import { noted } from '#test/evidence/log-evidence.ts'
import { everything } from '#test/examples/everything.ts'
import { people } from '#test/examples/examples.ts'
import { rowsOfList } from '#test/listed.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld, bodyOf, pass, SECRET_KEY, type World, warmCalls } from '#test/world.ts'
import { listKeyRows } from '#tools/commands/key/key.ts'
import { listSettingsLogRows } from '#tools/commands/settings/settings-tool.ts'
import { method as userRegister } from '../functions/accounts/user_register.ts'
import { method as quickstatsGet } from '../functions/calls/quickstats_get.ts'
import { method as deviceDelete } from '../functions/devices/device_delete.ts'
import { method as devicesGet } from '../functions/devices/devices_get.ts'

let world: World

beforeEach(async () => {
  world = await aWorld(everything)
})

const CRM = { name: 'crm', as: 'rick', methods: 'devices_get', from: '10.0.0.0/8, 192.0.2.7' }

const add = async (wanted: Partial<typeof CRM> & { readonly v2Only?: 'yes' } = {}) =>
  noted({ secret: await secretOf(world, addKey, { ...CRM, ...wanted }) }).secret

const rotate = async (name: string, overlap: string) =>
  noted({ secret: await secretOf(world, rotateKey, { name, overlap }) }).secret

const revoke = (name: string) => carriedOut(world, revokeKey, { name })

const sendAs = async (
  method: typeof devicesGet | typeof deviceDelete | typeof userRegister,
  params: Readonly<Record<string, string>>,
  secret: string,
  address = '10.1.2.3',
) => {
  const hash = signatureOf(params, method.hashOrders[0], secret)
  const body = new URLSearchParams(noted({ ...params, hash })).toString()
  return bodyOf(await world.send(method, { body, address }))
}

const devicesOf = (u: string, secret: string, address?: string) =>
  sendAs(devicesGet, { u, user_id: '20' }, secret, address)

test("a key signs like the installation's, only for its account, methods and addresses", async () => {
  const secret = await add()

  expect(await devicesOf('rick', secret)).toContain('<devices>')
  expect(await devicesOf('rick', secret, '192.0.2.7')).toContain('<devices>')
  expect(await devicesOf('rick', secret, '192.0.2.8')).toContain('<error>Incorrect hash</error>')
  expect(await devicesOf('admin', secret)).toContain('<error>Incorrect hash</error>')
  expect(await devicesOf('nobody', secret)).toContain('<error>Incorrect hash</error>')
  expect(await sendAs(deviceDelete, { u: 'rick', device: '200' }, secret)).toContain(
    '<error>Incorrect hash</error>',
  )
  expect(world.log.map(({ key, key_refused }) => [key, key_refused])).toEqual([
    ['crm', undefined],
    ['crm', undefined],
    ['crm', 'address'],
    [undefined, undefined],
    [undefined, undefined],
    ['crm', 'method'],
  ])
})

test('a method without a caller acts for the installation, and takes its key alone', async () => {
  const secret = await add({ methods: 'all' })

  expect(await sendAs(userRegister, { u: 'rick', username: 'jane' }, secret)).toContain(
    '<error>Incorrect hash</error>',
  )
  expect(await sendAs(userRegister, { u: 'rick', username: 'jane' }, SECRET_KEY)).toContain(
    '<error>Registration over API is disabled</error>',
  )
})

/** The hash of `devices_get user_id=201` is that of `device_delete device=201`. */
const replayOfRead = async (secret: string) => {
  const hash = signatureOf({ user_id: '201' }, devicesGet.hashOrders[0], secret)
  const body = new URLSearchParams(noted({ u: 'rick', device: '201', hash })).toString()
  return bodyOf(await world.send(deviceDelete, { body, address: '10.1.2.3' }))
}

test("a captured read works as a write with the installation's key, and not with an own key", async () => {
  const secret = await add({ methods: 'devices_get,rate_get' })

  expect(await replayOfRead(secret)).toContain('<error>Incorrect hash</error>')
  expect(world.log.at(-1)).toMatchObject({ key: 'crm', key_refused: 'method' })
  expect(await replayOfRead(SECRET_KEY)).not.toContain('error')
})

test('an installation needs no key of its own beside named keys', async () => {
  const secret = await add()
  await world.set({ API_Secret_Key: '' })

  expect(await devicesOf('rick', secret)).toContain('<devices>')
  expect(await devicesOf('rick', '')).toContain('API must have Secret Key')
  expect(await devicesOf('admin', secret)).toContain('API must have Secret Key')
})

test('a rotated key takes both secrets for the overlap, then the new one', async () => {
  const first = await add()
  const second = await rotate('crm', '2')

  expect(await devicesOf('rick', first)).toContain('<devices>')
  expect(await devicesOf('rick', second)).toContain('<devices>')
  expect(await rowsOfList(await listKeyRows(world.store, world.now))).toMatchObject([
    { previous_until: Date.parse('2026-03-10T14:00:00Z') / 1000 },
  ])
  pass(world, 2 * 3600)
  expect(await devicesOf('rick', first)).toContain('Incorrect hash')
  expect(await devicesOf('rick', second)).toContain('<devices>')

  const third = await rotate('crm', '0')
  expect(await devicesOf('rick', second)).toContain('Incorrect hash')
  expect(await devicesOf('rick', third)).toContain('<devices>')
})

test('a revoked key is refused by a warm function within a second', async () => {
  const secret = await add()
  const params = { u: 'rick', user_id: '20' }
  const call = warmCalls(world)
  const hash = signatureOf(params, devicesGet.hashOrders[0], secret)
  const devices = () => call(devicesGet, undefined, { ...params, hash })
  const fromAnywhere = await add({ name: 'other', from: '' })
  const otherHash = signatureOf(params, devicesGet.hashOrders[0], fromAnywhere)

  expect(await devices()).toContain('Incorrect hash')
  expect(await call(devicesGet, undefined, { ...params, hash: otherHash })).toContain('<devices>')
  await revoke('other')
  pass(world, 1)
  expect(await call(devicesGet, undefined, { ...params, hash: otherHash })).toContain('Incorrect hash')
})

test('a key that takes v2 only refuses the hash', async () => {
  const secret = await add({ v2Only: 'yes' })

  expect(await devicesOf('rick', secret)).toContain('Incorrect hash')
  expect(world.log.at(-1)).toMatchObject({ key: 'crm', key_refused: 'signature' })
})

test("a request with the installation's key costs the same whether the account has keys or not", async () => {
  const costs = async () => {
    world.log.length = 0
    await world.call(quickstatsGet, 'bob')
    await world.call(devicesGet, 'rick', { user_id: 20 })
    return world.log.map(({ round_trips, read_units, write_units }) => [round_trips, read_units, write_units])
  }
  const before = await costs()
  for (const [index, as] of ['bob', 'rick'].entries()) {
    for (let count = 0; count < 4; count++) await add({ as, name: `key-${index}-${count}` })
  }

  expect(await costs()).toEqual(before)
})

test('the keys of an account have a limit of number and of length', async () => {
  for (let count = 0; count < 8; count++) await add({ name: `key-${count}` })
  await expect(add({ name: 'one-more' })).rejects.toMatchObject({ code: 'too_many_keys' })

  const long = Array.from({ length: 280 }, (_, index) => `10.10.10.${index % 200}`).join(',')
  await expect(add({ as: 'bob', name: 'long', from: long })).rejects.toMatchObject({ code: 'keys_too_long' })
})

test.each([
  ['a name with blanks', { name: 'my crm' }, 'wrong_value', 'name'],
  ['an unknown method', { methods: 'devices_gte' }, 'unknown_method', 'methods'],
  ['a method that nobody signs', { methods: 'user_login' }, 'unknown_method', 'methods'],
  ['a method without a caller', { methods: 'user_register' }, 'unknown_method', 'methods'],
  ['an unknown account', { as: 'rikc' }, 'unknown_account', 'as'],
  ['a range that is none', { from: '10.0.0.0/99' }, 'wrong_value', 'from'],
])('%s is refused', async (_what, wanted, code, field) => {
  await expect(add(wanted)).rejects.toMatchObject({ code, field })
})

test('a name belongs to one key of all accounts', async () => {
  await add()

  await expect(add()).rejects.toMatchObject({ code: 'key_exists' })
  await expect(add({ as: 'bob' })).rejects.toMatchObject({ code: 'key_exists' })
  await expect(revoke('crn')).rejects.toMatchObject({ values: { nearest: ['crm'] } })
})

test('an imported account keeps its keys, even renamed or moved; a revoked key stays revoked', async () => {
  const secret = await add()
  await add({ as: 'carol', name: 'carols' })
  const changed = (username: string, changes: Readonly<Record<string, string>>) =>
    world.given({
      users: people.flatMap((one) => (one.username === username ? [{ ...one, ...changes }] : [])),
    })
  await changed('rick', { username: 'richard', first_name: 'Richard' })
  await changed('carol', { owner_id: '3' })
  await revoke('carols')
  await changed('carol', { owner_id: '2', first_name: 'Carol' })

  expect(await devicesOf('richard', secret)).toContain('<devices>')
  expect((await findCallers(world.store, ['carol']))[0]?.keys).toBeUndefined()
  expect(await damageIn(world)).toEqual([])
})

test('the list and the log name keys without secrets', async () => {
  const secret = await add()
  await add({ as: 'bob', name: 'anything', methods: 'rate_get, all', from: '' })
  await rotate('anything', '0')
  await revoke('anything')

  const listed = await rowsOfList(await listKeyRows(world.store, world.now))
  const log = await rowsOfList(await listSettingsLogRows(world.store))
  expect(listed).toEqual([
    {
      name: 'crm',
      account: 'rick',
      methods: 'devices_get',
      from: CRM.from,
      signature: 'any',
      added: '2026-03-10T12:00:00.000Z',
    },
  ])
  expect(log.map(({ changed, after }) => `${changed} ${after}`).sort()).toEqual([
    'account bob got another secret for the key anything',
    'account bob got the key anything',
    'account bob lost the key anything',
    'account rick got the key crm',
  ])
  expect(JSON.stringify([listed, log])).not.toContain(secret)
})

test('check-data finds a key without its name, and a name without its key', async () => {
  await add()
  const items = await world.dump()
  const name = items.find(({ PK }) => PK === 'KEYNAME#crm')
  const caller = items.find(({ PK }) => PK === 'CALLER#rick')
  if (!name || !caller) throw new Error('The key is not stored')
  const { keys: _, ...without } = caller

  expect(await damageIn(world)).toEqual([])
  await world.store.transact([{ remove: { PK: name.PK, SK: name.SK } }])
  expect(await damageIn(world)).toEqual([expect.stringContaining('cannot be listed or revoked')])
  await world.store.transact([{ put: name }, { put: without as typeof caller }])
  expect(await damageIn(world)).toEqual([expect.stringContaining('has no key crm')])
})

test('a rotation or a second revocation revives no key that is revoked meanwhile', async () => {
  for (const act of [rotateKey, revokeKey]) {
    await add()
    const { getMany } = world.store
    let isRevoked = false
    // The key is found in the list of an account, then the account is read with its keys.
    const getManyLate: typeof getMany = async (...given) => {
      const found = await getMany(...given)
      if (!isRevoked && found.some((item) => item?.['keys'] !== undefined)) {
        isRevoked = true
        await revoke('crm')
      }
      return found
    }
    const store = { ...world.store, getMany: getManyLate }

    await expect(carriedOut({ store, now: world.now }, act, { name: 'crm' })).rejects.toMatchObject({
      code: 'unknown_name',
    })
    expect(isRevoked).toBe(true)
    expect(await damageIn(world)).toEqual([])
  }
})
